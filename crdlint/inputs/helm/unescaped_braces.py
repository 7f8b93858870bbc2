"""Directives that Helm executes though they were not written for it: braces of another language in a text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from crdlint.inputs.helm.directives import without_texts

if TYPE_CHECKING:
    from crdlint.inputs.helm.directives import Directive

# What a template's root object has (helm's engine and chartutil.ToRenderValues).
_ROOT: Final = frozenset({"Values", "Release", "Chart", "Files", "Capabilities", "Template", "Subcharts"})
_FROM_ROOT: Final = re.compile(r"(?<![\w$)\].])\.([A-Za-z_]\w*)?")
# A name that something is taken from: no function of Helm's is called so.
_OTHER_OBJECT: Final = re.compile(r"[A-Za-z_][\w-]*(?:\.[A-Za-z_]|\[)")
_ONE_WORD: Final = re.compile(r"[A-Za-z_]\w*\Z")
# Functions of sprig and Go that need nothing to give something.
_WITHOUT_ARGUMENTS: Final = frozenset(
    {"now", "uuidv4", "list", "dict", "tuple", "true", "false", "nil", "end", "else", "break", "continue", "hello"}
)
_STARTS: Final = re.compile(r"[A-Za-z_.$\"`'(0-9+-]|/\*")


def is_foreign(directive: Directive) -> bool:
    """Tell whether Helm has nothing that a directive can mean: no such root object, or no such function."""
    body = directive.body
    if not _STARTS.match(body):
        return bool(body)
    if body == "." or _OTHER_OBJECT.match(body):
        return True
    if _ONE_WORD.match(body):
        return body not in _WITHOUT_ARGUMENTS
    asked = [name for name in _FROM_ROOT.findall(without_texts(body)) if name]
    return bool(asked) and "$" not in body and not any(name in _ROOT for name in asked)
