package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// served is a CRD as the server serves it.
type served struct {
	crd *v1.CustomResourceDefinition
	// schemas are the structural schemas of the versions that have one, by name.
	schemas map[string]*structuralschema.Structural
	// validations are what the schemas were made of.
	validations map[string]*apiextensions.JSONSchemaProps
}

// customResource creates a custom resource, or updates the stored one.
func customResource(request *Request) *Answer {
	ctx := context.Background()
	definition, why := serveCRD(ctx, request.CRD)
	if why != "" {
		return unanswered(why)
	}
	if request.Subresource == "scale" {
		return definition.scale(ctx, request)
	}
	object, unknown, err := definition.decode(request.CR)
	if err != nil {
		return undecoded(err)
	}
	var old *unstructured.Unstructured
	if request.OldCR != "" {
		old, _, err = definition.decode(request.OldCR)
		if err != nil {
			return unanswered("old resource cannot be decoded: " + err.Error())
		}
	}
	kind := object.GroupVersionKind()
	if !definition.serves(kind) {
		return unanswered("no such version: " + kind.String())
	}
	return definition.answer(ctx, request, object, old, unknown)
}

func (s *served) answer(
	ctx context.Context, request *Request, object, old *unstructured.Unstructured, unknown []string,
) *Answer {
	kind := object.GroupVersionKind()
	namespaced := s.crd.Spec.Scope == v1.NamespaceScoped
	defaulted := object.DeepCopy().Object
	strategy, err := s.strategies(kind)
	if err != nil {
		return unanswered("CRD cannot be served: " + err.Error())
	}
	if request.AsRequest {
		asRequest(ctx, strategy, object, old, namespaced)
		defaulted = asSent(object, defaulted)
	}
	var a *Answer
	switch {
	case old == nil:
		a = validated(strategy.main.Validate(ctx, object))
		a.Warnings = strategy.main.WarningsOnCreate(ctx, object)
	case request.Subresource == "status":
		strategy.status.PrepareForUpdate(ctx, object, old)
		defaulted = object.DeepCopy().Object
		correlate(object, old)
		a = update(ctx, strategy.status, object, old, namespaced)
	default:
		correlate(object, old)
		a = update(ctx, strategy.main, object, old, namespaced)
	}
	a.UnknownFields = unknown
	removeNullTimestamps(defaulted)
	a.Defaulted = defaulted
	if !rulesBlocked(*a.Errors) {
		a.CELCost = spentByRules(ctx, s.schemas[kind.Version], object, old)
	}
	return a
}

// removeNullTimestamps removes the creationTimestamp that older servers write as null until the object is stored.
func removeNullTimestamps(value any) {
	switch value := value.(type) {
	case map[string]any:
		if metadata, ok := value["metadata"].(map[string]any); ok {
			if created, ok := metadata["creationTimestamp"]; ok && created == nil {
				delete(metadata, "creationTimestamp")
			}
		}
		for _, member := range value {
			removeNullTimestamps(member)
		}
	case []any:
		for _, item := range value {
			removeNullTimestamps(item)
		}
	}
}

// serveCRD returns the CRD as it is served, or why it is not.
func serveCRD(ctx context.Context, text string) (*served, string) {
	crd, _, err := decodeCRD(text)
	if err != nil {
		return nil, "CRD cannot be decoded: " + err.Error()
	}
	strategy := customresourcedefinition.NewStrategy(scheme)
	strategy.PrepareForCreate(ctx, crd)
	if errs := strategy.Validate(ctx, crd); len(errs) > 0 {
		return nil, "CRD is rejected: " + errs[0].Error()
	}
	external := &v1.CustomResourceDefinition{}
	if err := v1.Convert_apiextensions_CustomResourceDefinition_To_v1_CustomResourceDefinition(crd, external, nil); err != nil {
		return nil, "CRD cannot be served: " + err.Error()
	}
	definition := &served{
		crd:         external,
		schemas:     map[string]*structuralschema.Structural{},
		validations: map[string]*apiextensions.JSONSchemaProps{},
	}
	for _, version := range external.Spec.Versions {
		if err := definition.addVersion(version.Name); err != nil {
			return nil, "CRD cannot be served: " + err.Error()
		}
	}
	return definition, ""
}

