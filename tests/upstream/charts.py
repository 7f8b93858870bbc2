"""Small charts, and what Helm does with them: each was installed, upgraded and uninstalled with Helm 3 and Helm 4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

GROUP: Final = "charts.example.com"
KEEP: Final = "helm.sh/resource-policy: keep"
HOOK: Final = "helm.sh/hook: {}"
_METADATA: Final = "apiVersion: v2\nname: {}\nversion: 0.1.0\n"


def crd(
    annotation: str = "",
    *,
    plural: str = "gears",
    kind: str = "Gear",
    fields: str = "teeth: {type: integer}",
) -> str:
    """Return a CRD with an annotation; `fields` are those of its spec."""
    annotations = f"  annotations: {{{annotation}}}\n" if annotation else ""
    return (
        f"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: {plural}.{GROUP}\n{annotations}"
        f"spec:\n  group: {GROUP}\n  scope: Namespaced\n"
        f"  names: {{plural: {plural}, singular: {kind.lower()}, kind: {kind}, listKind: {kind}List}}\n"
        "  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n"
        "      openAPIV3Schema:\n        type: object\n"
        f"        properties:\n          spec:\n            type: object\n            properties: {{{fields}}}\n"
    )


def two_versions() -> str:
    """Return the CRD with a second version."""
    first = crd()
    start = first.index("  - name: v1")
    second = (
        first[start:].replace("name: v1", "name: v2").replace("storage: true", "storage: false")
    )
    return first + second


def instance(
    annotation: str = "", *, kind: str = "Gear", spec: str = "{teeth: 3}", version: str = "v1"
) -> str:
    """Return an object with an annotation."""
    annotations = f"  annotations: {{{annotation}}}\n" if annotation else ""
    return f"apiVersion: {GROUP}/{version}\nkind: {kind}\nmetadata:\n  name: small\n{annotations}spec: {spec}\n"


def gated(condition: str, text: str) -> str:
    """Return a text that a template writes under a condition."""
    return f"{{{{- if {condition} }}}}\n{text}{{{{- end }}}}\n"


def item(text: str) -> str:
    """Return a document as an item of a list."""
    first, *others = text.rstrip("\n").split("\n")
    return "".join([f"- {first}\n", *(f"  {line}\n" for line in others)])


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write a chart, with a Chart.yaml for it and each chart in it that has none."""
    charts = {"Chart.yaml": _METADATA.format("machine")}
    for name in files:
        parts = name.split("/")
        for i in range(0, len(parts) - 2, 2):
            if parts[i] == "charts" and not parts[i + 1].endswith(".tgz"):
                charts["/".join((*parts[: i + 2], "Chart.yaml"))] = _METADATA.format(parts[i + 1])
    for name, text in {**charts, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def short_named(name: str, text: str) -> str:
    """Return a CRD with a short name."""
    return text.replace("names: {", f"names: {{shortNames: [{name}], ")


_UID: Final = "0b0e1d4c-0000-4000-8000-000000000000\n"
DEPENDENCY: Final = (
    _METADATA.format("machine")
    + "dependencies: [{name: parts, version: 0.1.0, condition: parts.enabled}]\n"
)
_LOOKUP: Final = f'lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" "gears.{GROUP}"'
_OFF: Final = "crds: {enabled: false}\n"
# What Helm does with these depends on how soon the server serves a new CRD.
BY_CHANCE: Final = frozenset(
    {
        "an object in another file than its CRD",
        "an object after the installation",
        "a hook and an object of the same event",
        "a hook before and an object after the installation",
    }
)
CONFIG_MAP: Final = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"

# The findings of a chart: severity, rule and file.
CHECKED: Final[dict[str, tuple[Mapping[str, str], list[str]]]] = {
    "a CRD in crds/ and an object in templates/": (
        {"crds/a.yaml": crd(), "templates/b.yaml": instance()}, []),
    "a CRD and an object in templates/": (
        {"templates/a.yaml": crd(KEEP), "templates/b.yaml": instance()},
        ["error helm-no-matches templates/b.yaml"]),
    "a CRD in the templates of a chart within": (
        {"charts/parts/templates/a.yaml": crd(KEEP), "templates/b.yaml": instance()},
        ["error helm-no-matches templates/b.yaml"]),
    "an object after the installation": (
        {"templates/a.yaml": crd(KEEP), "templates/b.yaml": instance(HOOK.format("post-install"))},
        ["warning helm-no-matches templates/b.yaml"]),
    "an object after the installation, of a CRD in crds/": (
        {"crds/a.yaml": crd(), "templates/b.yaml": instance(HOOK.format("post-install"))}, []),
    "an object after an upgrade": (
        {"templates/a.yaml": crd(KEEP), "templates/b.yaml": instance(HOOK.format("post-upgrade"))}, []),
    "a hook before and an object after the installation": (
        {"templates/a.yaml": crd(HOOK.format("pre-install")), "templates/b.yaml": instance(HOOK.format("post-install"))},
        ["warning helm-crd-hook templates/a.yaml", "warning helm-no-matches templates/b.yaml"]),
    "an object before the installation": (
        {"templates/a.yaml": crd(KEEP), "templates/b.yaml": instance(HOOK.format("pre-install"))},
        ["error helm-no-matches templates/b.yaml"]),
    "an object before the installation, of a CRD in crds/": (
        {"crds/a.yaml": crd(), "templates/b.yaml": instance(HOOK.format("pre-install"))}, []),
    "a hook and an object in templates/": (
        {"templates/a.yaml": crd(HOOK.format("pre-install")), "templates/b.yaml": instance()},
        ["error helm-no-matches templates/b.yaml", "warning helm-crd-hook templates/a.yaml"]),
    "a hook and an object of the same event": (
        {"templates/a.yaml": crd(HOOK.format("pre-install")), "templates/b.yaml": instance(HOOK.format("pre-install"))},
        ["warning helm-crd-hook templates/a.yaml", "warning helm-no-matches templates/b.yaml"]),
    "a chart within that its condition turns off": (
        {"Chart.yaml": DEPENDENCY, "values.yaml": "parts: {enabled: false}\n", "charts/parts/crds/a.yaml": crd(),
         "templates/b.yaml": instance()},
        ["warning helm-no-matches templates/b.yaml"]),
    "a chart within that its condition turns on": (
        {"Chart.yaml": DEPENDENCY, "values.yaml": "parts: {enabled: true}\n", "charts/parts/crds/a.yaml": crd(),
         "templates/b.yaml": instance()}, []),
    "a chart within that its tags turn off": (
        {"Chart.yaml": DEPENDENCY.replace("condition: parts.enabled", "tags: [big]"), "values.yaml": "tags: {big: false}\n",
         "charts/parts/crds/a.yaml": crd(), "templates/b.yaml": instance()},
        ["warning helm-no-matches templates/b.yaml"]),
    "an alias that its condition turns off": (
        {"Chart.yaml": DEPENDENCY.replace("condition: parts.enabled", "alias: more, condition: more.enabled"),
         "values.yaml": "more: {enabled: false}\n", "charts/parts/crds/a.yaml": crd(), "templates/b.yaml": instance()},
        ["warning helm-no-matches templates/b.yaml"]),
    "a CRD that the values turn off": (
        {"values.yaml": _OFF, "templates/a.yaml": gated(".Values.crds.enabled", crd(KEEP)), "templates/b.yaml": instance()},
        ["warning helm-no-matches templates/b.yaml"]),
    "a CRD and an object that the values turn off": (
        {"values.yaml": _OFF, "templates/a.yaml": gated(".Values.crds.enabled", crd(KEEP)),
         "templates/b.yaml": gated("and .Values.crds.enabled true", instance())}, []),
    "a CRD in crds/ and templates/": (
        {"crds/a.yaml": crd(), "templates/a.yaml": crd(KEEP)}, ["error helm-crd-twice templates/a.yaml"]),
    "a CRD in crds/ and a hook": (
        {"crds/a.yaml": crd(), "templates/a.yaml": crd(HOOK.format("post-install"))},
        ["error helm-crd-twice templates/a.yaml", "warning helm-crd-hook templates/a.yaml"]),
    "a CRD in crds/, and in templates/ if the cluster does not have it": (
        {"crds/a.yaml": crd(), "templates/a.yaml": gated(f'not (.Capabilities.APIVersions.Has "{GROUP}/v1")', crd())}, []),
    "a file of crds/ that a template includes if the cluster does not have it": (
        {"crds/a.yaml": crd(), "templates/a.yaml": gated(f'not (.Capabilities.APIVersions.Has "{GROUP}/v1")',
         '{{ .Files.Get "crds/a.yaml" }}\n')}, []),
    "a CRD in two templates": (
        {"templates/a.yaml": crd(KEEP), "templates/b.yaml": crd(KEEP, fields="size: {type: integer}")},
        ["error helm-crd-twice templates/b.yaml"]),
    "equal copies in crds/": ({"crds/a.yaml": crd(), "charts/parts/crds/a.yaml": f"# a copy\n{crd()}"}, []),
    "different copies in crds/": (
        {"crds/a.yaml": crd(), "charts/parts/crds/a.yaml": crd(fields="size: {type: integer}")},
        ["warning helm-crd-copies charts/parts/crds/a.yaml"]),
    "a hook of each upgrade": (
        {"templates/a.yaml": crd(HOOK.format('"pre-install,pre-upgrade"'))}, ["warning helm-crd-hook templates/a.yaml"]),
    "a hook of upgrades only": (
        {"templates/a.yaml": crd(HOOK.format("post-upgrade"))}, ["warning helm-crd-hook templates/a.yaml"]),
    "a hook of Helm 2": (
        {"templates/a.yaml": crd(HOOK.format("crd-install"))}, ["error helm-unknown-hook templates/a.yaml"]),
    "a hook of Helm 2 among others": (
        {"templates/a.yaml": crd(HOOK.format('"pre-install, crd-install"'))}, ["error helm-unknown-hook templates/a.yaml"]),
    "an object in the file of its CRD": (
        {"crds/a.yaml": f"{crd()}---\n{instance()}"}, ["error helm-object-in-crds crds/a.yaml"]),
    "an object in another file than its CRD": (
        {"crds/a.yaml": crd(), "crds/b.yaml": instance()}, ["warning helm-object-in-crds crds/b.yaml"]),
    "an object of another kind in crds/": ({"crds/a.yaml": f"{crd()}---\n{CONFIG_MAP}"}, []),
    "a CRD that looks itself up": (
        {"templates/a.yaml": gated(f"not ({_LOOKUP})", crd())},
        ["error helm-crd-deletes-itself templates/a.yaml", "info helm-crd-without-keep templates/a.yaml"]),
    "a CRD that looks itself up in a variable": (
        {"templates/a.yaml": "{{- $found := " + _LOOKUP + " }}\n" + gated("empty $found", crd())},
        ["error helm-crd-deletes-itself templates/a.yaml", "info helm-crd-without-keep templates/a.yaml"]),
    "a CRD that asks for its own API": (
        {"templates/a.yaml": gated(f'.Capabilities.APIVersions.Has "{GROUP}/v1" | not', crd())},
        ["error helm-crd-deletes-itself templates/a.yaml", "info helm-crd-without-keep templates/a.yaml"]),
    "a CRD of installations only": (
        {"templates/a.yaml": gated(".Release.IsInstall", crd())},
        ["error helm-crd-deletes-itself templates/a.yaml", "info helm-crd-without-keep templates/a.yaml"]),
    "a CRD in the other branch, where it is not found": (
        {"templates/a.yaml": "{{- with (" + _LOOKUP + ") }}\n{{- else }}\n" + crd() + "{{- end }}\n"},
        ["error helm-crd-deletes-itself templates/a.yaml", "info helm-crd-without-keep templates/a.yaml"]),
    "a CRD in the last of several branches": (
        {"values.yaml": "crds: false\n", "templates/a.yaml": "{{- $found := " + _LOOKUP + " }}\n{{- if .Values.crds }}\n"
         "{{- else if $found }}\n# there\n{{- else }}\n" + crd() + "{{- end }}\n"},
        ["error helm-crd-deletes-itself templates/a.yaml", "info helm-crd-without-keep templates/a.yaml"]),
    "a CRD in a branch that needs it": (
        {"templates/a.yaml": "{{- if " + _LOOKUP + " }}\n" + crd() + "{{- else }}\n" + crd() + "{{- end }}\n"},
        ["info helm-crd-without-keep templates/a.yaml"]),
    "a CRD of the first revision": (
        {"templates/a.yaml": gated("eq .Release.Revision 1", crd())},
        ["error helm-crd-deletes-itself templates/a.yaml", "info helm-crd-without-keep templates/a.yaml"]),
    "a chart within that an alias includes twice": (
        {"Chart.yaml": _METADATA.format("machine") + "dependencies:\n- {name: parts, version: 0.1.0, alias: one}\n"
         "- {name: parts, version: 0.1.0, alias: two}\n", "charts/parts/templates/a.yaml": crd(KEEP)},
        ["error helm-crd-twice charts/parts/templates/a.yaml"]),
    "different copies in charts in a fixed order": (
        {"Chart.yaml": _METADATA.format("machine")
         + "dependencies: [{name: parts, version: 0.1.0}, {name: bolts, version: 0.1.0}]\n",
         "charts/bolts/crds/a.yaml": crd(), "charts/parts/crds/a.yaml": crd(fields="size: {type: integer}")},
        ["warning helm-crd-copies charts/bolts/crds/a.yaml"]),
    "different copies in charts in any order": (
        {"charts/bolts/crds/a.yaml": crd(), "charts/parts/crds/a.yaml": crd(fields="size: {type: integer}")},
        ["warning helm-crd-copies charts/parts/crds/a.yaml"]),
    "a copy of an object of a cluster in crds/": (
        {"crds/a.yaml": crd().replace("metadata:\n", 'metadata:\n  resourceVersion: "5"\n')},
        ["info resource-version-on-create crds/a.yaml"]),
    "a copy of an object of a cluster in crds/, with its uid": (
        {"crds/a.yaml": crd().replace("metadata:\n", 'metadata:\n  resourceVersion: "5"\n  uid: ' + _UID)},
        ["error resource-version-on-create crds/a.yaml"]),
    "an object of a test": (
        {"templates/a.yaml": crd(KEEP), "templates/b.yaml": instance(HOOK.format("test"))}, []),
    "an object before the deletion": (
        {"templates/a.yaml": crd(KEEP), "templates/b.yaml": instance(HOOK.format("pre-delete"))}, []),
    "an object in a list with its CRD": (
        {"crds/a.yaml": "apiVersion: v1\nkind: List\nitems:\n" + item(crd()) + item(instance())},
        ["error helm-object-in-crds crds/a.yaml"]),
    "a kept CRD that looks itself up": ({"templates/a.yaml": gated(f"not ({_LOOKUP})", crd(KEEP))}, []),
    "a CRD that asks for another API": (
        {"templates/a.yaml": gated('not (.Capabilities.APIVersions.Has "other.example.com/v1")', crd())},
        ["info helm-crd-without-keep templates/a.yaml"]),
    "a policy that keeps nothing": (
        {"templates/a.yaml": crd("helm.sh/resource-policy: Keep")}, ["warning helm-resource-policy templates/a.yaml"]),
    "a file that .helmignore leaves out": (
        {".helmignore": "*.old.yaml\ncrds/drafts/\n", "templates/a.old.yaml": crd(fields="a: {type: int}"),
         "crds/drafts/a.yaml": crd(fields="a: {type: int}"), "crds/a.yaml": crd()}, []),
    "a partial": ({"templates/_a.yaml": crd(fields="a: {type: int}"), "crds/a.yaml": crd()}, []),
    "a name twice in crds/": (
        {"crds/a.yaml": short_named("g", crd()), "crds/b.yaml": short_named("g", crd(plural="cogs", kind="Cog"))},
        ["error name-in-use crds/b.yaml"]),
    "a name twice in the crds/ of charts": (
        {"crds/a.yaml": short_named("g", crd()),
         "charts/parts/crds/b.yaml": short_named("g", crd(plural="cogs", kind="Cog"))},
        ["error name-in-use crds/a.yaml"]),
    "a name twice, in a chart within that its condition turns off": (
        {"Chart.yaml": DEPENDENCY, "values.yaml": "parts: {enabled: false}\n", "crds/a.yaml": short_named("g", crd()),
         "charts/parts/crds/b.yaml": short_named("g", crd(plural="cogs", kind="Cog"))},
        ["warning name-in-use crds/a.yaml"]),
    "a name twice in templates/": (
        {"templates/a.yaml": short_named("g", crd(KEEP)),
         "templates/b.yaml": short_named("g", crd(KEEP, plural="cogs", kind="Cog"))},
        ["warning name-in-use templates/b.yaml"]),
    "a name twice, in crds/ and in templates/": (
        {"crds/a.yaml": short_named("g", crd()),
         "templates/b.yaml": short_named("g", crd(KEEP, plural="cogs", kind="Cog"))},
        ["warning name-in-use templates/b.yaml"]),
    "other suffixes": (
        {"templates/a.gotmpl": crd(KEEP, fields="a: {type: int}"),
         "crds/b.YML": crd(plural="cogs", kind="Cog", fields="b: {type: int}")},
        ["error type-unsupported crds/b.YML", "error type-unsupported templates/a.gotmpl"]),
}  # fmt: skip

# The old and the new chart, and the findings of the upgrade.
UPGRADED: Final[dict[str, tuple[Mapping[str, str], Mapping[str, str], list[str]]]] = {
    "from templates/ to crds/": (
        {"templates/a.yaml": crd()}, {"crds/a.yaml": crd()}, ["error change-crd-removed crds/a.yaml"]),
    "kept, from templates/ to crds/": (
        {"templates/a.yaml": crd(KEEP)}, {"crds/a.yaml": crd()}, ["info change-helm-crd-stays crds/a.yaml"]),
    "a version in crds/ and an object of it": (
        {"crds/a.yaml": crd()}, {"crds/a.yaml": two_versions(), "templates/b.yaml": instance(version="v2")},
        ["error change-helm-upgrade-fails templates/b.yaml", "warning change-helm-not-applied crds/a.yaml"]),
    "a version in templates/ and an object of it": (
        {"templates/a.yaml": crd()}, {"templates/a.yaml": two_versions(), "templates/b.yaml": instance(version="v2")},
        ["error change-helm-upgrade-fails templates/b.yaml"]),
    "a version in templates/ and an object of the old one": (
        {"templates/a.yaml": crd()}, {"templates/a.yaml": two_versions(), "templates/b.yaml": instance()}, []),
    "kept from now on": ({"templates/a.yaml": crd()}, {"templates/a.yaml": crd(KEEP)}, []),
    "to a chart within": ({"templates/a.yaml": crd()}, {"charts/parts/templates/a.yaml": crd()}, []),
    "to a partial": ({"templates/a.yaml": crd()}, {"templates/_a.yaml": crd()}, ["error change-crd-removed Chart.yaml"]),
    "from templates/ to a hook of upgrades": (
        {"templates/a.yaml": crd()}, {"templates/a.yaml": crd(HOOK.format("pre-upgrade"))},
        ["error change-crd-removed templates/a.yaml"]),
    "kept, to a hook of upgrades": (
        {"templates/a.yaml": crd(KEEP)}, {"templates/a.yaml": crd(HOOK.format("pre-upgrade"))},
        ["error change-crd-removed templates/a.yaml"]),
    "from templates/ to a hook of installations": (
        {"templates/a.yaml": crd()}, {"templates/a.yaml": crd(HOOK.format("pre-install"))},
        ["error change-crd-removed templates/a.yaml"]),
    "to an unknown hook": (
        {"templates/a.yaml": crd()}, {"templates/a.yaml": crd(HOOK.format("crd-install"))},
        ["error change-crd-removed templates/a.yaml"]),
    "off by default": (
        {"values.yaml": "crds: {enabled: true}\n", "templates/a.yaml": gated(".Values.crds.enabled", crd())},
        {"values.yaml": _OFF, "templates/a.yaml": gated(".Values.crds.enabled", crd())},
        ["error change-crd-removed templates/a.yaml"]),
    "kept, off by default": (
        {"values.yaml": "crds: {enabled: true}\n", "templates/a.yaml": gated(".Values.crds.enabled", crd(KEEP))},
        {"values.yaml": _OFF, "templates/a.yaml": gated(".Values.crds.enabled", crd(KEEP))},
        ["info change-helm-crd-stays Chart.yaml"]),
    "on by default": (
        {"values.yaml": _OFF, "templates/a.yaml": gated(".Values.crds.enabled", crd())},
        {"values.yaml": "crds: {enabled: true}\n", "templates/a.yaml": gated(".Values.crds.enabled", crd())}, []),
    "off by default, from templates/ to crds/": (
        {"values.yaml": _OFF, "templates/a.yaml": gated(".Values.crds.enabled", crd())}, {"crds/a.yaml": crd()},
        ["error change-crd-removed crds/a.yaml", "warning change-helm-not-applied crds/a.yaml"]),
    "off by the condition of its chart": (
        {"Chart.yaml": DEPENDENCY, "values.yaml": "parts: {enabled: true}\n", "charts/parts/templates/a.yaml": crd()},
        {"Chart.yaml": DEPENDENCY, "values.yaml": "parts: {enabled: false}\n", "charts/parts/templates/a.yaml": crd()},
        ["error change-crd-removed charts/parts/templates/a.yaml"]),
    "removed from templates/": (
        {"templates/a.yaml": crd(), "templates/b.yaml": CONFIG_MAP}, {"templates/b.yaml": CONFIG_MAP},
        ["error change-crd-removed Chart.yaml"]),
    "kept, removed from templates/": (
        {"templates/a.yaml": crd(KEEP), "templates/b.yaml": CONFIG_MAP}, {"templates/b.yaml": CONFIG_MAP},
        ["info change-helm-crd-stays Chart.yaml"]),
    "removed from crds/": (
        {"crds/a.yaml": crd(), "templates/b.yaml": CONFIG_MAP}, {"templates/b.yaml": CONFIG_MAP},
        ["info change-helm-crd-stays Chart.yaml"]),
    "removed from crds/ by the condition of its chart": (
        {"Chart.yaml": DEPENDENCY, "values.yaml": "parts: {enabled: true}\n", "charts/parts/crds/a.yaml": crd()},
        {"Chart.yaml": DEPENDENCY, "values.yaml": "parts: {enabled: false}\n", "charts/parts/crds/a.yaml": crd()},
        ["info change-helm-crd-stays Chart.yaml"]),
    "from templates/ to crds/ of a chart within": (
        {"templates/a.yaml": crd()}, {"charts/parts/crds/a.yaml": crd()}, ["error change-crd-removed charts/parts/crds/a.yaml"]),
    "off by a global value": (
        {"values.yaml": "global: {crds: true}\n", "charts/parts/templates/a.yaml": gated(".Values.global.crds", crd())},
        {"values.yaml": "global: {crds: false}\n", "charts/parts/templates/a.yaml": gated(".Values.global.crds", crd())},
        ["error change-crd-removed charts/parts/templates/a.yaml"]),
    "from crds/ to templates/": (
        {"crds/a.yaml": crd()}, {"templates/a.yaml": crd(KEEP)}, ["error change-helm-upgrade-fails templates/a.yaml"]),
    "from a hook to templates/": (
        {"templates/a.yaml": crd(HOOK.format("pre-install"))}, {"templates/a.yaml": crd(KEEP)},
        ["error change-helm-upgrade-fails templates/a.yaml"]),
    "from a hook to crds/": ({"templates/a.yaml": crd(HOOK.format("pre-install"))}, {"crds/a.yaml": crd()}, []),
    "from crds/ to a hook of upgrades": (
        {"crds/a.yaml": crd()}, {"templates/a.yaml": crd(HOOK.format("pre-upgrade"))},
        ["error change-helm-upgrade-fails templates/a.yaml"]),
    "changed in crds/": (
        {"crds/a.yaml": crd()}, {"crds/a.yaml": crd(fields="teeth: {type: integer}, size: {type: integer}")},
        ["warning change-helm-not-applied crds/a.yaml"]),
    "changed in crds/, with an object of the new field": (
        {"crds/a.yaml": crd()},
        {"crds/a.yaml": crd(fields="teeth: {type: integer}, size: {type: integer}"),
         "templates/b.yaml": instance(spec="{teeth: 1, size: 2}")},
        ["warning change-helm-not-applied crds/a.yaml", "warning change-helm-not-applied templates/b.yaml"]),
    "changed in crds/, with an object of the old fields": (
        {"crds/a.yaml": crd()},
        {"crds/a.yaml": crd(fields="teeth: {type: integer}, size: {type: integer}"), "templates/b.yaml": instance()},
        ["warning change-helm-not-applied crds/a.yaml"]),
    "written otherwise in crds/": ({"crds/a.yaml": crd()}, {"crds/a.yaml": f"# a comment\n{crd()}"}, []),
    "added to crds/": (
        {"crds/a.yaml": crd()}, {"crds/a.yaml": crd(), "crds/b.yaml": crd(plural="cogs", kind="Cog")},
        ["warning change-helm-not-applied crds/b.yaml"]),
    "added to crds/ with an object": (
        {"crds/a.yaml": crd()},
        {"crds/a.yaml": crd(), "crds/b.yaml": crd(plural="cogs", kind="Cog"), "templates/c.yaml": instance(kind="Cog")},
        ["error change-helm-upgrade-fails templates/c.yaml", "warning change-helm-not-applied crds/b.yaml"]),
    "added to templates/ with an object": (
        {"templates/b.yaml": CONFIG_MAP}, {"templates/a.yaml": crd(KEEP), "templates/b.yaml": instance()},
        ["error change-helm-upgrade-fails templates/b.yaml"]),
    "to a file that .helmignore leaves out": (
        {"templates/a.yaml": crd(), "templates/b.yaml": CONFIG_MAP},
        {".helmignore": "a.yaml\n", "templates/a.yaml": crd(), "templates/b.yaml": CONFIG_MAP},
        ["error change-crd-removed Chart.yaml"]),
    "to a library chart": (
        {"templates/b.yaml": CONFIG_MAP, "charts/parts/templates/a.yaml": crd()},
        {"templates/b.yaml": CONFIG_MAP, "charts/parts/templates/a.yaml": crd(),
         "charts/parts/Chart.yaml": _METADATA.format("parts") + "type: library\n"},
        ["error change-crd-removed Chart.yaml"]),
    "from templates/ to a hook after the upgrade": (
        {"templates/a.yaml": crd()}, {"templates/a.yaml": crd(HOOK.format('"post-install,post-upgrade"'))},
        ["error change-crd-removed templates/a.yaml"]),
    "under another alias": (
        {"Chart.yaml": _METADATA.format("machine") + "dependencies: [{name: parts, version: 0.1.0, alias: one}]\n",
         "charts/parts/templates/a.yaml": crd()},
        {"Chart.yaml": _METADATA.format("machine") + "dependencies: [{name: parts, version: 0.1.0, alias: two}]\n",
         "charts/parts/templates/a.yaml": crd()}, []),
    "a value that is a text": (
        {"values.yaml": "crds: true\n", "templates/a.yaml": gated(".Values.crds", crd())},
        {"values.yaml": "crds: 'false'\n", "templates/a.yaml": gated(".Values.crds", crd())}, []),
    "an object of a version of a chart within": (
        {"charts/parts/crds/a.yaml": crd(), "templates/b.yaml": CONFIG_MAP},
        {"charts/parts/crds/a.yaml": two_versions(), "templates/b.yaml": instance(version="v2")},
        ["error change-helm-upgrade-fails templates/b.yaml", "warning change-helm-not-applied charts/parts/crds/a.yaml"]),
    "an object is added": (
        {"templates/a.yaml": crd(KEEP)}, {"templates/a.yaml": crd(KEEP), "templates/b.yaml": instance()}, []),
}  # fmt: skip
