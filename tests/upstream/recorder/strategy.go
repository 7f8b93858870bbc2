package main

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// resourceStrategy is what the recorder calls of customresource's strategies, whose types have no public name.
type resourceStrategy interface {
	GenerateName(base string) string
	PrepareForCreate(ctx context.Context, object runtime.Object)
	PrepareForUpdate(ctx context.Context, object, old runtime.Object)
	Validate(ctx context.Context, object runtime.Object) field.ErrorList
	ValidateUpdate(ctx context.Context, object, old runtime.Object) field.ErrorList
	WarningsOnCreate(ctx context.Context, object runtime.Object) []string
	WarningsOnUpdate(ctx context.Context, object, old runtime.Object) []string
}

// strategies are those of a version of a CRD: of the whole object, and of its status.
type strategies struct {
	main   resourceStrategy
	status resourceStrategy
}
