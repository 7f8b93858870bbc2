import { Client } from "./client.js";
import { Editor } from "./editor.js";
import { element, find, tabs } from "./elements.js";
import { decode, encode } from "./share.js";
import * as texts from "./texts.js";
import * as views from "./views.js";

const LABELS = { crd: "CRD", resource: "Custom resource", old: "Old version of the CRD" };
const HINTS = {
  crd: "Paste a CustomResourceDefinition, or drop a file.",
  resource: "Paste a custom resource of the CRD: it is validated as the API server does on create.",
  old: "Paste the CRD as the cluster has it: the other text is checked as its update, and its breaking changes are listed.",
};
const VIEWS = ["findings", "changes", "costs", "versions", "trace"];
const STAGES = { python: "Loading Python and crdlint (18 MB, once)…", crdlint: "Starting crdlint…" };
const DELAY = 120; // milliseconds between the last key and a check

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

const editor = new Editor({
  labels: LABELS,
  hints: HINTS,
  changed: ({ byUser, replaced }) => {
    if (byUser && replaced) {
      save({ ...request(), ...replaced }); // at once: it may be younger than the delay of a check
      shown = null;
    }
    isEdited ||= byUser;
    if (byUser) forgetLink();
    schedule();
  },
  dropped: (name, text) => {
    save();
    shown = null;
    editor.load(name, text);
    isEdited = true;
    forgetLink();
    schedule();
  },
  ask: (name, text, place) => (client.ready ? client.ask(name, { ...request(), text, ...place }).catch(() => null) : null),
});
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
  // only now, because it loads all files once more
  navigator.serviceWorker?.register("service-worker.js");
}

// Selects a version; the newest one for texts that name none.
function choose(version) {
  const select = find("version");
  const isOffered = [...select.options].some((option) => option.value === version);
  select.value = isOffered ? version : select.dataset.newest;
}

function noVerdict(text) {
  forget();
  views.headlines({ kind: "", verdict: text, breaking: "" });
  status("Nothing leaves this page.");
}

// Removes an answer from the page, such as that to a text which another one has replaced.
function forget() {
  answer = null;
  editor.mark([]);
  views.findings([], LABELS);
  views.marks({ crd: [], resource: [] });
  views.notices([]);
  views.forget();
  views.headlines({ kind: "", verdict: "", breaking: "" });
  find("fix-all").hidden = true;
}

// Whether texts and a version are those of the page.
const isShown = (asked) => Object.entries(request()).every(([name, text]) => asked[name] === text);

function schedule() {
  clearTimeout(timer);
  timer = setTimeout(check, DELAY);
}

// The visitor's own text that is shown, null for an example or a shared text, which become one by an edit.
let shown = null;
let isEdited = false; // since the text was loaded

// The text is no longer that of the link: loading the page again shows the text, not the link's.
function forgetLink() {
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
}

function save(current = request()) {
  if (!isEdited) return;
  shown = texts.keep(current, shown);
  offer();
}

async function check() {
  save();
  if (!client.ready) return;
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
  else if (again) check();
  else if (!isShown(asked)) return; // the check of what was typed meanwhile is to come
  else if (problem) status(`crdlint failed. Please report this text: ${problem.message}`);
  else {
    use(given, asked);
    const room = texts.isLasting() ? "" : " The browser cannot keep this text: save it before you leave.";
    status(`Checked in ${secondsSince(started)}. Nothing leaves this page.${room}`);
  }
}

function secondsSince(started) {
  const seconds = (performance.now() - started) / 1000;
  return `${seconds < 0.01 ? "less than 0.01" : seconds.toFixed(2)} s`;
}

// Shows an answer.
function use(given, asked) {
  answer = { ...given, request: asked };
  mark();
  report();
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
      actions: finding.fix ? [{ name: "Fix", apply: () => fix(shown, finding.fix.edits) }] : [],
    })),
  );
}

function apply(name, edits) {
  show(name);
  editor.edit(edits);
}

// Applies the fix of a finding, whose positions are those of the text that was checked.
function fix(name, edits) {
  if (answer?.request[name] === editor.text(name)) apply(name, edits);
  else status("The text has changed since: the fix is offered again after its check.");
}

