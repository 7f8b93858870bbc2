// Answers requests as the API server does: JSON lines of the conformance files' shape in, the same with "expect" out.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	structuraldefaulting "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	schemaobjectmeta "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	structuralpruning "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	genericvalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	kjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

var scheme = runtime.NewScheme()
var codecs serializer.CodecFactory
var strict, strictJSON runtime.Serializer

type row struct {
	ID      string                 `json:"id"`
	Op      string                 `json:"op"`
	Yaml    string                 `json:"yaml,omitempty"`
	Old     string                 `json:"old,omitempty"`
	New     string                 `json:"new,omitempty"`
	Crd     string                 `json:"crd,omitempty"`
	Cr      string                 `json:"cr,omitempty"`
	OldCr   *string                `json:"old_cr,omitempty"`
	Version string                 `json:"version,omitempty"`
	Expect  map[string]interface{} `json:"expect"`
}

func errs(list field.ErrorList) []map[string]string {
	out := []map[string]string{}
	for _, e := range list {
		out = append(out, map[string]string{"type": string(e.Type), "field": e.Field, "detail": e.Detail, "string": e.Error()})
	}
	return out
}

func decode(text string) (*apiextensions.CustomResourceDefinition, []string, error) {
	dec := strict
	if strings.HasPrefix(strings.TrimSpace(text), "{") && json.Valid([]byte(text)) {
		dec = strictJSON
	}
	obj, _, err := dec.Decode([]byte(text), nil, nil)
	var stricts []string
	if err != nil {
		se, ok := runtime.AsStrictDecodingError(err)
		if !ok || obj == nil {
			return nil, nil, err
		}
		for _, e := range se.Errors() {
			stricts = append(stricts, e.Error())
		}
	}
	scheme.Default(obj)
	v1crd, ok := obj.(*apiextv1.CustomResourceDefinition)
	if !ok {
		return nil, nil, fmt.Errorf("not a v1 CRD: %T", obj)
	}
	internal := &apiextensions.CustomResourceDefinition{}
	if err := scheme.Convert(v1crd, internal, nil); err != nil {
		return nil, stricts, err
	}
	return internal, stricts, nil
}

func create(r *row) map[string]interface{} {
	out := map[string]interface{}{}
	crd, stricts, err := decode(r.Yaml)
	if err != nil {
		out["decode_error"] = err.Error()
		return out
	}
	if len(stricts) > 0 {
		out["strict_errors"] = stricts
	}
	strategy := customresourcedefinition.NewStrategy(scheme)
	ctx := context.Background()
	cels := []map[string]interface{}{}
	validation.ReferenceRule = func(path, rule string, cr cel.CompilationResult, card *uint64, cost uint64) {
		m := map[string]interface{}{"path": path, "rule": rule, "max_cost": strconv.FormatUint(cr.MaxCost, 10), "expression_cost": strconv.FormatUint(cost, 10), "uses_old_self": cr.UsesOldSelf, "rule_error": nil}
		if card != nil {
			m["max_cardinality"] = strconv.FormatUint(*card, 10)
		} else {
			m["max_cardinality"] = nil
		}
		if cr.Error != nil {
			m["rule_error"] = cr.Error.Detail
		}
		cels = append(cels, m)
	}
	strategy.PrepareForCreate(ctx, crd)
	list := strategy.Validate(ctx, crd)
	if len(list) == 0 {
		list = genericvalidation.ValidateObjectMetaAccessor(crd, false, validatePathSegment, field.NewPath("metadata"))
	}
	out["errors"] = errs(list)
	if len(cels) > 0 {
		out["cel"] = cels
	}
	if w := strategy.WarningsOnCreate(ctx, crd); len(w) > 0 {
		out["warnings"] = w
	}
	return out
}

func update(r *row) map[string]interface{} {
	out := map[string]interface{}{}
	old, _, err := decode(r.Old)
	if err != nil {
		out["decode_error"] = err.Error()
		return out
	}
	crd, _, err := decode(r.New)
	if err != nil {
		out["decode_error"] = err.Error()
		return out
	}
	strategy := customresourcedefinition.NewStrategy(scheme)
	ctx := context.Background()
	validation.ReferenceRule = nil
	strategy.PrepareForUpdate(ctx, crd, old)
	common := genericvalidation.ValidateObjectMetaAccessor(crd, false, validatePathSegment, field.NewPath("metadata"))
	common = append(common, genericvalidation.ValidateObjectMetaAccessorUpdate(crd, old, field.NewPath("metadata"))...)
	kept := field.ErrorList{}
	for _, e := range append(common, strategy.ValidateUpdate(ctx, crd, old)...) {
		if e.Field != "metadata.resourceVersion" {
			kept = append(kept, e)
		}
	}
	out["errors"] = errs(kept)
	if w := strategy.WarningsOnUpdate(ctx, crd, old); len(w) > 0 {
		out["warnings"] = w
	}
	return out
}

