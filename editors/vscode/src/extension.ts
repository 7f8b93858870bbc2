// Starts `crdlint lsp` for the open workspace, and passes it the settings of the editor.

import * as vscode from "vscode";
import { CloseAction, ErrorAction, LanguageClient, State } from "vscode-languageclient/node";

import { find, notFound } from "./find";
import { own } from "./server";

const LANGUAGES = ["yaml", "helm", "json"];
const FIX_ALL = "source.fixAll.crdlint";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("crdlint", { log: true });
  context.subscriptions.push(
    log,
    vscode.commands.registerCommand("crdlint.restart", () => restart(context, log)),
    vscode.commands.registerCommand("crdlint.showLog", () => log.show()),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("crdlint.path")) {
        await restart(context, log);
      } else if (event.affectsConfiguration("crdlint")) {
        await client?.sendNotification("workspace/didChangeConfiguration", { settings: { crdlint: options() } });
      }
    }),
    vscode.workspace.onWillSaveTextDocument((event) => {
      const isFixed = vscode.workspace.getConfiguration("crdlint", event.document).get("fixOnSave", false);
      if (isFixed && client?.state === State.Running && LANGUAGES.includes(event.document.languageId)) {
        event.waitUntil(fixes(event.document));
      }
    }),
  );
  await start(context, log);
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

/** What the language server takes as its settings. */
function options(): { kubeVersion?: string; hidden: boolean } {
  const settings = vscode.workspace.getConfiguration("crdlint");
  return { kubeVersion: settings.get("kubeVersion") || undefined, hidden: settings.get("hidden", false) };
}

async function restart(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Promise<void> {
  const old = client;
  client = undefined;
  await old?.dispose();
  await start(context, log);
}

async function start(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Promise<void> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  const configured = vscode.workspace.getConfiguration("crdlint").get("path", "");
  const installed = await find(configured, folders, vscode.workspace.isTrusted);
  const command = installed ?? (configured ? undefined : await ownServer(context, log));
  if (command === undefined) {
    await sayNotFound(log, notFound(configured));
    return;
  }
  log.info(`Starting ${command} lsp`);
  const server = { command, args: ["lsp"], options: { cwd: folders[0] } };
  client = new LanguageClient("crdlint", "crdlint", server, {
    documentSelector: LANGUAGES.map((language) => ({ language })),
    initializationOptions: options(),
    outputChannel: log,
    traceOutputChannel: log,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue }),
      closed: () => ({ action: CloseAction.DoNotRestart, message: "crdlint lsp has ended: see the log" }),
    },
  });
  try {
    await client.start();
  } catch (error) {
    await sayNotFound(log, `${command} lsp does not start: ${error}. It needs the extra "lsp": pip install "crdlint[lsp]"`);
  }
}

/** The server that the extension brings, undefined if it cannot be installed. */
async function ownServer(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Promise<string | undefined> {
  const title = "crdlint: installing the language server";
  const folder = vscode.Uri.joinPath(context.globalStorageUri, "server").fsPath;
  try {
    return await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () =>
      own(context.asAbsolutePath("wheels"), folder),
    );
  } catch (error) {
    log.error(`The server of the extension cannot be installed: ${error}`);
    return undefined;
  }
}

async function sayNotFound(log: vscode.LogOutputChannel, message: string): Promise<void> {
  log.error(message);
  const setting = "Open the setting";
  if ((await vscode.window.showErrorMessage(`crdlint: ${message}`, setting)) === setting) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "crdlint.path");
  }
}

/** The edits of all safe fixes of a document. */
async function fixes(document: vscode.TextDocument): Promise<vscode.TextEdit[]> {
  const end = document.lineAt(document.lineCount - 1).range.end;
  const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
    "vscode.executeCodeActionProvider",
    document.uri,
    new vscode.Range(new vscode.Position(0, 0), end),
    FIX_ALL,
    1, // resolved, with their edits
  );
  return actions.flatMap((action) => action.edit?.get(document.uri) ?? []);
}