func (s *served) addVersion(name string) error {
	declared, err := apihelpers.GetSchemaForVersion(s.crd, name)
	if err != nil || declared == nil {
		return nil
	}
	internal := &apiextensions.CustomResourceValidation{}
	if err := v1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(declared, internal, nil); err != nil {
		return err
	}
	structural, err := structuralschema.NewStructural(internal.OpenAPIV3Schema)
	if err != nil {
		return err
	}
	structural = structural.DeepCopy()
	if err := defaulting.PruneDefaults(structural); err != nil {
		return err
	}
	s.schemas[name] = structural
	s.validations[name] = internal.OpenAPIV3Schema
	return nil
}

func (s *served) serves(kind schema.GroupVersionKind) bool {
	isItsKind := kind.Group == s.crd.Spec.Group && kind.Kind == s.crd.Spec.Names.Kind
	return isItsKind && s.schemas[kind.Version] != nil
}

func (s *served) strategies(kind schema.GroupVersionKind) (strategies, error) {
	validator, _, err := validation.NewSchemaValidator(s.validations[kind.Version])
	if err != nil {
		return strategies{}, err
	}
	declared, err := apihelpers.GetSubresourcesForVersion(s.crd, kind.Version)
	if err != nil {
		return strategies{}, err
	}
	var status *apiextensions.CustomResourceSubresourceStatus
	var scale *apiextensions.CustomResourceSubresourceScale
	if declared != nil && declared.Status != nil {
		status = &apiextensions.CustomResourceSubresourceStatus{}
	}
	if declared != nil && declared.Scale != nil {
		scale = &apiextensions.CustomResourceSubresourceScale{
			SpecReplicasPath:   declared.Scale.SpecReplicasPath,
			StatusReplicasPath: declared.Scale.StatusReplicasPath,
			LabelSelectorPath:  declared.Scale.LabelSelectorPath,
		}
	}
	statusValidator, err := s.statusValidator(kind.Version, status)
	if err != nil {
		return strategies{}, err
	}
	return newStrategies(s, kind, validator, statusValidator, status, scale), nil
}

// statusValidator returns what validates an update of the status alone, or nil without a schema of the status.
func (s *served) statusValidator(
	version string, status *apiextensions.CustomResourceSubresourceStatus,
) (validation.SchemaValidator, error) {
	schema, ok := s.validations[version].Properties["status"]
	if status == nil || !ok {
		return nil, nil
	}
	validator, _, err := validation.NewSchemaValidator(&schema)
	return validator, err
}

// asRequest does to an object what the server does to one that a client sends, before it validates it.
func asRequest(ctx context.Context, strategy strategies, object, old *unstructured.Unstructured, namespaced bool) {
	if namespaced && object.GetNamespace() == "" {
		object.SetNamespace("default")
	}
	group := object.GetObjectKind().GroupVersionKind().Group
	resetManagedFields(object, group)
	if old != nil {
		if namespaced && old.GetNamespace() == "" {
			old.SetNamespace("default")
		}
		strategy.main.PrepareForUpdate(ctx, object, old)
		return
	}
	clearSystemFields(object, group)
	strategy.main.PrepareForCreate(ctx, object)
	if object.GetGenerateName() != "" && object.GetName() == "" {
		object.SetName(withoutRandom(strategy.main.GenerateName(object.GetGenerateName())))
	}
}

// asSent returns an object without the generation that the server adds to what a client sends.
func asSent(object *unstructured.Unstructured, sent map[string]any) map[string]any {
	prepared := object.DeepCopy().Object
	if _, found, _ := unstructured.NestedFieldNoCopy(sent, "metadata", "generation"); !found {
		unstructured.RemoveNestedField(prepared, "metadata", "generation")
	}
	return prepared
}

func update(
	ctx context.Context, strategy resourceStrategy, object, old *unstructured.Unstructured, namespaced bool,
) *Answer {
	errs := validateMetadataUpdate(object, old, namespaced)
	a := validated(append(errs, strategy.ValidateUpdate(ctx, object, old)...))
	a.Warnings = strategy.WarningsOnUpdate(ctx, object, old)
	return a
}

// rulesBlocked tells whether other errors kept the rules from running.
func rulesBlocked(errs []FieldError) bool {
	for _, e := range errs {
		if strings.Contains(e.Detail, "some validation rules were not checked") {
			return true
		}
	}
	return false
}

