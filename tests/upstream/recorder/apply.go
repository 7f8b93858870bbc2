package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/storage"
	"sigs.k8s.io/yaml"
)

// applied is an object that a client applies.
type applied struct {
	object *unstructured.Unstructured
	// manager is the field manager of the client, and force its answer to conflicts.
	manager string
	force   bool
	// duplicate is the error about keys that the text repeats, which does not end the request.
	duplicate []string
}

// apply answers for server-side apply: of a CRD, or of a custom resource of the CRD in request.CRD; on nothing, or on
// a stored object.
func apply(request *Request) *Answer {
	ctx := context.Background()
	if request.CRD == "" {
		return applyCRD(ctx, request)
	}
	definition, why := serveCRD(ctx, request.CRD)
	if why != "" {
		return unanswered(why)
	}
	return definition.apply(ctx, request)
}

// readApplied reads the text of an applied object, which is YAML, also if it is JSON.
func readApplied(request *Request, text string) (*applied, *Answer) {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	if err := utilyaml.Unmarshal([]byte(text), &object.Object); err != nil {
		return nil, &Answer{DecodeError: "error decoding patch: " + err.Error()}
	}
	if object.GetName() == "" {
		return nil, unanswered("object has no name: there is no URL to apply it to")
	}
	if problems := path.IsValidPathSegmentName(object.GetName()); len(problems) > 0 {
		why := fmt.Sprintf("Name parameter invalid: %q: %s", object.GetName(), strings.Join(problems, ";"))
		return nil, &Answer{DecodeError: why}
	}
	patch := &applied{object: object, manager: request.Manager, force: request.Force}
	if patch.manager == "" {
		patch.manager = "kubectl"
	}
	if _, err := yaml.YAMLToJSONStrict([]byte(text)); err != nil {
		patch.duplicate = append(patch.duplicate, err.Error())
	}
	return patch, nil
}

// merged returns what becomes of the stored object, or why the server rejects the applied one before it validates it.
func (a *applied) merged(manager *managedfields.FieldManager, stored runtime.Object, of schema.GroupResource) (runtime.Object, error) {
	object, err := manager.Apply(stored, a.object.DeepCopy(), a.manager, a.force)
	if err != nil {
		return nil, err
	}
	before, err := meta.Accessor(stored)
	if err != nil {
		return nil, err
	}
	after, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	if before.GetUID() == "" && after.GetUID() != "" {
		reason := fmt.Errorf("uid mismatch: the provided object specified uid %s, and no existing object was found", after.GetUID())
		return nil, apierrors.NewConflict(of, after.GetName(), reason)
	}
	_, err = storage.APIObjectVersioner{}.ObjectResourceVersion(object)
	return object, err
}

func rejected(err error) *Answer {
	var conflict *apierrors.StatusError
	if errors.As(err, &conflict) && apierrors.IsConflict(err) {
		return &Answer{DecodeError: withSortedConflicts(conflict)}
	}
	return &Answer{DecodeError: err.Error()}
}

// withSortedConflicts returns the message of a conflict with its causes, which the server tells in a random order.
func withSortedConflicts(conflict *apierrors.StatusError) string {
	lines := []string{}
	if details := conflict.ErrStatus.Details; details != nil {
		for _, cause := range details.Causes {
			lines = append(lines, cause.Message+": "+cause.Field)
		}
	}
	if len(lines) == 0 {
		return conflict.Error()
	}
	first, _, _ := strings.Cut(conflict.Error(), ":")
	return strings.Join(append([]string{first}, sorted(lines)...), "\n")
}

func applyCRD(ctx context.Context, request *Request) *Answer {
	patch, answer := readApplied(request, request.YAML)
	if answer != nil {
		return answer
	}
	if kind := patch.object.GroupVersionKind(); kind != crdKind {
		return unanswered("object has no kind and version that are served: " + kind.String())
	}
	strategy := customresourcedefinition.NewStrategy(scheme)
	manager, err := managerOfCRDs(strategy)
	if err != nil {
		return unanswered("types cannot be built: " + err.Error())
	}
	stored, old := runtime.Object(&apiextensions.CustomResourceDefinition{}), (*apiextensions.CustomResourceDefinition)(nil)
	if request.Old != "" {
		old, _, err = decodeCRD(request.Old)
		if err != nil {
			return unanswered("old CRD cannot be decoded: " + err.Error())
		}
		store(ctx, old, request.established())
		old.UID = "u"
		stored = old.DeepCopy()
	}
	merged, err := patch.merged(manager, stored, schema.GroupResource{Group: crdGroup, Resource: "customresourcedefinitions"})
	if err != nil {
		return rejected(err)
	}
	crd := merged.(*apiextensions.CustomResourceDefinition)
	a := validateApplied(ctx, strategy, crd, old)
	a.StrictErrors = patch.duplicate
	return a
}

var crdKind = v1.SchemeGroupVersion.WithKind("CustomResourceDefinition")

