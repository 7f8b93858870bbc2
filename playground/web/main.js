import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, defaultHighlightStyle, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

import { offset } from "./positions.js";
import { decode, encode } from "./share.js";

const TABS = ["crd", "resource", "old"];
const LONGEST_CHECK = 30_000; // milliseconds after which a check is stopped
const DELAY = 120; // milliseconds between the last key and a check

const find = (id) => document.getElementById(id);

// Creates an element; strings become text, never markup.
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const colors = HighlightStyle.define([
  { tag: tags.propertyName, class: "syntax-key" },
  { tag: [tags.string, tags.content], class: "syntax-text" },
  { tag: tags.comment, class: "syntax-comment" },
  { tag: [tags.keyword, tags.meta], class: "syntax-keyword" },
]);

function editorState(text, label) {
  return EditorState.create({
    doc: text,
    extensions: [
      lineNumbers(),
      lintGutter(),
      history(),
      drawSelection(),
      bracketMatching(),
      search(),
      yaml(),
      syntaxHighlighting(colors),
      syntaxHighlighting(defaultHighlightStyle, { fallback: true }),
      // Tab moves the focus, so that no one needs a mouse to leave the editor
      keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
      EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) schedule();
      }),
    ],
  });
}

const LABELS = { crd: "CRD", resource: "Custom resource", old: "Old version of the CRD" };
const states = Object.fromEntries(TABS.map((name) => [name, editorState("", LABELS[name])]));
let shown = "crd";
const view = new EditorView({ state: states.crd, parent: find("editor") });

const textOf = (name) => (name === shown ? view.state : states[name]).doc.toString();

function show(name, focus = false) {
  if (name !== shown) {
    states[shown] = view.state;
    shown = name;
    view.setState(states[name]);
  }
  for (const tab of TABS) {
    const button = find(`tab-${tab}`);
    button.setAttribute("aria-selected", String(tab === name));
    button.tabIndex = tab === name ? 0 : -1;
  }
  find("editor").setAttribute("aria-labelledby", `tab-${name}`);
  if (answer) mark();
  if (focus) view.focus();
}

for (const [index, name] of TABS.entries()) {
  const button = find(`tab-${name}`);
  button.addEventListener("click", () => show(name));
  button.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) {
      const next = TABS[(index + step + TABS.length) % TABS.length];
      show(next);
      find(`tab-${next}`).focus();
    }
  });
}

// The worker, and the check that it runs; a check that is asked for meanwhile waits until it has ended.
let worker;
let ready = false;
let running = null;
let waiting = false;
let timer;
let answer = null;
let stopped = null; // the texts that no answer could be given to

const STAGES = {
  python: "Loading Python (12 MB, once)…",
  crdlint: "Loading crdlint (1 MB, once)…",
};

function status(text, busy = false) {
  find("status").textContent = text;
  document.body.toggleAttribute("data-busy", busy);
}

function startWorker() {
  ready = false;
  running = null;
  worker = new Worker("worker.js", { type: "module" });
  worker.onmessage = ({ data }) => {
    if (data.stage) status(STAGES[data.stage], true);
    else if (data.ready) begin(data.ready);
    else if (data.failed) status(`Python could not be loaded: ${data.failed}`);
    else finish(data);
  };
  worker.onerror = (event) => status(`Python could not be loaded: ${event.message ?? "the worker failed"}`);
}

function begin({ versions, default: newest }) {
  const select = find("version");
  select.replaceChildren(...versions.map((version) => element("option", { value: version }, version)));
  select.dataset.newest = newest;
  choose(select.dataset.wanted);
  select.disabled = false;
  ready = true;
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
  find("findings").replaceChildren();
  find("notices").replaceChildren();
  find("costs-section").hidden = true;
  headlines({ kind: "", verdict: text, breaking: "" });
  status("Nothing leaves this page.");
}

function schedule() {
  clearTimeout(timer);
  timer = setTimeout(check, DELAY);
}

const request = () => ({ crd: textOf("crd"), resource: textOf("resource"), old: textOf("old"), version: find("version").value });

const SAVED = "crdlint-texts"; // survive a reload

