// The filter of the table of rules.
const filter = document.getElementById("rules-filter");
filter?.addEventListener("input", () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const list of document.querySelectorAll(".rules")) {
    for (const rule of list.children) {
      const text = rule.textContent.toLowerCase();
      rule.hidden = !words.every((word) => text.includes(word));
    }
    const isEmpty = [...list.children].every((rule) => rule.hidden);
    list.hidden = list.previousElementSibling.hidden = isEmpty;
  }
});

// What the theme leaves without a name or out of reach of the keyboard. It adds the buttons of code blocks later.
function complete() {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  document.querySelectorAll(".md-typeset__scrollwrap").forEach((part) => part.setAttribute("tabindex", "0"));
  document.querySelectorAll(".md-code__nav").forEach((part, i) => part.setAttribute("aria-label", `Code block ${i + 1}`));
}
complete();
new MutationObserver(complete).observe(document.body, { childList: true, subtree: true });
