#include "lang/parse/item_shaper.h"

#include "ir/op_flags.h"
#include "lang/parse/item_blocks.h"
#include "lang/parse/item_brackets.h"
#include "lang/parse/item_heads.h"
#include "lang/parse/item_mistakes.h"

#include "XtLexer.h"

namespace xt {

using L = xtg::XtLexer;

namespace {

// A line that ends in one of these tokens continues on the next line (lang/reference/lexical.md).
bool goesOnAfter(size_t type) {
  switch (type) {
  case L::COMMA:
  case L::COLON:
  case L::ARROW:
  case L::EQ:
  case L::KW_INTO:
  case L::KW_TO:
  case L::FAT_ARROW: return true;
  default: return isBinaryOperator(type);
  }
}

// Whether a line that starts with this token type continues the line above.
bool continues(size_t type) {
  switch (type) {
  case L::COLON:
  case L::ARROW:
  case L::FAT_ARROW:
  case L::LBRACE:
  case L::RPAREN:
  case L::RBRACK:
  case L::COMMA:
  case L::KW_INTO:
  case L::KW_TO:
  case L::KW_GRID:
  case L::KW_REQUIRES:
  case L::KW_SUBGROUPS:
  case L::KW_LANES:
  case L::KW_ITER_ARGS:
  case L::KW_STEP:
  case L::KW_ELSE: return true;
  default: return isBinaryOperator(type);
  }
}

bool endsStatement(const ItemState &state, size_t i, bool strong) {
  const ShapedStatement &stmt = state.stmt;
  const TokenScan &scan = state.scan;
  size_t type = scan.type(i);
  if (!goesOnAfter(state.last.type)) {
    if (type == L::KW_FORM && stmt.head == StatementHead::Kernel && stmt.expectsBlock) return false; // `form` lines of a header
    // This is a signature without its colon, as the RFC for XeTile and XeGPU Dialect prints it: no statement starts with a
    // shaped type.
    if (stmt.head == StatementHead::Op && type >= L::KW_TILE && type <= L::KW_TENSOR_DESC && scan.type(i + 1) == L::LT)
      return false;
    if (type == L::KW_ELSE || (type == L::KW_DO && stmt.head == StatementHead::Loop)) return state.last.type != L::RBLOCK;
    return !continues(type);
  }
  // The line above is unfinished, but this one can only be a new statement. End the line above, so that only it is lost.
  if (!strong) return false;
  if (type == L::VALUE) return !stmt.onlyResults || state.last.type != L::COMMA;
  if (type == L::SYMBOL) return false;
  return state.last.type != L::EQ;
}

void lineBreak(ItemState &state, size_t i) {
  ShapedStatement &stmt = state.stmt;
  const TokenScan &scan = state.scan;
  bool isBrace = scan.type(i) == L::RBRACE;
  if (stmt.length != 0 && state.inBracket()) {
    bool strong = scan.startsStatement(i);
    if (isBrace || !strong) return;
    const OpenBracket &top = state.stack.back();
    size_t type = scan.type(i);
    if (type == L::SYMBOL && goesOnAfter(state.last.type)) return;
    // The variables of grid (%i = …,\n %j = …), of iter_args and of MLIR's while may start a line.
    bool bindings = top.opener == L::KW_GRID || top.opener == L::KW_ITER_ARGS || top.opener == L::KW_WHILE;
    if (type == L::VALUE && bindings && scan.at(i).column > stmt.indent) return;
    closeBrackets(state, state.bracketsBase(), "the end of the line");
    endStatement(state, &scan.at(i));
  } else if (stmt.length != 0 && (isBrace || endsStatement(state, i, scan.startsStatement(i)))) {
    if (!isBrace) endStatement(state, &scan.at(i));
  }
  if (stmt.length == 0) closeBlocksByIndent(state, i);
}

// Whether token i is `dense` or the closing bracket of `dense<0.0>`, MLIR's spelling of a splat constant. Both are dropped.
bool takeDense(ItemState &state, size_t i) {
  ShapedStatement &stmt = state.stmt;
  const TokenScan &scan = state.scan;
  if (i == state.denseEnd && i != state.begin) return true;
  if (stmt.head != StatementHead::Op || state.last.type != opToken(Clause::Literal) || scan.text(i) != "dense" ||
      scan.type(i + 1) != L::LT)
    return false;
  if (scan.type(i + 2) == L::LBRACK && !stmt.reported)
    state
        .report(DiagCode::NotSupported, state.range(i),
                "a constant has one value for all its elements: `dense<…>` with a list is not supported")
        .note("elements that differ are computed, for example from `iota` with `select`, or loaded from a parameter");
  size_t number = i + (scan.type(i + 2) == L::MINUS ? 3 : 2);
  if (scan.type(number + 1) != L::GT || !scan.sameLine(i, number + 1)) return false;
  state.denseEnd = number + 1;
  return true;
}

// Takes two kinds of words that have a meaning in ops only: a kind that is a keyword elsewhere (`cmpf true, %x, %y`), and a
// flag of MLIR after the operands.
bool takeOpWord(ItemState &state, size_t i) {
  const TokenScan &scan = state.scan;
  if (state.stmt.head != StatementHead::Op || state.inBracket()) return false;
  size_t type = scan.type(i), next = scan.type(i + 1);
  if (state.last.type == L::OP_KIND) {
    bool keyword = scan.isHardWord(i) || type == L::KW_TRUE || type == L::KW_FALSE;
    if (!keyword || (next != L::COMMA && next != L::VALUE)) return false;
    state.emit(scan.at(i), L::WORD);
    return true;
  }
  bool behind = state.last.type != L::COMMA && state.last.type != L::COLON &&
                !(state.last.type >= L::OP_OPERANDS && state.last.type <= L::OP_DIMENSION);
  if (type != L::WORD || !behind || !findFlag(scan.text(i))) return false;
  state.emit(scan.at(i), L::FLAG);
  return true;
}

bool step(ItemState &state, size_t i) {
  ShapedStatement &stmt = state.stmt;
  const TokenScan &scan = state.scan;
  const SyntaxToken &token = scan.at(i);
  if (takeDense(state, i) ||
      (state.denseEnd && i > state.begin && scan.text(i - 1) == "dense" && i < state.denseEnd && token.type == L::LT))
    return true;
  if (token.firstOnLine) {
    state.lineIndent = token.column;
    lineBreak(state, i);
  }
  if (token.type == L::STRAY) return takeStray(state, i), true;
  if (state.dropped == i && i != state.begin) return true;
  if (state.skip == i && i != state.begin) {
    state.emit(token, L::VALUE);
    return true;
  }
  if (stmt.length == 0 && token.type != L::RBRACE) {
    if (!startStatement(state, i)) return false;
    if (stmt.length != 0 || state.skip == i + 1) return true; // startStatement() has taken the first token
  } else if (stmt.onlyResults && (state.last.type == L::EQ || state.last.type == L::VALUE) && !state.inHostBlock() &&
             !state.inBracket()) {
    size_t before = stmt.length;
    startRightHandSide(state, i);
    if (stmt.length != before) return true;
  } else if (token.type == L::KW_IF && state.last.type == L::KW_ELSE) {
    stmt.head = StatementHead::Branch;
    stmt.expectsBlock = true;
    if (++stmt.elseIfs > kMaxNesting) return state.checkDepth(i);
  }
  if (stmt.head == StatementHead::HostFunction && token.type == L::EQ && !state.inBracket()) stmt.expectsBlock = false;
  if (state.last.type == L::RBLOCK && stmt.head == StatementHead::Loop && stmt.length != 0 && token.type == L::KW_DO)
    stmt.expectsBlock = true;
  if (state.last.type == L::RBLOCK && stmt.head == StatementHead::Branch && stmt.length != 0) {
    static constexpr std::string_view kElse[] = {"else"};
    static constexpr size_t kElseType[] = {L::KW_ELSE};
    bool misspelt = token.type == L::WORD && (scan.type(i + 1) == L::LBRACE || scan.type(i + 1) == L::KW_IF);
    if (token.type == L::KW_ELSE || misspelt) stmt.expectsBlock = true;
    if (misspelt && tryMisspelt(state, i, kElse, kElseType)) return true;
  }
  if (stmt.onlyResults && token.type != L::VALUE && token.type != L::COMMA && token.type != L::EQ && token.type != L::COLON &&
      token.type != L::INT)
    stmt.onlyResults = false;
  if (token.type == L::VALUE && scan.type(i + 1) == L::LT && scan.at(i + 1).begin == token.end) gluedName(state, i);
  if (token.type == L::WORD || (token.type >= L::KW_TILE && token.type <= L::KW_TENSOR_DESC)) missingAngle(state, i);
  return takeStarted(state, i) || takeOpWord(state, i) || opInExpression(state, i) || takeBracket(state, i);
}

} // namespace

ShapedItem shapeItem(const TokenScan &scan, size_t begin, size_t end, uint32_t file, BraceMode mode) {
  ItemState state(scan, begin, end, file, mode);
  for (size_t i = begin; i < end; ++i)
    if (!step(state, i)) break;
  if (state.abandoned)
    state.result.tokens.clear();
  else
    finishItem(state);
  return std::move(state.result);
}

} // namespace xt
