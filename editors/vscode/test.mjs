// Tries the packaged extension in code-server, which is Visual Studio Code in a browser.
//
// Needs: CODE_SERVER (out/node/entry.js of the package code-server), CHROMIUM, dist/crdlint.vsix. CRDLINT is the program for the
// setting `crdlint.path`; without it, the extension has to install the server that it brings. Writes pictures of what is seen to the folder PICTURES, if it is given.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";

const { CODE_SERVER, CHROMIUM = "/usr/bin/chromium", CRDLINT = "", PICTURES } = process.env;
const CRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [replicas]
            x-kubernetes-validations:
            - rule: self.replica > 0
            properties:
              replicas:
                type: integer
`;
const home = mkdtempSync(path.join(tmpdir(), "crdlint-vscode-"));
const folder = path.join(home, "widgets");
const file = path.join(folder, "widgets.yaml");
const data = ["--user-data-dir", path.join(home, "data"), "--extensions-dir", path.join(home, "extensions")];
mkdirSync(path.join(folder, ".vscode"), { recursive: true });
mkdirSync(path.join(home, "data", "User"), { recursive: true });
writeFileSync(file, CRD);
writeFileSync(
  path.join(home, "data", "User", "settings.json"),
  JSON.stringify({
    "crdlint.path": CRDLINT,
    "editor.autoClosingBrackets": "never",
    "editor.autoClosingQuotes": "never",
    "[yaml]": { "editor.autoIndent": "none" },
    "files.autoSave": "off",
    "security.workspace.trust.enabled": false,
    "telemetry.telemetryLevel": "off",
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": false,
    "chat.commandCenter.enabled": false,
  }),
);

// No crdlint but that of the setting or of the extension.
const PATH = process.env.PATH.split(path.delimiter).filter((each) => !existsSync(path.join(each, "crdlint"))).join(path.delimiter);
const env = { ...process.env, PATH };
delete env.VIRTUAL_ENV;
const port = await freePort();
execFileSync("node", [CODE_SERVER, ...data, "--install-extension", path.resolve("dist/crdlint.vsix")], { stdio: "inherit" });
const server = spawn("node", [CODE_SERVER, ...data, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, folder], {
  env,
  stdio: "inherit",
});
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-background-networking"] });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  page.setDefaultTimeout(120_000); // a loaded machine takes its time
  await open(page);
  const checks = { finding, fix, completion, rulePage, settings, fixOnSave };
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check(page);
      console.log(`ok ${name}`);
    } finally {
      await picture(page, name);
    }
  }
} finally {
  await browser.close();
  server.kill();
}

async function freePort() {
  const probe = createServer();
  await new Promise((done) => probe.listen(0, "127.0.0.1", done));
  const { port } = probe.address();
  await new Promise((done) => probe.close(done));
  return port;
}

async function picture(page, name) {
  if (PICTURES) {
    await page.screenshot({ path: path.join(PICTURES, `${name}.png`) });
  }
}

async function open(page) {
  const address = `http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}`;
  for (let answers = false; !answers; ) {
    answers = await page.goto(address).then(() => true, () => false);
    await new Promise((done) => setTimeout(done, 200));
  }
  await page.locator(".monaco-workbench").waitFor();
  await page.locator(".explorer-folders-view").getByText("widgets.yaml").dblclick();
  await page.locator(".view-line").filter({ hasText: "apiVersion" }).first().waitFor();
}

/** A CRD with a finding has it in the text and among the problems. */
async function finding(page) {
  await page.locator(".squiggly-error").first().waitFor({ timeout: 120_000 }); // the server is installed first
  await command(page, "Problems: Focus on Problems View");
  await page.locator(".markers-panel").getByText("no field").first().waitFor();
  await page.locator(".markers-panel").getByText("no field").first().dblclick(); // shows its line
  await page.locator(".squiggly-error").first().waitFor();
  await page.keyboard.press("Escape"); // the hover
}

/** The quick fix of the finding writes the field that is meant. */
async function fix(page) {
  await page.locator(".markers-panel").getByText("no field").first().dblclick();
  await page.locator(".view-line").filter({ hasText: /rule:/ }).first().waitFor();
  await page.keyboard.press("Escape"); // the hover
  const actions = page.locator(".action-widget .monaco-list-row");
  while (!(await actions.first().isVisible())) {
    await page.keyboard.press("Control+.");
    await actions.first().waitFor({ timeout: 3_000 }).catch(() => page.keyboard.press("Escape"));
  }
  assert.match(await actions.filter({ hasText: /\w/ }).allInnerTexts().then((texts) => texts.join("\n")), /Correct the expression/);
  await page.keyboard.press("Enter");
  await line(page, "rule: self.replicas > 0");
  await page.locator(".squiggly-error").first().waitFor({ state: "detached" });
}

/** The fields of an object are offered in a rule. */
async function completion(page) {
  await replace(page, CRD.replace("self.replica > 0", "self."));
  await page.keyboard.press("Control+Home");
  for (let i = 1; i < CRD.split("\n").findIndex((each) => each.includes("rule:")) + 1; i++) {
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("End");
  await page.keyboard.press("Control+Space");
  await page.locator(".suggest-widget .monaco-list-row").filter({ hasText: "replicas" }).first().waitFor();
}

/** The code of a finding is a link to the page of its rule. */
async function rulePage(page) {
  await page.keyboard.press("Escape"); // the list of fields
  await replace(page, CRD);
  const link = page.locator(".markers-panel .monaco-link").first();
  await link.waitFor();
  assert.match((await link.getAttribute("href")) ?? (await link.innerText()), /cel-compilation/);
}

/** A changed version is used without a restart. */
async function settings(page) {
  const rule = "isIP('10.0.0.1')";
  await replace(page, CRD.replace("self.replica > 0", rule));
  await page.locator(".squiggly-error").first().waitFor({ state: "detached" });
  write({ "crdlint.kubeVersion": "1.29" });
  await page.locator(".squiggly-error").first().waitFor();
  write({ "crdlint.kubeVersion": "" });
  await page.locator(".squiggly-error").first().waitFor({ state: "detached" });
}

/** Safe fixes are applied on save, if the setting says so. */
async function fixOnSave(page) {
  write({ "crdlint.fixOnSave": true });
  await replace(page, CRD);
  await page.locator(".squiggly-error").first().waitFor();
  await page.keyboard.press("Control+s");
  await line(page, "rule: self.replicas > 0");
  await page.locator(".squiggly-error").first().waitFor({ state: "detached" });
  while (!readFileSync(file, "utf8").includes("self.replicas")) {
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** Write the settings of the workspace. */
function write(values) {
  writeFileSync(path.join(folder, ".vscode", "settings.json"), JSON.stringify(values));
}

/** Run a command of the palette. */
async function command(page, name) {
  const input = page.locator(".quick-input-widget input[type=text]");
  await page.keyboard.press("F1");
  await input.fill(`>${name}`);
  await page.locator(".quick-input-list .monaco-list-row").filter({ hasText: name.split(": ").pop() }).first().click();
}

async function line(page, text) {
  await page.locator(".view-line").filter({ hasText: new RegExp(text.replace(/[.>()]/g, "\\$&").replaceAll(" ", "\\s")) }).first().waitFor();
}

async function replace(page, text) {
  await page.locator(".view-lines").first().click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}
