//go:build !transition_rules

package main

import "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"

func usesOldSelf(result cel.CompilationResult) bool {
	return result.UsesOldSelf
}
