// What is shown beside the editor, each view in a tab of its own.
import { button, element, find, prose } from "./elements.js";

const ORDER = { error: 0, warning: 1, info: 2 };

export function count(name, number) {
  find(`view-${name}`).querySelector(".count").textContent = number ?? "";
}

function head(label, finding, jump) {
  const place = button(`${label}, line ${finding.line}`, { class: "place" }, jump);
  const rule = element("a", { href: `../rules/${finding.rule}/`, target: "_blank", rel: "noopener" }, finding.rule);
  return element("div", { class: "head" }, element("span", { class: "severity" }, finding.severity), " ", rule, " ", place);
}

// What is wrong, where, and what the server says; only the server's sentence is to the letter.
function body(finding, { hasHelp = true } = {}) {
  const said = finding.sentences.map(({ label, text }) =>
    label === "server" ? element("p", { class: "message" }, text) : element("p", {}, ...prose(text)),
  );
  const versions = finding.versions.length ? [element("p", {}, `Kubernetes ${finding.versions.join(", ")}`)] : [];
  const help = hasHelp && finding.help ? [element("p", { class: "help" }, ...prose(finding.help))] : [];
  return [element("p", { class: "headline" }, ...prose(finding.headline)), element("p", { class: "path" }, finding.where), ...help, ...said, ...versions];
}

// A card for a finding and for those that follow from it, which have no fix of their own.
function card(label, finding, following, act) {
  const { jump, apply } = act(finding);
  const made = element("li", { class: finding.severity }, head(label, finding, jump), ...body(finding));
  if (finding.fix) {
    const kind = finding.fix.safe ? "" : " (unsafe: check the change)";
    made.append(element("p", { class: "repair" }, button("Fix", { class: "fix" }, apply), ` ${finding.fix.title}${kind}`));
  }
  for (const other of following) {
    const remark = element("p", { class: "about" }, "Follows from the finding above:");
    made.append(element("div", { class: "consequence" }, remark, head(label, other, act(other).jump), ...body(other, { hasHelp: false })));
  }
  return made;
}

// `texts` has for each text its findings with its name; `act` returns what the buttons of a finding do, and `empty` has what
// is shown where there are none.
export function findings(texts, labels, act, empty = {}) {
  const cards = texts.flatMap((found) =>
    found
      .filter(([, one]) => one.follows === null)
      .map(([name, one]) => {
        const number = found.findIndex(([, each]) => each === one);
        const following = found.filter(([, each]) => each.follows === number).map(([, each]) => each);
        return { one, made: card(labels[name], one, following, (each) => act(name, each)) };
      }),
  );
  cards.sort((a, b) => ORDER[a.one.severity] - ORDER[b.one.severity]);
  for (const [id, ofUpdate] of [["findings", false], ["changes", true]]) {
    const listed = cards.filter(({ one }) => one.is_change === ofUpdate);
    const none = empty[id] ? [element("li", { class: "none" }, empty[id])] : [];
    find(id).replaceChildren(...(listed.length ? listed.map(({ made }) => made) : none));
    const all = texts.flat().filter(([, one]) => one.is_change === ofUpdate);
    count(id, all.filter(([, one]) => !ofUpdate || one.severity === "error").length);
  }
}

// Marks the tabs of texts that have findings with the number of the worst ones, as the verdict counts them.
export function marks(answer) {
  for (const name of ["crd", "resource"]) {
    const found = answer[name].filter((one) => !one.is_change);
    const isHere = (severity) => found.some((one) => one.severity === severity);
    const worst = Object.keys(ORDER).find(isHere) ?? "";
    const mark = find(`tab-${name}`).querySelector(".count");
    mark.className = `count ${worst}`;
    mark.textContent = found.filter((one) => one.severity === worst).length || "";
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

// A share of a limit, on a scale on which 0.001 %, 1 % and 1000 % are equally far from each other.
function bar(share) {
  const value = Math.max(0, Math.min(100, ((Math.log10(Math.max(share, 1e-6)) + 5) / 6) * 100));
  const level = share > 1 ? "error" : share > 0.5 ? "warning" : "good";
  const filled = element("span", { class: `filled ${level}`, style: `width: ${value.toFixed(1)}%` });
  return element("span", { class: "bar", role: "img", "aria-label": percent(share) }, filled, element("span", { class: "limit" }));
}

function percent(share) {
  if (share > 100) return `${Math.round(share).toLocaleString("en")} times the limit`;
  const number = share * 100;
  return number < 0.01 ? "less than 0.01 % of the limit" : `${Number(number.toPrecision(2)).toLocaleString("en")} % of the limit`;
}

export function costs({ rules, schemas, count: number }, jump) {
  const sum = ({ version, cost, share, limit }) =>
    element("p", {}, `All rules${version ? ` of ${version}` : ""}: `, element("strong", {}, cost), ` of ${limit}, ${percent(share)}.`);
  const row = (cost) => {
    const where = [cost.version, cost.path].filter(Boolean).join(", ");
    const made = element("li", { class: cost.share > 1 ? "error" : "" }, bar(cost.share));
    made.append(element("p", { class: "number" }, element("strong", {}, cost.cost), ` of ${cost.limit}, ${percent(cost.share)}`));
    made.append(button(cost.rule, { class: "place" }, () => jump(cost)), element("span", { class: "path" }, where));
    if (cost.help) made.append(element("p", { class: "help" }, ...prose(cost.help)));
    return made;
  };
  const rest = number - rules.length;
  const more = rest > 0 ? [element("li", {}, `and ${rest.toLocaleString("en")} more that cost less`)] : [];
  find("sums").replaceChildren(...schemas.map(sum));
  find("costs").replaceChildren(...rules.map(row), ...more, ...(number ? [] : [element("li", {}, "The CRD has no rules in CEL.")]));
}

// The value of an expression, or why it has none.
export function value({ type, value: shown, cost, error }) {
  const parts = error ? [element("pre", { class: "error" }, error)] : [element("pre", {}, shown), element("p", { class: "about" }, `${type}, cost ${cost}`)];
  find("value").replaceChildren(...parts);
}

// Empties the views that are filled when they are shown.
export function forget() {
  for (const name of ["versions", "trace", "costs", "sums", "value"]) find(name).replaceChildren();
  for (const name of ["versions", "trace", "costs"]) count(name);
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
