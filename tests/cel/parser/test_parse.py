from __future__ import annotations

import gc
import sys
import threading

import pytest
from counting import recording, without_collector
from tables import each

from crdlint.cel.antlr.recognizer import recognize
from crdlint.cel.ast import Call, Comprehension, Literal, Select, Uint
from crdlint.cel.builder import Builder, ParserOptions
from crdlint.cel.errors import ErrorCode, display_errors
from crdlint.cel.parser import ParseResult, last_read, parse, parse_valid

OPTIONS = ParserOptions()


def display(result: ParseResult) -> str:
    return display_errors(result.errors, result.source_info)


VALUES = {
    "1": 1,
    "-9223372036854775808": -(1 << 63),
    "0x1F": 31,
    "0xFFu": Uint(255),
    "18446744073709551615u": Uint((1 << 64) - 1),
    "1e3": 1000.0,
    r"'a\n\u00e9\101b'": "a\n\u00e9Ab",
    r"r'\d'": r"\d",
    r"b'\xff\u00e9'".replace(r"\u00e9", "\u00e9"): b"\xff\xc3\xa9",
    "'''a\r\nb'''": "a\nb",
    "null": None,
    "true": True,
}


@each("text", VALUES, ids=repr)
def test_literal(text: str) -> None:
    result = parse(text, options=OPTIONS)
    assert not result.errors
    assert isinstance(result.expr, Literal)
    assert (type(result.expr.value), result.expr.value) == (type(VALUES[text]), VALUES[text])


ERRORS = {
    "x..y": "1:3: Syntax error: no viable alternative at input '..'",
    "a == break": "1:6: reserved identifier: break",
    "9223372036854775808": "1:1: invalid int literal",
    "-9223372036854775809": "1:1: invalid int literal",
    "-99999999999999999999999": "1:1: invalid int literal",
    "18446744073709551616u": "1:1: invalid uint literal",
    r"b'\u00e9'": "1:1: unable to unescape string",
    r"'\ud800'": "1:1: invalid unicode code point",
    r"'\U00110000'": "1:1: invalid unicode code point",
    "[1": "1:3: Syntax error: mismatched input '<EOF>' expecting {']', ','}",
    "{1: 2": "1:6: Syntax error: mismatched input '<EOF>' expecting {'}', ','}",
    "X{y: has(a)} $": "1:10: invalid argument to has() macro",
    "has(a)": "1:5: invalid argument to has() macro",
    "a.all(1, true)": "1:7: argument must be a simple name",
    "a.map(__result__, 1)": "1:7: iteration variable overwrites accumulator variable",
    "a.all(x, x, true)": "1:10: duplicate variable name: x",
    "(" * 10_000: "-1:0: expression recursion limit exceeded: 250",
    "a" + ".b" * 251: "-1:0: max recursion depth exceeded",
    "1+" * 250 + "1": None,
    "1+" * 251 + "1": "-1:0: max recursion depth exceeded",
    "!-!a": "1:3: Syntax error: no viable alternative at input '-!'",
    "a" * 100_001: "-1:0: expression code point size exceeds limit: size: 100001, limit 100000",
}


@each("text", ERRORS, ids=lambda text: text[:20])
def test_error(text: str) -> None:
    first = display(parse(text, options=OPTIONS)).partition("\n")[0]
    error = ERRORS[text]
    assert first == ("" if error is None else f"ERROR: <input>:{error}")


@each(
    ("text", "last"),
    [
        ("a == == b", 8),
        ("a.b c.d", 4),
        ("(a == 1", 7),
        ("a == 'b", 5),
        ("[1, 2", 5),
        ("a ? b", 5),
        ("a.", 2),
        ("a == 1 ] == 2 )", 7),
        ("{'a' 1}", 5),
        ("a = b", 2),
        ("self.ports.all(p, p >> 1)", 23),
        ("((((((((((((((((((((((((((((1", 29),
    ],
)
def test_the_parser_reads_at_most_one_token_behind_what_is_wrong(text: str, last: int) -> None:
    assert last_read(text, OPTIONS) == last


def test_the_first_error_is_not_after_what_the_parser_reads() -> None:
    wrong = [text for text in ERRORS if len(text) < 300 and parse_valid(text, OPTIONS) is None]
    assert len(wrong) > 8
    for text in wrong:
        result = parse(text, options=OPTIONS)
        first = min(each.location for each in result.errors)
        assert result.source_info.offset_of(first) <= last_read(text, OPTIONS), text