// validateApplied validates a CRD after the merge; old is nil for a new one.
func validateApplied(ctx context.Context, strategy resourceStrategy, crd, old *apiextensions.CustomResourceDefinition) *Answer {
	crd.Namespace = "" // as of every object of the cluster's scope
	if old == nil {
		clearSystemFields(crd, crdGroup)
		strategy.PrepareForCreate(ctx, crd)
		errs := strategy.Validate(ctx, crd)
		if len(errs) == 0 {
			errs = validateMetadata(crd, false)
		}
		a := validated(errs)
		a.Warnings = strategy.WarningsOnCreate(ctx, crd)
		return a
	}
	old.Namespace = ""
	correlate(crd, old)
	strategy.PrepareForUpdate(ctx, crd, old)
	errs := validateMetadataUpdate(crd, old, false)
	a := validated(append(errs, strategy.ValidateUpdate(ctx, crd, old)...))
	a.Warnings = strategy.WarningsOnUpdate(ctx, crd, old)
	return a
}

func (s *served) apply(ctx context.Context, request *Request) *Answer {
	patch, answer := readApplied(request, request.CR)
	if answer != nil {
		return answer
	}
	kind := patch.object.GroupVersionKind()
	if !s.serves(kind) {
		return unanswered("no such version: " + kind.String())
	}
	namespaced := s.crd.Spec.Scope == v1.NamespaceScoped
	if _, isSet, err := unstructured.NestedFieldNoCopy(patch.object.Object, "metadata", "namespace"); namespaced && !isSet && err == nil {
		patch.object.SetNamespace("default")
	}
	strategy, err := s.strategies(kind)
	if err != nil {
		return unanswered("CRD cannot be served: " + err.Error())
	}
	manager, err := s.manager(kind, strategy.main)
	if err != nil {
		return unanswered("CRD cannot be served: " + err.Error())
	}
	stored, old, err := s.stored(request.OldCR, kind)
	if err != nil {
		return unanswered("old resource cannot be decoded: " + err.Error())
	}
	resource := schema.GroupResource{Group: s.crd.Spec.Group, Resource: s.crd.Spec.Names.Plural}
	merged, err := patch.merged(manager, stored, resource)
	if err != nil {
		return rejected(err)
	}
	return s.validateApplied(ctx, strategy, merged.(*unstructured.Unstructured), old)
}

// stored returns the object that the server has, an empty one and nil for none.
func (s *served) stored(text string, kind schema.GroupVersionKind) (runtime.Object, *unstructured.Unstructured, error) {
	if text == "" {
		empty := &unstructured.Unstructured{}
		empty.SetGroupVersionKind(kind)
		return empty, nil, nil
	}
	old, _, err := s.decode(text)
	if err != nil {
		return nil, nil, err
	}
	if s.crd.Spec.Scope == v1.NamespaceScoped && old.GetNamespace() == "" {
		old.SetNamespace("default")
	}
	old.SetUID("u")
	return old.DeepCopy(), old, nil
}

// validateApplied validates a custom resource after the merge; old is nil for a new one.
func (s *served) validateApplied(ctx context.Context, strategy strategies, object, old *unstructured.Unstructured) *Answer {
	namespaced := s.crd.Spec.Scope == v1.NamespaceScoped
	var a *Answer
	if old == nil {
		asRequest(ctx, strategy, object, nil, namespaced)
		a = validated(strategy.main.Validate(ctx, object))
		a.Warnings = strategy.main.WarningsOnCreate(ctx, object)
	} else {
		correlate(object, old)
		strategy.main.PrepareForUpdate(ctx, object, old)
		a = update(ctx, strategy.main, object, old, namespaced)
	}
	a.Defaulted = s.asStored(object)
	if !rulesBlocked(*a.Errors) {
		a.CELCost = spentByRules(ctx, s.schemas[object.GroupVersionKind().Version], object, old)
	}
	return a
}

// asStored returns an object as the server reads it from its storage, or as it is if it cannot be stored; without the
// metadata that the server sets itself.
func (s *served) asStored(object *unstructured.Unstructured) map[string]any {
	read := object.DeepCopy()
	if text, err := json.Marshal(object.Object); err == nil {
		if decoded, _, err := s.decode(string(text)); err == nil {
			read = decoded
		}
	}
	removeNullTimestamps(read.Object)
	for _, name := range []string{"managedFields", "uid", "resourceVersion", "generation", "creationTimestamp"} {
		unstructured.RemoveNestedField(read.Object, "metadata", name)
	}
	return read.Object
}

// ofOneVersion converts the objects of a CRD without a conversion webhook: only their version changes.
type ofOneVersion struct{}

func (ofOneVersion) Convert(_, _, _ any) error {
	return errors.New("not needed")
}

func (ofOneVersion) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	object := in.DeepCopyObject().(*unstructured.Unstructured)
	kind, ok := target.KindForGroupVersionKinds([]schema.GroupVersionKind{object.GroupVersionKind()})
	if !ok {
		return nil, fmt.Errorf("%v is unstructured and is not suitable for converting to %q", object.GroupVersionKind(), target)
	}
	object.SetGroupVersionKind(kind)
	return object, nil
}

func (ofOneVersion) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

// defaulter sets the defaults of a CRD's schemas.
type defaulter struct{ of *served }

func (d defaulter) Default(in runtime.Object) {
	object := in.(*unstructured.Unstructured)
	defaulting.Default(object.Object, d.of.schemas[object.GroupVersionKind().Version])
}
