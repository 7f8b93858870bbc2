// Collects in dist/wheels what the extension's own server is installed from: the wheel of this checkout, and those that it
// needs on this platform, for each Python. Needs Python with pip in PYTHON, and its registry.

import { execFileSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";

const PYTHON = process.env.PYTHON ?? "python3";
const VERSIONS = (process.env.VERSIONS ?? "3.10 3.11 3.12 3.13 3.14").split(" ");
const FOLDER = "dist/wheels";
const pip = (...args) => execFileSync(PYTHON, ["-m", "pip", "--disable-pip-version-check", ...args], { stdio: "inherit" });

rmSync(FOLDER, { recursive: true, force: true });
pip("wheel", "--quiet", "--no-deps", "--wheel-dir", FOLDER, "../..");
const [wheel] = readdirSync(FOLDER);
for (const version of VERSIONS) {
  pip("download", "--quiet", "--only-binary", ":all:", "--python-version", version, "--dest", FOLDER, `${FOLDER}/${wheel}[lsp]`);
}
console.log(`${readdirSync(FOLDER).length} wheels in ${FOLDER}`);
