"""Fixes for the findings of `rules/server/metadata.py`."""

from __future__ import annotations

import re
from typing import Final

from crdlint.crd.kubenames import (
    is_dns1035_label,
    is_dns1123_subdomain,
)
from crdlint.crd.model import CustomResourceDefinitionNames
from crdlint.golang.text import to_lower
from crdlint.light import regex
from crdlint.phrases import nearest
from crdlint.rules.engine.edits import Edits, expect
from crdlint.rules.engine.finding import FieldFinding
from crdlint.rules.engine.fixer import Fixer, FixesOf
from crdlint.rules.fixes.agreement_of_names import exchanged, plurals
from crdlint.rules.helps.metadata import other_part
from crdlint.rules.server.metadata import NAME, SERVER_OWNED
from crdlint.yaml.editor import UneditableError
from crdlint.yaml.nodes import Mapping, Scalar

_LIKE: Final = 0.6
_SEPARATORS: Final = regex(r"[/_ -]")


def _wanted_name(finding: FieldFinding) -> tuple[str, str]:
    """Return the name that the spec asks for, and the one that is given; raise UneditableError if the spec is wrong."""
    crd = finding.crd
    group, plural = crd.spec.group, crd.spec.names.plural
    is_wrong = (
        not plural or "." not in group or is_dns1035_label(plural) or is_dns1123_subdomain(group)
    )
    if is_wrong or crd.metadata.generate_name:
        raise UneditableError
    return f"{plural}.{group}", crd.metadata.name


@Fixer("Name the CRD `<plural>.<group>`", "safe")
def _name_of_spec(finding: FieldFinding) -> Edits:
    """Name the CRD as its spec asks for, where the name is missing or one part of it is right."""
    expected, name = _wanted_name(finding)
    if not name:
        return _missing_name(finding, expected)
    is_partly_right = (
        _is_a_part(finding.crd.spec.names, name, expected)
        or _is_written_otherwise(name, expected)
        or _has_other_plural(finding.crd.spec.names, name, expected)
        or _has_similar_group(finding, name, expected)
    )
    return finding.write(expected) if is_partly_right else []


def _is_a_part(names: CustomResourceDefinitionNames, name: str, expected: str) -> bool:
    """Return whether a name is one of the parts of the expected one."""
    plural, _, group = expected.partition(".")
    return name in {plural, names.singular, names.kind, group}


def _is_written_otherwise(name: str, expected: str) -> bool:
    """Return whether a name differs from the expected one in capital letters or separators only."""
    return to_lower(name) == expected or _SEPARATORS.sub(".", name) == expected.replace("-", ".")


def _has_other_plural(names: CustomResourceDefinitionNames, name: str, expected: str) -> bool:
    """Return whether a name has the expected group, and the singular or a misspelling of the plural before it."""
    plural, _, group = expected.partition(".")
    first, _, rest = name.partition(".")
    if rest != group or plural not in plurals(names) or first in plurals(names):
        return False
    is_singular = first in {names.singular, to_lower(names.kind)}
    return is_singular or nearest(first, [plural], _LIKE) is not None


def _has_similar_group(finding: FieldFinding, name: str, expected: str) -> bool:
    """Return whether a name has the expected plural, and a misspelling of the group, which the document has elsewhere."""
    plural, _, group = expected.partition(".")
    first, _, rest = name.partition(".")
    if first != plural or rest == group or _mentions(finding, group) < 2:
        return False
    return nearest(rest, [group], _LIKE) is not None


def _mentions(finding: FieldFinding, group: str) -> int:
    """Return how often a document mentions a group, without the names that contain it."""
    return len(re.findall(rf"(?<![\w.-]){re.escape(group)}(?![\w-])", finding.editor.text))


@Fixer("Correct the plural or the group", "safe").example(
    bad="metadata: {name: foos.example.com}\nspec: {names: {plural: fooz, kind: Foo}}\n",
    good="metadata: {name: foos.example.com}\nspec: {names: {plural: foos, kind: Foo}}\n",
    scope="manifest",
)
def _names_of_name(finding: FieldFinding) -> Edits:
    """Correct the plural or the group, if the name of the CRD and its kind show that the error is there."""
    editor, spec = finding.editor, expect(Mapping, finding.root, "spec")
    name, names = _wanted_name(finding)[1], finding.crd.spec.names
    plural, _, group = name.partition(".")
    written = finding.crd.spec.group
    if plural == names.plural and "." in group:
        if written == name or (_mentions(finding, group) and _mentions(finding, written) < 2):
            yield editor.respell(expect(Scalar, spec, "group"), group)
    elif group == written and _is_only_plural(plural, names):
        yield editor.respell(expect(Scalar, spec, "names", "plural"), plural)


def _is_only_plural(plural: str, names: CustomResourceDefinitionNames) -> bool:
    """Return whether a word is a plural of the kind, the plural that is given is none, and the singular fits the kind."""
    is_singular_right = names.singular in {"", to_lower(names.kind)}
    return is_singular_right and plural in plurals(names) and names.plural not in plurals(names)


def _missing_name(finding: FieldFinding, expected: str) -> Edits:
    """Add the name, and the metadata where these are missing as well."""
    editor, root = finding.editor, finding.root
    metadata = root.find("metadata")
    if metadata is not None and isinstance(metadata[1], Mapping):
        return finding.write(expected)
    name = f"{editor.name('name')}: {editor.value(expected)}"
    if metadata is None and not root.flow:
        return [editor.insert(root, "metadata", f"\n  {name}", after="kind")]
    return [editor.set(root, "metadata", f"{{{name}}}", after="kind")]


@Fixer("Name the CRD after its plural and group", "unsafe").example(bad="name: things.example.org")
def _other_name(finding: FieldFinding) -> Edits:
    """Name the CRD as its spec asks for, unless the plural of the spec may be the wrong one."""
    expected, name = _wanted_name(finding)
    is_plural_wrong = name.endswith(f".{finding.crd.spec.group}")
    return [] if is_plural_wrong and other_part(name, expected) else finding.write(expected)


@Fixer("Remove the field that the server writes", "safe")
def _server_owned(finding: FieldFinding) -> Edits:
    name = str(finding.path.steps()[1])
    return [finding.editor.remove(expect(Mapping, finding.root, "metadata"), name)]


FIXES: Final = FixesOf(
    FieldFinding,
    {
        NAME.id: (exchanged, _names_of_name, _name_of_spec, _other_name),
        SERVER_OWNED.id: (_server_owned,),
    },
)
