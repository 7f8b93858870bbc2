//go:build strategy_of_schemas

package main

import (
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The oldest releases give a strategy the schemas of all versions.
func newStrategies(
	s *served, kind schema.GroupVersionKind, validator, statusValidator validation.SchemaValidator,
	status *apiextensions.CustomResourceSubresourceStatus, scale *apiextensions.CustomResourceSubresourceScale,
) strategies {
	namespaced := s.crd.Spec.Scope == v1.NamespaceScoped
	strategy := customresource.NewStrategy(
		typer{kind}, namespaced, kind, validator, statusValidator, s.schemas, status, scale)
	return strategies{main: strategy, status: customresource.NewStatusStrategy(strategy)}
}
