export const find = (id) => document.getElementById(id);

// Creates an element; strings become text, never markup.
export function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function button(text, attributes, action) {
  const made = element("button", { type: "button", ...attributes }, text);
  made.addEventListener("click", action);
  return made;
}

// Text with code in backquotes, as elements.
export function prose(text) {
  return text.split("`").map((part, index) => (index % 2 ? element("code", {}, part) : part));
}

// The Markdown of the language server: paragraphs, blocks of code, code and bold text.
export function markdown(text) {
  return text.split("\n\n").map((part) => {
    const block = part.match(/^```\w*\n(.*)\n```$/s);
    return block ? element("pre", {}, block[1]) : element("p", {}, ...prose(part.replaceAll("**", "")));
  });
}

// Makes tabs of the buttons with these ids: a click or an arrow key selects one and calls `select` with its name.
export function tabs(prefix, names, select) {
  const choose = (name) => {
    for (const each of names) {
      const tab = find(`${prefix}-${each}`);
      tab.setAttribute("aria-selected", String(each === name));
      tab.tabIndex = each === name ? 0 : -1;
    }
    select(name);
  };
  for (const [index, name] of names.entries()) {
    const tab = find(`${prefix}-${name}`);
    tab.addEventListener("click", () => choose(name));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) {
        const next = names[(index + step + names.length) % names.length];
        choose(next);
        find(`${prefix}-${next}`).focus();
      }
    });
  }
  return choose;
}
