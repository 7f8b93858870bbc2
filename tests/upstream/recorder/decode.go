package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
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
// JSON is decoded as it is, in the order of its text; YAML is converted first, with sorted keys. The second result are the strict errors, which do not end the request.
func decodeCRD(text string) (*apiextensions.CustomResourceDefinition, []string, error) {
	if err := checkVersion(text); err != nil {
		return nil, nil, err
	}
	contentType := runtime.ContentTypeYAML
	if json.Valid([]byte(text)) {
		contentType = runtime.ContentTypeJSON
	}
	info, _ := runtime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), contentType)
	decoder := codecs.DecoderToVersion(info.StrictSerializer, apiextensions.SchemeGroupVersion)
	object, _, err := decoder.Decode([]byte(text), nil, nil)
	strict, err := strictErrors(object, err)
	if err != nil {
		return nil, nil, err
	}
	crd, ok := object.(*apiextensions.CustomResourceDefinition)
	if !ok {
		return nil, nil, fmt.Errorf("not a v1 CustomResourceDefinition: %T", object)
	}
	return crd, strict, nil
}

// checkVersion returns an error for an object of another version than v1, which the server would decode as well.
func checkVersion(text string) error {
	converted, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil // the decoder words it
	}
	kind, err := jsonserializer.DefaultMetaFactory.Interpret(converted)
	if err == nil && kind.Version != "v1" && kind.Version != "" {
		return fmt.Errorf("not a v1 CustomResourceDefinition: %s", kind)
	}
	return nil
}

// undecoded answers for an object that cannot be decoded. What has no kind and version that the server knows asks
// nothing: a client finds no URL to send it to.
func undecoded(err error) *Answer {
	text := err.Error()
	for _, prefix := range []string{"no kind ", "not a v1 ", "couldn't get version/kind", "Object '", "no version ", "unexpected GroupVersion string", ".apiVersion accessor error", ".kind accessor error"} {
		if strings.HasPrefix(text, prefix) {
			return unanswered("object has no kind and version that are served: " + text)
		}
	}
	return &Answer{DecodeError: text}
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