// spentByRules returns the units that the rules spend, or nil without rules or beyond the budget.
func spentByRules(ctx context.Context, s *structuralschema.Structural, object, old *unstructured.Unstructured) *int64 {
	validator := cel.NewValidator(s, true, celconfig.PerCallLimit)
	if validator == nil {
		return nil
	}
	var oldValue any
	if old != nil {
		oldValue = old.Object
	}
	budget := int64(celconfig.RuntimeCELCostBudget)
	_, remaining := validator.Validate(ctx, nil, s, object.Object, oldValue, budget)
	if remaining < 0 {
		return nil
	}
	spent := budget - remaining
	return &spent
}

// typer knows one kind.
type typer struct{ kind schema.GroupVersionKind }

func (t typer) ObjectKinds(o runtime.Object) ([]schema.GroupVersionKind, bool, error) {
	return []schema.GroupVersionKind{o.GetObjectKind().GroupVersionKind()}, false, nil
}

func (t typer) Recognizes(kind schema.GroupVersionKind) bool { return kind == t.kind }

// creator makes an empty object of any kind.
type creator struct{}

func (creator) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	return object, nil
}

// decode decodes, prunes, coerces and defaults a custom resource in the order of the server's decoder.
// The second result are its unknown and duplicate fields, sorted.
func (s *served) decode(text string) (*unstructured.Unstructured, []string, error) {
	object, unknown, err := decodeUnstructured(text)
	if err != nil {
		return nil, nil, err
	}
	kind, _, err := unstructured.NestedString(object.Object, "kind")
	if err != nil {
		return nil, nil, err
	}
	apiVersion, _, err := unstructured.NestedString(object.Object, "apiVersion")
	if err != nil {
		return nil, nil, err
	}
	options := objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true}
	meta, hasMeta, paths, err := objectmeta.GetObjectMetaWithOptions(object.Object, options)
	if err != nil {
		return nil, nil, err
	}
	groupVersion, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil, nil, err
	}
	structural := s.schemas[groupVersion.Version]
	if s.serves(groupVersion.WithKind(kind)) {
		pruned, err := s.prune(object.Object, structural)
		if err != nil {
			return nil, nil, err
		}
		paths = append(paths, pruned...)
	}
	object.SetKind(kind)
	object.SetAPIVersion(apiVersion)
	if hasMeta {
		if err := objectmeta.SetObjectMeta(object.Object, meta); err != nil {
			return nil, nil, err
		}
	}
	if structural != nil {
		defaulting.Default(object.Object, structural)
	}
	unknown = append(unknown, paths...)
	sort.Strings(unknown)
	return object, unknown, nil
}

func (s *served) prune(object map[string]any, structural *structuralschema.Structural) ([]string, error) {
	var paths []string
	if !s.crd.Spec.PreserveUnknownFields {
		options := structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
		paths = pruning.PruneWithOptions(object, structural, true, options)
		defaulting.PruneNonNullableNullsWithoutDefaults(object, structural)
	}
	options := objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true}
	fieldError, more := objectmeta.CoerceWithOptions(nil, object, structural, false, options)
	if fieldError != nil {
		return nil, fieldError
	}
	return append(paths, more...), nil
}

// decodeUnstructured decodes JSON as it is, and YAML after a conversion; the second result are the paths of duplicate fields.
func decodeUnstructured(text string) (*unstructured.Unstructured, []string, error) {
	options := jsonserializer.SerializerOptions{Yaml: !json.Valid([]byte(text)), Strict: true}
	serializer := jsonserializer.NewSerializerWithOptions(jsonserializer.DefaultMetaFactory, creator{}, typer{}, options)
	decoded, _, err := serializer.Decode([]byte(text), nil, &unstructured.Unstructured{})
	strict, err := strictErrors(decoded, err)
	if err != nil {
		return nil, nil, err
	}
	object, ok := decoded.(*unstructured.Unstructured)
	if !ok {
		return nil, nil, fmt.Errorf("not an object: %T", decoded)
	}
	var unknown []string
	for _, e := range strict {
		if path, ok := unknownField(e); ok {
			unknown = append(unknown, path)
		}
	}
	return object, unknown, nil
}

// unknownField returns the path in an error such as `unknown field "spec.a"`.
func unknownField(text string) (string, bool) {
	path, ok := strings.CutPrefix(text, `unknown field "`)
	return strings.TrimSuffix(path, `"`), ok
}
