// What is shown beside the editor, each view in a tab of its own.
import { button, element, find, prose } from "./elements.js";

const ORDER = { error: 0, warning: 1, info: 2 };
const MOST = 50; // rules whose costs are shown

function count(name, number) {
  find(`view-${name}`).querySelector(".count").textContent = number ?? "";
}

function item(label, finding, { jump, apply }) {
  const place = button(`${label}, line ${finding.line}`, { class: "place" }, jump);
  const rule = element("a", { href: `../rules/${finding.rule}/`, target: "_blank", rel: "noopener" }, finding.rule);
  const head = element("div", { class: "head" }, element("span", { class: "severity" }, finding.severity), " ", rule, " ", place);
  const made = element("li", { class: finding.severity }, head, element("p", { class: "headline" }, ...prose(finding.headline)));
  made.append(element("p", { class: "path" }, finding.where), element("p", { class: "message" }, finding.message));
  if (finding.versions.length) made.append(element("p", {}, `Kubernetes ${finding.versions.join(", ")}`));
  if (finding.help) made.append(element("p", { class: "help" }, ...prose(finding.help)));
  if (finding.fix) {
    const kind = finding.fix.safe ? "" : " (unsafe: check the change)";
    made.append(element("p", { class: "repair" }, button("Fix", { class: "fix" }, apply), ` ${finding.fix.title}${kind}`));
  }
  return made;
}

// `found` has the name of a text and a finding; `act` returns what the buttons of a finding do.
export function findings(found, labels, act) {
  found.sort(([, a], [, b]) => ORDER[a.severity] - ORDER[b.severity]);
  for (const [id, ofUpdate] of [["findings", false], ["changes", true]]) {
    const listed = found.filter(([, one]) => one.is_change === ofUpdate);
    find(id).replaceChildren(...listed.map(([name, one]) => item(labels[name], one, act(name, one))));
    count(id, listed.filter(([, one]) => !ofUpdate || one.severity === "error").length);
  }
}

export function notices(texts) {
  find("notices").replaceChildren(...texts.map((text) => element("li", {}, text)));
}

export function headlines({ kind, verdict, breaking }) {
  find("verdict").className = kind;
  find("verdict").textContent = verdict;
  find("breaking").textContent = breaking;
}

export function costs(all, jump) {
  const most = [...all].sort((a, b) => b.share - a.share).slice(0, MOST);
  count("costs", all.length);
  find("costs").replaceChildren(
    ...most.map((cost) => {
      const percent = cost.share * 100;
      const share = percent >= 1000 ? "more than 10 times" : percent < 0.1 ? "less than 0.1 %" : `${percent.toFixed(percent < 10 ? 1 : 0)} %`;
      const rule = button(cost.rule, { class: "place" }, () => jump(cost));
      const bar = element("meter", { min: 0, max: 100, high: 50, optimum: 0, value: Math.min(percent, 100), "aria-label": share });
      const where = element("span", { class: "path" }, [cost.version, cost.path].filter(Boolean).join(", "));
      return element("li", { class: percent > 100 ? "error" : "" }, bar, element("span", {}, ` ${share} of the limit `), rule, where);
    }),
  );
}

// Empties the views that are filled when they are shown.
export function forget() {
  for (const name of ["versions", "trace"]) {
    find(name).replaceChildren();
    count(name);
  }
}

// Shows a row for each version, and fills it with its verdict when that is known; `ask` rejects when the texts change.
export async function versions(names, ask, choose) {
  const rows = new Map(names.map((name) => [name, element("tr", {}, element("th", { scope: "row" }, button(name, {}, () => choose(name))))]));
  find("versions").replaceChildren(...rows.values());
  let rejected = 0;
  for (const [name, row] of rows) {
    const { kind, verdict, warnings, rules } = await ask(name);
    const word = { good: "accepted", error: verdict.includes("rejects") ? "rejected" : "no answer" }[kind] ?? "no CRD";
    rejected += word === "rejected";
    row.append(element("td", { class: kind }, word), element("td", {}, warnings || ""), element("td", {}, rules.join(", ")));
  }
  count("versions", rejected);
}

export function trace(results, hasResource) {
  const none = hasResource ? "No rule of the CRD is for this resource." : "Write a custom resource in the tab “Resource” to see why rules accept or reject it.";
  const shown = results.map((result) => {
    const made = element("li", { class: result.kind }, element("p", {}, element("strong", {}, result.where), `: ${result.verdict}`));
    made.append(element("pre", {}, result.rule));
    if (result.message) made.append(element("p", { class: "message" }, result.message));
    if (result.why.length) made.append(element("pre", { class: "why" }, result.why.join("\n")));
    return made;
  });
  find("trace").replaceChildren(...(shown.length ? shown : [element("li", {}, none)]));
  count("trace", results.length || undefined);
}

// Asks whether to make edits, which are shown as lines of a diff.
export function confirmed({ diff, count: number }) {
  const dialog = find("fixes");
  const kind = (line) => ({ "+": "added", "-": "removed", "@": "hunk" })[line[0]] ?? "same";
  find("diff").replaceChildren(...diff.map((line) => element("span", { class: kind(line) }, `${line}\n`)));
  find("fixes-title").textContent = `${number} safe ${number === 1 ? "fix" : "fixes"}`;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((done) => dialog.addEventListener("close", () => done(dialog.returnValue === "apply"), { once: true }));
}
