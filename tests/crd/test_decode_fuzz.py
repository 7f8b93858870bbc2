"""Any JSON at any field: nothing is raised, and the quick reader misses nothing that the exact one would say."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from present import present

from crdlint.crd.convert import read_crd
from crdlint.crd.decode import decode_crd
from crdlint.crd.decode_errors import decode
from crdlint.crd.gotypes import CRD
from crdlint.crd.identity import identify
from crdlint.crd.paths import Key, Path
from crdlint.crd.positions import Locator
from crdlint.yaml.parse import parse_stream

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**65), 2**65),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text("ab=\"'é:{-", max_size=4),
    st.sampled_from(["2024-01-01T00:00:00Z", "aGk=", "1", "true"]),
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=5,
)
RIGHT = {
    "string": st.text("abc", max_size=3),
    "bool": st.booleans(),
    "int32": st.integers(0, 9),
    "int64": st.integers(0, 9),
    "float64": st.floats(-5, 5),
    "bytes": st.just("aGk="),
    "time": st.just("2024-01-01T00:00:00Z"),
    "json": ANYTHING,
    "fields": ANYTHING,
}


@st.composite
def values(draw: Any, of: Any, levels: Any = 6) -> Any:
    """Draw a value that fits the type, but for some."""
    if levels == 0 or draw(st.integers(0, 15)) == 0:
        return draw(ANYTHING)
    if of.kind in RIGHT:
        return draw(RIGHT[of.kind])
    if of.kind == "struct":
        names = [*of.fields, "unknown"]
        # What holds more is drawn more often, that the depths are reached.
        names += [n for n, f in of.fields.items() if f.type.kind not in RIGHT] * 4
        chosen = draw(st.lists(st.sampled_from(names), max_size=4, unique=True))
        return {
            n: draw(values(of.fields[n].type, levels - 1)) if n in of.fields else 1 for n in chosen
        }
    if of.kind == "schema-or-bool":
        return draw(st.booleans())
    inner = of.element
    if of.kind == "map":
        return {
            k: draw(values(inner, levels - 1))
            for k in draw(st.lists(st.sampled_from("abc"), max_size=2, unique=True))
        }
    if of.kind == "slice":
        return [draw(values(inner, levels - 1)) for _ in range(draw(st.integers(0, 2)))]
    return draw(values(inner, levels - 1))


def documents(value: Any) -> Any:
    """Return the value as JSON and as YAML that is not JSON."""
    text = json.dumps(value, ensure_ascii=False)
    return [text, "--- !!map\n" + text]


EXAMPLES = [40, pytest.param(600, marks=pytest.mark.exhaustive)]


@pytest.mark.parametrize("examples", EXAMPLES)
def test_reader_misses_nothing(examples: int) -> None:
    run = settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    run(given(values(CRD))(misses_nothing))()


def misses_nothing(value: Any) -> None:
    for text in documents(value):
        document = parse_stream(text)[-1]
        if document.error is not None or document.root is None:
            continue
        root = document.root
        identify(root, text)
        state = decode(CRD, root)
        wanted = [str(state.saved)] if state.saved else list(state.strict_errors)
        assert [problem.message for problem in decode_crd(root).problems] == wanted


STEPS = st.lists(
    st.sampled_from(["spec", "versions", 0, 1, "schema", "a.b", Key("a"), "x"]), min_size=1
)


@pytest.mark.parametrize("examples", EXAMPLES)
def test_whole_way(examples: int) -> None:
    run = settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    run(given(values(CRD), STEPS)(spans_of_paths_begin_before_they_end))()


def spans_of_paths_begin_before_they_end(value: Any, steps: Any) -> None:
    root = parse_stream(json.dumps(value))[0].root
    if root is None:
        return
    read_crd(root)
    path = None
    for step in steps:
        path = Path(step, path)
    span = Locator(root).span(present(path))
    assert (span.line, span.column) <= (span.end_line, span.end_column)
