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
pyodide.unpackArchive(new Uint8Array(readFileSync(path.join(built, "python.zip"))), "zip", { extractDir: "/crdlint" });
pyodide.FS.writeFile("/crdlint/answers.py", readFileSync(path.join(pythonFolder, "answers.py")));
const answer = pyodide.runPython(`
import sys, json
sys.path.insert(0, "/crdlint")
from answers import answers
lambda line: json.dumps(answers(json.loads(line)), default=sorted)
`);
for await (const line of readline.createInterface({ input: process.stdin })) console.log(answer(line));
