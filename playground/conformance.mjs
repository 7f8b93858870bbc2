// Answers requests with crdlint in Pyodide: node conformance.mjs BUILT_PLAYGROUND PYTHON_FOLDER < CASES > ANSWERS.
// PYTHON_FOLDER has answers.py of tests/conformance; cases and answers are lines of JSON.
import { readFileSync } from "node:fs";
import path from "node:path";
import readline from "node:readline";

import { loadPyodide } from "pyodide";

import { re2js } from "./web/re2js.js";

const [, , built, pythonFolder] = process.argv;
const pyodide = await loadPyodide();
pyodide.registerJsModule("crdlint_re2js", re2js);
pyodide.FS.writeFile("/python.tar.xz", readFileSync(path.join(built, "python.tar.xz")));
pyodide.FS.mkdir("/source");
pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root: path.join(import.meta.dirname, "../crdlint") }, "/source");
pyodide.runPython(`
import pathlib, shutil, tarfile
with tarfile.open("/python.tar.xz") as archive:
    archive.extractall("/crdlint", filter="data")
# the modules that the page does not have, which answers.py needs
for file in pathlib.Path("/source").rglob("*.py"):
    copy = pathlib.Path("/crdlint/crdlint", file.relative_to("/source"))
    if not copy.with_suffix(".pyc").exists():
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
`);
pyodide.FS.writeFile("/crdlint/answers.py", readFileSync(path.join(pythonFolder, "answers.py")));
const answer = pyodide.runPython(`
import sys, json
sys.path[:0] = ["/crdlint", "/crdlint/zones.zip"]
from answers import answers
lambda line: json.dumps(answers(json.loads(line)), default=sorted)
`);
for await (const line of readline.createInterface({ input: process.stdin })) console.log(answer(line));
