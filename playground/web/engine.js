// Starts a worker. The page loads this small file first, so that its worker starts while the rest is loaded.
export const engine = () => new Worker("worker.js", { type: "module" });

// The first worker, with what it sends before the page listens.
function early() {
  const worker = engine();
  const sent = [];
  worker.onmessage = ({ data }) => sent.push(data);
  worker.onerror = ({ message }) => sent.push({ failed: message ?? "the worker failed" });
  return { worker, sent };
}

globalThis.firstEngine ??= early();
