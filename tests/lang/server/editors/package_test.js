// node package_test.js FILE.vsix: reads the archive, checks that each file the extension names is in it, and that its client
// library loads. Prints what fails; the last line is "ok" or "failed".
'use strict';
const fs = require('fs'), os = require('os'), path = require('path'), zlib = require('zlib');

// The entries of a .zip: the central directory lies at the end.
function unpacked(file) {
  const bytes = fs.readFileSync(file), entries = new Map();
  let at = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  let left = bytes.readUInt16LE(at + 10);
  at = bytes.readUInt32LE(at + 16);
  for (; left > 0; --left) {
    const method = bytes.readUInt16LE(at + 10), size = bytes.readUInt32LE(at + 20), names = bytes.readUInt16LE(at + 28);
    const name = bytes.toString('utf8', at + 46, at + 46 + names), local = bytes.readUInt32LE(at + 42);
    const begin = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const data = bytes.subarray(begin, begin + size);
    entries.set(name, method === 0 ? data : zlib.inflateRawSync(data));
    at += 46 + names + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

let failed = false;
function check(good, what) {
  if (good) return;
  failed = true;
  console.log('FAIL ' + what);
}

const entries = unpacked(process.argv[2]);
const extension = JSON.parse(entries.get('extension/package.json'));
const { grammars, snippets, languages } = extension.contributes;
const named = [extension.main, ...grammars.map(g => g.path), ...snippets.map(s => s.path), ...languages.map(l => l.configuration)];
for (const file of named) check(entries.has(path.posix.join('extension', file)) || entries.has(path.posix.join('extension', file + '.js')), file + ' is missing');
for (const file of ['LICENSE.txt', 'LICENSE']) if (entries.has('extension/' + file)) named.push(file);
check(named.some(n => n.startsWith('LICENSE')), 'the licence is missing');
check(entries.has('extension.vsixmanifest'), 'the manifest is missing');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'vsix-'));
for (const [name, data] of entries) {
  const file = path.join(folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, data);
}
const library = path.join(folder, 'extension/node_modules/vscode-languageclient');
check(fs.existsSync(path.join(library, 'node.js')), 'the client library is missing');
for (const dependency of Object.keys(JSON.parse(fs.readFileSync(path.join(library, 'package.json'))).dependencies))
  check(fs.existsSync(path.join(folder, 'extension/node_modules', dependency)), dependency + ' is missing');
check(require(path.join(folder, 'extension/node_modules/vscode-languageserver-protocol')).InitializeRequest !== undefined, 'the protocol does not load');
fs.rmSync(folder, { recursive: true });
console.log(failed ? 'failed' : 'ok');
