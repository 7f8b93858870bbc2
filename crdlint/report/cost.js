"use strict";
const table = document.querySelector("table");
const headers = [...table.tHead.querySelectorAll("th")];
const rules = [...table.tBodies];
const text = new Intl.Collator("en", {numeric: true});
const compare = {
  number: (a, b) => a < b ? -1 : a > b ? 1 : 0,
  text: (a, b) => text.compare(a, b),
};
const first = {number: "descending", text: "ascending"};
const other = {ascending: "descending", descending: "ascending"};

function sort(column) {
  const header = headers[column];
  const kind = header.dataset.kind;
  const order = other[header.getAttribute("aria-sort")] || first[kind];
  const sign = order === "ascending" ? 1 : -1;
  const keyed = rules.map(rule => {
    const key = rule.querySelectorAll("[data-sort]")[column].dataset.sort;
    return {rule, key: kind === "number" ? BigInt(key) : key};
  });
  keyed.sort((a, b) => sign * compare[kind](a.key, b.key));
  table.append(...keyed.map(one => one.rule));
  headers.forEach(one => one.removeAttribute("aria-sort"));
  header.setAttribute("aria-sort", order);
}

headers.forEach((header, column) => {
  const button = header.querySelector("button");
  button.disabled = false;
  button.addEventListener("click", () => sort(column));
});
