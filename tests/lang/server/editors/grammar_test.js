// node grammar_test.js: the TextMate grammar on VS Code's own engine. NODE_PATH holds the packages, XT_ROOT the tree.
'use strict';
const fs = require('fs'), path = require('path');
const textmate = require('vscode-textmate'), oniguruma = require('vscode-oniguruma');
const root = process.env.XT_ROOT, grammarFile = path.join(root, 'lang/server/editors/vscode/syntaxes/xt.tmLanguage.json');

async function load() {
  const wasm = fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: patterns => new oniguruma.OnigScanner(patterns),
      createOnigString: text => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(fs.readFileSync(grammarFile, 'utf8'), grammarFile),
  });
  return registry.loadGrammar('source.xt');
}

let failed = false;
const fail = text => { failed = true; console.log('FAIL ' + text); };

// The innermost scope of each word of a line.
function scopesOf(grammar, line) {
  return grammar.tokenizeLine(line, textmate.INITIAL).tokens.map(
    t => [line.slice(t.startIndex, t.endIndex).trim(), t.scopes[t.scopes.length - 1]]);
}

(async () => {
  const grammar = await load();
  const expected = [
    ['kernel @gemm(%A: memref<?x8xf16>, %n: index)', 'kernel', 'keyword.declaration.xt'],
    ['kernel @gemm(%A: memref<?x8xf16>, %n: index)', '@gemm', 'entity.name.function.xt'],
    ['kernel @gemm(%A: memref<?x8xf16>, %n: index)', '%A', 'variable.other.xt'],
    ['kernel @gemm(%A: memref<?x8xf16>, %n: index)', 'memref', 'storage.type.xt'],
    ['kernel @gemm(%A: memref<?x8xf16>, %n: index)', '8', 'constant.numeric.xt'],
    ['kernel @gemm(%A: memref<?x8xf16>, %n: index)', 'f16', 'storage.type.xt'],
    ['kernel @gemm(%A: memref<?x8xf16>, %n: index)', '%n', 'variable.other.xt'],
    ['kernel @gemm(%A: memref<?x8xf16>, %n: index)', 'index', 'storage.type.xt'],
    ['  %b = xetile.load_tile %t {padding = 0.5}', 'xetile.load_tile', 'support.function.op.xt'],
    ['  %b = xetile.load_tile %t {padding = 0.5}', '0.5', 'constant.numeric.xt'],
    ['  %t = init_tile %A[0, 0] -> tile<$BM x 32 x f32, #map>', '$BM', 'variable.parameter.xt'],
    ['  %t = init_tile %A[0, 0] -> tile<$BM x 32 x f32, #map>', '#map', 'entity.name.type.alias.xt'],
    ['  %t = init_tile %A[0, 0] -> tile<$BM x 32 x f32, #map>', '->', 'keyword.operator.xt'],
    ['  for %k = 0 to 8 step 2 {  // loop', 'step', 'keyword.control.xt'],
    ['  for %k = 0 to 8 step 2 {  // loop', '// loop', 'comment.line.double-slash.xt'],
    ['  %A = random(seed = 1)', 'random', 'support.function.host.xt'],
    ['  %C = constant -inf : f32', 'inf', 'constant.language.xt'],
  ];
  for (const [line, word, scope] of expected) {
    const found = scopesOf(grammar, line).find(([text]) => text === word);
    if (!found || found[1] !== scope) fail(`${word} in "${line}": ${found ? found[1] : 'no such token'}, not ${scope}`);
  }
  // Nothing runs over the end of its line, and every name with a sigil has a scope of its own.
  for (const folder of ['examples', 'stdlib'])
    for (const file of fs.readdirSync(path.join(root, folder)).filter(name => name.endsWith('.xt'))) {
      let state = textmate.INITIAL;
      fs.readFileSync(path.join(root, folder, file), 'utf8').split('\n').forEach((line, number) => {
        const result = grammar.tokenizeLine(line, state);
        if (result.ruleStack.depth !== 1) fail(`${file}:${number + 1}: a scope is open at the end of the line`);
        for (const t of result.tokens) {
          const word = line.slice(t.startIndex, t.endIndex);
          if (t.scopes.length === 1 && /[%#!$@"]|\/\//.test(word)) fail(`${file}:${number + 1}: no scope for "${word}"`);
        }
        state = result.ruleStack;
      });
    }
  console.log(failed ? 'failed' : 'ok');
})().catch(error => { console.log(`FAIL ${error.stack}`); console.log('failed'); });