function save() {
  try {
    localStorage.setItem(SAVED, JSON.stringify(request()));
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

function check() {
  if (!ready) return;
  save();
  if (running) {
    waiting = true;
    return;
  }
  status("Checking…", true);
  const started = performance.now();
  const stop = setTimeout(() => {
    stopped = request();
    worker.terminate();
    startWorker();
  }, LONGEST_CHECK);
  running = { id: started, stop, request: request() };
  worker.postMessage({ id: running.id, request: running.request });
}

function finish({ id, answer: given, error, broken }) {
  if (!running || running.id !== id) return;
  const checked = running;
  clearTimeout(checked.stop);
  running = null;
  if (broken) {
    stopped = checked.request;
    worker.terminate();
    startWorker();
    return;
  }
  if (waiting) {
    waiting = false;
    check();
    return; // an answer about a text that has changed is not shown
  }
  if (error) {
    status(`crdlint failed. Please report this text: ${error}`);
    return;
  }
  answer = given;
  const seconds = (performance.now() - checked.id) / 1000;
  mark();
  report(seconds);
}

function ranges(finding, doc) {
  const from = offset(doc, finding.line, finding.column);
  return { from, to: Math.max(from, offset(doc, finding.end_line, finding.end_column)) };
}

const findings = (name) => (name === "old" ? [] : answer[name]);

// Underlines the findings of the text that is shown.
function mark() {
  const doc = view.state.doc;
  const diagnostics = findings(shown).map((finding) => ({
    ...ranges(finding, doc),
    severity: finding.severity,
    source: finding.rule,
    message: [finding.headline, finding.help].filter(Boolean).join("\n"),
    actions: finding.fix ? [{ name: "Fix", apply: () => apply(shown, finding) }] : [],
  }));
  view.dispatch(setDiagnostics(view.state, diagnostics));
}

function apply(name, finding) {
  show(name);
  const doc = view.state.doc;
  const changes = finding.fix.edits.map((edit) => ({
    from: offset(doc, edit.line, edit.column),
    to: offset(doc, edit.end_line, edit.end_column),
    insert: edit.text,
  }));
  view.dispatch({ changes, userEvent: "input.fix" });
  view.focus();
}

function jump(name, finding) {
  show(name, true);
  const { from, to } = ranges(finding, view.state.doc);
  view.dispatch({ selection: { anchor: from, head: to }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
}

// Text with code in backquotes, as elements.
function prose(text) {
  return text.split("`").map((part, index) => (index % 2 ? element("code", {}, part) : part));
}

function item(name, finding) {
  const place = element("button", { type: "button", class: "place" }, `${LABELS[name]}, line ${finding.line}`);
  place.addEventListener("click", () => jump(name, finding));
  const rule = element("a", { href: `../rules/${finding.rule}/`, target: "_blank", rel: "noopener" }, finding.rule);
  const head = element("div", { class: "head" }, element("span", { class: "severity" }, finding.severity), " ", rule, " ", place);
  const made = element("li", { class: finding.severity }, head, element("p", { class: "headline" }, ...prose(finding.headline)));
  made.append(element("p", { class: "path" }, finding.where), element("p", { class: "message" }, finding.message));
  if (finding.versions.length) made.append(element("p", {}, `Kubernetes ${finding.versions.join(", ")}`));
  if (finding.help) made.append(element("p", { class: "help" }, ...prose(finding.help)));
  if (finding.fix) {
    const kind = finding.fix.safe ? "" : " (unsafe: check the change)";
    const button = element("button", { type: "button", class: "fix" }, "Fix");
    button.addEventListener("click", () => apply(name, finding));
    made.append(element("p", { class: "repair" }, button, ` ${finding.fix.title}${kind}`));
  }
  return made;
}

function report(seconds) {
  const all = [...answer.crd.map((one) => ["crd", one]), ...answer.resource.map((one) => ["resource", one])];
  const order = { error: 0, warning: 1, info: 2 };
  all.sort(([, a], [, b]) => order[a.severity] - order[b.severity]);
  find("findings").replaceChildren(...all.map(([name, one]) => item(name, one)));
  find("notices").replaceChildren(...answer.notices.map((text) => element("li", {}, text)));
  headlines(answer);
  costs();
  status(`Checked in ${seconds < 0.01 ? "less than 0.01" : seconds.toFixed(2)} s. Nothing leaves this page.`);
}

function headlines({ kind, verdict, breaking }) {
  find("verdict").className = kind;
  find("verdict").textContent = verdict;
  find("breaking").textContent = breaking;
}

function costs() {
  find("costs-section").hidden = !answer.costs.length;
  const most = [...answer.costs].sort((a, b) => b.share - a.share).slice(0, 50);
  find("costs").replaceChildren(
    ...most.map((cost) => {
      const percent = cost.share * 100;
      const share = percent >= 1000 ? "more than 10 times" : percent < 0.1 ? "less than 0.1 %" : `${percent.toFixed(percent < 10 ? 1 : 0)} %`;
      const place = element("button", { type: "button", class: "place" }, cost.rule);
      place.addEventListener("click", () => jump("crd", { ...cost, end_line: cost.line, end_column: cost.column }));
      const bar = element("meter", { min: 0, max: 100, high: 50, optimum: 0, value: Math.min(percent, 100), "aria-label": share });
      return element("li", { class: percent > 100 ? "error" : "" }, bar, element("span", {}, ` ${share} of the limit `), place);
    }),
  );
}

// Shows the texts of a state; `example` is the number of an example that they are.
async function load(state, example = "") {
  find("examples").value = example;
  for (const name of TABS) {
    const made = editorState(state[name] ?? "", LABELS[name]);
    states[name] = made;
    if (name === shown) view.setState(made);
  }
  find("version").dataset.wanted = state.version ?? "";
  if (ready) choose(state.version);
  show("crd");
  schedule();
}

find("version").addEventListener("change", ({ target }) => {
  target.dataset.wanted = target.value;
  check();
});
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
  const texts = shared ?? saved();
  await (texts ? load(texts) : load(given[0], "0"));
}

window.addEventListener("hashchange", async () => {
  const shared = await decode(location.hash.slice(1));
  if (shared && JSON.stringify(shared) !== JSON.stringify(request())) load(shared);
});

startWorker();
open();
if ("serviceWorker" in navigator) navigator.serviceWorker.register("service-worker.js");
