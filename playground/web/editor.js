// The editor: one view, and a state with its history for each text.
import { autocompletion } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, defaultHighlightStyle, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { search, searchKeymap } from "@codemirror/search";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { drawSelection, EditorView, hoverTooltip, keymap, lineNumbers, placeholder, showTooltip } from "@codemirror/view";
import { tags } from "@lezer/highlight";

import { element, find, markdown } from "./elements.js";
import { offset, place } from "./positions.js";

const colors = HighlightStyle.define([
  { tag: tags.propertyName, class: "syntax-key" },
  { tag: [tags.string, tags.content], class: "syntax-text" },
  { tag: tags.comment, class: "syntax-comment" },
  { tag: [tags.keyword, tags.meta], class: "syntax-keyword" },
]);
const WORD = /[\w$.-]+$/; // what is completed without being asked for

export function ranges(finding, doc) {
  const from = offset(doc, finding.line, finding.column);
  return { from, to: Math.max(from, offset(doc, finding.end_line, finding.end_column)) };
}

function tooltip(text, at) {
  const dom = () => element("div", {}, element("div", { class: "about" }, ...markdown(text)));
  return { pos: at, above: true, create: () => ({ dom: dom() }) };
}

// What is shown about the place of the cursor, for those who do not use a mouse.
const explain = StateEffect.define();
const explained = StateField.define({
  create: () => null,
  update(shown, transaction) {
    const asked = transaction.effects.find((effect) => effect.is(explain));
    return asked ? asked.value : transaction.docChanged || transaction.selection ? null : shown;
  },
  provide: (field) => showTooltip.from(field),
});

const LOADED = "load"; // the event of a text that is loaded, which the user can undo

const isLoaded = (update) => update.transactions.some((each) => each.isUserEvent(LOADED));

// Whether an update replaces all of a text, as pasting over it does, and undoing that.
function replacesAll({ changes, startState }) {
  const { length } = startState.doc;
  let all = false;
  changes.iterChanges((from, to) => {
    all ||= length > 0 && from === 0 && to === length;
  });
  return all;
}

// `labels` are the texts' names and `hints` what an empty one shows; `changed` is called after an edit, with the text that
// it replaced as a whole;
// `dropped` is called with a file; `ask` asks for completions and for what is at a place.
export class Editor {
  #labels;
  #hints;
  #changed;
  #dropped;
  #ask;
  #states;
  shown;

  constructor({ labels, hints, changed, dropped, ask }) {
    this.#labels = labels;
    this.#hints = hints;
    this.#changed = changed;
    this.#dropped = dropped;
    this.#ask = ask;
    this.#states = Object.fromEntries(Object.keys(labels).map((name) => [name, this.#state(name, "")]));
    this.shown = Object.keys(labels)[0];
    this.view = new EditorView({ state: this.#states[this.shown], parent: find("editor") });
  }

  text(name) {
    return (name === this.shown ? this.view.state : this.#states[name]).doc.toString();
  }

  show(name) {
    if (name === this.shown) return;
    this.#states[this.shown] = this.view.state;
    this.shown = name;
    this.#use(this.#states[name]);
  }

  // Replaces a text by an edit, which the history of the text keeps.
  load(name, text) {
    const before = name === this.shown ? this.view.state : this.#states[name];
    if (before.doc.toString() === text) return;
    const changes = { from: 0, to: before.doc.length, insert: text };
    const edit = { changes, selection: { anchor: 0 }, userEvent: LOADED };
    if (name === this.shown) this.view.dispatch(edit);
    else this.#states[name] = before.update(edit).state;
  }

  mark(diagnostics) {
    const { doc } = this.view.state;
    const placed = diagnostics.map(({ finding, ...rest }) => ({ ...ranges(finding, doc), ...rest }));
    this.view.dispatch(setDiagnostics(this.view.state, placed));
  }

  edit(edits) {
    const { doc } = this.view.state;
    const changes = edits.map((each) => ({ ...ranges(each, doc), insert: each.text }));
    this.view.dispatch({ changes, userEvent: "input.fix" });
    this.view.focus();
  }

  select(finding) {
    const { from, to } = ranges(finding, this.view.state.doc);
    this.view.dispatch({ selection: { anchor: from, head: to }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    this.view.focus();
  }

  // A file that is dropped replaces the text; other things are inserted where they are dropped.
  #drop(name, event) {
    const [file] = event.dataTransfer?.files ?? [];
    if (!file) return false;
    event.preventDefault();
    file.text().then((text) => this.#dropped(name, text));
    return true;
  }

  #use(state) {
    this.view.coordsAtPos(0); // measures what is pending, such as a tooltip, while its text is still there
    this.view.setState(state);
  }

  #state(name, text) {
    return EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        lintGutter(),
        history(),
        drawSelection(),
        bracketMatching(),
        EditorView.lineWrapping,
        search(),
        yaml(),
        placeholder(this.#hints[name]),
        syntaxHighlighting(colors),
        syntaxHighlighting(defaultHighlightStyle, { fallback: true }),
        autocompletion({ override: [(context) => this.#complete(name, context)] }),
        hoverTooltip(async (view, at) => this.#about(name, view.state.doc, at)),
        explained,
        // Tab moves the focus, so that no one needs a mouse to leave the editor
        keymap.of([
          { key: "Mod-k Mod-i", run: (view) => this.#explain(name, view) },
          ...defaultKeymap,
          ...historyKeymap,
          ...searchKeymap,
        ]),
        EditorView.contentAttributes.of({ "aria-label": this.#labels[name], tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          // the whole text was replaced: what it was before is nowhere else
          const replaced = replacesAll(update) ? { [name]: update.startState.doc.toString() } : null;
          this.#changed({ byUser: !isLoaded(update), replaced });
        }),
        EditorView.domEventHandlers({ drop: (event) => this.#drop(name, event) }),
      ],
    });
  }

  async #complete(name, context) {
    if (!context.explicit && !context.matchBefore(WORD)) return null;
    const { doc } = context.state;
    const items = await this.#ask("complete", name, place(doc, context.pos));
    if (!items?.length || context.aborted) return null;
    const from = offset(doc, items[0].line, items[0].column);
    const to = offset(doc, items[0].line, items[0].end_column);
    const options = items.map((item, index) => ({
      label: item.label,
      apply: item.insert,
      detail: item.detail,
      type: item.type,
      info: item.info || undefined,
      sortText: `${item.order} ${String(index).padStart(5, "0")}`,
    }));
    return { from, to: Math.max(to, context.pos), options, validFor: /^[\w$-]*$/ };
  }

  async #about(name, doc, at) {
    const text = await this.#ask("hover", name, place(doc, at));
    return text ? tooltip(text, at) : null;
  }

  #explain(name, view) {
    const at = view.state.selection.main.head;
    this.#about(name, view.state.doc, at).then((shown) => view.dispatch({ effects: explain.of(shown) }));
    return true;
  }
}
