// Runs crdlint in Pyodide. Messages in: {id, ask, request}; out: {stage}, {ready}, {id, answer}, {id, error, broken} or {failed}.
import { loadPyodide } from "./pyodide/pyodide.mjs";

import { re2js } from "./re2js.js";

const UNPACK = `
import sys, tarfile
with tarfile.open("/python.tar.xz") as archive:
    archive.extractall("/crdlint", filter="data")
sys.path[:0] = ["/crdlint", "/crdlint/zones.zip"]
`;

async function fetched(file) {
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file}: ${response.status}`);
  return response;
}

async function start() {
  const archive = fetched("python.tar.xz").then((response) => response.arrayBuffer());
  const snapshot = fetched("python.snapshot.gz").then((response) =>
    new Response(response.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer(),
  );
  postMessage({ stage: "python" });
  const indexURL = new URL("./pyodide/", import.meta.url).href;
  const pyodide = await loadPyodide({ indexURL, _loadSnapshot: snapshot });
  postMessage({ stage: "crdlint" });
  pyodide.registerJsModule("crdlint_re2js", re2js);
  pyodide.FS.writeFile("/python.tar.xz", new Uint8Array(await archive));
  pyodide.runPython(UNPACK);
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
