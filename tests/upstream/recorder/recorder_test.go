package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// crdWith returns a CRD whose schema has one property, `spec`.
func crdWith(spec string) string {
	return `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": {"name": "foos.example.com"}, "spec": {"group": "example.com", "scope": "Cluster",
		"names": {"plural": "foos", "singular": "foo", "kind": "Foo", "listKind": "FooList"},
		"versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
			"schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": ` + spec + `}}}}]}}`
}

func foo(rest string) string {
	return `{"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x"}` + rest + `}`
}

func ask(t *testing.T, request Request) Answer {
	t.Helper()
	line, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	return *answerLine(line)
}

func errorsOf(t *testing.T, a Answer) []string {
	t.Helper()
	if a.Errors == nil {
		t.Fatalf("not validated: %+v", a)
	}
	var texts []string
	for _, e := range *a.Errors {
		texts = append(texts, e.String)
	}
	return texts
}

func TestValidCRDHasNoErrorsAndCosts(t *testing.T) {
	rule := `{"type": "string", "maxLength": 5, "x-kubernetes-validations": [{"rule": "self.size() < 3"}]}`
	a := ask(t, Request{Op: "create", YAML: crdWith(rule)})
	if got := errorsOf(t, a); got != nil {
		t.Errorf("errors: %v", got)
	}
	if len(a.CEL) != 1 || a.CEL[0].Rule != "self.size() < 3" || a.CEL[0].MaxCost == "0" {
		t.Errorf("costs: %+v", a.CEL)
	}
}

func TestErrorsHaveAPathAndASentence(t *testing.T) {
	a := ask(t, Request{Op: "create", YAML: crdWith(`{"type": "strnig"}`)})
	got := strings.Join(errorsOf(t, a), "\n")
	if !strings.Contains(got, `spec.validation.openAPIV3Schema.properties[spec].type: Unsupported value: "strnig"`) {
		t.Error(got)
	}
}

func TestUnknownFieldsOfACRDAreStrictErrors(t *testing.T) {
	a := ask(t, Request{Op: "create", YAML: crdWith(`{"type": "string", "maxLenght": 1}`)})
	if len(a.StrictErrors) != 1 || !strings.Contains(a.StrictErrors[0], "maxLenght") {
		t.Errorf("strict errors: %v", a.StrictErrors)
	}
}

func TestManagedFieldsOfAManifestAreReset(t *testing.T) {
	crd := strings.Replace(crdWith(`{"type": "string"}`), `"name": "foos.example.com"`,
		`"name": "foos.example.com", "managedFields": [{"manager": "\u0001"}]`, 1)
	for _, request := range []Request{{Op: "create", YAML: crd}, {Op: "update", Old: crd, New: crd}} {
		if got := errorsOf(t, ask(t, request)); got != nil {
			t.Errorf("%s: %v", request.Op, got)
		}
	}
}

func TestImmutableFieldOfAnEstablishedCRD(t *testing.T) {
	crd := crdWith(`{"type": "string"}`)
	changed := strings.Replace(crd, `"Cluster"`, `"Namespaced"`, 1)
	no := false
	if got := errorsOf(t, ask(t, Request{Op: "update", Old: crd, New: changed})); len(got) != 1 {
		t.Errorf("established: %v", got)
	}
	if got := errorsOf(t, ask(t, Request{Op: "update", Old: crd, New: changed, Established: &no})); got != nil {
		t.Errorf("not established: %v", got)
	}
}

func TestCustomResourceIsPrunedDefaultedAndValidated(t *testing.T) {
	crd := crdWith(`{"type": "object", "properties": {"size": {"type": "integer", "default": 2}, "name": {"type": "string"}}}`)
	a := ask(t, Request{Op: "cr", CRD: crd, CR: foo(`, "spec": {"nmae": "a", "name": 1}`)})
	if got := errorsOf(t, a); len(got) != 1 || !strings.HasPrefix(got[0], "spec.name: Invalid value") {
		t.Errorf("errors: %v", got)
	}
	if len(a.UnknownFields) != 1 || a.UnknownFields[0] != "spec.nmae" {
		t.Errorf("unknown fields: %v", a.UnknownFields)
	}
	if spec := a.Defaulted["spec"].(map[string]any); spec["size"] != int64(2) {
		t.Errorf("defaulted: %v", spec)
	}
}

func TestScaleSetsTheReplicasOfTheStoredObject(t *testing.T) {
	crd := strings.Replace(crdWith(`{"type": "object", "properties": {"size": {"type": "integer", "maximum": 3}}}`),
		`{"status": {}}`, `{"scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}}`, 1)
	request := Request{Op: "cr", CRD: crd, Subresource: "scale", OldCR: foo(`, "spec": {"size": 1}`)}
	request.CR = `{"apiVersion": "autoscaling/v1", "kind": "Scale", "spec": {"replicas": 3}}`
	if got := errorsOf(t, ask(t, request)); got != nil {
		t.Errorf("errors: %v", got)
	}
	request.CR = strings.Replace(request.CR, "3", "4", 1)
	if got := errorsOf(t, ask(t, request)); len(got) != 1 || !strings.HasPrefix(got[0], "spec.size: Invalid value: 4") {
		t.Errorf("errors: %v", got)
	}
}

