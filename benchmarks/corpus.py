"""The documents to measure on: real CRDs where the maintainers' records are there, else made ones of like shape."""

from __future__ import annotations

import json
from pathlib import Path

from crdlint.rules.engine.examples import HEAD

REAL = Path(__file__).resolve().parents[2] / "shared" / "conformance" / "real.ndjson"


def documents() -> list[str]:
    """Return the texts of large CRDs, a document each."""
    if REAL.exists():
        with REAL.open(encoding="utf-8") as lines:
            return [json.loads(line)["yaml"] for line in lines]
    return [made(fields) for fields in (200, 1_000, 5_000)]


def with_spec(spec: str) -> str:
    """Return a small CRD; ``spec`` is the schema of its spec, in lines that are not indented."""
    top = "        type: object\n        properties:\n          spec:\n"
    return HEAD + top + "".join(f"            {line}\n" for line in spec.splitlines())


def made(fields: int) -> str:
    """Return a valid CRD whose spec has so many fields, three levels deep, with descriptions as controller-gen writes them."""
    lines = [
        "apiVersion: apiextensions.k8s.io/v1",
        "kind: CustomResourceDefinition",
        "metadata:",
        "  name: foos.example.com",
        "spec:",
        "  group: example.com",
        "  names:",
        "    kind: Foo",
        "    listKind: FooList",
        "    plural: foos",
        "    singular: foo",
        "  scope: Namespaced",
        "  versions:",
        "  - name: v1",
        "    served: true",
        "    storage: true",
        "    schema:",
        "      openAPIV3Schema:",
        "        type: object",
        "        properties:",
    ]
    for group in range(max(1, fields // 20)):
        lines += [
            f"          group{group}:",
            "            description: A group of settings that belong together.",
            "            type: object",
            "            properties:",
        ]
        for leaf in range(20):
            lines += [
                f"              field{leaf}:",
                "                description: |-",
                "                  What this field is for, in a sentence of the usual length,",
                "                  wrapped over two lines.",
                "                type: string",
                "                maxLength: 63",
            ]
    return "\n".join(lines) + "\n"
