"use strict";
const table = document.querySelector("table");
const headers = table ? [...table.tHead.querySelectorAll("th")] : [];
const rules = table ? [...table.tBodies] : [];
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

const filters = document.querySelector(".filters");
if (filters) {
  const findings = [...document.querySelectorAll(".finding")];
  const shows = {
    severity: (finding, value) => finding.dataset.severity === value,
    rule: (finding, value) => finding.dataset.rule === value,
    versions: (finding, value) => finding.dataset.versions.trim() === "" || finding.dataset.versions.includes(` ${value} `),
  };
  const filter = () => {
    const chosen = [...filters.elements].filter(one => one.value && shows[one.name]);
    findings.forEach(one => { one.hidden = !chosen.every(by => shows[by.name](one, by.value)); });
    document.querySelectorAll(".group").forEach(one => { one.hidden = !one.querySelector(".finding:not([hidden])"); });
    const count = all => all.reduce((sum, one) => sum + Number(one.dataset.count), 0);
    filters.querySelector("output").textContent = `${count(findings.filter(one => !one.hidden))} of ${count(findings)} shown`;
  };
  filters.hidden = false;
  filters.addEventListener("change", filter);
  filters.addEventListener("submit", event => event.preventDefault());
  filter();
}

const search = document.querySelector(".search");
if (search) {
  const words = new Map(rules.map(rule => [rule, rule.textContent.toLowerCase().replace(/\s+/g, " ")]));
  const filter = () => {
    const wanted = search.querySelector("input").value.trim().toLowerCase().replace(/\s+/g, " ");
    rules.forEach(rule => { rule.hidden = !words.get(rule).includes(wanted); });
    const shown = rules.filter(rule => !rule.hidden).length;
    search.querySelector("output").textContent = `${shown} of ${rules.length} shown`;
  };
  search.hidden = rules.length < 2;
  search.addEventListener("input", filter);
  search.addEventListener("submit", event => event.preventDefault());
  filter();
}
