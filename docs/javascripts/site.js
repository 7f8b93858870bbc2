// The filter of the table of rules: by words of a rule, or by a message of the API server that someone pastes.
const filter = document.getElementById("rules-filter");
const LETTERS = /[a-z][a-z-]+/g;
const FEWEST = 3; // words of a message that tell rules apart

// The rows of [key, messages] of which all fixed words of a message are in a text. Messages with few fixed words, such as
// "Required value", tell rules apart if no other message is in the text.
function ofMessage(rows, words) {
  const isIn = (message) => message.every((word) => words.has(word));
  const having = (isWanted) => rows.filter(([, messages]) => messages.some((each) => isIn(each.split(" ")) && isWanted(each.split(" ").length)));
  const sure = having((count) => count >= FEWEST);
  return words.size < FEWEST - 1 || sure.length ? sure : having((count) => count < FEWEST);
}

const wordsOf = (text) => new Set(text.toLowerCase().match(LETTERS) ?? []);

function show() {
  const query = filter.value.toLowerCase();
  const words = query.split(/\s+/).filter(Boolean);
  const rules = [...document.querySelectorAll(".rules > li")];
  const ofRules = rules.map((rule) => [rule, (rule.dataset.messages ?? "").split("|")]);
  const found = new Set(ofMessage(ofRules, wordsOf(query)).map(([rule]) => rule));
  for (const rule of rules) {
    const text = `${rule.textContent} ${rule.dataset.keywords ?? ""}`.toLowerCase();
    rule.hidden = !words.every((word) => text.includes(word)) && !found.has(rule);
  }
  for (const list of document.querySelectorAll(".rules")) {
    list.hidden = list.previousElementSibling.hidden = [...list.children].every((rule) => rule.hidden);
  }
  document.getElementById("rules-none").hidden = rules.some((rule) => !rule.hidden);
}
filter?.addEventListener("input", show);

// The search of the theme takes a message for a query in its own language: the rules of the message are shown above.
const ROOT = new URL("..", document.currentScript.src);
const search = document.querySelector(".md-search__input");
let known; // messages by rule, loaded with the first message

async function findRules() {
  const words = wordsOf(search.value);
  known ??= fetch(new URL("assets/messages.json", ROOT)).then((response) => response.json());
  const links = ofMessage(Object.entries(await known), words).map(([rule]) => {
    const link = document.createElement("a");
    link.href = new URL(`rules/${rule}/`, ROOT);
    link.textContent = rule;
    return link;
  });
  const place = document.querySelector(".md-search-result");
  place.querySelector(".of-message")?.remove();
  if (!links.length) return;
  const found = document.createElement("p");
  found.className = "of-message";
  found.append("Rules of this message: ", ...links.flatMap((link, i) => (i ? [", ", link] : [link])));
  place.prepend(found);
}
search?.addEventListener("input", findRules);

// Copies a command without its prompt, and without what it prints.
function copied(button) {
  const code = document.querySelector(button.dataset.clipboardTarget ?? null)?.textContent ?? "";
  const commands = code.split("\n").filter((line) => line.startsWith("$ "));
  return commands.length ? commands.map((line) => line.slice(2)).join("\n") : code;
}

// Gives the cells of a table the names of their columns. The stylesheet lays out a narrow page by data-layout: rows of words as
// parts of their own, and figures in a table whose first column stays in view.
const WIDE = 4; // columns that a narrow page has no room for
function label(table) {
  const names = [...table.querySelectorAll("thead th")].map((cell) => cell.textContent.trim());
  const cells = [...table.querySelectorAll("tbody td")];
  const figures = cells.filter((cell) => /^[^a-z]*$/i.test(cell.textContent) || /\d/.test(cell.textContent[0] ?? ""));
  table.dataset.layout = names.length < WIDE ? "plain" : figures.length > cells.length / 2 ? "figures" : "words";
  if (table.dataset.layout !== "words") return;
  for (const [parts, role] of [["thead, tbody", "rowgroup"], ["tr", "row"], ["th", "columnheader"], ["td", "cell"]]) {
    table.querySelectorAll(parts).forEach((part) => part.setAttribute("role", role));
  }
  table.setAttribute("role", "table");
  for (const cell of cells) {
    cell.dataset.label = names[cell.cellIndex];
    const content = document.createElement("div");
    content.append(...cell.childNodes);
    cell.append(content);
  }
}

// What the theme leaves without a name or out of reach of the keyboard. It adds the buttons of code blocks later.
function complete() {
  for (const button of document.querySelectorAll("[data-clipboard-target]:not([data-clipboard-text])")) {
    button.dataset.clipboardText = copied(button);
  }
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  document.querySelectorAll(".md-typeset__scrollwrap").forEach((part) => {
    part.setAttribute("tabindex", "0");
    part.toggleAttribute("data-scrolls", part.scrollWidth > part.clientWidth);
  });
  document.querySelectorAll(".md-typeset table:not([class], [data-layout])").forEach(label);
  document.querySelectorAll(".md-code__nav").forEach((part, i) => part.setAttribute("aria-label", `Code block ${i + 1}`));
}
complete();
new MutationObserver(complete).observe(document.body, { childList: true, subtree: true });
addEventListener("resize", complete);
