//go:build !strategy_of_schemas && !strategy_without_selectable_fields

package main

import (
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func newStrategies(
	s *served, kind schema.GroupVersionKind, validator, statusValidator validation.SchemaValidator,
	status *apiextensions.CustomResourceSubresourceStatus, scale *apiextensions.CustomResourceSubresourceScale,
) strategies {
	namespaced := s.crd.Spec.Scope == v1.NamespaceScoped
	strategy := customresource.NewStrategy(
		typer{kind}, namespaced, kind, validator, statusValidator, s.schemas[kind.Version], status, scale,
		selectableFields(s.crd, kind.Version))
	return strategies{main: strategy, status: customresource.NewStatusStrategy(strategy)}
}

func selectableFields(crd *v1.CustomResourceDefinition, version string) []v1.SelectableField {
	for _, v := range crd.Spec.Versions {
		if v.Name == version {
			return v.SelectableFields
		}
	}
	return nil
}
