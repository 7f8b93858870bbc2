"""Lay out a Go module from which the API server's own code can be asked: see README.md.

Usage: prepare.py VENDORED UPSTREAM OUT

VENDORED is a git directory of openshift/crd-schema-checker, whose vendor tree has all that is needed from elsewhere.
UPSTREAM is a folder with checkouts of apiextensions-apiserver, apiserver and apimachinery at the version to ask.
OUT is made; `go build -mod=vendor -o reference ./cmd/reference` in it gives the program.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
from io import BytesIO
from pathlib import Path

MODULES = ("apiextensions-apiserver", "apiserver", "apimachinery")
# Packages of apiextensions-apiserver that the vendor tree lacks, with the files that are asked of them.
PACKAGES = {
    "pkg/apis/apiextensions/install": ("install.go",),
    "pkg/apiserver/schema/listtype": (),
    "pkg/registry/customresource": ("strategy.go", "validator.go"),
    "pkg/registry/customresourcedefinition": ("strategy.go",),
}
# What tells what rules on an object have cost.
TOLD = """
var ReferenceCost func(remaining int64)

func told(errs field.ErrorList, remaining int64) (field.ErrorList, int64) {
	if ReferenceCost != nil {
		ReferenceCost(remaining)
	}
	return errs, remaining
}
"""
# What is put into upstream's files so that main.go learns of costs, and can ask for older versions: after which text.
HOOKS = {
    "apiserver/pkg/cel/environment/base.go": [
        ("import (\n", '\t"os"\n'),
        (
            "func DefaultCompatibilityVersion() *version.Version {\n",
            '\tif v := os.Getenv("REFERENCE_VERSION"); v != "" {\n'
            "\t\treturn version.MustParse(v).SubtractMinor(1)\n\t}\n",
        ),
    ],
    "apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go": [
        (
            "expressionCost := getExpressionCost(cr, celContext)\n",
            "if ReferenceRule != nil {\n"
            '\tReferenceRule(fldPath.Child("x-kubernetes-validations").Index(i).String(), schema.XValidations[i].Rule, cr, '
            "celContext.MaxCardinality, expressionCost)\n}\n",
        ),
        (
            "",
            "\nvar ReferenceRule func(path, rule string, cr cel.CompilationResult, cardinality *uint64, cost uint64)\n",
        ),
    ],
}


def main(vendored: str, upstream: str, out: str) -> None:
    """Lay out the module."""
    top, sources = Path(out), Path(upstream)
    archive = subprocess.run(["git", "-C", vendored, "archive", "HEAD"], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as tar:
        tar.extractall(top, filter="data")
    vendor = top / "vendor" / "k8s.io"
    for module in MODULES:
        for folder in [path for path in (vendor / module).rglob("*") if path.is_dir()]:
            copy(sources / module / folder.relative_to(vendor / module), folder)
    listed = ["k8s.io/apiextensions-apiserver/pkg/features"]
    for package, files in PACKAGES.items():
        folder = vendor / "apiextensions-apiserver" / package
        folder.mkdir(parents=True, exist_ok=True)
        copy(sources / "apiextensions-apiserver" / package, folder, files)
        listed.append(f"k8s.io/apiextensions-apiserver/{package}")
    replace(top / "vendor" / "modules.txt", listed[0] + "\n", "".join(f"{one}\n" for one in listed))
    for name, hooks in HOOKS.items():
        for after, added in hooks:
            replace(vendor / name, after, after + added)
    strategy = vendor / "apiextensions-apiserver/pkg/registry/customresource/strategy.go"
    text = strategy.read_text(encoding="utf-8")
    text = re.sub(r"celValidator\.Validate\(.*\)$", r"told(\g<0>)", text, flags=re.MULTILINE)
    strategy.write_text(text + TOLD, encoding="utf-8")
    command = top / "cmd" / "reference"
    command.mkdir(parents=True)
    shutil.copy(Path(__file__).with_name("main.go"), command)


def copy(source: Path, target: Path, names: tuple[str, ...] = ()) -> None:
    """Copy the Go files of a package, tests aside, or those that are named."""
    for path in source.glob("*.go") if source.is_dir() else ():
        if path.name in names or (not names and not path.name.endswith("_test.go")):
            shutil.copy(path, target)


def replace(path: Path, old: str, new: str) -> None:
    """Put a text in place of another's first occurrence, or at the end where that is empty."""
    text = path.read_text(encoding="utf-8")
    if old not in text:
        sys.exit(f"{path}: has no {old!r}: upstream has changed")
    path.write_text(text.replace(old, new, 1) if old else text + new, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
