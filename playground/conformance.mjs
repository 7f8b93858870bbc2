// Compares crdlint in Pyodide with recorded answers: node conformance.mjs BUILT_PLAYGROUND UPSTREAM VERSION < CASES.
// UPSTREAM is tests/upstream. A case is a line of JSON: a request with its recorded answers. For each, a line of JSON
// lists the differences from the answer that is most alike.
import { readFileSync } from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { gunzipSync } from "node:zlib";

import { loadPyodide } from "pyodide";
import createPyodideModule from "pyodide/pyodide.asm.mjs";

import { re2js } from "./web/re2js.js";
import { restore } from "./web/restore.js";

const [, , built, upstream, version] = process.argv;
const memory = gunzipSync(readFileSync(path.join(built, "python.memory.gz")));
const pyodide = await restore({ loadPyodide, createPyodideModule, memory });
pyodide.registerJsModule("crdlint_re2js", re2js);
pyodide.FS.writeFile("/python.tar.gz", readFileSync(path.join(built, "python.tar.gz")));
pyodide.FS.mkdir("/source");
pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root: path.join(import.meta.dirname, "../crdlint") }, "/source");
pyodide.runPython(`
import pathlib, shutil, tarfile
with tarfile.open("/python.tar.gz") as archive:
    archive.extractall("/crdlint", filter="data")
# the modules that the page does not have, which answers.py needs
for file in pathlib.Path("/source").rglob("*.py"):
    copy = pathlib.Path("/crdlint/crdlint", file.relative_to("/source"))
    if not copy.with_suffix(".pyc").exists():
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
`);
pyodide.FS.mkdir("/crdlint/upstream");
for (const file of ["__init__.py", "answers.py", "rows.py"]) {
  pyodide.FS.writeFile(`/crdlint/upstream/${file}`, readFileSync(path.join(upstream, file)));
}
pyodide.globals.set("version", version);
const answer = pyodide.runPython(`
import sys, json
sys.path[:0] = ["/crdlint", "/crdlint/zones.zip"]
from upstream.answers import crdlint_answer, differences, is_comparable
def compared(line):
    case = json.loads(line)
    wanted = [answer for answer in case["answers"] if is_comparable(answer)]
    got = crdlint_answer(case, version) if wanted else {}
    return json.dumps(min((differences(got, answer) for answer in wanted), key=len, default=[]))
compared
`);
for await (const line of readline.createInterface({ input: process.stdin })) console.log(answer(line));
