package main

import (
	"context"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericrequest "k8s.io/apiserver/pkg/endpoints/request"
)

// createCRD does what a create request does after it is decoded.
func createCRD(request *Request) *Answer {
	crd, strict, err := decodeCRD(request.YAML)
	if err != nil {
		return undecoded(err)
	}
	ctx := genericrequest.WithRequestInfo(context.Background(), &genericrequest.RequestInfo{
		APIGroup:   "apiextensions.k8s.io",
		APIVersion: "v1",
	})
	strategy := customresourcedefinition.NewStrategy(scheme)
	clearSystemFields(crd)
	crd.Namespace = "" // as of every object of the cluster's scope
	strategy.PrepareForCreate(ctx, crd)
	if crd.GenerateName != "" && crd.Name == "" {
		crd.Name = withoutRandom(strategy.GenerateName(crd.GenerateName))
	}
	errs := strategy.Validate(ctx, crd)
	if len(errs) == 0 {
		errs = validateMetadata(crd, false)
	}
	a := validated(errs)
	a.StrictErrors = strict
	a.Warnings = strategy.WarningsOnCreate(ctx, crd)
	a.CEL = ruleCosts(ctx, crd, errs)
	return a
}

// updateCRD does what an update request does. The old CRD is one that the server has stored.
func updateCRD(request *Request) *Answer {
	old, _, err := decodeCRD(request.Old)
	if err != nil {
		return unanswered("old CRD cannot be decoded: " + err.Error())
	}
	crd, strict, err := decodeCRD(request.New)
	if err != nil {
		return undecoded(err)
	}
	ctx := context.Background()
	strategy := customresourcedefinition.NewStrategy(scheme)
	store(ctx, old, request.established())
	correlate(crd, old)
	crd.Namespace, old.Namespace = "", "" // as of every object of the cluster's scope
	resetManagedFields(crd)
	strategy.PrepareForUpdate(ctx, crd, old)
	errs := validateMetadataUpdate(crd, old, false)
	errs = append(errs, strategy.ValidateUpdate(ctx, crd, old)...)
	a := validated(errs)
	a.StrictErrors = strict
	a.Warnings = strategy.WarningsOnUpdate(ctx, crd, old)
	return a
}

// store sets what the server has set in a CRD that is stored.
func store(ctx context.Context, crd *apiextensions.CustomResourceDefinition, established bool) {
	created := crd.DeepCopy()
	customresourcedefinition.NewStrategy(scheme).PrepareForCreate(ctx, created)
	if crd.Status.StoredVersions == nil {
		crd.Status.StoredVersions = created.Status.StoredVersions
	}
	if established {
		crd.Status.Conditions = append(crd.Status.Conditions, apiextensions.CustomResourceDefinitionCondition{
			Type:   apiextensions.Established,
			Status: apiextensions.ConditionTrue,
		})
	}
}

// withoutRandom replaces the random end of a generated name, so that answers can be compared.
func withoutRandom(name string) string {
	const suffix = "xxxxx"
	return name[:len(name)-len(suffix)] + suffix
}

// clearSystemFields clears what the server sets itself on create.
func clearSystemFields(object metav1.Object) {
	object.SetCreationTimestamp(metav1.Time{})
	object.SetDeletionTimestamp(nil)
	object.SetDeletionGracePeriodSeconds(nil)
	object.SetUID("")
	object.SetSelfLink("")
	object.SetResourceVersion("")
	resetManagedFields(object)
}

// resetManagedFields removes managed fields that cannot be decoded, as the server's field manager does.
func resetManagedFields(object metav1.Object) {
	if managedfields.ValidateManagedFields(object.GetManagedFields()) != nil {
		object.SetManagedFields(nil)
	}
}

// correlate sets what the server carries over from the stored object on update.
func correlate(object, old metav1.Object) {
	object.SetGeneration(old.GetGeneration())
	old.SetResourceVersion("1")
	object.SetResourceVersion("1")
	if old.GetUID() == "" {
		old.SetUID("u")
	}
	if object.GetUID() == "" {
		object.SetUID(old.GetUID())
	}
	if created := old.GetCreationTimestamp(); !created.IsZero() {
		object.SetCreationTimestamp(created)
	}
}

func validateMetadata(object metav1.Object, namespaced bool) field.ErrorList {
	at := field.NewPath("metadata")
	return validation.ValidateObjectMetaAccessor(object, namespaced, path.ValidatePathSegmentName, at)
}

// validateMetadataUpdate returns the errors that every update is checked for.
func validateMetadataUpdate(object, old metav1.Object, namespaced bool) field.ErrorList {
	errs := validateMetadata(object, namespaced)
	return append(errs, validation.ValidateObjectMetaAccessorUpdate(object, old, field.NewPath("metadata"))...)
}
