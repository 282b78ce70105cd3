// node extension_test.js: the VS Code extension on Microsoft's language client, under a stand-in for VS Code. NODE_PATH holds the
// packages, XT_ROOT the tree, XT_LSP the server; without one, how the extension says that there is none.
'use strict';
const Module = require('module'), path = require('path'), assert = require('assert');
const stub = require('./vscode_stub.js');
const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? stub.vscode : load(name, ...rest));
const { seen, vscode } = stub;
const extension = require(path.join(process.env.XT_ROOT, 'lang/server/editors/vscode/extension.js'));

const pause = () => new Promise(done => setTimeout(done, 10));
async function until(what, condition) {
  for (let i = 0; i < 2000; ++i) {
    if (condition()) return;
    await pause();
  }
  throw new Error(`never: ${what}; errors: ${seen.errors.join('; ')}`);
}
const context = () => ({ subscriptions: [] });

async function withoutServer() {
  seen.settings['xt.server.path'] = '/no/such/xt-lsp';
  await extension.activate(context());
  await until('a message that there is no server', () => seen.errors.length > 0);
  assert.ok(seen.errors.some(text => text.includes('xt.server.path')), seen.errors.join('; '));
  await extension.deactivate();
  seen.errors.length = 0;
}

async function lenses() {
  seen.settings['xt.server.path'] = '/some/bin/xt-lsp';
  seen.commands.get('xt.run')('xtrun', ['--test', 'exact', 'a.xt']);
  assert.deepStrictEqual([seen.terminals[0].shellPath, seen.terminals[0].shellArgs], ['/some/bin/xtrun', ['--test', 'exact', 'a.xt']]);
}

async function withServer(server) {
  seen.settings['xt.server.path'] = server;
  const document = stub.open('/tmp/stub.xt', '// \u{1D54F}\nkernel @k() {\n  print "x", %nothing\n}\n');
  await extension.activate(context());
  const of = () => seen.diagnostics.get(document.uri.toString()) || [];
  await until('a diagnostic', () => of().length === 1);
  const d = of()[0];
  assert.deepStrictEqual([d.range.start.line, d.range.start.character, d.range.end.character], [2, 13, 21]);
  assert.match(d.message, /%nothing/);
  await Promise.all(stub.edit(document, d.range, '1'));
  await until('no diagnostic after the edit', () => of().length === 0);
  for (const name of ['registerHoverProvider', 'registerDefinitionProvider', 'registerCompletionItemProvider', 'registerDocumentFormattingEditProvider'])
    if (!seen.providers.some(([registered]) => registered === name)) console.log(`note: the server has no ${name}`);
  await vscode.commands.executeCommand('xt.restartServer');
  await until('the diagnostics of a new server', () => seen.diagnostics.has(document.uri.toString()));
  await extension.deactivate();
  assert.deepStrictEqual(seen.errors, []);
}

(async () => {
  await withoutServer();
  await lenses();
  if (process.env.XT_LSP) await withServer(process.env.XT_LSP);
  else console.log('skipped: no server');
  console.log('ok');
  process.exit(0);
})().catch(error => {
  console.log(`FAIL ${error.stack}`);
  console.log('failed');
  process.exit(0);
});