@pytest.mark.exhaustive
def test_an_expression_that_expands_without_end() -> None:
    first = display(parse("a" + ".optMap(x, x)" * 249, options=OPTIONS))
    assert first.startswith("ERROR: <input>:-1:0: expression expands to more than 250000 nodes")


def test_wide_characters_in_the_caret_line() -> None:
    assert display(parse("'\u00e9\u00e9' $", options=OPTIONS)) == (
        "ERROR: <input>:1:6: Syntax error: token recognition error at: '$'\n | '\u00e9\u00e9' $\n | .\uff0e\uff0e..^"
    )
    assert display(parse("1 \u00e9", options=OPTIONS)).endswith("\n | 1 \u00e9\n | ..\uff3e")


def test_ids_and_places() -> None:
    result = parse("a.b.all(x, x > 1)", options=OPTIONS)
    assert isinstance(result.expr, Comprehension)
    assert isinstance(result.expr.iter_range, Select)
    step = result.expr.loop_step
    assert isinstance(step, Call)
    assert result.source_info.location_of(step.args[1].id) == (1, 13)


@each(
    "text",
    ["'" * 9999, "[" * 5000, "".join(map(chr, range(32))), "'\ud800' + \ud800", ""],
    ids=range(5),
)
def test_bad_input_is_reported(text: str) -> None:
    assert display(parse(text, options=OPTIONS)).startswith("ERROR: ")


LIMITS = ["--1", "---1", "!-1", "4--4", "-x.y", "!!a", "- -1u"]


def recognized(text: str) -> ParseResult:
    builder = Builder(text, OPTIONS)
    return ParseResult(recognize(builder), builder.source, builder.errors)


@each("text", LIMITS)
def test_signs_as_the_recogniser_reads_them(text: str) -> None:
    fast = parse(text, options=OPTIONS)
    assert not fast.errors
    assert fast.expr == recognized(text).expr


LIMIT = "-1:0: expression recursion limit exceeded: 250"
# What nests an expression within another, and how often that may be.
NESTING = {
    "(|)": (249, LIMIT),
    "[|]": (249, LIMIT),
    "{1: |}": (249, LIMIT),
    "{|: 1}": (249, LIMIT),
    "f(|)": (249, LIMIT),
    "a ? b : |": (249, LIMIT),
    "a < (|)": (124, LIMIT),
    "a * (|)": (124, LIMIT),
    "a + b * (|)": (83, LIMIT),
    "a < b + c * (|)": (83, LIMIT),
    "!(|)": (249, LIMIT),
    "a[|]": (249, LIMIT),
    "X{y: |}": (249, LIMIT),
    "(|) + a": (249, LIMIT),
    "(|).a.b": (125, "-1:0: max recursion depth exceeded"),
}


@each("text", NESTING)
def test_limit_of_nesting(text: str) -> None:
    most, message = NESTING[text]
    opening, closing = text.split("|")
    assert not parse(opening * most + "1" + closing * most, options=OPTIONS).errors
    beyond = opening * (most + 1) + "1" + closing * (most + 1)
    for result in (parse(beyond, options=OPTIONS), recognized(beyond)):
        assert display(result) == f"ERROR: <input>:{message}"


def test_an_operand_on_the_right_is_a_level_more() -> None:
    opening, closing = "a * (" * 124 + "(", ")" * 125
    assert not parse(f"{opening}1{closing}", options=OPTIONS).errors
    for result in (
        parse(f"{opening}1 * 1{closing}", options=OPTIONS),
        recognized(f"{opening}1 * 1{closing}"),
    ):
        assert display(result) == f"ERROR: <input>:{LIMIT}"


def test_what_is_wrong_before_the_limit_is_said_before_it() -> None:
    text = "[" * 250 + ")" + "]" * 250
    assert display(parse(text, options=OPTIONS)) == display(recognized(text))
    assert LIMIT not in display(parse(text, options=OPTIONS))


def test_macros_behind_the_limit_are_not_looked_at() -> None:
    assert display(parse("has(1) && " + "(" * 250, options=OPTIONS)) == f"ERROR: <input>:{LIMIT}"


