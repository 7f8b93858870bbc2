"""What reports for people show: the parts of a finding, their order, what they combine into one entry, and numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from re import Match
from typing import Final

from crdlint.crd.errors import REQUIRED, TYPE_INVALID
from crdlint.diagnostics import FAILED_RULE, RANKS, UNKNOWN_FIELD, Diagnostic, Related
from crdlint.gathering import partitioned
from crdlint.light import NamedTuple, regex, replace
from crdlint.linting.result import FileResult
from crdlint.phrases import agreeing, counted

_ADVICE: Final = frozenset({"warning", "advice"})  # kinds
_SHOWN: Final = 3  # places of one entry
_NAMED: Final = 8  # fields of one entry
_MOST_OF_RULE: Final = 10  # entries of one rule for a CRD, without the last one


class Sentence(NamedTuple):
    """A sentence below a headline, and its label."""

    label: str
    text: str


def headline(finding: Diagnostic) -> str:
    """Return what is wrong, in one line."""
    return finding.headline or _line(finding.message)


def where(finding: Diagnostic) -> str:
    """Return the CRD, the version and the path as users know them, as far as they are known."""
    path = _ROOT if finding.user_path == "." else finding.user_path
    return " ".join(filter(None, (finding.crd, finding.version, path)))


_ROOT: Final = "(root)"


def sentences(finding: Diagnostic) -> list[Sentence]:
    """Return the server's sentence to the letter, and crdlint's own if the headline does not have all of it."""
    server, own = finding.server_message or finding.message, ""
    if finding.kind == "advice":
        own, server = finding.message, ""
    elif finding.server_message:  # crdlint's own words, or the versions before the server's
        own = finding.message[: -len(server) - 2] if finding.versions else finding.message
    sentences = (Sentence("note", _rest(own, headline(finding))), Sentence("server", server))
    return [
        sentence
        for sentence in sentences
        if sentence.text and _line(sentence.text) not in headline(finding)
    ]


def _rest(sentence: str, head: str) -> str:
    """Return what follows the words of the headline, with which most sentences begin."""
    first, *others = sentence.split("\n")
    if others and first.removesuffix(":") == head:
        return "\n".join(others)
    line = _line(sentence)
    for beginning in filter(None, (head, head.partition(": ")[2])):
        rest = line.removeprefix(beginning)
        if rest != line and rest.startswith((": ", ", ", "; ")):
            return rest[2:]
        if rest != line and rest.startswith(" (") and rest.endswith(")"):
            return rest[2:-1]
    return sentence


def _line(text: str) -> str:
    return " ".join(text.split())


def advice(finding: Diagnostic) -> str:
    """Return the help, empty if the headline has it."""
    help_ = finding.help or ""
    return "" if _line(help_).casefold() in headline(finding).casefold() else help_


def text(finding: Diagnostic) -> str:
    """Return everything about a finding below its headline, a line each: the help first."""
    parts = [("help", advice(finding)), ("at", where(finding)), *sentences(finding)]
    parts.append(("Kubernetes", ", ".join(finding.versions)))
    return "\n".join(f"{label}: {part}" for label, part in parts if part)


def message(finding: Diagnostic) -> str:
    """Return the headline and everything below it."""
    return "\n".join(
        filter(None, (headline(finding) if finding.headline else finding.message, text(finding)))
    )


def other_line(finding: Diagnostic) -> Related | None:
    """Return the other position of a finding if it is in another line of the file."""
    other = finding.related
    if (
        other is None
        or other is finding.before
        or other.file != finding.file
        or other.line == finding.line
    ):
        return None
    return other


def kind_of(notice: str) -> str:
    """Return a notice without names, numbers and values: one of each kind is shown."""
    return _VARIABLE.sub("", notice)


_VARIABLE: Final = regex(
    r"line \d+| and \d+ more|\([\w./-]+\)|\{\{[^{}]*\}\}|`[^`]*`|\"[^\"]*\"|\d+"
)


def by_crd(findings: Iterable[Diagnostic], *, show_all: bool = False) -> Iterator[list[Diagnostic]]:
    """Yield the findings about each CRD or object, of consecutive ones; the first has the findings that others share."""
    of_crds = [[*own] for _, own in groupby(findings, lambda finding: finding.crd)]
    if len(of_crds) < 2:
        return iter(of_crds)
    groups: list[list[Diagnostic]] = []
    first: dict[object, list[Diagnostic]] = {}
    for own in of_crds:
        group: list[Diagnostic] = []
        groups.append(group)
        for finding in own:
            is_alone = show_all or finding.severity == "info"
            holder = group if is_alone else first.setdefault(_in_any_object(finding), group)
            holder.append(finding)
    return filter(None, groups)


def _in_any_object(finding: Diagnostic) -> object:
    is_of_schema = finding.kind in _ADVICE or _SCHEMA in finding.field
    return _sameness(finding) if is_of_schema else mistake_of(finding)


def mistake_of(finding: Diagnostic) -> object:
    """Return what equal mistakes in several CRDs, objects and files have in common.

    Of objects with a version that is not served, and of old CRDs, this is not their kind.
    """
    kind, _, name = (finding.crd or "").partition(" ")
    is_of_version = bool(name) and finding.user_path == ".apiVersion"
    common = finding.rule, finding.severity, finding.hidden
    if finding.cause:
        return *common, _without_indexes(finding.cause)
    if is_of_version:
        return *common, finding.message.replace(kind, "")
    message = _without_indexes(finding.message)
    if is_about_all(finding):
        return *common, message
    return *common, _without_indexes(finding.headline), message, finding.help


def mistake_of_file(finding: Diagnostic) -> object:
    """Return what equal mistakes in files have in common, None for a finding that only its line explains.

    These are mistakes in their syntax, and those with a cause, such as dependencies that several charts lack.
    """
    if finding.cause:
        return finding.rule, finding.severity, finding.cause
    if finding.kind != "decode" or "`" not in finding.headline:
        return None
    texts = (finding.message, finding.help or "")
    return (
        finding.rule,
        finding.severity,
        finding.headline,
        *(_NUMBER.sub("", text) for text in texts),
    )


def combined(
    findings: Iterable[Diagnostic], *, show_all: bool = False, lines: Sequence[str] = ()
) -> list[tuple[Diagnostic, tuple[Diagnostic, ...]]]:
    """Return the findings of each CRD by line, each with the others that it includes, unless all are to be shown.

    One entry includes an error at the same field of several versions or reached by aliases, an error of rules of
    x-kubernetes-validations with the same text, a warning or advice with the same text anywhere in the file, all infos
    of a rule, the rules that one value breaks, and what one mistake explains, see `_mistake`. The last of many entries of a
    rule includes all others.
    `lines` are those of the file.
    """
    entries: list[list[Diagnostic]] = []
    for number, of_crd in enumerate(by_crd(findings, show_all=show_all)):
        of_rules: Counter[str] = Counter()
        own: dict[object, list[Diagnostic]] = {}
        mistyped = {(d.rule, d.field): d for d in of_crd if d.error_type == TYPE_INVALID}
        for finding in sorted(of_crd, key=_by_severity):
            cause = mistyped.get((finding.rule, finding.field), finding)
            key: object = id(finding) if show_all else (number, _sameness(cause, lines))
            of_rules[finding.rule] += key not in own
            if of_rules[finding.rule] > _MOST_OF_RULE and not show_all:
                key = number, finding.rule
            own.setdefault(key, []).append(finding)
        joined: Iterable[list[Diagnostic]] = own.values()
        if not show_all:
            joined = _joined(_joined(joined, _broken_value), _names_to_remove)
        entries += sorted(joined, key=lambda same: _position(same[0]))
    return [(same[0], tuple(same[1:])) for same in entries]


def _joined(
    entries: Iterable[list[Diagnostic]], common: Callable[[list[Diagnostic]], object]
) -> Iterable[list[Diagnostic]]:
    """Return entries, of which those that have something in common are one; None is nothing."""
    joined: dict[object, list[Diagnostic]] = {}
    for number, entry in enumerate(entries):
        shared = common(entry)
        joined.setdefault(number if shared is None else shared, []).extend(entry)
    return joined.values()


def _broken_value(entry: Sequence[Diagnostic]) -> object:
    """Return the value that breaks a rule, which may break others as well, or None."""
    first = entry[0]
    return (first.crd, _position(first), first.hidden) if first.rule == FAILED_RULE else None


def _names_to_remove(entry: Sequence[Diagnostic]) -> object:
    """Return the names of unknown fields, which may be in several parts of an object; None if another field is meant."""
    first = entry[0]
    is_to_be_removed = first.rule == UNKNOWN_FIELD and first.cause
    return (first.crd, frozenset(map(_name, entry)), first.hidden) if is_to_be_removed else None


def _position(finding: Diagnostic) -> tuple[int, int]:
    return finding.line, finding.column


def _by_severity(finding: Diagnostic) -> tuple[int, int, int]:
    return RANKS[finding.severity], finding.line, finding.column


def _sameness(finding: Diagnostic, lines: Sequence[str] = ()) -> object:
    """Return what findings have in common that are shown as one; `lines` are those of the file."""
    if finding.severity == "info":
        return finding.rule
    if finding.kind in _ADVICE or is_about_all(finding):
        return finding.rule, finding.cause or finding.message
    if lines and _RULES in finding.field:
        detail = _NUMBER.sub("", finding.detail or finding.message)
        return finding.rule, detail, _marked(finding, lines), finding.hidden
    mistake = _mistake(finding)
    if mistake is not None:
        return finding.rule, mistake, finding.hidden
    if _SCHEMA in finding.field:
        return finding.rule, _without_field(finding), finding.help, finding.hidden
    text = _without_indexes(finding.detail or finding.message)
    return finding.rule, _place_of(finding), text, finding.hidden


def _without_field(finding: Diagnostic) -> str:
    """Return the message of the server without the field: that of any field of a schema with the same mistake."""
    return (finding.server_message or finding.message).replace(finding.field, "")


def _place_of(finding: Diagnostic) -> object:
    """Return the path of the field of a finding without indexes, and its name."""
    *_, parent, name = f"..{finding.field}".split(".")
    name = f"{parent}.{name}" if parent.startswith(_RULES) else name.partition("[")[0]
    span = (finding.line, finding.column, finding.end_line, finding.end_column)
    return _without_indexes(finding.user_path) or span, name


def _mistake(finding: Diagnostic) -> object:
    """Return what the findings of an object have in common that one mistake explains, None for other findings.

    These are values of one wrong type, the fields that an object lacks, and those that it does not have and that are corrected
    in the same way.
    """
    if finding.error_type == TYPE_INVALID:
        return finding.detail.replace(finding.field, "")
    owner = _without_indexes(finding.user_path)
    if finding.error_type == REQUIRED and owner:
        return owner, REQUIRED
    if finding.rule == UNKNOWN_FIELD and owner:
        name = owner.rpartition(".")[2]
        help_ = _REMOVAL if finding.cause else _without_name(finding.help or "", name)
        return owner.removesuffix(name), help_
    return None


def _without_indexes(text: str) -> str:
    return _INDEX.sub("[]", text) if "[" in text else text


def _without_name(help_: str, name: str) -> str:
    """Return a help without a name, also if it is written there in other letters: small ones instead of capital ones."""

    def shown(quoted: Match[str]) -> str:
        return "" if quoted[0].strip("`").casefold() == name.casefold() else quoted[0]

    return _QUOTED.sub(shown, help_)


_RULES: Final = "x-kubernetes-validations"
_SCHEMA: Final = ".openAPIV3Schema."
_INDEX: Final = regex(r"\[\d+\]")  # of an item in an object; paths in CRDs have none
_REMOVAL: Final = "remove"
_NUMBER: Final = regex(r"\d[\d.,]*")
_QUOTED: Final = regex(r"`[^`]+`")


def _marked(finding: Diagnostic, lines: Sequence[str]) -> str:
    """Return the text that a finding marks in the lines of its file."""
    marked = list(lines[finding.line - 1 : finding.end_line])
    if not marked:
        return ""
    if finding.line == finding.end_line:
        return marked[0][finding.column - 1 : finding.end_column - 1]
    return "\n".join([marked[0][finding.column - 1 :], *map(str.strip, marked[1:])])


def is_about_all(finding: Diagnostic) -> bool:
    """Return whether an error is about a whole document."""
    return finding.kind == "decode" and not finding.user_path


def describe_others(finding: Diagnostic, others: Sequence[Diagnostic]) -> str:
    """Return a note about the findings that the entry of another one includes, empty for errors of the same value."""
    rules, same = partitioned(others, lambda other: _is_other_rule(other, finding))
    return "; ".join(filter(None, (_describe_rules(rules), _describe_same(finding, same))))


def _is_other_rule(other: Diagnostic, finding: Diagnostic) -> bool:
    """Return whether the value of a finding breaks another rule as well."""
    is_beside = finding.rule == FAILED_RULE and _position(other) == _position(finding)
    return is_beside and headline(other) != headline(finding)


def _describe_rules(findings: Sequence[Diagnostic]) -> str:
    """Return a note about other rules that a value breaks."""
    headlines = [*dict.fromkeys(map(headline, findings))]
    if not headlines:
        return ""
    number = len(findings)
    rules = f"{counted(number, 'more rule')} {agreeing(number, 'fails', 'fail')} here"
    left = len(headlines) - _SHOWN
    more = f"; and {left:,} more: --show-all shows each" if left > 0 else ""
    return f"{rules}: {'; '.join(headlines[:_SHOWN])}{more}"


def _describe_same(finding: Diagnostic, others: Sequence[Diagnostic]) -> str:
    """Return a note about other findings with the same mistake."""
    mistyped = {d.field for d in (finding, *others) if d.error_type == TYPE_INVALID}
    others = [d for d in others if d.error_type == TYPE_INVALID or d.field not in mistyped]
    if not others:
        return ""
    if finding.rule == UNKNOWN_FIELD and _name(finding) == _name(others[-1]):
        return _describe_fields(finding, others)
    if _sameness(finding) != _sameness(others[-1]):
        return f"and {len(others):,} more of this rule in {_lines(others)}: --show-all shows each"
    if _mistake(finding) is not None:
        return _describe_fields(finding, others)
    position = _position(finding)
    if all(_position(other) == position for other in others):
        paths = agreeing(len(others), "1 more path leads", f"{len(others):,} more paths lead")
        return f"{paths} here: --show-all shows each"
    return _describe_places(finding, others)


def _lines(findings: Sequence[Diagnostic]) -> str:
    """Return the lines between which findings are."""
    lines = [finding.line for finding in findings]
    first, last = min(lines), max(lines)
    return f"line {first}" if first == last else f"lines {first} to {last}"


def _describe_places(finding: Diagnostic, others: Sequence[Diagnostic]) -> str:
    """Return a note about other places: those in the same CRD, then the first one in each other CRD."""
    own = [other for other in others if other.crd == finding.crd]
    of_crds: dict[str | None, Diagnostic] = {}
    for other in others:
        if other.crd != finding.crd:
            of_crds.setdefault(other.crd, other)
    named = [*own, *of_crds.values()][:_SHOWN]
    left = len(others) - len(named)
    more = f" and {left:,} more: --show-all shows each" if left else ""
    described = [_describe(other, finding) for other in named]
    preposition = "" if described[0].startswith("`") else "in "
    return f"also {preposition}{', '.join(described)}{more}"


def _describe_fields(finding: Diagnostic, others: Sequence[Diagnostic]) -> str:
    """Return a note about other fields with the same mistake."""
    own, shown = _name(finding), []
    for other in others:
        name = "" if _name(other) == own else f"`{_name(other)}`"
        line = "" if name and other.line == finding.line else f"line {other.line}"
        shown.append(f"{name} ({line})" if name and line else name or line)
    left = len(shown) - _NAMED
    more = f" and {left:,} more: --show-all shows each" if left > 0 else ""
    return f"also {'' if '`' in shown[0] else 'in '}{', '.join(shown[:_NAMED])}{more}"


def _name(finding: Diagnostic) -> str:
    """Return the name of a field without its index."""
    return (finding.field or finding.user_path).rpartition(".")[2].partition("[")[0]


def _name_for_users(finding: Diagnostic) -> str:
    """Return the last field of the path that users know, with what is in it: `ports[]` of `.spec.ports[]`."""
    *_, name = filter(str.strip, finding.user_path.replace(".*", "*").split(".")) or [_ROOT]
    return name


def describe_consequences(findings: Sequence[Diagnostic]) -> str:
    """Return a note about the findings that only follow from an entry, empty if there is none."""
    # Those without errors only report that not everything was checked.
    counted_ones = [finding for finding in findings if finding.errors]
    headlines = [*dict.fromkeys(map(headline, counted_ones))]
    if not headlines:
        return ""
    number = len(counted_ones)
    are_errors = all(finding.severity == "error" for finding in counted_ones)
    what = counted(number, "more error" if are_errors else "more finding")
    left = number - _SHOWN
    more = f"; and {left:,} more: --show-all shows each" if len(headlines) > _SHOWN else ""
    return f"{what} {agreeing(number, 'follows', 'follow')} from this: {'; '.join(headlines[:_SHOWN])}{more}"


def is_beside(other: Diagnostic, finding: Diagnostic) -> bool:
    """Return whether a value has an error only because its type is wrong, too."""
    is_mistyped = finding.error_type == TYPE_INVALID != other.error_type
    return is_mistyped and other.field == finding.field


def _describe(other: Diagnostic, finding: Diagnostic) -> str:
    if other.crd and other.crd != finding.crd:
        return f"line {other.line} ({other.crd.partition('.')[0]})"
    if _SCHEMA in other.field and other.user_path != finding.user_path:
        return f"`{_name_for_users(other)}` (line {other.line})"
    is_in_version = other.version != finding.version and other.user_path == finding.user_path
    name = "" if headline(other) == headline(finding) else _QUOTED.search(headline(other))
    if is_in_version:
        return f"{other.version} (line {other.line})"
    if other.cause and name:
        is_of_field = other.user_path.startswith(".")
        shown = f"`{_name_for_users(other)}`" if is_of_field else name[0]
        return f"{shown} (line {other.line})"
    return f"line {other.line}"


class Copies:
    """Shows the findings of copies of a CRD once: `findings` counts those that are left out, `files` are those they are in."""

    def __init__(self) -> None:
        self._first_files: dict[object, str] = {}
        # The first result: its findings are only looked at if another one follows.
        self._first: FileResult | None = None
        self.findings = 0
        self.files: set[str] = set()

    def without(self, result: FileResult) -> FileResult:
        """Return a result without the findings that an earlier file has about the CRD of the same name.

        Samples of one name are no copies of each other.
        """
        if result.resources:
            return result
        if self._first is None:
            self._first = result
            return result
        if not self._first_files:
            self._new(self._first)
        new = self._new(result)
        if len(new) == len(result.diagnostics):
            return result
        self.findings += sum(not d.hidden for d in result.diagnostics) - sum(
            not d.hidden for d in new
        )
        self.files.add(result.file)
        return replace(result, diagnostics=new)

    def _new(self, result: FileResult) -> tuple[Diagnostic, ...]:
        """Return the findings of a file that no earlier file has."""
        return tuple(
            each
            for each in result.diagnostics
            if not each.crd
            or self._first_files.setdefault(_in_any_file(each), result.file) == result.file
        )


def _in_any_file(finding: Diagnostic) -> object:
    path = finding.version, finding.user_path or finding.field
    return finding.crd, path, finding.rule, finding.severity, finding.message, finding.hidden
