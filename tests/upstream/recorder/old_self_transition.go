//go:build transition_rules

package main

import "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"

// Before optionalOldSelf, each rule that used oldSelf was a transition rule.
func usesOldSelf(result cel.CompilationResult) bool {
	return result.TransitionRule
}
