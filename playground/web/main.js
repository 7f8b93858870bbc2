import { Client } from "./client.js";
import { Editor } from "./editor.js";
import { element, find, tabs } from "./elements.js";
import { decode, encode } from "./share.js";
import * as views from "./views.js";

const LABELS = { crd: "CRD", resource: "Custom resource", old: "Old version of the CRD" };
const VIEWS = ["findings", "changes", "costs", "versions", "trace"];
const STAGES = { python: "Loading Python (12 MB, once)…", crdlint: "Loading crdlint (1.6 MB, once)…" };
const DELAY = 120; // milliseconds between the last key and a check
const SAVED = "crdlint-texts"; // survive a reload

let view = "findings";
let timer;
let running = false; // a check that is asked for meanwhile waits until it has ended
let waiting = false;
let answer = null;
let stopped = null; // the texts that no answer could be given to

function status(text, busy = false) {
  find("status").textContent = text;
  document.body.toggleAttribute("data-busy", busy);
}

const editor = new Editor(LABELS, schedule, (name, text, place) =>
  client.ready ? client.ask(name, { ...request(), text, ...place }).catch(() => null) : null,
);
const client = new Client({
  stage: (name) => status(STAGES[name], true),
  failed: (why) => status(`Python could not be loaded: ${why}`),
  ready: begin,
});

const show = tabs("tab", Object.keys(LABELS), (name) => {
  editor.show(name);
  find("editor").setAttribute("aria-labelledby", `tab-${name}`);
  if (answer) mark();
});
tabs("view", VIEWS, (name) => {
  view = name;
  for (const each of VIEWS) find(`panel-${each}`).hidden = each !== name;
  fill();
});

const request = () => ({
  crd: editor.text("crd"),
  resource: editor.text("resource"),
  old: editor.text("old"),
  version: find("version").value,
});

function begin({ versions, default: newest }) {
  const select = find("version");
  select.replaceChildren(...versions.map((version) => element("option", { value: version }, version)));
  select.dataset.newest = newest;
  choose(select.dataset.wanted);
  select.disabled = false;
  if (stopped && JSON.stringify(stopped) === JSON.stringify(request())) {
    noVerdict("The browser cannot check this text: it is nested too deeply, or takes too long. The command line can.");
  } else check();
  stopped = null;
}

// Selects a version; the newest one for texts that name none.
function choose(version) {
  const select = find("version");
  const isOffered = [...select.options].some((option) => option.value === version);
  select.value = isOffered ? version : select.dataset.newest;
}

function noVerdict(text) {
  answer = null;
  views.findings([], LABELS);
  views.notices([]);
  views.costs([]);
  views.headlines({ kind: "", verdict: text, breaking: "" });
  find("fix-all").hidden = true;
  status("Nothing leaves this page.");
}

function schedule() {
  clearTimeout(timer);
  timer = setTimeout(check, DELAY);
}

// The text of a shared link is kept apart from the visitor's own, which is back without the part after #.
let isShared = false;

function save() {
  try {
    (isShared ? sessionStorage : localStorage).setItem(SAVED, JSON.stringify(request()));
  } catch {
    // no room, or not allowed
  }
}

function saved() {
  try {
    return JSON.parse(localStorage.getItem(SAVED));
  } catch {
    return null;
  }
}

async function check() {
  if (!client.ready) return;
  save();
  if (running) {
    waiting = true;
    return;
  }
  status("Checking…", true);
  const asked = request();
  const started = performance.now();
  running = true;
  let given;
  let problem = null;
  try {
    given = await client.ask("check", asked);
  } catch (error) {
    problem = error;
  }
  running = false;
  const again = waiting;
  waiting = false;
  if (problem?.broken) stopped = asked;
  else if (again) check(); // an answer about a text that has changed is not shown
  else if (problem) status(`crdlint failed. Please report this text: ${problem.message}`);
  else {
    answer = { ...given, request: asked };
    mark();
    report((performance.now() - started) / 1000);
  }
}

