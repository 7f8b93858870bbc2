package main

import (
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"sigs.k8s.io/yaml"
)

var (
	scheme = runtime.NewScheme()
	codecs serializer.CodecFactory
)

func init() {
	install.Install(scheme)
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	codecs = serializer.NewCodecFactory(scheme, serializer.EnableStrict)
	utilruntime.ErrorHandlers = nil // what they print is not part of an answer
}

// decodeCRD decodes a body as the handlers of create and update do: into the internal version, with its defaults.
// The second result are the strict errors, which do not end the request.
func decodeCRD(text string) (*apiextensions.CustomResourceDefinition, []string, error) {
	info, _ := runtime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), runtime.ContentTypeYAML)
	decoder := codecs.DecoderToVersion(info.StrictSerializer, apiextensions.SchemeGroupVersion)
	object, kind, err := decoder.Decode([]byte(text), nil, nil)
	strict, err := strictErrors(object, err)
	if err != nil {
		return nil, nil, err
	}
	crd, ok := object.(*apiextensions.CustomResourceDefinition)
	if !ok || kind != nil && kind.Version != "v1" {
		return nil, nil, fmt.Errorf("not a v1 CustomResourceDefinition: %s", kind)
	}
	return crd, strict, nil
}

// strictErrors tells errors that only strict clients are refused for from those that end the request.
func strictErrors(object runtime.Object, err error) ([]string, error) {
	if err == nil {
		return nil, nil
	}
	strict, ok := runtime.AsStrictDecodingError(err)
	if !ok || object == nil {
		return nil, err
	}
	var texts []string
	for _, e := range strict.Errors() {
		texts = append(texts, e.Error())
	}
	return texts, nil
}

func decodeYAML(request *Request) *Answer {
	text := []byte(request.YAML)
	converted, err := yaml.YAMLToJSON(text)
	if err != nil {
		return &Answer{YAMLError: err.Error()}
	}
	a := &Answer{JSON: string(converted)}
	if _, err := yaml.YAMLToJSONStrict(text); err != nil {
		a.YAMLStrictError = err.Error()
	}
	return a
}
