// Runs crdlint in Pyodide. Messages in: {id, ask, request}; out: {stage}, {ready}, {id, answer}, {id, error, broken} or {failed}.
import createPyodideModule from "./pyodide/pyodide.asm.mjs";
import { loadPyodide } from "./pyodide/pyodide.mjs";

import { re2js } from "./re2js.js";
import { restore } from "./restore.js";

const FOLDER = "/crdlint";
const BLOCK = 512; // bytes of a header in a tar archive, of whose multiples the files are

// Writes the files of a tar archive of the format USTAR to a folder.
function unpack(FS, archive, folder) {
  const text = (start, length) => new TextDecoder().decode(archive.subarray(start, start + length)).split("\0")[0];
  for (let at = 0; archive[at]; ) {
    const name = [text(at + 345, 155), text(at, 100)].filter(Boolean).join("/");
    const size = parseInt(text(at + 124, 12), 8);
    const file = `${folder}/${name}`;
    FS.mkdirTree(file.slice(0, file.lastIndexOf("/")));
    FS.writeFile(file, archive.subarray(at + BLOCK, at + BLOCK + size));
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
}

async function unzipped(file) {
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file}: ${response.status}`);
  return response.body.pipeThrough(new DecompressionStream("gzip"));
}

async function fill(memory, file) {
  let at = 0;
  for await (const part of parts(await unzipped(file))) {
    memory.set(part, at);
    at += part.length;
  }
}

// The parts of a stream, over which not every browser can iterate.
async function* parts(stream) {
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}

async function start() {
  postMessage({ stage: "python" });
  const memory = new Uint8Array(MEMORY_SIZE);
  const filled = fill(memory, "python.memory.gz");
  const archive = unzipped("python.tar.gz").then((stream) => new Response(stream).arrayBuffer());
  const indexURL = new URL("./pyodide/", import.meta.url).href;
  const pyodide = await restore({ loadPyodide, createPyodideModule, memory, filled, indexURL });
  postMessage({ stage: "crdlint" });
  pyodide.registerJsModule("crdlint_re2js", re2js);
  unpack(pyodide.FS, new Uint8Array(await archive), FOLDER);
  pyodide.runPython(`import sys; sys.path[:0] = ["${FOLDER}", "${FOLDER}/zones.zip"]`);
  return pyodide;
}

const MODULES = { complete: "editing", hover: "editing", trace: "tracing", evaluate: "tracing", costs: "costing" }; // each is imported when it is first asked for

async function answer(name, request) {
  const pyodide = await started;
  return JSON.parse(pyodide.pyimport(MODULES[name] ?? "playground")[name](JSON.stringify(request)));
}

const started = start();
started.then(
  (pyodide) => postMessage({ ready: JSON.parse(pyodide.pyimport("playground").versions()) }),
  (error) => postMessage({ failed: String(error) }),
);

onmessage = async ({ data }) => {
  try {
    postMessage({ id: data.id, answer: await answer(data.ask, data.request) });
  } catch (error) {
    // Python's own exceptions leave it usable; anything else, such as a full stack, does not
    postMessage({ id: data.id, error: String(error), broken: error?.name !== "PythonError" });
  }
};
