//go:build documents_of_v2

package main

import (
	generated "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/kube-openapi/pkg/builder3"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// The oldest releases describe documents of both versions of OpenAPI by one configuration.
func schemasOfCRDs() (map[string]*spec.Schema, error) {
	config := &common.Config{
		Info:              &spec.Info{},
		GetDefinitions:    generated.GetOpenAPIDefinitions,
		GetDefinitionName: openapi.NewDefinitionNamer(scheme).GetDefinitionName,
	}
	return builder3.BuildOpenAPIDefinitionsForResources(config, modelName())
}
