// Runs crdlint in Pyodide. Messages in: {id, ask, request}; out: {stage}, {ready}, {id, answer}, {id, error, broken} or {failed}.
import { loadPyodide } from "./pyodide/pyodide.mjs";

import { re2js } from "./re2js.js";

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
  const { body } = await fetched(file);
  return new Response(body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function fetched(file) {
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file}: ${response.status}`);
  return response;
}

async function start() {
  const archive = unzipped("python.tar.gz");
  const snapshot = unzipped("python.snapshot.gz");
  postMessage({ stage: "python" });
  const indexURL = new URL("./pyodide/", import.meta.url).href;
  const pyodide = await loadPyodide({ indexURL, _loadSnapshot: snapshot });
  postMessage({ stage: "crdlint" });
  pyodide.registerJsModule("crdlint_re2js", re2js);
  unpack(pyodide.FS, new Uint8Array(await archive), FOLDER);
  pyodide.runPython(`import sys; sys.path[:0] = ["${FOLDER}", "${FOLDER}/zones.zip"]`);
  pyodide.pyimport("playground");
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
