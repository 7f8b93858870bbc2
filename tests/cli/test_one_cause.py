"""What one cause explains is one entry of the text of `crdlint check`; JSON has each finding."""

from __future__ import annotations

import json
from textwrap import dedent, indent
from typing import TYPE_CHECKING, Final

from click.testing import CliRunner
from crds import crd_with_schema, crd_with_spec
from tables import each

from crdlint.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

_CRD: Final = crd_with_spec("""
    type: object
    properties:
      size: {type: integer}
      config: {type: string, format: byte}
      ref: {type: object, required: [name], properties: {name: {type: string}, key: {type: string}}}
""")
_CRD_WITH_RULE: Final = crd_with_spec("""
    type: object
    properties:
      size: {type: integer}
    x-kubernetes-validations: [{rule: "!has(self.size) || self.size > 1"}]
""")
_CRD_WITH_RULES: Final = crd_with_spec("""
    type: object
    required: [size]
    properties:
      size: {type: integer}
      width: {type: integer, x-kubernetes-validations: [{rule: self > 1}]}
    x-kubernetes-validations:
    - {rule: self.size > 1 && self.size != 4, message: size is small}
    - {rule: self.size % 2 == 0, message: size is odd}
""")
_OTHER: Final = _CRD.replace("foos", "bars").replace("Foo", "Bar")
_STRICT: Final = crd_with_spec("""
    type: object
    required: [mode, ref]
    properties:
      mode: {type: string}
      ref: {type: object, required: [a], properties: {a: {type: string}}}
""")
_SCALED: Final = crd_with_schema(
    "{type: object, properties: {"
    "spec: {type: object, properties: {size: {type: integer}, mode: {type: string}}}, "
    "status: {type: object, properties: {size: {type: integer}}}}}"
).replace(
    "    schema:\n",
    "    subresources: {status: {}, scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}\n    schema:\n",
    1,
)
_INNER: Final = "{type: object, properties: {spec: {type: object, required: [a], properties: {a: {type: string}}}}}"
_NESTED: Final = crd_with_spec(
    f"{{type: object, properties: {{template: {_INNER}, other: {_INNER}}}}}"
)
_TEXT: Final = "{type: string, allowEmptyValue: false}"
_IGNORED: Final = crd_with_spec(
    f"{{type: object, properties: {{list: {{type: array, items: {{type: object, properties: {{a: {_TEXT}, b: {_TEXT}, "
    f"c: {{type: object, properties: {{a: {_TEXT}}}}}}}}}}}}}}}"
)
_JUNCTORS: Final = crd_with_spec("""
    type: object
    properties:
      a:
        oneOf:
        - type: string
        - type: array
      b:
        oneOf:
        - type: string
        - type: array
""")
_OF_KUBERNETES: Final = (
    crd_with_spec("{type: object, properties: {a: {type: string, pattern: '^a|b$'}}}")
    .replace("example.com", "snapshot.storage.k8s.io")
    .replace(
        "metadata:\n",
        "metadata:\n  annotations: {api-approved.kubernetes.io: 'https://example.com/1'}\n",
        1,
    )
)
_BROKEN: Final = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: a}\nspec:\n  ref: {name: a}\n   mode: x\n"
_TEXTS: Final = "abcdefghijkl"
_REFERENCE: Final = crd_with_spec(
    "{type: object, properties: {mode: {type: string, enum: [Fast]}, list: {type: array, items: {type: string}}, "
    + ", ".join(f"{name}: {{type: string}}" for name in _TEXTS)
    + "}}"
)
_ALL_EMPTY: Final = "{mode: '', list: {}, " + ", ".join(f"{name}: ''" for name in _TEXTS) + "}"
_EMPTY: Final = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations: {controller-gen.kubebuilder.io/version: v0.14.0}
spec:
  group: ""
  names: {kind: "", plural: ""}
  scope: ""
  versions: null
