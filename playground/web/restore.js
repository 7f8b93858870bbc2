// Starts Pyodide with the memory of a Python that has imported crdlint, which build.mjs has written.

// Returns a Pyodide whose memory is `memory`, an array that `filled` promises to fill. Pyodide is compiled meanwhile. It
// starts with less memory than that, so it is given as much before it restores it.
export function restore({ loadPyodide, createPyodideModule, memory, filled, ...options }) {
  const create = async (settings) => {
    const module = await createPyodideModule(settings);
    await filled;
    module.growMemory(memory.length);
    return module;
  };
  return loadPyodide({ ...options, createPyodideModule: create, _loadSnapshot: memory });
}
