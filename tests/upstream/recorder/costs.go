package main

import (
	"context"
	"math"
	"regexp"
	"sort"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ruleCosts walks the schemas as the validation does, and estimates each rule that the validation compiles.
func ruleCosts(ctx context.Context, crd *apiextensions.CustomResourceDefinition, errs field.ErrorList) []RuleCost {
	walk := costWalk{broken: blockingFields(errs)}
	if crd.Spec.Validation != nil {
		walk.root(ctx, crd.Spec.Validation, field.NewPath("spec", "validation"))
	}
	for i, version := range crd.Spec.Versions {
		if version.Schema != nil {
			walk.root(ctx, version.Schema, field.NewPath("spec", "versions").Index(i).Child("schema"))
		}
	}
	sort.Slice(walk.costs, func(i, j int) bool { return walk.costs[i].Path < walk.costs[j].Path })
	return walk.costs
}

type costWalk struct {
	// broken are the fields with errors that keep the validation from compiling the rules below them.
	broken []string
	costs  []RuleCost
}

func (w *costWalk) root(ctx context.Context, of *apiextensions.CustomResourceValidation, at *field.Path) {
	if of.OpenAPIV3Schema == nil {
		return
	}
	at = at.Child("openAPIV3Schema")
	structural, err := structuralschema.NewStructural(of.OpenAPIV3Schema)
	if err != nil || len(structuralschema.ValidateStructural(at, structural)) > 0 {
		return
	}
	invalid, err := defaulting.ValidateDefaults(ctx, at, structural, true, true)
	if err != nil || len(invalid) > 0 {
		return
	}
	w.schema(of.OpenAPIV3Schema, at, crdvalidation.RootCELContext(of.OpenAPIV3Schema))
}

func (w *costWalk) schema(s *apiextensions.JSONSchemaProps, at *field.Path, ctx *crdvalidation.CELSchemaContext) {
	if s == nil || ctx == nil {
		return
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		of := s.AdditionalProperties.Schema
		w.schema(of, at.Child("additionalProperties"), ctx.ChildAdditionalPropertiesContext(of))
	}
	for name, property := range s.Properties {
		w.schema(&property, at.Child("properties").Key(name), ctx.ChildPropertyContext(&property, name))
	}
	if s.Items != nil && s.Items.Schema != nil {
		w.schema(s.Items.Schema, at.Child("items"), ctx.ChildItemsContext(s.Items.Schema))
	}
	if len(s.XValidations) > 0 && !w.isBroken(at.String()) {
		w.rules(s, at.Child("x-kubernetes-validations"), ctx)
	}
}

func (w *costWalk) rules(s *apiextensions.JSONSchemaProps, at *field.Path, ctx *crdvalidation.CELSchemaContext) {
	info, err := ctx.TypeInfo()
	if err != nil || info == nil {
		return
	}
	results, err := compile(info)
	if err != nil {
		return
	}
	for i, result := range results {
		cost := RuleCost{
			Path:        at.Index(i).String(),
			Rule:        s.XValidations[i].Rule,
			MaxCost:     decimal(result.MaxCost),
			UsesOldSelf: usesOldSelf(result),
		}
		cardinality := result.MaxCardinality
		if ctx.MaxCardinality != nil {
			cardinality = *ctx.MaxCardinality
			bound := decimal(cardinality)
			cost.MaxCardinality = &bound
		}
		cost.ExpressionCost = decimal(product(result.MaxCost, cardinality))
		if result.Error != nil {
			text := plain(result.Error.Detail)
			cost.RuleError = &text
		}
		w.costs = append(w.costs, cost)
	}
}

func (w *costWalk) isBroken(at string) bool {
	for _, path := range w.broken {
		if path == at || strings.HasPrefix(path, at+".") || strings.HasPrefix(path, at+"[") {
			return true
		}
	}
	return false
}

var (
	// fields of rules, whose errors are those of the compilation
	fieldOfRule = regexp.MustCompile(`x-kubernetes-validations\[\d+\]\.(rule|messageExpression|optionalOldSelf)$`)
	// errors of other walks, and of types for CEL, which do not keep rules from being compiled
	ofOtherWalk = regexp.MustCompile(
		`^(x-kubernetes-validations estimated rule cost total|nullable cannot be true at the root` +
			`|only .* (is|are) allowed (as the type )?at the root|internal error: failed to|failed to convert to declType)`)
	// errors of a list that name a field of its items
	ofListAboutItems = regexp.MustCompile(
		`^(cannot be nullable when x-kubernetes-list-type is|must be atomic as item of a list` +
			`|must be object if parent array|must be a scalar type if parent array` +
			`|this property is in x-kubernetes-list-map-keys)`)
	// errors of fields of rules that are not of the compilation
	beforeCompilation = map[string]bool{
		"rule is not specified":                            true,
		"messageExpression must be non-empty if specified": true,
	}
)

func blockingFields(errs field.ErrorList) []string {
	var paths []string
	for _, e := range errs {
		ofCompilation := fieldOfRule.MatchString(e.Field) && !beforeCompilation[e.Detail]
		if ofCompilation || ofOtherWalk.MatchString(e.Detail) {
			continue
		}
		paths = append(paths, walked(e))
	}
	return paths
}

// walked returns the field whose walk finds an error: the error's own, or the list that requires something of its items.
func walked(e *field.Error) string {
	if items := strings.LastIndex(e.Field, ".items"); items >= 0 && ofListAboutItems.MatchString(e.Detail) {
		return e.Field[:items]
	}
	return e.Field
}

// product multiplies, and returns the largest number where the product overflows.
func product(a, b uint64) uint64 {
	if a != 0 && b > math.MaxUint64/a {
		return math.MaxUint64
	}
	return a * b
}
