#include "lang/parse/item_brackets.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "lang/parse/item_blocks.h"
#include "lang/parse/item_mistakes.h"

#include "XtLexer.h"

#include <algorithm>

namespace xt {

using L = xtg::XtLexer;

namespace {

struct Pair {
  size_t opener, closer; // types of tokens
  std::string_view openerText, closerText;
};

constexpr Pair kPairs[] = {
    {L::LPAREN, L::RPAREN, "(", ")"},
    {L::LBRACK, L::RBRACK, "[", "]"},
    {L::LANGLE, L::RANGLE, "<", ">"},
    {L::LBRACE, L::RBRACE, "{", "}"},
};

const Pair &pairOf(size_t opener) {
  const Pair *found = std::ranges::find(kPairs, opener, &Pair::opener);
  XT_CHECK(found != std::end(kPairs), "a token that opens nothing");
  return *found;
}

// Emits a token that is not a bracket. Counts operators, because they make expressions deep.
void operatorToken(ItemState &state, const SyntaxToken &token) {
  ShapedStatement &stmt = state.stmt;
  bool prefix = token.type == L::KW_NOT || token.type == L::TILDE; // `-` may be a prefix too
  if (prefix || token.type == L::MINUS) ++stmt.prefixes;
  if (prefix || isBinaryOperator(token.type)) ++stmt.operators;
  state.emit(token, token.type);
}

// Whether a '[' here opens an extent, as in tile<[$BM / 2]x32xf16>.
bool opensExtent(const ItemState &state) {
  if (state.last.type == L::X) return true;
  if (state.last.type != L::LANGLE) return false;
  size_t opener = state.stack.back().opener;
  return opener == L::TYPE || (opener >= L::KW_TILE && opener <= L::KW_TENSOR_DESC);
}

// Whether a '<' is a bracket: it follows a token that takes one. Otherwise it is a comparison.
bool opensAngle(const ItemState &state) {
  if (state.stmt.length == 0) return false;
  switch (state.last.type) {
  case L::KW_TILE:
  case L::KW_VECTOR:
  case L::KW_MEMREF:
  case L::KW_JOINT_MATRIX:
  case L::KW_TENSOR_DESC:
  case L::KW_LOCALITY:
  case L::KW_AFFINE_MAP:
  case L::FLAG:
  case L::ATTR:
  case L::TYPE:
  case L::RBRACE: return true;
  case L::SYMBOL: return state.beforeLast == L::KW_FUNC || state.beforeLast == L::KW_KERNEL;
  case L::EQ: return state.beforeLast == L::KW_AFFINE_MAP;
  case L::WORD: return state.attrContext();
  default: return state.last.type >= L::OP_OPERANDS && state.last.type <= L::OP_DIMENSION;
  }
}

// Whether token i and the next one are `>>`, without a blank between them.
bool isShift(const TokenScan &scan, size_t i) {
  return scan.type(i) == L::GT && scan.type(i + 1) == L::GT && scan.at(i).end == scan.at(i + 1).begin;
}

bool closesAngle(const ItemState &state, size_t i) {
  const TokenScan &scan = state.scan;
  if (!state.inBracket()) return false;
  if (state.stack.back().kind == OpenBracket::Kind::Angle) return true;
  // Inside [ ] or ( ) a '>' is a comparison if an operand follows; otherwise it closes an angle bracket further out.
  size_t next = isShift(scan, i) ? i + 2 : i + 1;
  if (scan.startsOperand(next) && scan.sameLine(i, next)) return false;
  for (size_t k = state.bracketsBase(); k < state.stack.size(); ++k)
    if (state.stack[k].kind == OpenBracket::Kind::Angle) return true;
  return false;
}

// Whether the `:` at i is in a slice of a value, as in `%x[0:4, 0:8]`: the bracket behind the value ends on this line. The checker
// reports slices in kernels.
bool isSlice(const ItemState &state, size_t i) {
  if (state.stack.back().opener != L::VALUE) return false;
  size_t depth = 0;
  for (size_t j = i + 1; j < state.end && state.scan.sameLine(i, j); ++j) {
    size_t type = state.scan.type(j);
    if (type == L::LBRACK) ++depth;
    if (type == L::RBRACK && depth-- == 0) return true;
  }
  return false;
}

// Closes the open brackets that cannot contain token i.
void healBefore(ItemState &state, size_t i) {
  ShapedStatement &stmt = state.stmt;
  const TokenScan &scan = state.scan;
  if (!state.inBracket()) return;
  size_t keep = state.stack.size();
  auto top = [&]() -> const OpenBracket & { return state.stack[keep - 1]; };
  auto inside = [&] { return keep > state.bracketsBase() && !top().holdsOp; };
  switch (scan.type(i)) {
  case L::ARROW:
  case L::FAT_ARROW:
  case L::KW_INTO:
    while (inside() && !(top().kind == OpenBracket::Kind::Angle && (top().opener == L::KW_AFFINE_MAP || top().opener == L::EQ)))
      --keep;
    break;
  case L::COLON:
    while (inside()) {
      const OpenBracket &t = top();
      bool generics = t.opener == L::SYMBOL; // `<T: float>` behind a function's name
      bool closed =
          t.kind == OpenBracket::Kind::Attr || (t.kind == OpenBracket::Kind::Angle && t.opener != L::WORD && !generics);
      bool bracket = t.kind == OpenBracket::Kind::Bracket && !state.inHostBlock() && !t.attrContext &&
                     !(state.last.type == L::VALUE && state.last.end == scan.at(i).begin && scan.type(i + 1) == L::INT);
      bool params = (stmt.head == StatementHead::Kernel && stmt.expectsBlock) || stmt.head == StatementHead::Label ||
                    (stmt.head == StatementHead::HostFunction && stmt.expectsBlock);
      bool paren = t.kind == OpenBracket::Kind::Paren && !params && t.opener != L::KW_LOC &&
                   !(state.last.type == L::VALUE && scan.type(i + 1) == L::INT);
      bool slice = bracket && keep == state.stack.size() && isSlice(state, i);
      if (slice || (!closed && !bracket && !paren)) break;
      --keep;
    }
    break;
  case L::LBRACE:
    if (!stmt.expectsBlock) return;
    switch (state.last.type) {
    case L::LANGLE:
    case L::EQ:
    case L::LBRACK:
    case L::COMMA:
    case L::LPAREN:
    case L::LBRACE:
    case L::COLON: return;
    default: keep = state.bracketsBase();
    }
    break;
  default: return;
  }
  if (keep < state.stack.size()) closeBrackets(state, keep, state.quoted(i));
}

void openBracket(ItemState &state, OpenBracket::Kind kind, size_t type, size_t i) {
  const TokenScan &scan = state.scan;
  OpenBracket entry{.kind = kind, .token = scan.at(i), .opener = state.last.type};
  entry.token.type = type;
  entry.attrContext = kind == OpenBracket::Kind::Attr ||
                      (kind == OpenBracket::Kind::Angle && state.last.type != L::KW_LOCALITY) ||
                      (kind == OpenBracket::Kind::Bracket && state.attrContext() && !opensExtent(state));
  if (state.stmt.length == 0) entry.opener = 0;
  entry.holdsOp = kind == OpenBracket::Kind::Paren && opInParens(state, i);
  state.stack.push_back(entry);
  state.emit(scan.at(i), type);
}

// Whether the `[` of a slice is missing before the `:` at i: a `]` follows that has none.
bool losesOpening(const ItemState &state, size_t i) {
  if (state.scan.type(i) != L::COLON || !state.inHostBlock() || !state.inBracket()) return false;
  if (state.stack.back().kind != OpenBracket::Kind::Paren) return false;
  size_t depth = 0;
  for (size_t j = i + 1; j < state.end && state.scan.sameLine(i, j); ++j) {
    size_t type = state.scan.type(j);
    bool closes = type == L::RBRACK || type == L::RPAREN;
    if (closes && depth == 0) return type == L::RBRACK;
    if (closes) --depth;
    if (type == L::LBRACK || type == L::LPAREN) ++depth;
  }
  return false;
}

// Inserts the `[` of a slice before token i.
void insertOpening(ItemState &state, size_t i) {
  SourceRange where = state.range(i).startPoint();
  state.report(DiagCode::ExtraClose, where, str("missing `[` before ", state.quoted(i))).fix("insert `[`", where, "[");
  OpenBracket entry{.kind = OpenBracket::Kind::Bracket, .token = state.scan.at(i), .opener = state.last.type};
  entry.token.type = L::LBRACK;
  entry.token.end = entry.token.begin;
  state.stack.push_back(entry);
  state.emit(L::LBRACK, entry.token.begin, entry.token.begin, state.scan.at(i));
}

void closeBracket(ItemState &state, OpenBracket::Kind kind, size_t type, size_t i) {
  size_t base = state.bracketsBase(), k = state.stack.size();
  while (k > base && state.stack[k - 1].kind != kind) --k;
  if (k == base) {
    state.report(DiagCode::ExtraClose, state.range(i), str("unmatched ", state.quoted(i))).fix("remove it", state.range(i), "");
    return;
  }
  if (k < state.stack.size()) closeBrackets(state, k, state.quoted(i));
  state.stack.pop_back();
  state.emit(state.scan.at(i), type);
}

void openBrace(ItemState &state, size_t i) {
  ShapedStatement &stmt = state.stmt;
  const TokenScan &scan = state.scan;
  if (state.inBracket()) return openBracket(state, OpenBracket::Kind::Attr, L::LBRACE, i);
  if (stmt.head == StatementHead::Test && stmt.expectsBlock) {
    if (scan.type(i + 1) == L::LBRACE && scan.sameLine(i, i + 1)) { // `{` was typed twice
      state.report(DiagCode::SyntaxError, state.range(i), "unexpected `{` before another `{`")
          .fix("remove it", state.range(i), "");
      return;
    }
    // The brace opens sizes, as in {M = 4096}, if they are named or another brace follows on the line.
    size_t commas = 0, after = scan.afterBracket(i, commas);
    bool further = scan.type(after) == L::LBRACE || scan.type(after) == L::KW_SMALL;
    bool named =
        i + 1 < state.end && (scan.type(i + 2) == L::EQ || scan.type(i + 2) == L::COLON); // the next item may be an alias
    bool sizes = state.last.type == L::KW_SMALL || named || (further && scan.sameLine(i, after));
    if (sizes && scan.type(i + 1) != L::VALUE) return openBracket(state, OpenBracket::Kind::Attr, L::LBRACE, i);
  }
  if (stmt.length == 0) {
    state.report(DiagCode::SyntaxError, state.range(i), "unexpected `{`: a block belongs to a loop or a branch")
        .fix("remove it", state.range(i), "");
    if (state.last.type == L::LBLOCK && scan.sameLine(i - 1, i)) return; // `{` was typed twice
    return openBlock(state, scan.at(i), true);
  }
  // Treat a body under an unrecognisable header as a block nevertheless.
  if (stmt.expectsBlock || (stmt.head != StatementHead::Alias && stmt.head != StatementHead::Item && scan.opensBody(i)))
    return openBlock(state, scan.at(i), true);
  openBracket(state, OpenBracket::Kind::Attr, L::LBRACE, i);
}

void closeBrace(ItemState &state, size_t i) {
  ShapedStatement &stmt = state.stmt;
  const SyntaxToken &token = state.scan.at(i);
  size_t base = state.bracketsBase(), k = state.stack.size();
  while (k > base && state.stack[k - 1].kind != OpenBracket::Kind::Attr) --k;
  bool belongsToBlock = token.firstOnLine && token.column < stmt.indent && base != 0;
  if (k > base && !belongsToBlock) return closeBracket(state, OpenBracket::Kind::Attr, L::RBRACE, i);
  if (state.stack.size() > base) {
    closeBrackets(state, base, state.quoted(i));
  }
  if (base == 0) {
    state.result.superfluousBraces = true;
    state.report(DiagCode::ExtraClose, state.range(i), "unmatched `}`").fix("remove it", state.range(i), "");
    return;
  }
  if (stmt.length != 0) endStatement(state, nullptr);
  if (state.mode == BraceMode::FindMissing && token.firstOnLine) {
    auto fits = [&](const OpenBracket &open) { return open.kind == OpenBracket::Kind::Block && open.indent == token.column; };
    if (std::any_of(state.stack.begin(), state.stack.end(), fits))
      while (state.stack.size() > 1 && state.stack.back().indent > token.column) {
        unclosedBlock(state, state.stack.back(), state.quoted(i));
        closeBlock(state, nullptr);
        if (stmt.length != 0) endStatement(state, nullptr);
      }
  }
  if (state.mode == BraceMode::FindSuperfluous && superfluousByIndent(state, i)) {
    state.result.superfluousBraces = true;
    state
        .report(DiagCode::ExtraClose, state.range(i),
                token.firstOnLine ? "unmatched `}`, judging by the indentation" : "unmatched `}`")
        .fix("remove it", state.range(i), "");
    return;
  }
  closeBlock(state, &token);
}

} // namespace

void closeBrackets(ItemState &state, size_t keep, const std::string &before) {
  ShapedStatement &stmt = state.stmt;
  if (state.stack.size() <= keep) return;
  SourceRange where = state.afterLast();
  // `f(%a,` at the end of a line: remove the comma too, since its operand is missing.
  if (state.last.type == L::COMMA && before == "the end of the line") {
    where.begin = state.last.begin;
    state.result.tokens.pop_back();
    state.last = state.result.tokens.back();
    --stmt.length;
  }
  if (!stmt.reported) {
    std::string closers;
    for (size_t k = state.stack.size(); k-- > keep;) closers += pairOf(state.stack[k].token.type).closerText;
    Diagnostic &d = state.report(DiagCode::MissingClose, where, str("missing `", closers, "` before ", before));
    for (size_t k = state.stack.size(); k-- > keep;)
      d.at({state.file, state.stack[k].token.begin, state.stack[k].token.end},
           str("`", pairOf(state.stack[k].token.type).openerText, "` opened here"));
    d.fix(str("insert `", closers, "`"), where, closers);
  }
  while (state.stack.size() > keep) {
    state.emit(pairOf(state.stack.back().token.type).closer, state.last.end, state.last.end, state.last);
    state.stack.pop_back();
  }
}

bool takeBracket(ItemState &state, size_t i) {
  ShapedStatement &stmt = state.stmt;
  const TokenScan &scan = state.scan;
  if (takeKeyColon(state, i)) return true;
  if (losesOpening(state, i))
    insertOpening(state, i);
  else
    healBefore(state, i);
  const SyntaxToken &token = scan.at(i);
  if (token.type != L::MINUS && token.type != L::KW_NOT && token.type != L::TILDE) stmt.prefixes = 0;
  switch (token.type) {
  case L::LPAREN: openBracket(state, OpenBracket::Kind::Paren, L::LPAREN, i); break;
  case L::LBRACK: openBracket(state, OpenBracket::Kind::Bracket, L::LBRACK, i); break;
  case L::LBRACE: openBrace(state, i); break;
  case L::RPAREN: closeBracket(state, OpenBracket::Kind::Paren, L::RPAREN, i); break;
  case L::RBRACK: closeBracket(state, OpenBracket::Kind::Bracket, L::RBRACK, i); break;
  case L::RBRACE: closeBrace(state, i); break;
  case L::LT:
    if (opensAngle(state))
      openBracket(state, OpenBracket::Kind::Angle, L::LANGLE, i);
    else
      operatorToken(state, token);
    break;
  case L::GT:
    if (closesAngle(state, i)) {
      closeBracket(state, OpenBracket::Kind::Angle, L::RANGLE, i);
    } else if (isShift(scan, i)) {
      SyntaxToken shift = token;
      shift.type = L::SHR;
      shift.end = scan.at(i + 1).end;
      state.dropped = i + 1;
      operatorToken(state, shift);
    } else
      operatorToken(state, token);
    break;
  case L::COLON: {
    // `%x:2` is a splice in kernels; in tests a ':' in brackets is a slice.
    bool splice = state.last.type == L::VALUE && state.last.end == token.begin && scan.type(i + 1) == L::INT &&
                  scan.at(i + 1).begin == token.end && !state.inHostBlock();
    state.emit(token, splice ? L::SPLICE : L::COLON);
    if (stmt.head == StatementHead::Label && !state.inBracket()) endStatement(state, nullptr);
    break;
  }
  case L::UNTERMINATED:
    state.report(DiagCode::UnterminatedText, state.range(i), "this text has no closing `\"`")
        .fix("insert `\"`", state.range(i).endPoint(), "\"");
    state.emit(token, L::TEXT);
    break;
  default: operatorToken(state, token);
  }
  return state.checkDepth(i);
}

void finishItem(ItemState &state) {
  ShapedStatement &stmt = state.stmt;
  if (state.inBracket()) closeBrackets(state, state.bracketsBase(), state.quoted(state.end));
  if (stmt.length != 0) endStatement(state, nullptr);
  if (!state.stack.empty()) {
    // Report all open blocks in one message, since the text may simply be unfinished.
    unclosedBlock(state, state.stack.back(), state.quoted(state.end));
    Diagnostic &d = state.result.diagnostics.back();
    for (size_t k = state.stack.size() - 1; k-- > 0;) {
      const OpenBracket &outer = state.stack[k];
      d.at({state.file, outer.token.begin, outer.token.end}, "this block is not closed either");
      d.fixits[0].edits[0].replacement += "\n" + std::string(outer.indent, ' ') + "}";
    }
    while (!state.stack.empty()) {
      closeBlock(state, nullptr);
      endStatement(state, nullptr);
    }
  }
  if (stmt.length != 0) endStatement(state, nullptr);
}

} // namespace xt