// Underlines the findings of the text that is shown.
function mark() {
  const { shown } = editor;
  const found = shown === "old" ? [] : answer[shown];
  editor.mark(
    found.map((finding) => ({
      finding,
      severity: finding.severity,
      source: finding.rule,
      message: [finding.headline, finding.help].filter(Boolean).join("\n"),
      actions: finding.fix ? [{ name: "Fix", apply: () => apply(shown, finding.fix.edits) }] : [],
    })),
  );
}

function apply(name, edits) {
  show(name);
  editor.edit(edits);
}

function jump(name, finding) {
  show(name);
  editor.select(finding);
}

function report(seconds) {
  const found = ["crd", "resource"].flatMap((name) => answer[name].map((one) => [name, one]));
  views.findings(found, LABELS, (name, one) => ({ jump: () => jump(name, one), apply: () => apply(name, one.fix.edits) }));
  views.notices(answer.notices);
  views.headlines(answer);
  views.costs(answer.costs, (cost) => jump("crd", { ...cost, end_line: cost.line, end_column: cost.column }));
  find("fix-all").hidden = !answer.fixable;
  views.forget();
  fill();
  status(`Checked in ${seconds < 0.01 ? "less than 0.01" : seconds.toFixed(2)} s. Nothing leaves this page.`);
}

// Fills the views that cost more than a check, when they are shown and as long as their texts are.
async function fill() {
  if (!answer) return;
  const checked = answer;
  const ask = async (name, changed = {}) => {
    const given = await client.ask(name, { ...checked.request, ...changed });
    if (answer !== checked) throw new Error("the texts have changed");
    return given;
  };
  try {
    if (view === "versions") await views.versions(answer.versions, (version) => ask("verdict", { version }), pick);
    if (view === "trace") views.trace(await ask("trace"), checked.request.resource.trim() !== "");
  } catch {
    // the next answer fills them
  }
}

function pick(version) {
  find("version").value = version;
  find("version").dispatchEvent(new Event("change"));
}

async function fixAll() {
  const asked = request();
  const given = await client.ask("fixed", asked).catch(() => null);
  if (!given?.edits.length) status("No fix is left that brings no new error.");
  else if ((await views.confirmed(given)) && request().crd === asked.crd) apply("crd", given.edits);
}

// Shows the texts of a state; `example` is the number of an example that they are.
async function load(state, example = "") {
  find("examples").value = example;
  for (const name of Object.keys(LABELS)) editor.load(name, state[name] ?? "");
  find("version").dataset.wanted = state.version ?? "";
  if (client.ready) choose(state.version);
  show("crd");
  schedule();
}

find("version").addEventListener("change", ({ target }) => {
  target.dataset.wanted = target.value;
  check();
});
find("fix-all").addEventListener("click", fixAll);
find("share").addEventListener("click", async () => {
  location.hash = await encode(request());
  try {
    await navigator.clipboard.writeText(location.href);
    status("The link is copied. The text is in the part after #, which browsers do not send.");
  } catch {
    status("The link is in the address bar. The text is in the part after #, which browsers do not send.");
  }
});

async function examples() {
  const given = await (await fetch("examples.json")).json();
  const select = find("examples");
  select.append(...given.map((example, index) => element("option", { value: index }, example.title)));
  select.addEventListener("change", () => {
    if (select.value !== "") load(given[select.value], select.value);
  });
  return given;
}

async function open() {
  const shared = await decode(location.hash.slice(1));
  const given = await examples();
  isShared = shared !== null;
  const texts = shared ?? saved();
  await (texts ? load(texts) : load(given[0], "0"));
}

window.addEventListener("hashchange", async () => {
  const shared = await decode(location.hash.slice(1));
  if (shared && JSON.stringify(shared) !== JSON.stringify(request())) {
    isShared = true;
    load(shared);
  }
});

open();
if ("serviceWorker" in navigator) navigator.serviceWorker.register("service-worker.js");
