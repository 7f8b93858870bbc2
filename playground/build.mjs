// Builds the playground: node build.mjs PYTHON_FOLDER OUT_FOLDER. `python docs/make_playground.py OUT_FOLDER` calls it.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { gzipSync } from "node:zlib";

import * as esbuild from "esbuild";
import { loadPyodide } from "pyodide";

import { re2js } from "./web/re2js.js";

const [, , pythonFolder, out] = process.argv;
const here = import.meta.dirname;
const pyodideFolder = path.dirname(createRequire(import.meta.url).resolve("pyodide"));
const PYODIDE = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"];

const HOME = "/crdlint"; // the folder of crdlint's modules, here and in the page

// A Python in which `folder` is the folder of crdlint's modules.
async function pythonWith(folder, options = {}) {
  const pyodide = await loadPyodide(options);
  pyodide.FS.mkdir(HOME);
  pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root: folder }, HOME);
  return pyodide;
}

const ON_PATH = `import sys\nsys.path[:0] = ["${HOME}", "${HOME}/zones.zip"]\n`;

// Replaces modules by their bytecode, which the browser then does not have to compile. The time zones are hundreds of
// small files, so Python reads them from an archive of their own.
async function compile(folder) {
  const pyodide = await pythonWith(folder);
  pyodide.runPython(`
import pathlib, py_compile, shutil, zipfile
root = pathlib.Path("${HOME}")
with zipfile.ZipFile(root / "zones.zip", "w") as packed:
    for file in filter(pathlib.Path.is_file, sorted(root.joinpath("tzdata").rglob("*"))):
        packed.writestr(zipfile.ZipInfo(str(file.relative_to(root))), file.read_bytes())
shutil.rmtree(root / "tzdata")
for file in sorted(root.rglob("*.py")):
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    name = str(file.relative_to(root))
    py_compile.compile(file, file.with_suffix(".pyc"), name, doraise=True, optimize=2, invalidation_mode=unchecked)
    file.unlink()
`);
}

// The memory of a Python that has answered questions about the examples, and the files that this took. A browser restores
// it in a tenth of the time. Its path is set when the other files are there.
async function warmPython(folder, examples) {
  const pyodide = await pythonWith(folder, { _makeSnapshot: true });
  pyodide.globals.set("examples", JSON.stringify(examples));
  const imported = pyodide.runPython(`
${ON_PATH}
import warming
warming.ask_all(examples)
del examples, warming, sys.modules["warming"]
del sys.path[:2]
sys.path_importer_cache.clear()
files = [getattr(module, "__file__", None) or "" for module in sys.modules.values()]
[file.removeprefix("${HOME}/") for file in files if file.startswith("${HOME}/")]
`);
  return { memory: pyodide.makeMemorySnapshot(), imported: new Set(imported.toJs()) };
}

// The files that are not in `left`, as an archive.
function archive(folder, left) {
  const names = files(folder).filter((name) => !left.has(name));
  const options = ["--format=ustar", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--mode=a=rX"];
  const command = ["--create", ...options, "--directory", folder, "--files-from=-"];
  return execFileSync("tar", command, { input: names.join("\n"), maxBuffer: 2 ** 30 });
}

// The answer to the first example for the newest version, which the page shows before its own Python is there.
async function firstAnswer([example]) {
  const pyodide = await pythonWith(pythonFolder);
  pyodide.registerJsModule("crdlint_re2js", re2js);
  pyodide.runPython(ON_PATH);
  const page = pyodide.pyimport("playground");
  const { default: version } = JSON.parse(page.versions());
  const shown = { ...example, version };
  return { version, first: { example: shown, answer: JSON.parse(page.check(JSON.stringify(shown))) } };
}

function examples() {
  const folder = path.join(here, "examples");
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const [first, ...rest] = readFileSync(path.join(folder, name), "utf8").split("\n");
      const [crd, resource = "", old = ""] = rest.join("\n").split(/^#=== .*\n/m);
      const { title, version = "" } = JSON.parse(first.slice(2));
      return { title, version, crd, resource, old };
    });
}

function files(folder, prefix = "") {
  return readdirSync(path.join(folder, prefix)).flatMap((name) => {
    const file = path.posix.join(prefix, name);
    return statSync(path.join(folder, file)).isDirectory() ? files(folder, file) : [file];
  });
}

await compile(pythonFolder);
const given = examples();
const { memory, imported } = await warmPython(pythonFolder, given);
mkdirSync(path.join(out, "pyodide"), { recursive: true });
writeFileSync(path.join(out, "python.memory.gz"), gzipSync(memory, { level: 9 }));
writeFileSync(path.join(out, "python.tar.gz"), gzipSync(archive(pythonFolder, imported), { level: 9 }));
await esbuild.build({
  entryPoints: ["engine.js", "main.js", "worker.js"].map((name) => path.join(here, "web", name)),
  outdir: out,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  define: { MEMORY_SIZE: String(memory.length) },
  external: ["./pyodide/*"],
  legalComments: "linked",
});
for (const name of PYODIDE) cpSync(path.join(pyodideFolder, name), path.join(out, "pyodide", name));
cpSync(path.join(here, "web/style.css"), path.join(out, "style.css"));
writeFileSync(path.join(out, "examples.json"), JSON.stringify(given));
const { version: newest, first } = await firstAnswer(given);
const html = readFileSync(path.join(here, "web/index.html"), "utf8")
  .replace("__NEWEST__", newest)
  .replace('id="first">{}', () => `id="first">${JSON.stringify(first).replaceAll("<", "\\u003c")}`);
writeFileSync(path.join(out, "index.html"), html);

const names = files(out).filter((name) => name !== "service-worker.js");
const hash = createHash("sha256");
for (const name of names) hash.update(name).update(readFileSync(path.join(out, name)));
const worker = readFileSync(path.join(here, "web/service-worker.js"), "utf8")
  .replace("__VERSION__", hash.digest("hex").slice(0, 16))
  .replace("__FILES__", JSON.stringify(["./", ...names]));
writeFileSync(path.join(out, "service-worker.js"), worker);
