// The filter of the table of rules: by words of a rule, or by a message of the API server that someone pastes.
const filter = document.getElementById("rules-filter");
const LETTERS = /[a-z][a-z-]+/g;
const FEWEST = 3; // words of a message that tell rules apart

// Whether the fixed words of one of a rule's messages are all in a text.
function isOf(rule, words) {
  const messages = (rule.dataset.messages ?? "").split("|").filter(Boolean);
  return messages.some((message) => {
    const fixed = message.split(" ");
    return fixed.length >= FEWEST && fixed.every((word) => words.has(word));
  });
}

function show() {
  const query = filter.value.toLowerCase();
  const words = query.split(/\s+/).filter(Boolean);
  const ofMessage = new Set(query.match(LETTERS) ?? []);
  let matches = 0;
  for (const list of document.querySelectorAll(".rules")) {
    let own = 0;
    for (const rule of list.children) {
      const text = `${rule.textContent} ${rule.dataset.keywords ?? ""}`.toLowerCase();
      const isShown = words.every((word) => text.includes(word)) || isOf(rule, ofMessage);
      rule.hidden = !isShown;
      own += isShown;
    }
    list.hidden = list.previousElementSibling.hidden = own === 0;
    matches += own;
  }
  document.getElementById("rules-none").hidden = matches > 0;
}
filter?.addEventListener("input", show);

// Copies a command without its prompt, and without what it prints.
function copied(button) {
  const code = document.querySelector(button.dataset.clipboardTarget ?? null)?.textContent ?? "";
  const commands = code.split("\n").filter((line) => line.startsWith("$ "));
  return commands.length ? commands.map((line) => line.slice(2)).join("\n") : code;
}

// What the theme leaves without a name or out of reach of the keyboard. It adds the buttons of code blocks later.
function complete() {
  for (const button of document.querySelectorAll("[data-clipboard-target]:not([data-clipboard-text])")) {
    button.dataset.clipboardText = copied(button);
  }
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  document.querySelectorAll(".md-typeset__scrollwrap").forEach((part) => part.setAttribute("tabindex", "0"));
  document.querySelectorAll(".md-code__nav").forEach((part, i) => part.setAttribute("aria-label", `Code block ${i + 1}`));
}
complete();
new MutationObserver(complete).observe(document.body, { childList: true, subtree: true });
