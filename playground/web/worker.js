// Runs crdlint in Pyodide. Messages in: {id, request}; out: {stage}, {ready}, {id, answer}, {id, error, broken} or {failed}.
import { loadPyodide } from "./pyodide/pyodide.mjs";

import { re2js } from "./re2js.js";

async function start() {
  const archive = fetch("python.zip").then((response) => {
    if (!response.ok) throw new Error(`python.zip: ${response.status}`);
    return response.arrayBuffer();
  });
  postMessage({ stage: "python" });
  const pyodide = await loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href });
  postMessage({ stage: "crdlint" });
  pyodide.registerJsModule("crdlint_re2js", re2js);
  pyodide.unpackArchive(await archive, "zip", { extractDir: "/crdlint" });
  pyodide.runPython("import sys; sys.path.insert(0, '/crdlint')");
  return pyodide.pyimport("playground");
}

const started = start();
started.then(
  (playground) => postMessage({ ready: JSON.parse(playground.versions()) }),
  (error) => postMessage({ failed: String(error) }),
);

onmessage = async ({ data }) => {
  const playground = await started;
  try {
    postMessage({ id: data.id, answer: JSON.parse(playground.check(JSON.stringify(data.request))) });
  } catch (error) {
    // Python's own exceptions leave it usable; anything else, such as a full stack, does not
    postMessage({ id: data.id, error: String(error), broken: error?.name !== "PythonError" });
  }
};