function jump(name, finding) {
  show(name);
  editor.select(finding);
}

function report() {
  const of = (name) => answer[name].map((one) => [name, one]);
  const act = (name, one) => ({ jump: () => jump(name, one), apply: () => fix(name, one.fix.edits) });
  views.findings([of("crd"), of("resource")], LABELS, act, empty());
  views.marks(answer);
  views.notices(answer.notices);
  views.headlines(answer);
  find("fix-all").hidden = !answer.fixable;
  views.forget();
  views.count("costs", answer.rules);
  fill();
}

// What is shown instead of findings and of changes.
function empty() {
  const { old } = answer.request;
  return {
    findings: answer.kind === "good" ? "Nothing to report." : "",
    changes: old.trim() ? "No change that breaks clients or existing objects was found." : "Paste the CRD as the cluster has it in the tab “Old version”.",
  };
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
    if (!client.ready) return;
    if (view === "costs") views.costs(await ask("costs"), (cost) => jump("crd", { ...cost, end_line: cost.line, end_column: cost.column }));
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

// Shows texts, by an edit that can be undone: an example, a text of the visitor's own (`from`), or those of a link.
function load(state, from = null) {
  save();
  if (!isShown({ ...request(), ...state })) forget();
  for (const name of Object.keys(LABELS)) editor.load(name, state[name] ?? "");
  shown = from;
  isEdited = false;
  find("version").dataset.wanted = state.version ?? "";
  if (client.ready) choose(state.version);
  show("crd");
  schedule();
  offer();
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

find("expression").addEventListener("submit", async (event) => {
  event.preventDefault();
  if (!client.ready) return;
  const [expression, field] = ["expression-text", "expression-field"].map((name) => find(name).value);
  const given = await client.ask("evaluate", { ...request(), expression, field }).catch((problem) => ({ error: problem.message }));
  views.value(given);
});

let examples = [];

// Offers the visitor's own texts, then the examples.
function offer() {
  const group = (label, rows) => element("optgroup", { label }, ...rows);
  const own = texts.all().map((each, index) => element("option", { value: `own-${index}` }, texts.title(each)));
  const given = examples.map((each, index) => element("option", { value: `example-${index}` }, each.title));
  const select = find("examples");
  const chosen = shown ? `own-${texts.place(shown)}` : isEdited ? "" : select.dataset.chosen ?? "";
  const first = element("option", { value: "" }, "Choose…");
  select.replaceChildren(first, ...(own.length ? [group("Yours", own)] : []), group("Examples", given));
  select.value = chosen;
}

function chosen({ target }) {
  const [kind, index] = target.value.split("-");
  target.dataset.chosen = target.value;
  if (kind === "own") load(texts.all()[index], texts.all()[index]);
  if (kind === "example") load(examples[index]);
}

// The first example and its answer are in the page, so that they are there before Python is.
function first() {
  const { example, answer: given } = JSON.parse(find("first").textContent);
  find("examples").dataset.chosen = "example-0";
  load(example);
  const { version, ...rest } = example;
  use(given, { ...rest, version });
}

async function open() {
  const shared = await decode(location.hash.slice(1));
  const [latest] = texts.all();
  if (shared) load(shared);
  else if (latest) load(latest, latest);
  else first();
  examples = await (await fetch("examples.json")).json();
  offer();
}

window.addEventListener("hashchange", async () => {
  const shared = await decode(location.hash.slice(1));
  if (shared && JSON.stringify(shared) !== JSON.stringify(request())) {
    find("examples").dataset.chosen = "";
    load(shared);
  }
});

if (/Mac|iPhone|iPad/.test(navigator.platform)) {
  for (const key of document.querySelectorAll("kbd.mod")) key.textContent = "⌘";
}
find("examples").addEventListener("change", chosen);
window.addEventListener("pagehide", () => save());
document.addEventListener("visibilitychange", () => document.hidden && save()); // a phone may end a hidden page
window.addEventListener("storage", offer); // another tab has kept a text
open();
