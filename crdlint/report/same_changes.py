"""What reports for people combine: one change at several places, and changes that have the same effect and help."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from crdlint.diagnostics import Diagnostic
from crdlint.gathering import grouped
from crdlint.light import NamedTuple, regex
from crdlint.phrases import joined, some
from crdlint.report import words
from crdlint.report.words import Sentence

_QUOTED: Final = regex(r"`[^`]*`")
# A step of a path; a character that begins no step is one, so that no part of a path is lost.
_STEP: Final = regex(r"\['[^'\[]*'\]|\[[^'\[\]]*\]|\.?[^.\[]+|[.\[]")
_NAMED: Final = 3  # names in a sentence about several findings
_LISTED: Final = 20  # paths, or CRDs, in a list
_ENDS: Final = 8  # first and last steps of paths that are compared


class SameChange(NamedTuple):
    """One change at the places of its findings. It is described at the first one."""

    findings: Sequence[Diagnostic]

    @property
    def first(self) -> Diagnostic:
        """The finding that is shown."""
        return self.findings[0]

    @property
    def elsewhere(self) -> str:
        """The other places, empty without any."""
        return listed_fields(self.findings[1:], self.first.crd, self.first.field)

    @property
    def text(self) -> str:
        """The headline, the effect and the other places in one line."""
        if not self.elsewhere:
            return self.first.message
        headline = words.headline(self.first)
        (cluster,) = _clusters([self])
        effect = "; ".join(sentence.text for sentence in cluster.sentences)
        separator = "; " if ": " in headline else ": "
        return f"{separator.join(filter(None, (headline, effect)))} (also {self.elsewhere})"


class Cluster(NamedTuple):
    """Changes whose effect and help are the same: the sentences and the help of all of them."""

    entries: Sequence[SameChange]
    sentences: Sequence[Sentence]
    help: str


def entries(findings: Iterable[Diagnostic]) -> list[SameChange]:
    """Return findings with those together that are about the same field of equal blocks, in the order of the first ones."""
    by_change = grouped(findings, _change)
    return list(map(SameChange, by_change.values()))


def _change(finding: Diagnostic) -> object:
    """Return what is equal for the same change at another place."""
    if not finding.field or finding.origin != "crdlint":
        return id(finding)
    around = finding.field.removesuffix(_steps(finding.field)[-1])
    headline = words.headline(finding)
    return _effect(finding), headline.replace(f"`{around}", "`") if around else headline


def clusters(of_crd: Iterable[SameChange]) -> list[Cluster]:
    """Return entries with those together that have the same effect and help, apart from one name in these."""
    by_effect = grouped(of_crd, lambda entry: _effect(entry.first))
    return [cluster for same in by_effect.values() for cluster in _clusters(same)]


def _effect(finding: Diagnostic) -> object:
    """Return what is equal for changes with the same effect and help, apart from the names in these."""
    if finding.origin != "crdlint":
        return id(finding)
    texts = (_QUOTED.sub("``", text) for text in _texts(finding))
    return finding.rule, finding.severity, *texts


def _texts(finding: Diagnostic) -> list[str]:
    """Return the sentences of a finding and its help."""
    return [*(sentence.text for sentence in words.sentences(finding)), words.advice(finding)]


def _clusters(same: Sequence[SameChange]) -> Iterator[Cluster]:
    """Yield one cluster of all entries if one name is what differs in each text, else one for each wording."""
    texts = [_texts(finding) for entry in same for finding in entry.findings]
    combined = list(map(_combined, zip(*texts, strict=True)))
    if any(text is None for text in combined):
        by_text = grouped(same, lambda entry: tuple(_texts(entry.first)))
        yield from (_cluster(part, list(wording)) for wording, part in by_text.items())
    else:
        yield _cluster(same, [text or "" for text in combined])


def _cluster(same: Sequence[SameChange], texts: Sequence[str]) -> Cluster:
    *sentences, help_ = texts
    labels = (sentence.label for sentence in words.sentences(same[0].first))
    return Cluster(same, [Sentence(*pair) for pair in zip(labels, sentences, strict=True)], help_)


def _combined(texts: Sequence[str]) -> str | None:
    """Return one text of several ones that differ in one name, with all of these names; None if they differ in more."""
    names = list(map(_QUOTED.findall, texts))
    differing = [i for i, same in enumerate(zip(*names, strict=True)) if len(set(same)) > 1]
    if not differing:
        return texts[0]
    if len(differing) > 1:
        return None
    values = list(dict.fromkeys(each[differing[0]] for each in names))
    if all(value.startswith("`.") for value in values):
        values = list(_listed(value.strip("`") for value in values))
    shown = values if len(values) <= _NAMED else [*values[: _NAMED - 1], "others"]
    parts = re.split(r"(`[^`]*`)", texts[0])
    parts[2 * differing[0] + 1] = joined(shown, "or")
    return "".join(parts)


def listed_fields(findings: Iterable[Diagnostic], crd: str | None, field: str = "") -> str:
    """Return where findings are: their fields, with the names of other CRDs than ``crd``.

    A CRD with the same fields as ``crd``, of which ``field`` is one, is listed by its name.
    """
    fields_by_crd: dict[str | None, dict[str, None]] = {}
    for finding in findings:
        name = finding.field or words.headline(finding).partition(":")[0].replace("`", "")
        fields_by_crd.setdefault(finding.crd, {})[name] = None
    own = fields_by_crd.pop(crd, {})
    same = {field, *own}
    crds_by_fields: dict[str, list[str]] = {}
    for other, fields in fields_by_crd.items():
        listed = "in" if {*fields} == same else f"{_shortened(fields)} of"
        crds_by_fields.setdefault(listed, []).append(f"`{other}`")
    others = [f"{listed} {some(crds, _LISTED)}" for listed, crds in crds_by_fields.items()]
    return "; ".join(filter(None, (_shortened(own), *others)))


def _shortened(fields: Iterable[str]) -> str:
    return some(list(_listed(fields)), _LISTED)


def _listed(fields: Iterable[str]) -> Iterator[str]:
    """Yield paths, of which those that differ in one step are one: `.spec.{a, b}.c`."""
    paths = list(map(_steps, fields))
    for path, names in min(_foldings(paths), key=len).items():
        middle = names[0] if len(names) == 1 else f".{{{', '.join(map(_name, names))}}}"
        before, after = path
        yield f"`{''.join(before)}{middle}{''.join(after)}`"


_Paths = dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]]


def _foldings(paths: Sequence[tuple[str, ...]]) -> Iterator[_Paths]:
    """Yield the names of one step by what is before and after it, for each step from the start or from the end."""
    for position in (*range(-1, -_ENDS, -1), *range(_ENDS)):
        folded: _Paths = {}
        for path in paths:
            index = position if -len(path) <= position < len(path) else -1
            around = path[:index], path[index:][1:]
            folded.setdefault(around, []).append(path[index])
        yield folded


def _name(step: str) -> str:
    return step.removeprefix(".")


def _steps(path: str) -> tuple[str, ...]:
    """Return the steps of a path: fields with their dots, and `[*]` or `.*` as steps of their own."""
    return tuple(_STEP.findall(path)) or (path,)
