"""The CRDs that resources are held against, by group and kind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crdlint.resources.validation import ResourceValidator

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crdlint.crd.model import CustomResourceDefinition, JSONSchemaProps
    from crdlint.crd.positions import Locator
    from crdlint.linter import FileResult


@dataclass(slots=True)
class Definition:
    """A CRD: where it stands, what the server says of it where it refuses it, and its validators, made when asked for.

    ``as_requests`` is that of the validators.
    """

    crd: CustomResourceDefinition
    file: str
    locator: Locator
    refusal: str | None
    as_requests: bool = True
    _validators: dict[str, ResourceValidator] = field(default_factory=dict)

    @property
    def served(self) -> list[str]:
        """The names of the versions that are served."""
        return [version.name for version in self.crd.spec.versions if version.served]

    def validator(self, version: str) -> ResourceValidator:
        """Return the validator of a version. Raises UnknownVersionError."""
        if version not in self._validators:
            self._validators[version] = ResourceValidator(self.crd, version, as_requests=self.as_requests)
        return self._validators[version]

    def schema(self, version: str) -> JSONSchemaProps | None:
        """Return the schema of a version."""
        return self.validator(version).schema


@dataclass(slots=True)
class Definitions:
    """CRDs found so far; of two of the same kind the first one counts.

    ``refused`` has the names of CRDs that cannot even be read, by group, and ``twice`` what to tell of second ones.
    """

    by_kind: dict[tuple[str, str], Definition] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    twice: list[str] = field(default_factory=list)

    def add(self, result: FileResult) -> None:
        """Take the CRDs of a file that was checked, with what was found kept."""
        said: dict[str | None, str] = {}
        for one in result.diagnostics:
            if one.origin == "apiserver" and one.severity == "error" and not one.hidden:
                said.setdefault(one.crd, f"{one.file}:{one.line}: {one.message}")
        read = set()
        for found in result.definitions:
            spec = found.crd.spec
            name = found.crd.metadata.name
            read.add(name)
            key = (spec.group, spec.names.kind)
            if key in self.by_kind:
                first = self.by_kind[key].file
                self.twice.append(f"{result.file}: {name} is there already, in {first}: that one counts")
                continue
            self.by_kind[key] = Definition(found.crd, result.file, found.locator, said.get(name))
        for crd in result.crds:
            if crd.name not in read and crd.name in said:
                self.refused[crd.name.partition(".")[2]] = f"the CRD {crd.name} is refused: {said[crd.name]}"

    def kinds(self, group: str) -> Mapping[str, Definition]:
        """Return the CRDs of a group by kind."""
        return {kind: one for (known, kind), one in self.by_kind.items() if known == group}
