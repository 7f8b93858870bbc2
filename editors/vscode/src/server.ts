// The server that the extension brings: a virtual environment, made of the wheels in the extension when it is first needed.

import { execFile } from "node:child_process";
import { promises as fs } from "node:fs";
import * as path from "node:path";
import { promisify } from "node:util";

import { FOLDER, NAME, isProgram } from "./find";

const PYTHONS = ["python3", "python", "py"];
const IS_RECENT = "import sys; sys.exit(sys.version_info < (3, 10))";
const run = promisify(execFile);

/** The program of the server in a folder, installed there if it is not yet; undefined if the extension has no wheels. */
export async function own(wheels: string, folder: string): Promise<string | undefined> {
  const names = await fs.readdir(wheels).catch(() => []);
  const wheel = names.find((name) => name.startsWith("crdlint-"));
  if (wheel === undefined) {
    return undefined;
  }
  const program = path.join(folder, FOLDER, NAME);
  const complete = path.join(folder, "complete"); // written last, so that half an installation is made anew
  if ((await fs.readFile(complete, "utf8").catch(() => "")) === wheel && (await isProgram(program))) {
    return program;
  }
  await fs.rm(folder, { recursive: true, force: true });
  await fs.mkdir(path.dirname(folder), { recursive: true });
  const python = await recentPython();
  await run(python, ["-I", "-m", "venv", folder]);
  const inside = path.join(folder, FOLDER, path.basename(NAME).replace("crdlint", "python"));
  const requirement = `${path.join(wheels, wheel)}[lsp]`;
  await run(inside, ["-I", "-m", "pip", "install", "--quiet", "--no-index", "--find-links", wheels, requirement]);
  await fs.writeFile(complete, wheel);
  return program;
}

/** The first Python that can run the server. */
async function recentPython(): Promise<string> {
  for (const name of PYTHONS) {
    try {
      await run(name, ["-I", "-c", IS_RECENT]);
      return name;
    } catch {
      // it is not there, or too old
    }
  }
  throw new Error("there is no Python 3.10 or later on the PATH");
}