"""


def _object(spec: str, name: str = "a", kind: str = "Foo") -> str:
    return f"apiVersion: example.com/v1\nkind: {kind}\nmetadata: {{name: {name}}}\nspec: {spec}\n"


def _columns(columns: str) -> str:
    listed = f"    additionalPrinterColumns: [{columns}]\n    schema:\n"
    return _CRD.replace("    schema:\n", listed, 1)


def _column(name: str, path: str) -> str:
    return f"{{name: {name}, type: string, jsonPath: {path}}}"


_NEEDS_SPEC: Final = crd_with_schema(
    "{type: object, required: [spec], properties: {spec: {type: object, properties: {size: {type: integer}}}}}"
)
_NO_FIELDS: Final = "size: {type: object}"
_TWO_COLUMNS: Final = _columns(f"{_column('A', '.spec.tcp.a')}, {_column('B', '.spec.tcp.b')}")
_TWO_PATHS: Final = _columns(f"{_column('A', '.spec.tcp.a')}, {_column('B', '.spec.udp.b')}")
_PARTS: Final = crd_with_spec(
    "{type: object, properties: {"
    + ", ".join(
        f"{name}: {{type: object, properties: {{size: {{type: integer}}}}}}" for name in "abc"
    )
    + ", d: {type: object, properties: {width: {type: integer}}}}}"
)
_OTHER_KIND: Final = (
    "apiVersion: apiextensions.k8s.io/v1\nkind: ClusterServiceVersion\nmetadata: {name: a}\n"
    "spec: {customresourcedefinitions: {owned: []}, version: 1.0.0}\n"
)
_IDLE: Final = _columns(_column("A", ".spec.udp"))
_MODULE: Final = "module example.org/a\n"
_GROUP_OF_MODULE: Final = 'package v1\n\nconst GroupName = "a.example.org"\n'
_OVERLAY: Final = """
#@ load("@ytt:overlay", "overlay")

#@overlay/match by=overlay.subset({"kind":"CustomResourceDefinition"}), expects=1
---
metadata:
  annotations:
    #@overlay/match missing_ok=True
    a: b
