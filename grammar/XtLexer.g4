// The tokens of the language. Contains no target code; lang/parse handles everything that depends on the context:
//   lexer_base.cc    enters SHAPE at the '<' of a shaped type; skips blanks and comments
//   shape_tokens.cc  rewrites the token list before the parser sees it: line ends (NL), blocks, angle brackets, ops
lexer grammar XtLexer;
options { superClass = LexerBase; }
@lexer::postinclude {#include "lang/parse/lexer_base.h"}

// Created by lang/parse/shape_tokens.cc; no rule of this file matches them.
tokens {
  NL,               // the end of a statement or item
  LBLOCK, RBLOCK,   // the braces of a block of statements; LBRACE and RBRACE are those of attributes and sizes
  LANGLE, RANGLE,   // the brackets of types, mappings and kinds; LT and GT are comparisons
  SHR,              // two comparisons without a blank between them: >>
  SPLICE,           // the ':' of %x:2
  // The name of an op. There is one token per clause shape, which the op's row in ir/ops gives (enum Clause in ir/op_info.h).
  OP_OPERANDS, OP_BASE, OP_LOCALITY, OP_KIND, OP_DIMS, OP_LITERAL, OP_TEXT, OP_BARE, OP_DIMENSION,
  HOST_FUNC,        // the `func` of a function of tests: its parameters have no types
  HOST_MESH, HOST_SHARD, HOST_START, HOST_COMMUNICATION, HOST_WAIT, // the words of statements about ranks, at their beginning
  FLAG              // a flag of MLIR after an op's operands: fastmath, overflow, exact … (ir/op_flags.h)
}

// ---- words that are never plain names in an expression (rule hardWord) ----------------------------------------------
KW_KERNEL: 'kernel';
KW_FUNC: 'func' | 'func.func';
KW_TEST: 'test';
KW_IMPORT: 'import';
KW_PARAM: 'param';
KW_FOR: 'for' | 'scf.for';
KW_WHILE: 'while' | 'scf.while';
KW_IF: 'if' | 'scf.if';
KW_ELSE: 'else';
KW_YIELD: 'yield' | 'scf.yield';
KW_RETURN: 'return' | 'func.return';
KW_CONDITION: 'scf.condition';
KW_TO: 'to';
KW_STEP: 'step';
KW_ITER_ARGS: 'iter_args';
KW_INTO: 'into';
KW_FROM: 'from';
KW_MOD: 'mod';
KW_AND: 'and';
KW_OR: 'or';
KW_NOT: 'not';
KW_TRUE: 'true';
KW_FALSE: 'false';
KW_NAN: 'nan';
KW_INF: 'inf';

// ---- words with a meaning in one place, plain names elsewhere (rule softWord) ---------------------------------------
KW_GRID: 'grid';
KW_REQUIRES: 'requires';
KW_SUBGROUPS: 'subgroups';
KW_LANES: 'lanes';
KW_FORM: 'form';
KW_SMALL: 'small';
KW_LAUNCH: 'launch';
KW_CHECK: 'check';
KW_SAVE: 'save';
KW_LOAD: 'load';
KW_IN: 'in';
KW_EXACTLY: 'exactly';
KW_WITHIN: 'within';
KW_LOCALITY: 'locality';
KW_LOC: 'loc';
KW_CALL: 'call' | 'func.call';
KW_DO: 'do';
// A '<' after one of these opens a shape.
KW_TILE: 'tile' | 'xetile.tile';
KW_VECTOR: 'vector';
KW_MEMREF: 'memref';
KW_JOINT_MATRIX: 'joint_matrix';
KW_TENSOR_DESC: 'tensor_desc' | 'xegpu.tensor_desc';
KW_AFFINE_MAP: 'affine_map';

// ---- names with a sigil ---------------------------------------------------------------------------------------------
// %x#1 is the second value that %x:2 binds, as MLIR prints it. Names such as %c-1_i32 are joined in lang/parse/lex.cc.
VALUE: '%' (NAME | [0-9]+ NAME_REST*) ('#' [0-9]+)?;
LABEL: '^' NAME;
ATTR: '#' NAME;
TYPE: '!' NAME;
SIZE: '$' PLAIN_NAME;
// The name of a specialised kernel contains its parameters: @gemm$BM=128$T=f16.
SYMBOL: '@' (NAME ('$' PLAIN_NAME '=' [a-zA-Z0-9_.+\-]+)* | TEXT_BODY);

// ---- literals -------------------------------------------------------------------------------------------------------
FLOAT: DIGITS '.' [0-9]* EXPONENT? | DIGITS EXPONENT | '0' [xX] HEX_DIGIT+ ('.' HEX_DIGIT*)? [pP] [+-]? DIGITS;
HEX: '0' [xX] HEX_DIGIT+;
INT: DIGITS;
TEXT: TEXT_BODY;
// Ends where the closing quote is probably missing, so that the rest of the line can still be parsed.
UNTERMINATED: '"' (~["\\,{}()\r\n] | '\\' ~[\r\n])*;
// A kind in typographic quotes, as the RFC for XeTile and XeGPU Dialect prints it.
QUOTED_KIND: '\u201C' [a-zA-Z_]+ '\u201D';

WORD: NAME;

// ---- punctuation ----------------------------------------------------------------------------------------------------
ARROW: '->';
FAT_ARROW: '=>';
LE: '<=';
GE: '>=';
EQEQ: '==';
NE: '!=';
SHL: '<<';
LT: '<';
GT: '>';
EQ: '=';
PLUS: '+';
MINUS: '-';
STAR: '*';
SLASH: '/';
AMP: '&';
BAR: '|';
CARET: '^';
TILDE: '~';
LPAREN: '(';
RPAREN: ')';
LBRACK: '[';
RBRACK: ']';
LBRACE: '{';
RBRACE: '}';
COMMA: ',';
COLON: ':';
QMARK: '?';

// Compound assignments of other languages. No rule accepts them; the message names the equivalent. `+=` and the like are
// two tokens.
COMPOUND: '%=' | '&=' | '|=' | '^=' | '<<=';

LOGIC: ('&&' | '||') -> type(STRAY);
STRAY: .; // never an error of the lexer: shape_tokens.cc reports it

fragment TEXT_BODY: '"' (~["\\\r\n] | '\\' ~[\r\n])* '"';
fragment DIGITS: [0-9]+;
fragment HEX_DIGIT: [0-9a-fA-F];
fragment EXPONENT: [eE] [+-]? [0-9]+;
fragment PLAIN_NAME: NAME_START (NAME_START | [0-9])*;
fragment NAME: NAME_START NAME_REST*;
fragment NAME_REST: NAME_START | [0-9.] | '\u2019';
// Non-ASCII letters are given as wide ranges, since \p{L} doubles the start-up time. The ranges exclude blanks, quotes, arrows,
// mathematical operators and other punctuation that a word processor may insert.
fragment NAME_START: [a-zA-Z_\u00AA-\u00D6\u00D8-\u00F6\u00F8-\u1FFF\u2070-\u218F\u2460-\u2FFF\u3005-\uD7FF\uF900-\uFEFE\u{10000}-\u{EFFFF}];

// ---- inside '<' of a shaped type, up to and with the element type ----------------------------------------------------
// A character that cannot be part of a shape leaves the mode, and so does the element type (lexer_base.cc).
mode SHAPE;
DIM: [0-9]+;
DIM_ANY: '?' -> type(QMARK);
DIM_SIZE: '$' PLAIN_NAME -> type(SIZE);
X: 'x';
ELEM: [a-wyzA-WYZ_] [a-zA-Z0-9_]*;
SHAPE_STRAY: . -> type(STRAY);