func TestServerSideApplyChecksTypesFirst(t *testing.T) {
	rules := `{"type": "string", "maxLength": 5, "x-kubernetes-validations": [{"rule": "true"}, {"rule": "true"}]}`
	a := ask(t, Request{Op: "apply", YAML: crdWith(rules)})
	if !strings.Contains(a.DecodeError, `duplicate entries for key [rule="true"]`) {
		t.Errorf("CRD: %+v", a)
	}
	a = ask(t, Request{Op: "apply", CRD: crdWith(`{"type": "string"}`), CR: foo(`, "spec": "a", "u": 1`)})
	if !strings.HasSuffix(a.DecodeError, ".u: field not declared in schema") {
		t.Errorf("object: %+v", a)
	}
}

func TestServerSideApplyReportsConflicts(t *testing.T) {
	crd := crdWith(`{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}`)
	stored := strings.Replace(foo(`, "spec": {"a": 1, "b": 2}`), `"name": "x"`, `"name": "x", "managedFields": [
		{"manager": "other", "operation": "Apply", "apiVersion": "example.com/v1", "fieldsType": "FieldsV1",
		"fieldsV1": {"f:spec": {"f:a": {}, "f:b": {}}}}]`, 1)
	request := Request{Op: "apply", CRD: crd, CR: foo(`, "spec": {"a": 3}`), OldCR: stored, Manager: "me"}
	a := ask(t, request)
	if !strings.Contains(a.DecodeError, "conflict with \"other\"") {
		t.Errorf("without force: %+v", a)
	}
	request.Force = true
	a = ask(t, request)
	if got := errorsOf(t, a); got != nil || fmt.Sprint(a.Defaulted["spec"]) != "map[a:3 b:2]" {
		t.Errorf("with force: %v %v", got, a.Defaulted)
	}
}

func TestUpdateOfTheStatusKeepsTheSpec(t *testing.T) {
	crd := strings.Replace(crdWith(`{"type": "string"}`), `"properties": {"spec"`,
		`"properties": {"status": {"type": "integer"}, "spec"`, 1)
	a := ask(t, Request{
		Op: "cr", CRD: crd, Subresource: "status",
		CR: foo(`, "spec": "new", "status": 2`), OldCR: foo(`, "spec": "old", "status": 1`),
	})
	if got := errorsOf(t, a); got != nil {
		t.Errorf("errors: %v", got)
	}
	if a.Defaulted["spec"] != "old" || a.Defaulted["status"] != int64(2) {
		t.Errorf("object: %v", a.Defaulted)
	}
}

func TestRejectedCRDAnswersForNoObject(t *testing.T) {
	a := ask(t, Request{Op: "cr", CRD: crdWith(`{"type": "strnig"}`), CR: foo("")})
	if !strings.HasPrefix(a.Unanswered, "CRD is rejected: ") {
		t.Errorf("unanswered: %q", a.Unanswered)
	}
}

func TestYAMLIsConvertedAndStrictErrorsAreKept(t *testing.T) {
	a := ask(t, Request{Op: "yaml", YAML: "a: on\na: 010\n"})
	if a.JSON != `{"a":8}` || !strings.Contains(a.YAMLStrictError, "already set") {
		t.Errorf("%+v", a)
	}
}

func TestObjectOfNoKindAsksNothing(t *testing.T) {
	crd := crdWith(`{"type": "string"}`)
	for _, request := range []Request{
		{Op: "cr", CRD: crd, CR: `{"apiVersion": "example.com/v1", "metadata": {"name": "x"}}`},
		{Op: "cr", CRD: crd, CR: `{"apiVersion": false, "kind": "Foo"}`},
		{Op: "create", YAML: strings.Replace(crd, "k8s.io/v1", "k8s.io/v1beta1", 1)},
		{Op: "update", Old: crd, New: "{}"},
	} {
		if a := ask(t, request); a.Unanswered == "" {
			t.Errorf("%+v: %+v", request, a)
		}
	}
}

func TestPanicOfThePackagesIsAnAnswer(t *testing.T) {
	crd := strings.Replace(crdWith(`{"type": "array", "items": [{"type": "string"}]}`), `"served"`,
		`"selectableFields": [{"jsonPath": ".spec.a"}], "served"`, 1)
	if a := ask(t, Request{Op: "create", YAML: crd}); a.Panic == "" {
		t.Errorf("no panic: %+v", a)
	}
}

func TestPlainTextsDoNotChangeFromRunToRun(t *testing.T) {
	got := plain("applied to 'selfType123.a' (*string)(0xc000123456)")
	if got != "applied to 'selfType.a' (*string)(0x)" {
		t.Error(got)
	}
}

func TestNullTimestampsAreRemoved(t *testing.T) {
	metadata := map[string]any{"name": "x", "creationTimestamp": nil}
	removeNullTimestamps(map[string]any{"items": []any{map[string]any{"metadata": metadata}}})
	if len(metadata) != 1 {
		t.Error(metadata)
	}
}

func TestServeAnswersEachLine(t *testing.T) {
	var out bytes.Buffer
	in := strings.NewReader("{\"op\": \"yaml\", \"yaml\": \"a\"}\n\nnot JSON\n{\"op\": \"nothing\"}")
	if err := serve(in, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines: %s", len(lines), out.String())
	}
	for i, word := range []string{`"json":"\"a\""`, "cannot be read", "unknown op"} {
		if !strings.Contains(lines[i], word) {
			t.Errorf("line %d: %s", i, lines[i])
		}
	}
}

func TestProductSaturates(t *testing.T) {
	if product(1<<63, 2) != 1<<64-1 || product(3, 4) != 12 {
		t.Error(product(1<<63, 2), product(3, 4))
	}
}
