// Starts the language server and hands it the .xt files that are open. What the server offers, VS Code finds by itself.
'use strict';
const path = require('path');
const vscode = require('vscode');
const { LanguageClient, TransportKind } = require('vscode-languageclient/node');

let client;

function makeClient() {
  const command = vscode.workspace.getConfiguration('xt').get('server.path') || 'xt-lsp';
  const server = { command, args: [], transport: TransportKind.stdio };
  return new LanguageClient('xt', 'xt', server, {
    documentSelector: [{ language: 'xt' }],
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher('**/*.xt') },
  });
}

async function start() {
  client = makeClient();
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `xt: the language server did not start (${error.message}). The setting xt.server.path says where xt-lsp is.`);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running && running.needsStop()) await running.stop();
}

// Code lenses name a tool and its arguments: it runs in a terminal, where its output is looked at. Tools stand beside the
// server.
function run(tool, args) {
  const server = vscode.workspace.getConfiguration('xt').get('server.path') || 'xt-lsp';
  const program = server.includes(path.sep) ? path.join(path.dirname(server), tool) : tool;
  const terminal = vscode.window.createTerminal({ name: `${tool} ${args.join(' ')}`, shellPath: program, shellArgs: args });
  terminal.show();
  return terminal;
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand('xt.restartServer', async () => {
      await stop();
      await start();
    }),
    vscode.commands.registerCommand('xt.run', (tool, args) => run(tool, args || [])));
  await start();
}

module.exports = { activate, deactivate: stop };
