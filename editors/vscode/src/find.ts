// Where crdlint is installed.

import { constants, promises as fs } from "node:fs";
import * as path from "node:path";

const ENVIRONMENTS = [".venv", "venv", "env"];
export const [FOLDER, NAME] = process.platform === "win32" ? ["Scripts", "crdlint.exe"] : ["bin", "crdlint"];

/** The program to start: that of the setting, of the workspace's environment if it is trusted, or of the PATH. */
export async function find(configured: string, folders: string[], isTrusted: boolean): Promise<string | undefined> {
  if (configured) {
    const written = configured.replace(/^~(?=$|[/\\])/, process.env.HOME ?? "~");
    const places = path.isAbsolute(written) ? [written] : folders.map((folder) => path.join(folder, written));
    return first(/[/\\]/.test(written) ? places : onPath(written));
  }
  const environments = isTrusted ? folders.flatMap((folder) => ENVIRONMENTS.map((name) => path.join(folder, name))) : [];
  const active = process.env.VIRTUAL_ENV ? [process.env.VIRTUAL_ENV] : [];
  return first([...[...environments, ...active].map((environment) => path.join(environment, FOLDER, NAME)), ...onPath(NAME)]);
}

/** What to do if it is not there. */
export function notFound(configured: string): string {
  return configured
    ? `the setting crdlint.path names ${configured}, which cannot be run`
    : 'it is not installed. Install it with pip install "crdlint[lsp]", or name it in the setting crdlint.path';
}

function onPath(name: string): string[] {
  return (process.env.PATH ?? "").split(path.delimiter).filter(Boolean).map((folder) => path.join(folder, name));
}

async function first(files: string[]): Promise<string | undefined> {
  for (const file of files) {
    if (await isProgram(file)) {
      return file;
    }
  }
  return undefined;
}

/** Whether a file can be run. */
export async function isProgram(file: string): Promise<boolean> {
  try {
    await fs.access(file, constants.X_OK);
    return (await fs.stat(file)).isFile();
  } catch {
    return false;
  }
}
