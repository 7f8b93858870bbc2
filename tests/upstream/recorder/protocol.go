package main

import (
	"regexp"
	"sort"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Request is one line of input. Op decides which of the texts it needs; each text is YAML or JSON.
type Request struct {
	// Op is create or update (of a CRD), cr (create or update of a custom resource), apply (server-side apply of a CRD, or
	// of a custom resource with CRD), or yaml (a conversion).
	Op string `json:"op"`
	// YAML is the CRD of create and apply, or the text of yaml.
	YAML string `json:"yaml"`
	// Old and New are the CRDs of update; Old is the stored CRD of apply.
	Old string `json:"old"`
	New string `json:"new"`
	// Established tells whether the old CRD was accepted before. It is true if absent.
	Established *bool `json:"established"`
	// CRD is the CRD of cr and apply, CR its custom resource, and OldCR the stored one.
	CRD   string `json:"crd"`
	CR    string `json:"cr"`
	OldCR string `json:"old_cr"`
	// Subresource is empty, status or scale: the part of the custom resource that an update writes. With scale, CR is a Scale.
	Subresource string `json:"subresource"`
	// AsRequest tells that CR is what a client sends: the server first sets what clients cannot.
	AsRequest bool `json:"as_request"`
	// Manager is the field manager of apply, kubectl if it is empty. Force takes over fields of other managers.
	Manager string `json:"manager"`
	Force   bool   `json:"force"`
}

func (r *Request) established() bool {
	return r.Established == nil || *r.Established
}

// Answer is one line of output.
type Answer struct {
	// Errors are those of validation, in the server's order; nil if there was no validation.
	Errors *[]FieldError `json:"errors,omitempty"`
	// DecodeError is the error of a body that cannot be decoded, and ends the request.
	DecodeError string `json:"decode_error,omitempty"`
	// StrictErrors are unknown and duplicate fields of a CRD.
	StrictErrors []string `json:"strict_errors,omitempty"`
	Warnings     []string `json:"warnings,omitempty"`
	// CEL are the estimated costs of the rules that the validation compiles, sorted by path.
	CEL []RuleCost `json:"cel,omitempty"`
	// UnknownFields are the fields of a custom resource that are pruned, or duplicate, sorted.
	UnknownFields []string `json:"unknown_fields,omitempty"`
	// Defaulted is the custom resource as it is validated: pruned, coerced and defaulted.
	Defaulted map[string]any `json:"defaulted,omitempty"`
	// CELCost are the units that the rules spend on the custom resource. It is absent where no rule runs.
	CELCost *int64 `json:"cel_cost,omitempty"`
	// JSON is what YAML is converted to, or else YAMLError says why not; YAMLStrictError may stand beside JSON.
	JSON            string `json:"json,omitempty"`
	YAMLError       string `json:"yaml_error,omitempty"`
	YAMLStrictError string `json:"yaml_strict_error,omitempty"`
	// Panic is the text of a panic in the server's packages. A running server closes the connection.
	Panic string `json:"panic,omitempty"`
	// Unanswered says why the request asks nothing, for example because its CRD is rejected.
	Unanswered string `json:"unanswered,omitempty"`
}

// FieldError is a field.Error and the sentence that it makes.
type FieldError struct {
	Type   string `json:"type"`
	Field  string `json:"field"`
	Detail string `json:"detail"`
	String string `json:"string"`
}

// RuleCost is the estimate of one rule. Numbers are texts, because they may exceed what JSON readers keep.
type RuleCost struct {
	Path           string  `json:"path"`
	Rule           string  `json:"rule"`
	MaxCost        string  `json:"max_cost"`
	MaxCardinality *string `json:"max_cardinality"`
	ExpressionCost string  `json:"expression_cost"`
	UsesOldSelf    bool    `json:"uses_old_self"`
	RuleError      *string `json:"rule_error"`
}

func unanswered(why string) *Answer {
	return &Answer{Unanswered: why}
}

func validated(errs field.ErrorList) *Answer {
	found := fieldErrors(errs)
	return &Answer{Errors: &found}
}

func fieldErrors(errs field.ErrorList) []FieldError {
	found := make([]FieldError, 0, len(errs))
	for _, e := range errs {
		found = append(found, FieldError{
			Type:   string(e.Type),
			Field:  plain(e.Field),
			Detail: plain(e.Detail),
			String: plain(e.Error()),
		})
	}
	return found
}

var (
	// The server names the type of self after the clock.
	selfType = regexp.MustCompile(`selfType\d+`)
	// Older servers print the addresses of pointers.
	address = regexp.MustCompile(`\(0x[0-9a-f]{6,}\)`)
)

// plain returns a text without what changes from one run to the next.
func plain(text string) string {
	return address.ReplaceAllString(selfType.ReplaceAllString(text, "selfType"), "(0x)")
}

func decimal(n uint64) string {
	return strconv.FormatUint(n, 10)
}

func sorted(texts []string) []string {
	sort.Strings(texts)
	return texts
}
