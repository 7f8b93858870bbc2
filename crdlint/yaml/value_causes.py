"""Causes of syntax errors in values and keys: quotes, escapes, brackets, colons."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate, chain, islice, takewhile
from typing import Final

from crdlint.light import regex
from crdlint.phrases import Layout, Sample, agreeing
from crdlint.yaml import repairs
from crdlint.yaml.broken_text import (
    FIELDS,
    KEYWORDS,
    BrokenText,
    Cause,
    Entry,
    carriage_return,
    entry_of,
    indent_of,
    key_column,
)
from crdlint.yaml.edit import Edit, runs
from crdlint.yaml.editor import quoted
from crdlint.yaml.flow_causes import gaps

_PAIRS: Final = r"(?<!\\)(?P<pairs>(?:\\\\)*)"  # of backslashes, which are escapes themselves
_BAD_ESCAPE: Final = regex(_PAIRS + r'(?P<escape>\\[^0abtnvfre "/\\N_LPxuU\n])')
_LETTER_ESCAPE: Final = regex(_PAIRS + r"\\[0abtnvfreN_LPxuU]")
_DOUBLED: Final = r"\g<pairs>\\\g<escape>"
_BARE_KEY: Final = regex(r"\A([ ]*(?:- +)*[A-Za-z$][\w$./-]*)([ ]*\r?)\Z")
_MARKED_KEY: Final = regex(r"\A([ ]*(?:- +)*[A-Za-z$][\w$./-]*) *([-=]>|[=;,\uff1a]) *(\r?)\Z")
_NO_BLANK: Final = regex(r"\A([ ]*(?:- +)*[A-Za-z$][\w$.-]*:)([^\s:/].*)\Z")
_NO_COLON: Final = regex(
    r"([ ]*(?:- +)*)([A-Za-z$][\w$.-]*)( *(?:[-=]>|[=;\uff1a]) *| +)(\S+ *\r?)\Z"
)
_OTHER_DASH: Final = regex(r"\A([ ]*)[\u2010-\u2015\u2212](?= )")
_NO_BLANK_AFTER_DASH: Final = regex(r"[ ]*-(?=[A-Za-z$\"'])")
_WORD: Final = regex(r" *[A-Za-z$][\w$./-]*[ ]*\r?\Z")
_WORD_ITEM: Final = regex(r" *- +['\"]?[A-Za-z$][\w$./-]*['\"]?[ ]*\r?\Z")
_TEXT_BELOW: Final = regex(r"([ ]*(?:- +)*[A-Za-z$][\w$.-]*)(?: +|:)([|>][-+]?\d?\r?)\Z")
_JSON_KEY: Final = regex(r'(\s*"[\w$./-]+")[ \t]+(?=["{\[\dtfn])')
_JSON_OPEN_TEXT: Final = regex(r'\s*"[\w$./-]+": *"[^"]*\Z')
_CLOSING: Final = {"[": "]", "{": "}"}


def unquoted(text: BrokenText) -> Iterator[Cause]:
    """Find a value that needs quotes."""
    for i, entry in text.entries():
        why = _reason_for_quotes(
            entry.value, is_expression=_EXPRESSION.search(entry.head) is not None
        )
        if entry.head.strip() in _LISTS_OF_TEXTS and _QUOTED_WORDS.match(entry.value):
            words = _BETWEEN_WORDS.split(entry.value)
            listed = f"[{', '.join(word.strip() for word in words)}]"
            help_ = f"Put the values in line {text.line(i)} in brackets: `{listed}`"
            cause = text.value_cause(
                repairs.IN_BRACKETS,
                i,
                entry,
                listed,
                help_,
            )
            yield cause._replace(headline="a list needs brackets")
        elif _has_second_key(entry.value, why):
            yield from _two_keys(text, i, entry)
        elif _MARKED_TEXT.match(entry.value) is not None and why is not None:
            yield from _text_after_mark(text, i, entry)
        elif why is not None:
            is_code = _CODE.search(entry.head) is not None
            help_ = _quotes_help(
                text.line(i),
                entry.value,
                why,
                is_code=is_code,
            )
            new = _in_quotes(entry.value, is_code=is_code)
            yield text.value_cause(repairs.QUOTES, i, entry, new, help_)


# A word in quotes, and others that follow after commas.
_QUOTED_WORDS: Final = regex(
    r"(?:'[^',\[\]]*'|\"[^\",\[\]]*\")(?: *[,|] *(?:'[^',\[\]]*'|\"[^\",\[\]]*\"|[\w./-]+))+\Z"
)
_BETWEEN_WORDS: Final = regex(r"[,|]")
_CODE: Final = regex(r"(?:rule|messageExpression|pattern|jsonPath): +\Z")
_BACKQUOTED: Final = regex(r"`([^`\s]+)`")
_BACKQUOTED_CODE: Final = regex(r"`([^`]+)`")


def _without_backquotes(value: str, *, is_code: bool) -> str | None:
    """Return a word, or code of several words, that is in backquotes, as in Go; None for another value."""
    bare = (_BACKQUOTED_CODE if is_code else _BACKQUOTED).fullmatch(value)
    return None if bare is None else bare[1]


def _in_quotes(value: str, *, is_code: bool = False) -> str:
    """Return a value in quotes; backquotes are replaced."""
    bare = _without_backquotes(value, is_code=is_code)
    return quoted(value if bare is None else bare)


def _quotes_help(
    line: int,
    value: str,
    why: str | None,
    *,
    is_code: bool = False,
) -> str:
    is_marked = _without_backquotes(value, is_code=is_code) is not None
    how = "quotes instead of backquotes" if is_marked else f"quotes, since it {why}"
    return f"Put the value in line {line} in {how}: `{_in_quotes(value, is_code=is_code)}`"


def _has_second_key(value: str, why: str | None) -> bool:
    """Return whether another key follows a value, which is not in quotes; brackets may contain keys themselves."""
    if _SECOND_KEY.search(value) is None or value[0] in "'\"":
        return False
    return value[0] not in _CLOSING or why is not None


def _two_keys(text: BrokenText, index: int, entry: Entry) -> Iterator[Cause]:
    """Find a second key in the line of another: split the line if the first value is a single word."""
    line, column = text.lines[index], key_column(text.lines[index])
    value, *others = _entries_in(entry)
    repeated = next((each for each in others if _has_key(text, index, each)), None)
    if not others or repeated is not None:
        how = "Write one key on each line" if repeated is None else f"Remove `{repeated}`"
        help_ = f"{how}, or put the value in line {text.line(index)} in quotes"
        yield text.cause(None, index, help_, columns=entry.columns)._replace(headline=_TWO_KEYS)
        return
    end = carriage_return(line)
    below = f"{end}\n{' ' * column}".join(others)
    new = f"{entry.head}{value}{end}\n{' ' * column}{below}{entry.rest}"
    each = agreeing(len(others), "a line of its own", "lines of their own")
    names = " and ".join(f"`{other}`" for other in others)
    help_ = f"Write {names} on {each}, below line {text.line(index)}"
    yield text.line_cause(
        repairs.SPLIT,
        index,
        new,
        help_,
        entry.columns,
    )._replace(headline=_TWO_KEYS)


def _entries_in(entry: Entry) -> list[str]:
    """Return the value of an entry and the entries after it in its line; no entries if it is not clear where they begin."""
    values: list[str] = []
    rest = entry.value
    while (match := _WORD_AND_KEY.match(rest)) is not None:
        head = "" if values else entry.head
        if not match[2] and not _is_whole(head, match[1]):
            return [entry.value]
        values.append(match[1])
        rest = match[3]
    last = rest.partition(": ")[2]
    is_clear = " " not in last or _is_one_collection(last)
    return [*values, rest] if is_clear else [entry.value]


def _is_one_collection(value: str) -> bool:
    """Return whether a value is between brackets that are closed at its end."""
    is_closed = value[0] in _CLOSING and not _missing_brackets(value)
    return is_closed and value.endswith(_CLOSING[value[0]]) and _reason_after_bracket(value) is None


def _has_key(text: BrokenText, index: int, entry: str) -> bool:
    """Return whether the lines around a line have the key of an entry, which may then be a part of the text."""
    key, column = entry.partition(":")[0], key_column(text.lines[index])
    return any(text.lines[i][column:].startswith(f"{key}:") for i in _siblings(text, index, column))


def _siblings(text: BrokenText, index: int, column: int) -> Iterator[int]:
    """Yield the other lines of the mapping that has its keys in a column, and one of them in a line."""
    position = bisect_left(text.structure, index)
    before = text.structure[:position][::-1]
    if not _begins_item(text.lines[index], column):
        for i in takewhile(lambda i: key_column(text.lines[i]) >= column, before):
            yield from [i] * (key_column(text.lines[i]) == column)
            if _begins_item(text.lines[i], column):
                break
    for i in takewhile(
        lambda i: key_column(text.lines[i]) >= column and not _begins_item(text.lines[i], column),
        text.structure[position + 1 :],
    ):
        yield from [i] * (key_column(text.lines[i]) == column)


def _begins_item(line: str, column: int) -> bool:
    """Return whether a line is the first of an item whose keys are in a column."""
    return line.lstrip().startswith("- ") and key_column(line) == column


_TWO_KEYS: Final = "two keys in one line"
_KEY_NAMES: Final = "|".join(sorted(FIELDS))
_SECOND_KEY: Final = regex(rf"(?:\A|[\s,;|]|[a-z0-9])(?:{_KEY_NAMES}): ")
# A value, what separates it from the next key, and the next key with its value.
_WORD_AND_KEY: Final = regex(
    rf"((?:(?:{_KEY_NAMES}): )?(?:\[[^\[\]]*\]|[^\s,;|:'\"]+?))(\s*[,;|]\s*|\s+|)((?:{_KEY_NAMES}): \S.*)\Z"
)
_WHOLE_VALUE: Final = regex(
    r"type: +(?:array|boolean|integer|number|object|string)|format: +(?:int32|int64|float|double|date-time|date|uuid|ipv4|ipv6)"
    r"|(?:max|min)\w+: +\d+"
)


def _is_whole(head: str, value: str) -> bool:
    """Return whether a value that the next key follows without a space is all of the value of its own key."""
    return _WHOLE_VALUE.fullmatch(f"{head}{value}".strip(" -")) is not None


_MARKED_TEXT: Final = regex(r"[|>][-+]? *[^\W\d_]")  # `> 0` is a text itself


def _text_after_mark(text: BrokenText, index: int, entry: Entry) -> Iterator[Cause]:
    """Find a text in the line of the mark of a text in block style; the lines below may belong to it."""
    value, next_line = entry.value.lstrip("|>-+ "), "".join(text.lines[index + 1 : index + 2])
    if indent_of(next_line) > key_column(text.lines[index]) and next_line.strip():
        yield _text_below_mark(text, index, entry, indent_of(next_line))
        return
    following = next((i for i in text.structure if i > index), None)
    own = key_column(text.lines[index])
    if not value or (following is not None and indent_of(text.lines[following]) > own):
        return
    new = value if _reason_for_quotes(value) is None and value[0] not in "'\"[{#" else quoted(value)
    help_ = f"Remove the `{entry.value[0]}` in line {text.line(index)}, or write the text below it"
    cause = text.value_cause(repairs.NO_MARK, index, entry, new, help_)
    yield cause._replace(headline=f"text after `{entry.value[0]}`")


def _text_below_mark(
    text: BrokenText,
    index: int,
    entry: Entry,
    indent: int,
) -> Cause:
    """Return the cause that a text begins in the line of its mark and goes on below it."""
    value = entry.value.lstrip("|>-+ ")
    mark = entry.value[: len(entry.value) - len(value)].rstrip()
    end = carriage_return(text.lines[index])
    new = f"{entry.head}{mark}{end}\n{' ' * indent}{value}{entry.rest}"
    help_ = f"Write the text after `{mark}` in line {text.line(index)} on a line below it"
    cause = text.line_cause(
        repairs.BELOW_MARK,
        index,
        new,
        help_,
        entry.columns,
    )
    return cause._replace(headline=f"text after `{mark}`")


def unquoted_in_brackets(text: BrokenText) -> Iterator[Cause]:
    """Find values between brackets that need quotes."""
    for i in text.near():
        line, begin = text.lines[i], text.starts[i]
        wrong = [
            (start, end)
            for start, end in _values_in_brackets(line)
            if _reason_for_quotes(line[start:end])
        ]
        is_entry = any(_SECOND_KEY.search(line[start:end]) for start, end in wrong)
        if wrong and not is_entry and not gaps(line):
            edits = tuple(
                Edit(begin + left, begin + right, _in_quotes(line[left:right]))
                for left, right in wrong
            )
            first = line[slice(*wrong[0])]
            help_ = _quotes_help(text.line(i), first, _reason_for_quotes(first))
            yield text.cause(repairs.QUOTES, i, help_, edits, wrong[0])


def _values_in_brackets(line: str) -> list[tuple[int, int]]:
    """Return the columns (0-based) of the plain values between the brackets of a line; a comma may be a part of a value."""
    values: list[tuple[int, int]] = []
    opened: list[str] = []
    # Where the part begins, and the index of the value that a part without a key belongs to.
    start, entry = 0, -1
    for token in _FLOW_TOKEN.finditer(line):
        if token[0] in _CLOSING:
            opened.append(token[0])
            start, entry = token.end(), -1
        elif opened and token[0] in {",", "]", "}"}:
            begin, end = start, token.start()
            if opened[-1] == "{":
                colon = line.find(": ", begin, end)
                if colon < 0 and entry >= 0 and line[begin:end].strip():
                    values[entry] = values[entry][0], begin + len(line[begin:end].rstrip())
                begin = end if colon < 0 else colon + 1
            plain = line[begin:end].strip()
            if plain and plain[0] not in "'\"[{":
                begin = line.index(plain, begin)
                values.append((begin, begin + len(plain)))
                entry = len(values) - 1
            start = token.end()
            if token[0] != ",":
                opened.pop()
                entry = -1
    return values


_FLOW_TOKEN: Final = regex(r"(?<=[\[{,: ])(?:'[^'\n]*'|\"[^\"\n]*\")|[\[\]{},]")


def _reason_for_quotes(value: str, *, is_expression: bool = False) -> str | None:
    """Return why YAML does not read a value as the text that it is, None if it does or the value is not all of it.

    An expression may begin and end with a text in quotes.
    """
    value = value.strip()
    first = value[:1]
    if first in _CLOSING:
        return _reason_after_bracket(value)
    if first in "'\"":
        return _reason_after_quote(value, is_expression=is_expression)
    reason = next((text for start, text in _BAD_STARTS if start.match(value)), None)
    if reason is not None:
        return reason.format(first)
    has_colon = ": " in value or value.endswith(":")
    return "contains a colon and a space" if has_colon and not value.startswith("- ") else None


# How a value begins that is no text for YAML. What follows `|` or `>` may only be how the lines below it are read, and after
# a dash there may be one word: an item.
_BAD_STARTS: Final = (
    (regex(r"[|>][-+0-9|>\s]*[^-+0-9|>\s]"), "begins with `{}`"),
    (regex("`"), "begins with a backquote"),
    (regex("[!*&@%]"), "begins with `{}`"),
    (regex(r"\? "), "begins with a question mark and a space"),
    (regex(r"- (?s:.)* "), "begins with a dash and a space"),
)


def _reason_after_bracket(value: str) -> str | None:
    """Return that a value continues after the bracket that closes its first one, None if it ends there."""
    depths = accumulate((char in _CLOSING) - (char in _CLOSING.values()) for char in value)
    end = next((i for i, depth in enumerate(depths, 1) if not depth), len(value))
    rest = value[end:].strip()
    return f"continues after `{_CLOSING[value[0]]}`" if rest and rest[0] not in ",]}" else None


def _reason_after_quote(value: str, *, is_expression: bool) -> str | None:
    """Return that a value continues after the quote that closes its first one, None if it ends there."""
    quote = value[:1]
    closed = value.find(quote, 1)
    if closed <= 0 or (value.endswith(quote) and not is_expression):
        return None
    return f"continues after {quote}" if value[closed + 1 : closed + 2] in _AFTER_QUOTE else None


_AFTER_QUOTE: Final = frozenset(" ,.:")


def unquoted_lines(text: BrokenText) -> Iterator[Cause]:
    """Find a description or message of several lines that needs quotes, if none of its lines is a field."""
    for first, entry in text.entries():
        if _PROSE.search(entry.head) is None:
            continue
        last = _last_below(text, first)
        below = text.lines[first + 1 : last + 1]
        is_at_stop = below and last >= text.stop
        if not is_at_stop or any(" #" in line or _FIELD_NAME.match(line) for line in below):
            continue
        why = next(filter(None, map(_reason_for_quotes, (entry.value, *below))), None)
        if why is None or entry.value[0] in "|>":
            continue
        start = text.starts[first] + len(entry.head)
        end = text.starts[last] + len(text.lines[last].rstrip())
        edit = Edit(start, end, "'" + text.document.text[start:end].replace("'", "''") + "'")
        help_ = f"Put the text in lines {text.line(first)} to {text.line(last)} in quotes, since it {why}"
        wrong = _first_line_for_quotes(text, first, last)
        yield text.cause(repairs.QUOTES, wrong, help_, (edit,))


def _first_line_for_quotes(text: BrokenText, first: int, last: int) -> int:
    """Return the first of the lines from `first` to `last` whose value needs quotes, or `first`."""
    for i in range(first, last + 1):
        if _reason_for_quotes(_value_of(text.lines[i])):
            return i
    return first


def _last_below(text: BrokenText, first: int) -> int:
    """Return the last line of those that are indented more than the key in a line; that line if there are none."""
    column, last = key_column(text.lines[first]), first
    for i in range(first + 1, len(text.lines)):
        is_blank = not text.lines[i].strip()
        if not is_blank and indent_of(text.lines[i]) <= column:
            break
        last = last if is_blank else i
    return last


_EXPRESSION: Final = regex(r"(?:rule|messageExpression): +\Z")
_PROSE: Final = regex(r"(?:description|message|title): +\Z")
_FIELD_NAME: Final = regex(r" *(?:- +)?[a-z$][\w$.-]*:(?: |\r?\Z)")


def _value_of(line: str) -> str:
    entry = entry_of(line)
    return line if entry is None or _PROSE.search(entry.head) is None else entry.value


def inner_quotes(text: BrokenText) -> Iterator[Cause]:
    """Find a value in quotes with the same quote inside."""
    for i, entry in text.entries():
        quote, inner, last = entry.value[0], entry.value[1:-1], entry.value[-1]
        if quote not in "'\"" or last != quote or quote not in inner:
            continue
        if quote == "'":
            new = "'" + inner.replace("''", "'").replace("'", "''") + "'"
            help_ = f"Write `''` for an apostrophe between single quotes in line {text.line(i)}"
        else:
            new = '"' + re.sub(r'(?<!\\)"', r'\\"', inner) + '"'
            help_ = f'Write `\\"` for a quote between double quotes in line {text.line(i)}'
        yield text.value_cause(repairs.INNER_QUOTE, i, entry, new, help_)


def several(text: BrokenText) -> Iterator[Cause]:
    """Find lines of a schema with different mistakes, of which each is clear alone, and correct them in one pass."""
    lines = text.fitting(text.structure, lambda line: _corrected(line) != line)
    keys = {key[0].strip(" :") for _, key in text.matches(lines, _CORRECTED_KEY.match)}
    if len(keys) > 1:
        new = _corrected(text.lines[lines[0]]).strip()
        help_ = Sample(
            f"Correct {text.numbers(lines)}, such as `{new}` in line {text.line(lines[0])}"
        )
        yield text.cause(
            repairs.EACH_LINE,
            lines[0],
            help_,
            text.rewritten(lines, _corrected),
        )


_CORRECTED_KEY: Final = regex(r"[ ]*(?:- +)*[A-Za-z$][\w$-]*:?")


def _corrected(line: str) -> str:
    """Return a line with a keyword of schemas with the colon, the space and the backslashes that it lacks."""
    key = _CORRECTED_KEY.match(line)
    if key is None or key[0].strip(" -:") not in KEYWORDS:
        return line
    for wrong, right in ((_BARE_KEY, r"\1:\2"), (_NO_BLANK, r"\1 \2")):
        line = wrong.sub(right, line) if wrong.match(line) else line
    is_known = _DOUBLE_QUOTED.match(line) is not None and not _mixes_escapes(line)
    return _BAD_ESCAPE.sub(_DOUBLED, line) if is_known else line


_DOUBLE_QUOTED: Final = regex(r'[ ]*(?:- +)*[\w$-]+: +"[^"]*"[ ]*\r?\Z')


def _alike(text: BrokenText, index: int, is_wrong: Callable[[str], bool]) -> Iterator[list[int]]:
    """Yield the lines with the same key and the same mistake as a line, if there are any, and then that line alone."""
    lines = [i for i in text.with_same_key(index) if i == index or is_wrong(text.lines[i])]
    if len(lines) > 1:
        yield lines
    yield [index]


def _has_bad_escape(line: str) -> bool:
    is_bad = _DOUBLE_QUOTED.match(line) is not None and _BAD_ESCAPE.search(line) is not None
    return is_bad and not _mixes_escapes(line)


def _mixes_escapes(line: str) -> bool:
    r"""Return whether a line has an escape of YAML beside another backslash: the author of `"C:\temp\dir"` means no tab."""
    return _BAD_ESCAPE.search(line) is not None and _LETTER_ESCAPE.search(line) is not None


_MIXED: Final = (
    "Write `\\\\` for each backslash of the value in line {}, or use single quotes, "
    "within which no backslash begins an escape"
)


def escapes(text: BrokenText) -> Iterator[Cause]:
    """Find a backslash between double quotes that begins no escape of YAML."""
    if "escape" not in text.message:
        return
    for i, first in text.matches(text.near(), _BAD_ESCAPE.search):
        headline = f"`{first['escape']}` is no escape in double quotes"
        if _mixes_escapes(text.lines[i]):
            cause = text.cause(
                None,
                i,
                _MIXED.format(text.line(i)),
                columns=first.span("escape"),
            )
            yield cause._replace(headline=headline)
            continue
        for lines in _alike(text, i, _has_bad_escape):
            help_ = f"Write `\\\\` for a backslash between double quotes in {text.numbers(lines)}, or use single quotes"
            edits = text.rewritten(lines, lambda line: _BAD_ESCAPE.sub(_DOUBLED, line))
            cause = text.cause(
                repairs.BACKSLASH,
                i,
                help_,
                edits,
                first.span("escape"),
            )
            yield cause._replace(headline=headline)


def quotes(text: BrokenText) -> Iterator[Cause]:
    """Find a quote that is not closed."""
    open_entries = (
        (i, entry)
        for i, entry in text.entries(text.upwards())
        if entry.value.count(entry.value[0]) % 2
    )
    opening = ((i, entry) for i, entry in open_entries if entry.value[0] in "'\"")
    yield from _open_words(text)
    for i, entry in chain(text.entries(), islice(opening, _MOST_OPEN)):
        value, quote = entry.value, entry.value[0]
        last = _last_line(text, i)
        lines = "".join([value, *text.lines[i + 1 : last + 1]])
        left = [each.count(quote) - each.count(f"\\{quote}") for each in (value, lines)]
        if quote not in "'\"" or any(count % 2 == 0 for count in left):
            continue
        help_ = f"Add `{quote}` at the end of the value in line {text.line(i)} to close the quote"
        yield text.value_cause(
            repairs.CLOSED_QUOTE,
            i,
            entry,
            f"{value}{quote}",
            help_,
        )
        if last != i:
            help_ = f"Add `{quote}` at the end of line {text.line(last)} to close the quote in line {text.line(i)}"
            edit = text.replaced(last, f"{text.lines[last].rstrip()}{quote}")
            yield text.cause(
                repairs.CLOSED_QUOTE,
                i,
                help_,
                (edit,),
                entry.columns,
            )


def _open_words(text: BrokenText) -> Iterator[Cause]:
    """Find words whose quote is not closed, after the same key in several lines."""
    for i, word in text.matches(text.near(), _OPEN_WORD.match):
        lines, *_ = _alike(text, i, lambda line: _OPEN_WORD.match(line) is not None)
        help_ = f"Add `{word[2]}` at the end of the values in {text.numbers(lines)}"
        edits = text.rewritten(lines, _with_closed_quote)
        if len(lines) > 1:
            yield text.cause(repairs.CLOSED_QUOTE, i, help_, edits)


def _with_closed_quote(line: str) -> str:
    word = _OPEN_WORD.match(line)
    return line if word is None else f"{word[0]}{word[2]}{line[word.end() :]}"


_OPEN_WORD: Final = regex(r"([ ]*(?:- +)*[\w$-]+: +)(['\"])([\w./-]+)(?=[ ]*\r?\Z)")
_MOST_OPEN: Final = 8


def _is_one_of_texts(text: BrokenText, i: int) -> bool:
    """Return whether a line is an item of a list of texts, which need no colon."""
    if not text.lines[i].lstrip().startswith("- "):
        return False
    before = text.previous_line(i)
    is_item = before.lstrip().startswith("- ") and indent_of(before) == indent_of(text.lines[i])
    return before.strip() in _LISTS_OF_TEXTS or (is_item and ":" not in before)


def colons(text: BrokenText) -> Iterator[Cause]:
    """Find a key without a colon, and a colon without a space."""
    headers = text.matches(text.upwards(), _TEXT_BELOW.match)
    for i, match in islice(headers, 1):  # the parser stops in the text
        header = f"{match[1]}: {match[2]}"
        help_ = (
            f"Write a colon and a space after the key in line {text.line(i)}: `{header.strip()}`"
        )
        yield text.line_cause(repairs.BLANK_AFTER_COLON, i, header, help_)
    for i in text.near():
        yield from _colon_of_line(text, i)


def _colon_of_line(text: BrokenText, i: int) -> Iterator[Cause]:
    """Find a key without a colon, and a colon without a space, in a line and in others like it."""
    line = text.lines[i]
    match = _NO_BLANK.match(line)
    if match is not None:
        for lines in _alike(text, i, lambda each: _NO_BLANK.match(each) is not None):
            help_ = f"Write a space after the colon in {text.numbers(lines)}: `{match[1].strip()} {match[2].strip()}`"
            edits = text.rewritten(lines, lambda each: _NO_BLANK.sub(r"\1 \2", each))
            yield text.cause(
                repairs.BLANK_AFTER_COLON,
                i,
                Layout(help_),
                edits,
            )
    match = _BARE_KEY.match(line)
    if match is not None and not _is_one_of_texts(text, i):
        for lines in _alike(text, i, lambda each: _BARE_KEY.match(each) is not None):
            help_ = f"Add a colon after the key in {text.numbers(lines)}: `{match[1].strip()}:`"
            edits = text.rewritten(lines, lambda each: _BARE_KEY.sub(r"\1:\2", each))
            yield text.cause(repairs.COLON, i, help_, edits)
    match = _MARKED_KEY.match(line)
    if match is not None and _has_block(text, i):
        help_ = (
            f"Write a colon instead of `{match[2]}` in line {text.line(i)}: `{match[1].strip()}:`"
        )
        yield text.line_cause(
            repairs.COLON,
            i,
            f"{match[1]}:{match[3]}",
            help_,
        )
    match = _NO_COLON.match(line)
    if match is not None:
        mark, entry = match[3].strip(), f"{_keyword(match[2])}: {match[4]}"
        how = f"Write a colon instead of `{mark}`" if mark else "Add a colon after the key"
        for lines in _alike(text, i, partial(_has_mark, mark=mark)):
            help_ = f"{how} in {text.numbers(lines)}: `{entry.strip()}`"
            edits = text.rewritten(lines, _with_colon)
            yield text.cause(repairs.COLON, i, help_, edits)


def _has_block(text: BrokenText, i: int) -> bool:
    """Return whether the line below a line is a key that is indented deeper."""
    below = text.lines[i + 1] if i + 1 < len(text.lines) else ""
    return indent_of(below) > indent_of(text.lines[i]) and _FIELD_NAME.match(below) is not None


def _with_colon(line: str) -> str:
    match = _NO_COLON.match(line)
    return line if match is None else f"{match[1]}{_keyword(match[2])}: {match[4]}"


def _keyword(name: str) -> str:
    """Return the keyword of schemas that a name is with a capital letter, as in a marker of Go, or the name itself."""
    keyword = f"{name[0].lower()}{name[1:]}"
    return keyword if keyword in KEYWORDS else name


def _has_mark(line: str, mark: str) -> bool:
    """Return whether a key in a line is followed by a mark instead of a colon."""
    match = _NO_COLON.match(line)
    return match is not None and bool(mark) and match[3].strip() == mark


_LISTS_OF_TEXTS: Final = frozenset(
    {
        "required:",
        "enum:",
        "shortNames:",
        "categories:",
        "x-kubernetes-list-map-keys:",
        "conversionReviewVersions:",
    }
)


def _words_around(text: BrokenText, i: int) -> Sequence[int]:
    """Return the lines around a line, and itself, that are single words of the same indentation."""
    indent = indent_of(text.lines[i])
    words = text.fitting(text.structure, _WORD.match)
    alike = text.fitting(words, lambda line: indent_of(line) == indent)
    return next((run for run in runs(alike) if i in run), [i])


def _without_dashes(text: BrokenText) -> Iterator[Cause]:
    """Find words without a dash in a list of texts."""
    bare = (i for i in text.near() if _BARE_KEY.match(text.lines[i]) and "-" not in text.lines[i])
    i = next(bare, None)
    if i is None:
        return
    indent = indent_of(text.lines[i])
    words = _words_around(text, i)
    before = text.lines[words[0] - 1]
    is_after_item = _WORD_ITEM.match(before) and indent_of(before) == indent
    if before.strip() in _LISTS_OF_TEXTS or is_after_item:
        edits = text.rewritten(words, lambda line: f"{line[:indent]}- {line[indent:]}")
        yield text.cause(
            repairs.DASH,
            words[0],
            f"Write a dash at the start of {text.numbers(words)}",
            edits,
        )


def dashes(text: BrokenText) -> Iterator[Cause]:
    """Find dashes without a space, in one or more lines in sequence, and words without a dash."""
    yield from _without_dashes(text)
    for i in text.near():
        if _OTHER_DASH.match(text.lines[i]):
            help_ = f"Write `-` instead of `{text.lines[i].lstrip()[0]}` in line {text.line(i)}"
            yield text.line_cause(
                repairs.DASH,
                i,
                _OTHER_DASH.sub(r"\1-", text.lines[i]),
                help_,
            )
        end = i + len(list(takewhile(_NO_BLANK_AFTER_DASH.match, text.lines[i:])))
        if end > i:
            edits = text.rewritten(range(i, end), lambda line: line.replace("-", "- ", 1))
            help_ = f"Write a space after the dash in {text.numbers(range(i, end))}"
            yield text.cause(
                repairs.BLANK_AFTER_DASH,
                i,
                Layout(help_),
                edits,
            )


def json_slips(text: BrokenText) -> Iterator[Cause]:
    """Find what is missing in JSON: a colon, a quote at the end of a value, brackets at the end."""
    if not text.document.text.lstrip().startswith("{"):
        return
    for i in text.near():
        yield from _json_slips_of_line(text, i)
    closing = _missing_brackets(text.document.text)
    if closing:
        last = max(text.filled())
        yield text.line_cause(
            repairs.CLOSED_BRACKET,
            last,
            f"{text.lines[last].rstrip()}{closing}",
            f"Add `{closing}` at the end of line {text.line(last)}",
        )


def _json_slips_of_line(text: BrokenText, index: int) -> Iterator[Cause]:
    line, number = text.lines[index], text.line(index)
    key = _JSON_KEY.match(line)
    if key is not None:
        yield text.line_cause(
            repairs.COLON,
            index,
            f"{key[1]}: {line[key.end() :]}",
            f"Add a colon after the key in line {number}: `{key[1].strip()}:`",
        )
    if _JSON_OPEN_TEXT.match(line):
        end = len(line.rstrip(", \t\r"))
        yield text.line_cause(
            repairs.CLOSED_QUOTE,
            index,
            f'{line[:end]}"{line[end:]}',
            f'Add `"` at the end of the value in line {number} to close the quote',
        )


def brackets(text: BrokenText) -> Iterator[Cause]:
    """Find a bracket that is not closed."""
    for first, entry in text.entries(text.upwards()[:_FLOW_LINES]):
        if entry.value[0] not in _CLOSING or not _missing_brackets(entry.value):
            continue
        last = _last_line(text, first)
        closing = _missing_brackets("\n".join([entry.value, *text.lines[first + 1 : last + 1]]))
        if not closing:
            continue
        end = text.lines[last].partition(" #")[0].rstrip(" \r")
        where = f"at the end of line {text.line(last)} " if last != first else ""
        help_ = f"Add `{closing}` {where}to close the bracket in line {text.line(first)}"
        edit = text.replaced(last, f"{end}{closing}{text.lines[last][len(end) :]}")
        yield text.cause(
            repairs.CLOSED_BRACKET,
            first,
            help_,
            (edit,),
            entry.columns,
        )


_FLOW_LINES: Final = 40


def _last_line(text: BrokenText, first: int) -> int:
    """Return the last line of a value that begins in a line: those below it are indented more than its key."""
    last = first
    for i in range(first + 1, min(first + _FLOW_LINES, len(text.lines))):
        line = text.lines[i]
        if (
            not line.strip()
            or indent_of(line) <= indent_of(text.lines[first])
            or _FIELD_NAME.match(line)
        ):
            break
        last = i
    return last


def wrong_brackets(text: BrokenText) -> Iterator[Cause]:
    """Find brackets in one line that are closed by another kind, or closed twice."""
    for i, entry in text.entries():
        if entry.value[0] not in _CLOSING or _QUOTED.search(entry.value):
            continue
        pending, right = [], ""
        for char in entry.value:
            if char in _CLOSING:
                pending.append(_CLOSING[char])
            if char not in _CLOSING.values():
                right += char
            elif pending:
                right += pending.pop()
        if right != entry.value and not pending:
            help_ = f"Close the brackets in line {text.line(i)} in their order: `{right}`"
            yield text.value_cause(
                repairs.CLOSED_BRACKET,
                i,
                entry,
                right,
                help_,
            )


def collections_as_keys(text: BrokenText) -> Iterator[Cause]:
    """Find a mapping or a list as a key, as in a value that begins with two brackets."""
    i = text.stop
    entry = entry_of(text.lines[i])
    if entry is not None and entry.value[0] in _CLOSING:
        new = quoted(entry.value)
        help_ = (
            f"Write a text as the key in line {text.line(i)}, or put the value in quotes: `{new}`"
        )
        yield text.value_cause(repairs.QUOTES, i, entry, new, help_)


def _missing_brackets(value: str) -> str:
    """Return the brackets that close those that are open at the end of a value, the innermost first."""
    pending: list[str] = []
    for char in _QUOTED.sub("", value):
        if char in _CLOSING:
            pending.append(_CLOSING[char])
        elif pending and char == pending[-1]:
            pending.pop()
    return "".join(reversed(pending))


_QUOTED: Final = regex(r"'[^'\n]*'|\"[^\"\n]*\"")