type version struct {
	structural *structuralschema.Structural
	validator  apiservervalidation.SchemaValidator
	scale      *apiextensions.CustomResourceSubresourceScale
	status     *apiextensions.CustomResourceSubresourceStatus
}

func prepare(text string, crd *apiextensions.CustomResourceDefinition, versions map[string]*version) (*unstructured.Unstructured, []string, error) {
	j, err := []byte(text), error(nil)
	if !json.Valid(j) {
		j, err = yaml.YAMLToJSON([]byte(text))
	}
	if err != nil {
		return nil, nil, err
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(j); err != nil {
		return nil, nil, err
	}
	gvk := u.GroupVersionKind()
	v := versions[gvk.Version]
	if v == nil {
		return nil, nil, fmt.Errorf("no version %q", gvk.Version)
	}
	own := gvk.Kind == crd.Spec.Names.Kind && gvk.Group == crd.Spec.Group
	if own {
		structuraldefaulting.Default(u.UnstructuredContent(), v.structural)
	}
	kind, foundKind, err := unstructured.NestedString(u.Object, "kind")
	if err != nil {
		return nil, nil, err
	}
	apiVersion, foundAPIVersion, err := unstructured.NestedString(u.Object, "apiVersion")
	if err != nil {
		return nil, nil, err
	}
	meta, foundMeta, unknown, err := schemaobjectmeta.GetObjectMetaWithOptions(u.Object, schemaobjectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, nil, err
	}
	if own {
		unknown = append(unknown, structuralpruning.PruneWithOptions(u.Object, v.structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
		structuraldefaulting.PruneNonNullableNullsWithoutDefaults(u.Object, v.structural)
		err2, paths := schemaobjectmeta.CoerceWithOptions(nil, u.Object, v.structural, false, schemaobjectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
		if err2 != nil {
			return nil, nil, err2
		}
		unknown = append(unknown, paths...)
	}
	if foundKind {
		u.SetKind(kind)
	}
	if foundAPIVersion {
		u.SetAPIVersion(apiVersion)
	}
	if foundMeta {
		if err := schemaobjectmeta.SetObjectMeta(u.Object, meta); err != nil {
			return nil, nil, err
		}
	}
	return u, unknown, nil
}

func cr(r *row) map[string]interface{} {
	out := map[string]interface{}{}
	crd, _, err := decode(r.Crd)
	if err != nil {
		out["decode_error"] = "crd: " + err.Error()
		return out
	}
	ctx := context.Background()
	validation.ReferenceRule = nil
	st := customresourcedefinition.NewStrategy(scheme)
	st.PrepareForCreate(ctx, crd)
	if list := st.Validate(ctx, crd); len(list) > 0 {
		out["decode_error"] = "crd: " + list.ToAggregate().Error()
		return out
	}
	versions := map[string]*version{}
	for _, v := range crd.Spec.Versions {
		val, err := apiextensions.GetSchemaForVersion(crd, v.Name)
		if err != nil || val == nil {
			out["decode_error"] = "crd: no schema"
			return out
		}
		s, err := structuralschema.NewStructural(val.OpenAPIV3Schema)
		if err != nil {
			out["decode_error"] = "crd: " + err.Error()
			return out
		}
		if err := structuraldefaulting.PruneDefaults(s); err != nil {
			out["decode_error"] = "crd: " + err.Error()
			return out
		}
		sv, _, err := apiservervalidation.NewSchemaValidator(val.OpenAPIV3Schema)
		if err != nil {
			out["decode_error"] = "crd: " + err.Error()
			return out
		}
		one := &version{structural: s, validator: sv}
		sub, err := apiextensions.GetSubresourcesForVersion(crd, v.Name)
		if err == nil && sub != nil {
			one.scale, one.status = sub.Scale, sub.Status
		}
		versions[v.Name] = one
	}
	u, unknown, err := prepare(r.Cr, crd, versions)
	if err != nil {
		out["decode_error"] = err.Error()
		return out
	}
	if len(unknown) > 0 {
		sort.Strings(unknown)
		out["unknown_fields"] = unknown
	}
	v := versions[u.GroupVersionKind().Version]
	gvk := schema.GroupVersionKind{Group: crd.Spec.Group, Version: u.GroupVersionKind().Version, Kind: crd.Spec.Names.Kind}
	strat := customresource.NewStrategy(scheme, crd.Spec.Scope == apiextensions.NamespaceScoped, gvk, v.validator, nil, v.structural, v.status, v.scale, nil)
	var list field.ErrorList
	cost := int64(-1)
	customresource.ReferenceCost = func(remaining int64) { cost = int64(celconfig.RuntimeCELCostBudget) - remaining }
	if r.OldCr != nil {
		old, _, err := prepare(*r.OldCr, crd, versions)
		if err != nil {
			out["decode_error"] = "old: " + err.Error()
			return out
		}
		common := genericvalidation.ValidateObjectMetaAccessor(u, strat.NamespaceScoped(), validatePathSegment, field.NewPath("metadata"))
		common = append(common, genericvalidation.ValidateObjectMetaAccessorUpdate(u, old, field.NewPath("metadata"))...)
		for _, e := range append(common, strat.ValidateUpdate(ctx, u, old)...) {
			if e.Field != "metadata.resourceVersion" {
				list = append(list, e)
			}
		}
		if w := strat.WarningsOnUpdate(ctx, u, old); len(w) > 0 {
			out["warnings"] = w
		}
	} else {
		list = strat.Validate(ctx, u)
		if len(list) == 0 {
			list = genericvalidation.ValidateObjectMetaAccessor(u, strat.NamespaceScoped(), validatePathSegment, field.NewPath("metadata"))
		}
		if w := strat.WarningsOnCreate(ctx, u); len(w) > 0 {
			out["warnings"] = w
		}
	}
	out["errors"] = errs(list)
	out["defaulted"] = u.Object
	if cost >= 0 {
		out["cel_cost"] = cost
	}
	return out
}

func yamlOp(r *row) map[string]interface{} {
	out := map[string]interface{}{}
	j, err := yaml.YAMLToJSON([]byte(r.Yaml))
	if err != nil {
		out["yaml_error"] = err.Error()
	} else {
		out["json"] = string(j)
	}
	return out
}

func main() {
	install.Install(scheme)
	codecs = serializer.NewCodecFactory(scheme)
	strict = kjson.NewSerializerWithOptions(kjson.DefaultMetaFactory, scheme, scheme, kjson.SerializerOptions{Yaml: true, Strict: true})
	strictJSON = kjson.NewSerializerWithOptions(kjson.DefaultMetaFactory, scheme, scheme, kjson.SerializerOptions{Strict: true})
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	outw := bufio.NewWriter(os.Stdout)
	defer outw.Flush()
	for {
		line, err := in.ReadString('\n')
		if strings.TrimSpace(line) != "" {
			r := &row{}
			if e := json.Unmarshal([]byte(line), r); e != nil {
				fmt.Fprintln(os.Stderr, e)
				os.Exit(1)
			}
			func() {
				defer func() {
					if p := recover(); p != nil {
						r.Expect = map[string]interface{}{"panic": fmt.Sprint(p)}
					}
				}()
				switch r.Op {
				case "create":
					r.Expect = create(r)
				case "update":
					r.Expect = update(r)
				case "cr":
					r.Expect = cr(r)
				case "yaml":
					r.Expect = yamlOp(r)
				}
			}()
			b := &strings.Builder{}
			enc := json.NewEncoder(b)
			enc.SetEscapeHTML(false)
			if e := enc.Encode(r); e != nil {
				fmt.Fprintln(os.Stderr, r.ID, e)
			} else {
				outw.WriteString(b.String())
			}
		}
		if err != nil {
			break
		}
	}
}

func validatePathSegment(name string, prefix bool) []string {
	for _, illegal := range []string{".", ".."} {
		if name == illegal && !prefix {
			return []string{fmt.Sprintf(`may not be '%s'`, illegal)}
		}
	}
	var errors []string
	for _, illegal := range []string{"/", "%"} {
		if strings.Contains(name, illegal) {
			errors = append(errors, fmt.Sprintf(`may not contain '%s'`, illegal))
		}
	}
	return errors
}
