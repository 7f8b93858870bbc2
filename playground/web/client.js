// Asks the worker, which answers one question after the other. A worker that is broken, or takes too long, is replaced.
import { engine } from "./engine.js";

const LONGEST = 60_000; // milliseconds after which a question is given up

export class Client {
  #worker;
  #pending = new Map();
  #next = 0;
  ready = false;

  constructor({ stage, ready, failed }) {
    this.events = { stage, ready, failed };
    const { worker, sent } = globalThis.firstEngine;
    this.#use(worker);
    queueMicrotask(() => sent.forEach((data) => this.#receive(data))); // when the page has its client
  }

  // The answer of a function of the page's Python. Rejects with an error whose `broken` is true if the worker is replaced.
  ask(name, request) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#restart(), LONGEST);
      this.#pending.set(id, { resolve, reject, timer });
      this.#worker.postMessage({ id, ask: name, request });
    });
  }

  #use(worker) {
    this.ready = false;
    this.#worker = worker;
    this.#worker.onmessage = ({ data }) => this.#receive(data);
    this.#worker.onerror = (event) => this.events.failed(event.message ?? "the worker failed");
  }

  #receive({ stage, ready, failed, id, answer, error, broken }) {
    if (stage) this.events.stage(stage);
    else if (failed) this.events.failed(failed);
    else if (ready) {
      this.ready = true;
      this.events.ready(ready);
    } else if (broken) this.#restart();
    else {
      const { resolve, reject, timer } = this.#pending.get(id);
      clearTimeout(timer);
      this.#pending.delete(id);
      if (error === undefined) resolve(answer);
      else reject(new Error(error));
    }
  }

  #restart() {
    this.#worker.terminate();
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(Object.assign(new Error("the worker was replaced"), { broken: true }));
    }
    this.#pending.clear();
    this.#use(engine());
  }
}
