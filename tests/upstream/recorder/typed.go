package main

import (
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/spec3"
)

// managerOfCRDs returns the field manager of CRDs: its types are those that the server makes of its OpenAPI document.
func managerOfCRDs(strategy any) (*managedfields.FieldManager, error) {
	schemas, err := schemasOfCRDs()
	if err != nil {
		return nil, err
	}
	types, err := managedfields.NewTypeConverter(schemas, false)
	if err != nil {
		return nil, err
	}
	hub := schema.GroupVersion{Group: crdGroup, Version: "__internal"}
	return managedfields.NewDefaultFieldManager(types, scheme, scheme, scheme, crdKind, hub, "", resetFields(strategy.(resetting)))
}

// manager returns the field manager of a kind of the CRD.
func (s *served) manager(kind schema.GroupVersionKind, strategy any) (*managedfields.FieldManager, error) {
	types, err := s.types()
	if err != nil {
		return nil, err
	}
	return managedfields.NewDefaultCRDFieldManager(
		types, ofOneVersion{}, defaulter{s}, creator{}, kind, kind.GroupVersion(), "", resetFields(strategy.(resetting)))
}

// types returns the types that the server makes of the CRD.
func (s *served) types() (managedfields.TypeConverter, error) {
	var documents []*spec3.OpenAPI
	for _, version := range s.crd.Spec.Versions {
		document, err := builder.BuildOpenAPIV3(s.crd, version.Name, builder.Options{})
		if err != nil {
			return nil, err
		}
		documents = append(documents, document)
	}
	merged, err := builder.MergeSpecsV3(documents...)
	if err != nil {
		return nil, err
	}
	return managedfields.NewTypeConverter(merged.Components.Schemas, s.crd.Spec.PreserveUnknownFields)
}

// The name of the Go type whose OpenAPI document describes CRDs.
const crdType = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.CustomResourceDefinition"

// modelName returns the name of the document's model of CRDs, which newer versions do not derive from the Go type.
func modelName() string {
	if named, ok := any(v1.CustomResourceDefinition{}).(interface{ OpenAPIModelName() string }); ok {
		return named.OpenAPIModelName()
	}
	return crdType
}
