// Builds the playground: node build.mjs PYTHON_FOLDER OUT_FOLDER. `python docs/make_playground.py OUT_FOLDER` calls it.
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

async function pythonWithSource() {
  const pyodide = await loadPyodide();
  pyodide.FS.mkdir("/source");
  pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root: pythonFolder }, "/source");
  return pyodide;
}

const LARGEST_SNAPSHOT = 30 * 1024 * 1024 + 128; // bytes of memory and of a header

// Python's own compiler writes the modules as bytecode, which the browser then does not have to compile. The time zones
// are hundreds of small files, so Python reads them from an archive of their own.
async function archivePython() {
  const pyodide = await pythonWithSource();
  pyodide.runPython(`
import io, pathlib, py_compile, tarfile, zipfile
root = pathlib.Path("/source")
with tarfile.open("/python.tar", "w", format=tarfile.USTAR_FORMAT) as archive:
    def add(name, data):
        entry = tarfile.TarInfo(str(name))
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    zones = io.BytesIO()
    with zipfile.ZipFile(zones, "w") as packed:
        for file in filter(pathlib.Path.is_file, sorted(root.rglob("*"))):
            name = file.relative_to(root)
            if name.parts[0] == "tzdata":
                packed.writestr(zipfile.ZipInfo(str(name)), file.read_bytes())
            elif file.suffix == ".py":
                unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
                py_compile.compile(file, "/one.pyc", str(name), doraise=True, optimize=2, invalidation_mode=unchecked)
                add(name.with_suffix(".pyc"), pathlib.Path("/one.pyc").read_bytes())
            else:
                add(name, file.read_bytes())
    add("zones.zip", zones.getvalue())
`);
  return gzipSync(pyodide.FS.readFile("/python.tar"), { level: 9 });
}

// The memory of a Python that has imported what crdlint needs of the standard library: restoring it takes a tenth of the
// time. A browser can restore as much as Pyodide starts with, which crdlint's own modules would exceed.
async function snapshotPython() {
  const probe = await pythonWithSource();
  probe.registerJsModule("crdlint_re2js", { compile() {} });
  const modules = probe.runPython(`
import sys, tarfile
sys.path.insert(0, "/source")
import playground
[name for name in sys.modules if name.partition(".")[0] in sys.stdlib_module_names and name != "__main__"]
`);
  const pyodide = await loadPyodide({ _makeSnapshot: true });
  pyodide.runPython(`import importlib\nfor name in ${JSON.stringify(modules.toJs())}: importlib.import_module(name)`);
  const snapshot = pyodide.makeMemorySnapshot();
  if (snapshot.length > LARGEST_SNAPSHOT) throw new Error(`the snapshot has ${snapshot.length} bytes`);
  return gzipSync(snapshot, { level: 9 });
}

// The answer to the first example for the newest version, which the page shows before its own Python is there.
async function firstAnswer([example]) {
  const pyodide = await pythonWithSource();
  pyodide.registerJsModule("crdlint_re2js", re2js);
  pyodide.runPython(`import sys\nsys.path.insert(0, "/source")`);
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

mkdirSync(path.join(out, "pyodide"), { recursive: true });
await esbuild.build({
  entryPoints: [path.join(here, "web/main.js"), path.join(here, "web/worker.js")],
  outdir: out,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  external: ["./pyodide/pyodide.mjs"],
  legalComments: "linked",
});
for (const name of PYODIDE) cpSync(path.join(pyodideFolder, name), path.join(out, "pyodide", name));
cpSync(path.join(here, "web/style.css"), path.join(out, "style.css"));
const given = examples();
writeFileSync(path.join(out, "examples.json"), JSON.stringify(given));
const { version: newest, first } = await firstAnswer(given);
const html = readFileSync(path.join(here, "web/index.html"), "utf8")
  .replace("__NEWEST__", newest)
  .replace('id="first">{}', () => `id="first">${JSON.stringify(first).replaceAll("<", "\\u003c")}`);
writeFileSync(path.join(out, "index.html"), html);
writeFileSync(path.join(out, "python.tar.gz"), await archivePython());
writeFileSync(path.join(out, "python.snapshot.gz"), await snapshotPython());

const names = files(out).filter((name) => name !== "service-worker.js");
const hash = createHash("sha256");
for (const name of names) hash.update(name).update(readFileSync(path.join(out, name)));
const worker = readFileSync(path.join(here, "web/service-worker.js"), "utf8")
  .replace("__VERSION__", hash.digest("hex").slice(0, 16))
  .replace("__FILES__", JSON.stringify(["./", ...names]));
writeFileSync(path.join(out, "service-worker.js"), worker);