# Tokens dropped to recover are counted, but for those between the parts of a loop.
DROPPED = {
    "a)" + " b" * 255: False,
    "a b" + " )" * 255: False,
    "a b" + " )" * 256: True,
    "!" + " )" * 300 + " a": False,
}


@each("text", DROPPED, ids=range(len(DROPPED)))
def test_limit_of_recovery(text: str) -> None:
    assert ("lookahead limit exceeded" in display(parse(text, options=OPTIONS))) is DROPPED[text]


DEEP = {
    "lists": "[" * 240 + "]" * 240,
    "unclosed": "{" * 249,
    "calls": "f(" * 249 + ")" * 249,
    "selection of what is deep": "(" * 245 + "a" + ")" * 245 + ".",
    "copied": "optional.of(" + "1+" * 240 + "1).optMap(x, x)",
}


@each("name", DEEP)
def test_depth_needs_no_more_of_the_callers_stack(name: str) -> None:
    before = sys.getrecursionlimit(), threading.stack_size()
    parse(DEEP[name], options=OPTIONS)
    assert (sys.getrecursionlimit(), threading.stack_size()) == before


def test_copies_have_new_ids_in_order() -> None:
    result = parse("a.b(c, {d: e}).optMap(x, x)", options=OPTIONS)
    offsets = result.source_info.offsets
    assert isinstance(result.expr, Call)
    of = result.expr.args[1]
    assert isinstance(of, Call)
    fold = of.args[0]
    assert isinstance(fold, Comprehension)
    value = fold.accu_init
    assert isinstance(value, Call)
    copied = value.target
    assert isinstance(copied, Call)
    assert copied.target is not None
    first = copied.id
    assert [arg.id for arg in copied.args] == [first + 1, first + 2]
    assert copied.target.id == first + 6
    assert offsets[first][0] == 3


def test_parse_trees_do_not_pile_up_while_the_collector_is_paused() -> None:
    from antlr4.ParserRuleContext import ParserRuleContext

    with without_collector():
        for i in range(900):
            assert parse(f"self.a{i} = = {i} && ) ", options=OPTIONS).errors
        alive = sum(isinstance(one, ParserRuleContext) for one in gc.get_objects())
    assert alive < 5000


# What cel-go's lexer reports of texts that begin no token: columns and texts.
NO_TOKENS = {
    "a = = b": [(2, "= "), (4, "= ")],
    "a $ b..c": [(2, "$")],
    "'a' #": [(4, "#")],
    "1 .. @ (": [(5, "@")],
    "`x y": [(0, "`x y")],
    "```": [(0, "``"), (2, "`")],
    "`a-b.c/d_e+`": [(0, "`a-b.c/d_e+"), (11, "`")],
    "'''a": [(2, "'a")],
    r"\ a ?": [(0, "\\")],
    "é + 1": [(0, "é")],
    "a | b": [(2, "| ")],
    "a |": [(2, "|")],
    "a & b": [(2, "& ")],
    r"'\q' + 'b": [(0, r"'\q")],
    r'"\x4" == a': [(0, r'"\x4"')],
    r"'\u12g4'": [(0, r"'\u12g"), (7, "'")],
    r"'\U0001f60'": [(0, r"'\U0001f60'")],
    r"""'\38' "\3a" """: [(0, r"'\38"), (4, r"""' "\3a"""), (10, '" ')],
    r"'\ud8": [(0, r"'\ud8")],
    r"b'\xf": [(1, r"'\xf")],
    r"r'a": [(1, "'a")],
    r"'\x41\n": [(0, r"'\x41\n")],
}


def test_texts_that_begin_no_token() -> None:
    found = {
        text: [
            (error.location.column, error.problem.args[0])
            for error in parse(text, options=OPTIONS).errors
            if error.problem.code is ErrorCode.UNRECOGNIZED_TOKEN
        ]
        for text in NO_TOKENS
    }
    assert found == NO_TOKENS


def test_the_errors_of_a_text_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not only of the same text, but for the same options, which keep the cached result apart."""
    texts: list[object] = []
    monkeypatch.setattr(
        "crdlint.cel.antlr.recognizer.recognize", recording(texts, recognize, note="recognized")
    )
    options, others = ParserOptions(), ParserOptions(optional_syntax=False)
    first = parse("a +* once", options=options)
    assert parse("a +* once", options=options) is first
    assert len(texts) == 1
    assert display(parse("a +* once", options=others)) == display(first)
    assert len(texts) == 2
