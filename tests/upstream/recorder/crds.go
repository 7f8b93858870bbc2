package main

import (
	"context"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericrequest "k8s.io/apiserver/pkg/endpoints/request"
)

const crdGroup = "apiextensions.k8s.io"

// createCRD does what a create request does after it is decoded.
func createCRD(request *Request) *Answer {
	crd, strict, err := decodeCRD(request.YAML)
	if err != nil {
		return undecoded(err)
	}
	ctx := genericrequest.WithRequestInfo(context.Background(), &genericrequest.RequestInfo{
		APIGroup:   crdGroup,
		APIVersion: "v1",
	})
	strategy := customresourcedefinition.NewStrategy(scheme)
	clearSystemFields(crd, crdGroup)
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
	resetManagedFields(crd, crdGroup)
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
func clearSystemFields(object metav1.Object, group string) {
	object.SetCreationTimestamp(metav1.Time{})
	object.SetDeletionTimestamp(nil)
	object.SetDeletionGracePeriodSeconds(nil)
	object.SetUID("")
	object.SetSelfLink("")
	object.SetResourceVersion("")
	resetManagedFields(object, group)
}

// resetManagedFields removes managed fields that the server's field manager does not keep of what a client sends: all of
// them if one cannot be decoded, those without fields, and those of another group.
func resetManagedFields(object metav1.Object, group string) {
	entries := object.GetManagedFields()
	object.SetManagedFields(nil)
	if managedfields.ValidateManagedFields(entries) != nil {
		return
	}
	var kept []metav1.ManagedFieldsEntry
	for _, entry := range entries {
		isOfGroup := strings.HasPrefix(entry.APIVersion, group+"/")
		if isOfGroup && entry.FieldsV1 != nil && string(fieldsOf(entry)) != "{}" {
			kept = append(kept, entry)
		}
	}
	object.SetManagedFields(kept)
}

func fieldsOf(entry metav1.ManagedFieldsEntry) []byte {
	text, err := entry.FieldsV1.MarshalJSON()
	if err != nil {
		return []byte("{}")
	}
	return text
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