"""
_PACKAGE: Final = "apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: a}\n"
_CONVERTED: Final = _CRD.replace(
    "spec:\n",
    "spec:\n  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {path: /a}}}}\n",
    1,
)
_UNSIGNED: Final = crd_with_spec(
    "{type: object, properties: {a: {type: integer, format: uint16}, b: {type: integer, format: uint32}, "
    "c: {type: integer, format: uint16}}}"
)
_START, _SPEC = _CRD.split("\nspec:\n")
_IN_METADATA: Final = f"{_START}\n  spec:\n{indent(_SPEC, '  ')}"
_BESIDE_SPEC: Final = f"{_START}\nspec:\n{dedent(_SPEC)}"
_INT_OR_STRING: Final = crd_with_spec(
    "{type: object, properties: {a: {type: string, format: int-or-string, x-kubernetes-int-or-string: true}}}"
)
_OBJECTS: Final = [_object("{size: x}"), _object("{size: x}", "b"), _object("{size: x}", "c")]
# The texts of files, the entries of the text, parts of it, and the findings in JSON.
CASES: Final[dict[str, tuple[dict[str, str], int, str, int]]] = {
    "two columns of one missing object": ({"crd.yaml": _TWO_COLUMNS}, 1, "note: also `B` (line", 2),
    "two columns of one object without fields": (
        {
            "crd.yaml": _columns(
                f"{_column('A', '.spec.size.a')}, {_column('B', '.spec.size.b')}"
            ).replace("size: {type: integer}", _NO_FIELDS)
        },
        1,
        "note: also `B` (line",
        2,
    ),
    "two columns of one object with other fields": (
        {"crd.yaml": _columns(f"{_column('A', '.spec.ref.a')}, {_column('B', '.spec.ref.b')}")},
        1,
        "note: also `B` (line",
        2,
    ),
    "two columns of two missing objects": ({"crd.yaml": _TWO_PATHS}, 1, "note: also `B` (line", 2),
    "two columns, one of which is misspelled": (
        {"crd.yaml": _columns(f"{_column('A', '.spec.udp.a')}, {_column('B', '.spec.sise')}")},
        2,
        "`.spec.size`",
        2,
    ),
    "two columns of two CRDs": (
        {
            "a.yaml": _columns(_column("A", ".spec.udp.a")),
            "b.yaml": _columns(_column("A", ".spec.tcp.a")).replace("foo", "bar").replace("Foo", "Bar"),
        },
        2,
        "",
        2,
    ),
    "two names of columns that are used again": (
        {
            "crd.yaml": _columns(
                ", ".join(_column(name, ".spec.size") for name in ("A", "B", "A", "B", "A"))
            )
        },
        1,
        "note: also `B` (line",
        3,
    ),
    "fields with formats of unsigned integers": (
        {"crd.yaml": _UNSIGNED},
        1,
        "also `b` (line 18), `c` (line",
        3,
    ),
    "advice about a CRD of an old release beside the current one": (
        {"releases/1.4.0/crd.yaml": _IDLE, "crd.yaml": _CRD},
        0,
        "1 info",
        1,
    ),
    "a removed version in a file of a release": (
        {"old/v0.1.0-alpha.2.yml": _CRD.replace("k8s.io/v1", "k8s.io/v1beta1"), "crd.yaml": _OTHER},
        0,
        "1 info",
        1,
    ),
    "a removed version in a file with a version of an API": (
        {"old/v1.yml": _CRD.replace("k8s.io/v1", "k8s.io/v1beta1"), "crd.yaml": _OTHER},
        1,
        "1 error",
        1,
    ),
    "an overlay with the kind of a CRD in a comment": (
        {"crd.yaml": _CRD, "a.yaml": _OVERLAY},
        0,
        "0 errors, 0 warnings",
        0,
    ),
    "dashes in a CRD with the kind of a CRD in a comment": (
        {"crd.yaml": f"# kind: CustomResourceDefinition\n{_CRD.replace('spec:', '---' + chr(10) + 'spec:', 1)}"},
        1,
        "`---` ends the document here",
        1,
    ),
    "advice about a CRD of an old release that is nowhere else": (
        {"releases/1.4.0/crd.yaml": _IDLE, "crd.yaml": _OTHER},
        1,
        "1 warning",
        1,
    ),
    "advice about a CRD of two releases": (
        {"releases/1.4.0/crd.yaml": _IDLE, "releases/1.5.0/crd.yaml": _IDLE},
        1,
        "2 warnings",
        2,
    ),
    "one unknown field in several parts of an object": (
        {"crd.yaml": _PARTS, "a.yaml": _object("\n  a: {x: 1, size: 1}\n  b: {x: 1}\n  c: {x: 1}")},
        1,
        "also in line 6, line 7",
        3,
    ),
    "unknown fields of two names in parts of an object": (
        {"crd.yaml": _PARTS, "a.yaml": _object("\n  a: {x: 1}\n  b: {y: 1}")},
        2,
        "",
        2,
    ),
    "one name that is misspelled in one part, and unknown in another": (
        {"crd.yaml": _PARTS, "a.yaml": _object("\n  a: {sise: 1}\n  d: {sise: 1}")},
        2,
        "",
        2,
    ),
    "one key twice in copies of a sample": (
        {
            "crd.yaml": _CRD,
            "a.yaml": _object("\n  size: 1\n  size: 2"),
            "docs/a.yaml": f"# A copy.\n{_object('{size: 1, size: 2}')}",
        },
        1,
        "; the same cause in ",
        2,
    ),
    "two keys twice in two samples": (
        {
            "crd.yaml": _CRD,
            "a.yaml": _object("\n  size: 1\n  size: 2"),
            "b.yaml": _object("{ref: {name: a, name: b}}", "b"),
        },
        2,
        "",
        2,
    ),
    "values of a sample that only server-side apply rejects": (
        {"crd.yaml": _CRD, "a.yaml": _object("\n  size:\n  config:")},
        2,
        "0 errors, 2 warnings",
        2,
    ),
    "a required value that users fill in by a comment": (
        {"crd.yaml": _STRICT, "a.yaml": _object("\n  mode: # your mode\n  ref: {a: x}")},
        0,
        "0 errors, 0 warnings, 1 info",
        1,
    ),
    "a required value that is missing": (
        {"crd.yaml": _STRICT, "a.yaml": _object("\n  mode:\n  ref: {a: x}")},
        1,
        "1 error",
        1,
    ),
    "a Go template outside of a chart, which sets the name of a CRD": (
        {"a.yaml": _CRD.replace("foos.example.com", "{{ .Name }}"), "b.yaml": _OTHER},
        1,
        "1 warning",
        1,
    ),
    "another kind in the API group of CRDs, in two files": (
        {"crd.yaml": _CRD, "a.yaml": _OTHER_KIND, "b/a.yaml": f"# A copy.\n{_OTHER_KIND}"},
        1,
        "help: Write the `apiVersion` of the kind `ClusterServiceVersion`",
        2,
    ),
    "a webhook of a package of Crossplane": (
        {"package/crossplane.yaml": _PACKAGE, "package/crds/a.yaml": _CONVERTED},
        0,
        "0 errors, 0 warnings, 2 infos",
        2,
    ),
    "a URL of a webhook that is invalid": (
        {"crd.yaml": _CONVERTED.replace("service: {path: /a}", "url: 'https://{name}.svc:443/a'")},
        1,
        "url` is not a valid URL",
        1,
    ),
    "a webhook beside another `crossplane.yaml`": (
        {"package/crossplane.yaml": "a: b\n", "package/crds/a.yaml": _CONVERTED},
        1,
        "2 errors",
        2,
    ),
    "one mistake in several objects of a file": (
        {"crd.yaml": _CRD, "a.yaml": "---\n".join(_OBJECTS)},
        1,
        "also in line 9, line 14",
        3,
    ),
    "one unknown field in objects of two kinds": (
        {
            "crd.yaml": _CRD,
            "other.yaml": _OTHER.replace("size:", "width:"),
            "a.yaml": f"{_object('{foo: bar}')}---\n{_object('{foo: bar}', 'b', 'Bar')}",
        },
        1,
        "also in line 9",
        2,
    ),
    "two mistakes in two objects": (
        {"crd.yaml": _CRD, "a.yaml": f"{_object('{size: x}')}---\n{_object('{sise: 1}', 'b')}"},
        2,
        "",
        2,
    ),
    "a null and its fields beside it": (
        {"crd.yaml": _STRICT, "a.yaml": _object("\n  mode: x\n  ref:\n  a: x")},
        1,
        "1 more error follows from this: `ref` is null",
        2,
    ),
    "a required field that is misspelled": (
        {"crd.yaml": _STRICT, "a.yaml": _object("{moode: x, ref: {a: x}}")},
        1,
        "1 more error follows from this: `mode` is missing",
        2,
    ),
    "the required spec is misspelled": (
        {"crd.yaml": _NEEDS_SPEC, "a.yaml": _object("{size: 1}").replace("spec:", "specs:")},
        1,
        "1 more error follows from this: `spec` is missing",
        2,
    ),
    "the required spec is missing, and another field is unknown": (
        {"crd.yaml": _NEEDS_SPEC, "a.yaml": _object("{size: 1}").replace("spec:", "widgets:")},
        2,
        "",
        2,
    ),
    "a required object under another name": (
        {"crd.yaml": _STRICT, "a.yaml": _object("{mode: x, link: {a: x}}")},
        1,
        "1 more error follows from this: `ref` is missing",
        2,
    ),
    "a required text under another name": (
        {"crd.yaml": _STRICT, "a.yaml": _object("{way: x, ref: {a: x}}")},
        2,
        "",
        2,
    ),
    "a required text under a name with the same word": (
        {"crd.yaml": _STRICT, "a.yaml": _object("{serviceMode: x, ref: {a: x}}")},
        1,
        "1 more error follows from this: `mode` is missing",
        2,
    ),
    "a required text in the object around the one that requires it": (
        {"crd.yaml": _NESTED, "a.yaml": _object("{a: x, template: {spec: {}}}")},
        1,
        "help: Move it to `template.spec`, which requires `a`",
        2,
    ),
    "a text that two objects below require": (
        {"crd.yaml": _NESTED, "a.yaml": _object("{a: x, template: {spec: {}}, other: {spec: {}}}")},
        3,
        "",
        3,
    ),
    "a number that an object below requires as a text": (
        {"crd.yaml": _NESTED, "a.yaml": _object("{a: 1, template: {spec: {}}}")},
        2,
        "",
        2,
    ),
    "replicas that are a text": (
        {"crd.yaml": _SCALED, "a.yaml": _object("{size: large}")},
        1,
        "1 more error follows from this: `size`",
        2,
    ),
    "a required object beside two unknown ones": (
        {"crd.yaml": _STRICT, "a.yaml": _object("{mode: x, link: {a: x}, other: {a: x}}")},
        2,
        "",
        3,
    ),
    "types in alternatives of several fields, in two CRDs": (
        {"crd.yaml": f"{_JUNCTORS}---\n{_JUNCTORS.replace('foos', 'bars').replace('Foo', 'Bar')}"},
        1,
        "also in line 23, `b` (line 26), `b` (line 27) and 4 more",
        12,
    ),
    "one unknown field that is dropped, in several places": (
        {"crd.yaml": _IGNORED},
        1,
        "note: also `b` (line",
        3,
    ),
    "an unknown field for an object that is required but missing": (
        {"crd.yaml": _STRICT, "a.yaml": _object("{mode: x, a: x}")},
        1,
        "1 more error follows from this: `ref` is missing",
        2,
    ),
    "advice about a CRD in a file of a release, beside the current one": (
        {"docs/operator-v1.13.2.yaml": _IDLE, "crd.yaml": _CRD},
        0,
        "1 info",
        1,
    ),
    "two unknown types": (
        {"crd.yaml": crd_with_spec("{type: object, properties: {a: {type: strng}, b: {type: Integer}}}")},
        2,
        "",
        2,
    ),
    "a required field in the wrong object": (
        {"crd.yaml": _STRICT, "a.yaml": _object("{ref: {a: x, mode: x}}")},
        1,
        "1 more error follows from this: `mode` is missing",
        2,
    ),
    "the spec of a CRD in its metadata": (
        {"crd.yaml": _IN_METADATA},
        1,
        "9 more errors follow from this: ",
        10,
    ),
    "the fields of the spec of a CRD beside it": (
        {"crd.yaml": _BESIDE_SPEC},
        1,
        "12 more errors follow from this: ",
        13,
    ),
    "a type and a format for `x-kubernetes-int-or-string`": (
        {"crd.yaml": _INT_OR_STRING},
        1,
        "1 more finding follows from this: `type: string` is not validated",
        2,
    ),
    "a version that is removed, beside the current one": (
        {"v1beta1/crd.yaml": _CRD.replace("k8s.io/v1", "k8s.io/v1beta1"), "v1/crd.yaml": _CRD},
        0,
        "1 info",
        1,
    ),
    "a version that is removed": (
        {"crd.yaml": _CRD.replace("k8s.io/v1", "k8s.io/v1beta1"), "other.yaml": _OTHER},
        1,
        "1 error",
        1,
    ),
    "a version that is removed, in test data": (
        {"testdata/crd.yaml": _CRD.replace("k8s.io/v1", "k8s.io/v1beta1")},
        0,
        "1 info",
        1,
    ),
    "a chart for unit tests": (
        {
            "testdata/c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 0.1.0\n",
            "testdata/c/templates/crd.yaml": _CRD,
            "testdata/c/templates/object.yaml": _object("{}"),
        },
        0,
        "0 errors, 0 warnings, 2 infos",
        2,
    ),
    "advice about a copy of a CRD of Kubernetes": (
        {"charts/a/crds/b.yaml": _OF_KUBERNETES},
        0,
        "1 info",
        1,
    ),
    "advice about a copy of a CRD of another project": (
        {"go.mod": _MODULE, "api/v1/register.go": _GROUP_OF_MODULE, "charts/a/crds/b.yaml": _IDLE},
        0,
        "1 info",
        1,
    ),
    "advice about a copy of a CRD of another project, in a module without groups": (
        {
            "go.mod": _MODULE,
            "api/v1/register.go": _GROUP_OF_MODULE,
            "cli/go.mod": _MODULE,
            "cli/b.yaml": _IDLE,
        },
        0,
        "1 info",
        1,
    ),
    "advice about a copy of a CRD of the project": (
        {
            "go.mod": _MODULE,
            "api/v1/register.go": _GROUP_OF_MODULE.replace("a.example.org", "a.example.com"),
            "charts/a/crds/b.yaml": _IDLE,
        },
        1,
        "1 warning",
        1,
    ),
    "advice about a CRD that a project generates": (
        {"go.mod": _MODULE, "api/v1/register.go": _GROUP_OF_MODULE, "config/crd/b.yaml": _IDLE},
        1,
        "1 warning",
        1,
    ),
    "advice about a CRD in a module without groups": (
        {"go.mod": _MODULE, "charts/a/crds/b.yaml": _IDLE},
        1,
        "1 warning",
        1,
    ),
    "an error of a copy of a CRD of another project": (
        {
            "go.mod": _MODULE,
            "api/v1/register.go": _GROUP_OF_MODULE,
            "charts/a/crds/b.yaml": _CRD.replace("type: integer", "type: integr"),
        },
        1,
        "1 error",
        1,
    ),
    "advice about a CRD of Kubernetes where its project generates it": (
        {"config/crd/b.yaml": _OF_KUBERNETES},
        1,
        "1 warning",
        1,
    ),
    "advice about a CRD of a project of Kubernetes": (
        {"charts/a/crds/b.yaml": _OF_KUBERNETES.replace("snapshot.storage.k8s.io", "snapshot.x-k8s.io")},
        1,
        "1 warning",
        1,
    ),
    "a CRD of a removed version, of an old release": (
        {"bundle/1.4.0/crd.yaml": _CRD.replace("k8s.io/v1", "k8s.io/v1beta1"), "other.yaml": _OTHER},
        0,
        "1 info",
        1,
    ),
    "a CRD of a removed version, named by it": (
        {"foo_v1beta1_crd.yaml": _CRD.replace("k8s.io/v1", "k8s.io/v1beta1"), "other.yaml": _OTHER},
        0,
        "1 info",
        1,
    ),
    "a CRD of a removed version in a folder that is named by its own version": (
        {"crds/v1/crd.yaml": _CRD.replace("k8s.io/v1", "k8s.io/v1beta1")},
        1,
        "1 error",
        1,
    ),
    "a CRD without any name": (
        {"_.yaml": _EMPTY},
        1,
        "8 more errors follow from this: ",
        9,
    ),
    "a CRD that lacks its group and scope": (
        {"crd.yaml": _CRD.replace("scope: Namespaced", 'scope: ""').replace("group: example.com", 'group: ""')},
        2,
        "",
        3,
    ),
    "a version that is not served, of two kinds": (
        {
            "a.yaml": _CRD,
            "b.yaml": _OTHER,
            "c.yaml": _object("{}").replace("/v1", "/v2"),
            "d.yaml": _object("{}", kind="Bar").replace("/v1", "/v3"),
        },
        1,
        "; the same cause in ",
        2,
    ),
    "a version that is not served, in tests": (
        {"a.yaml": _CRD, "e2e-tests/c.yaml": _object("{}").replace("/v1", "/v2")},
        0,
        "1 info",
        1,
    ),
    "an object of tests lacks fields": (
        {"a.yaml": _STRICT, "tests/grow.yaml": _object("{mode: x}")},
        0,
        "1 info",
        1,
    ),
    "an object of documentation with empty texts for all fields": (
        {"a.yaml": _REFERENCE, "docs/all.yaml": _object(_ALL_EMPTY)},
        0,
        "checked 2 files, 1 CRD, 1 resource: 0 errors, 0 warnings",
        0,
    ),
    "an object with a few empty texts": (
        {"a.yaml": _REFERENCE, "docs/all.yaml": _object("{mode: '', a: '', b: '', c: ''}")},
        1,
        "1 error",
        1,
    ),
    "a wrong value in an object of documentation": (
        {"a.yaml": _REFERENCE, "docs/all.yaml": _object(_ALL_EMPTY.replace("mode: ''", "mode: x"))},
        1,
        "1 error",
        1,
    ),
    "one mistake in the syntax of two files": (
        {"a.yaml": _CRD, "b.yaml": _BROKEN, "c.yaml": f"# A comment.\n{_BROKEN}"},
        1,
        "also in ",
        2,
    ),
    "two mistakes in the syntax of two files": (
        {"a.yaml": _CRD, "b.yaml": _BROKEN, "c.yaml": _BROKEN.replace("mode", "size")},
        2,
        "",
        2,
    ),
    "a wrong value in tests": (
        {"a.yaml": _CRD, "e2e-tests/c.yaml": _object("{size: x}")},
        1,
        "1 error",
        1,
    ),
    "a failed rule in tests, which may complete the object": (
        {"a.yaml": _CRD_WITH_RULE, "e2e-tests/c.yaml": _object("{size: 1}")},
        0,
        "1 info",
        1,
    ),
    "a name in tests that a script replaces": (
        {"a.yaml": _CRD, "e2e/c.yaml": _object("{size: 1}").replace("name: a", "name: a_b")},
        0,
        "1 info",
        1,
    ),
    "a name of a sample that the server rejects": (
        {"a.yaml": _CRD, "samples/c.yaml": _object("{size: 1}").replace("name: a", "name: a_b")},
        1,
        "1 error",
        1,
    ),
    "two rules that one object breaks": (
        {"a.yaml": _CRD_WITH_RULES, "c.yaml": _object("{size: 1}")},
        1,
        "1 more rule fails here: `spec`: size is odd",
        2,
    ),
    "two rules that two objects break": (
        {
            "a.yaml": _CRD_WITH_RULES,
            "c.yaml": f"{_object('{size: 1}')}---\n{_object('{size: 4}', 'b')}",
        },
        1,
        "1 more rule fails here: `spec`: size is odd; also in line 9 (Foo b)",
        3,
    ),
    "rules of two fields": (
        {"a.yaml": _CRD_WITH_RULES, "c.yaml": _object("{size: 1, width: 1}")},
        2,
        "",
        3,
    ),
    "a failed rule of a sample": (
        {"a.yaml": _CRD_WITH_RULE, "samples/c.yaml": _object("{size: 1}")},
        1,
        "1 error",
        1,
    ),
    "a null that only server-side apply rejects": (
        {"a.yaml": _CRD, "c.yaml": _object("\n  size:\n    # fields\n")},
        0,
        "1 info",
        1,
    ),
    "an object without a name": (
        {"crd.yaml": _CRD, "a.yaml": _object("{}").replace("{name: a}", "{labels: {a: b}}")},
        0,
        "1 info",
        1,
    ),
    "an input of a Go test": (
        {
            "crd.yaml": _CRD,
            "pkg/a/inputs/b/a.yaml": _object("{size: x}"),
            "pkg/a/a_test.go": 'package a\n\nvar text = read("./inputs/b/" + name + ".yaml")\n',
        },
        0,
        "1 info",
        1,
    ),
    "samples that a test of the whole module reads": (
        {
            "crd.yaml": _CRD,
            "samples/a.yaml": _object("{size: x}"),
            "main_test.go": 'package main\n\nvar text = read("samples/a.yaml")\n',
            "go.mod": "module example.com/a\n",
        },
        1,
        "1 error",
        1,
    ),
    "a folder that a test beside it does not read": (
        {
            "crd.yaml": _CRD,
            "pkg/a/manifests/a.yaml": _object("{size: x}"),
            "pkg/a/a_test.go": 'package a\n\nimport "example.com/pkg/manifests/x"\n',
        },
        1,
        "1 error",
        1,
    ),
    "an object in the place of a text with a format": (
        {"crd.yaml": _CRD, "a.yaml": _object("{config: {a: b}}")},
        1,
        "`config` must be a text with the format `byte`, not an object",
        2,
    ),
}  # fmt: skip


def _check(folder: Path, *options: str) -> str:
    done = CliRunner().invoke(
        cli, ["check", "--no-cache", *options, str(folder)], catch_exceptions=False
    )
    return done.stdout


@each(("files", "entries", "note", "findings"), CASES.values(), ids=CASES)
def test_one_cause_is_one_entry(
    files: dict[str, str],
    entries: int,
    note: str,
    findings: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("a")
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    shown = " ".join(_check(folder).split(" "))
    assert shown.count("\n  --> ") == entries
    assert note in " ".join(shown.split())
    document = json.loads(_check(folder, "--format", "json"))
    assert len(document["diagnostics"]) == findings
    all_shown = _check(folder, "--show-all", "--min-severity", "info")
    assert all_shown.count("\n  --> ") == len(document["diagnostics"])


def test_copies_in_one_file_are_one_entry(tmp_path: Path) -> None:
    texts = {"foos": _CRD, "bars": _OTHER}
    (tmp_path / "config/crd/bases").mkdir(parents=True)
    for name, text in texts.items():
        (tmp_path / "config/crd/bases" / f"{name}.yaml").write_text(text)
    bundle = "---\n".join(texts.values()).replace("type: integer", "type: number")
    (tmp_path / "bundle.yaml").write_text(bundle)
    shown = _check(tmp_path)
    assert shown.count("\n  --> ") == 1
    assert "= note: also in line 43 (bars)" in shown
    found = json.loads(_check(tmp_path, "--format", "json"))["diagnostics"]
    assert [finding["crd"] for finding in found] == ["foos.example.com", "bars.example.com"]


def test_copies_of_one_bundle_are_one_entry(tmp_path: Path) -> None:
    for name, text in (("foos", _CRD), ("bars", _OTHER)):
        for folder in ("config/crd/bases", "bundle/manifests"):
            (tmp_path / folder).mkdir(parents=True, exist_ok=True)
            (tmp_path / folder / f"{name}.yaml").write_text(text)
    for name, field in (("foos", "size"), ("bars", "config")):
        stale = tmp_path / "bundle/manifests" / f"{name}.yaml"
        stale.write_text(stale.read_text().replace(f"{field}:", f"old{field}:"))
    shown = _check(tmp_path)
    assert shown.count("\n  --> ") == 1
    assert "; the same cause in " in " ".join(shown.split())
    found = json.loads(_check(tmp_path, "--format", "json"))["diagnostics"]
    assert [finding["rule"] for finding in found] == ["crd-copies-differ"] * 2
