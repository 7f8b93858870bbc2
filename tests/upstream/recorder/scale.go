package main

import (
	"context"
	"encoding/json"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// scale updates the number of replicas of a stored custom resource by its scale subresource; request.CR is the Scale.
//
// The server's storage does that, which needs etcd: these are the same steps.
func (s *served) scale(ctx context.Context, request *Request) *Answer {
	old, _, err := s.decode(request.OldCR)
	if err != nil {
		return unanswered("old resource cannot be decoded: " + err.Error())
	}
	kind := old.GroupVersionKind()
	if !s.serves(kind) {
		return unanswered("no such version: " + kind.String())
	}
	declared, err := apihelpers.GetSubresourcesForVersion(s.crd, kind.Version)
	if err != nil || declared == nil || declared.Scale == nil {
		return unanswered("CRD has no scale subresource")
	}
	scale, err := decodeScale(request.CR)
	if err != nil {
		return undecoded(err)
	}
	object := old.DeepCopy()
	steps := strings.Split(strings.TrimPrefix(declared.Scale.SpecReplicasPath, "."), ".")
	if err := unstructured.SetNestedField(object.Object, int64(scale.Spec.Replicas), steps...); err != nil {
		return &Answer{DecodeError: err.Error()}
	}
	return s.answer(ctx, request, object, old, nil)
}

func decodeScale(text string) (*autoscalingv1.Scale, error) {
	converted, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, err
	}
	scale := &autoscalingv1.Scale{}
	return scale, json.Unmarshal(converted, scale)
}
