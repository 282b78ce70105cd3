// As much of VS Code's API as the language client touches: documents that a test opens and edits, and what the client gives
// back. What is not named here is a class that remembers what it was made of, or an event that never fires.
'use strict';
const url = require('url');

class Disposable {
  constructor(action) { this.action = action || (() => {}); }
  dispose() { this.action(); }
  static from(...all) { return new Disposable(() => all.forEach(one => one.dispose())); }
}
class EventEmitter {
  constructor() {
    this.listeners = new Set();
    this.event = (listener, self, disposables) => {
      const bound = self ? listener.bind(self) : listener;
      this.listeners.add(bound);
      const end = new Disposable(() => this.listeners.delete(bound));
      if (Array.isArray(disposables)) disposables.push(end);
      return end;
    };
  }
  fire(value) { return [...this.listeners].map(listener => listener(value)); }
  dispose() { this.listeners.clear(); }
}
class CancellationTokenSource {
  constructor() {
    this.emitter = new EventEmitter();
    this.token = { isCancellationRequested: false, onCancellationRequested: this.emitter.event };
  }
  cancel() { this.token.isCancellationRequested = true; this.emitter.fire(); }
  dispose() {}
}
class Position { constructor(line, character) { this.line = line; this.character = character; } }
class Range {
  constructor(a, b, c, d) {
    this.start = typeof a === 'number' ? new Position(a, b) : a;
    this.end = typeof a === 'number' ? new Position(c, d) : b;
  }
}
class Uri {
  constructor(text) {
    const parsed = new URL(text);
    Object.assign(this, { text, scheme: parsed.protocol.slice(0, -1), authority: parsed.host, path: decodeURIComponent(parsed.pathname) });
    this.fsPath = this.scheme === 'file' ? url.fileURLToPath(text) : this.path;
  }
  toString() { return this.text; }
  static parse(text) { return new Uri(text); }
  static file(path) { return new Uri(url.pathToFileURL(path).toString()); }
}
class Diagnostic {
  constructor(range, message, severity) { Object.assign(this, { range, message, severity }); }
}

class Document {
  constructor(path, languageId, text) {
    Object.assign(this, { uri: Uri.file(path), fileName: path, languageId, version: 1, isClosed: false, isDirty: false, content: text });
  }
  getText() { return this.content; }
  get lineCount() { return this.content.split('\n').length; }
}

const seen = { diagnostics: new Map(), commands: new Map(), errors: [], terminals: [], providers: [], settings: {} };
const events = {};
const event = name => (events[name] = events[name] || new EventEmitter()).event;
const forgotten = () => new Disposable();

const named = {
  version: '1.90.0',
  Disposable, EventEmitter, CancellationTokenSource, Position, Range, Uri, Diagnostic,
  env: { appName: 'VS Code', language: 'en', appHost: 'desktop' },
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
  extensions: { onDidChange: event('extensions'), getExtension: () => undefined, all: [] },
  workspace: own({
    textDocuments: [], workspaceFolders: undefined, notebookDocuments: [],
    getConfiguration: section => own({
      get: (key, otherwise) => (section ? `${section}.${key}` : key) in seen.settings ? seen.settings[section ? `${section}.${key}` : key] : otherwise,
      has: () => false, inspect: () => undefined,
    }),
    createFileSystemWatcher: () => ({ onDidCreate: event('created'), onDidChange: event('changedOnDisk'), onDidDelete: event('deleted'), dispose() {} }),
    applyEdit: async () => true,
  }, 'workspace'),
  languages: own({
    match: (selector, document) => [].concat(selector).some(one => one.language === document.languageId) ? 10 : 0,
    createDiagnosticCollection: name => ({
      name,
      set: (uri, list) => seen.diagnostics.set(uri.toString(), list || []),
      delete: uri => seen.diagnostics.delete(uri.toString()),
      clear: () => seen.diagnostics.clear(), has: uri => seen.diagnostics.has(uri.toString()),
      get: uri => seen.diagnostics.get(uri.toString()), forEach() {}, dispose() {},
    }),
  }, 'languages'),
  window: own({
    activeTextEditor: undefined, visibleTextEditors: [], terminals: [],
    tabGroups: { all: [], onDidChangeTabs: event('tabs'), onDidChangeTabGroups: event('tabGroups') },
    createOutputChannel: () => ({ append() {}, appendLine() {}, replace() {}, clear() {}, show() {}, hide() {}, dispose() {}, name: 'xt' }),
    createTerminal: options => { seen.terminals.push(options); return { show() {}, dispose() {} }; },
    showErrorMessage: async text => { seen.errors.push(text); },
    showWarningMessage: async text => { seen.errors.push(text); },
    showInformationMessage: async () => undefined,
  }, 'window'),
  commands: own({
    registerCommand: (name, action) => { seen.commands.set(name, action); return new Disposable(() => seen.commands.delete(name)); },
    executeCommand: async (name, ...args) => seen.commands.has(name) ? seen.commands.get(name)(...args) : undefined,
  }, 'commands'),
};

// Any other member of a part: onDid… is an event, register… and create… take what they are given.
function own(members, part) {
  return new Proxy(members, {
    get(target, name) {
      if (name in target || typeof name === 'symbol') return target[name];
      if (/^on[DW]/.test(name)) return event(`${part}.${name}`);
      if (/^register/.test(name)) return (...args) => { seen.providers.push([name, ...args]); return forgotten(); };
      return undefined;
    },
  });
}

// Any other class or enumeration.
const made = new Map();
function unknown(name) {
  if (!made.has(name)) {
    class Made { constructor(...args) { this.args = args; } }
    Object.defineProperty(Made, 'name', { value: name });
    made.set(name, new Proxy(Made, { get: (target, key) => (key in target || typeof key === 'symbol' || key === 'prototype' ? target[key] : String(key)) }));
  }
  return made.get(name);
}
const vscode = new Proxy(named, {
  get: (target, name) => (name in target || typeof name === 'symbol' || name === '__esModule' || name === 'then' ? target[name] : unknown(name)),
});

function open(path, text) {
  const document = new Document(path, 'xt', text);
  named.workspace.textDocuments.push(document);
  events['workspace.onDidOpenTextDocument'] && events['workspace.onDidOpenTextDocument'].fire(document);
  return document;
}
// Replaces what stands in the range; both ends in UTF-16 units.
function edit(document, range, text) {
  const lines = document.content.split('\n');
  const at = p => lines.slice(0, p.line).reduce((sum, line) => sum + line.length + 1, 0) + p.character;
  const begin = at(range.start), end = at(range.end);
  document.content = document.content.slice(0, begin) + text + document.content.slice(end);
  document.version += 1;
  const change = { range, rangeOffset: begin, rangeLength: end - begin, text };
  return events['workspace.onDidChangeTextDocument'].fire({ document, contentChanges: [change], reason: undefined });
}

module.exports = { vscode, seen, open, edit };
