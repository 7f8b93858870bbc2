//go:build environment_of_costs

package main

import (
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// Some releases chose the costs of the library when they made the environment.
func compile(info *crdvalidation.CELTypeInfo) ([]cel.CompilationResult, error) {
	base := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion(), true)
	return cel.Compile(info.Schema, info.DeclType, celconfig.PerCallLimit, base, cel.NewExpressionsEnvLoader())
}
