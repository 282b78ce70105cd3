#include "lang/parse/item_blocks.h"

#include "ir/base/text.h"

#include "XtLexer.h"

namespace xt {

using L = xtg::XtLexer;

void endStatement(ItemState &state, const SyntaxToken *next) {
  ShapedStatement &stmt = state.stmt;
  if (stmt.length == 0) return;
  if (stmt.expectsBlock) {
    std::string_view what = stmt.head == StatementHead::Kernel         ? "the body of a kernel"
                            : stmt.head == StatementHead::Test         ? "the body of a test"
                            : stmt.head == StatementHead::HostFunction ? "the body of a function"
                                                                       : "the body of a loop or a branch";
    bool hasBody = next && next->column > stmt.indent;
    if (!stmt.reported)
      state
          .report(DiagCode::MissingBlock, state.afterLast(),
                  str("expected `{` before the end of the line: ", what, " must be in braces"))
          .fix("insert `{`", state.afterLast(), hasBody ? " {" : " {\n" + std::string(stmt.indent, ' ') + "}");
    openBlock(state, state.last, false);
    if (hasBody) return;
    closeBlock(state, nullptr);
  }
  state.emit(L::NL, state.last.end, state.last.end, state.last);
  stmt.length = 0;
  stmt.reported = false;
  stmt.head = StatementHead::None;
  stmt.onlyResults = false;
  stmt.operators = stmt.prefixes = stmt.elseIfs = 0;
}

void openBlock(ItemState &state, const SyntaxToken &brace, bool written) {
  ShapedStatement &stmt = state.stmt;
  OpenBracket entry{.kind = OpenBracket::Kind::Block, .token = brace, .opener = state.last.type};
  entry.token.type = L::LBLOCK;
  entry.owner = stmt.head;
  entry.host = stmt.head == StatementHead::Test || stmt.head == StatementHead::HostFunction || state.inHostBlock();
  entry.indent = stmt.indent;
  if (written)
    state.emit(brace, L::LBLOCK);
  else
    state.emit(L::LBLOCK, brace.end, brace.end, brace);
  state.stack.push_back(entry);
  stmt.length = 0;
  stmt.reported = false;
  stmt.head = StatementHead::None;
  stmt.expectsBlock = stmt.onlyResults = false;
  stmt.operators = stmt.prefixes = 0;
}

void closeBlock(ItemState &state, const SyntaxToken *brace) {
  ShapedStatement &stmt = state.stmt;
  OpenBracket block = state.stack.back();
  if (stmt.length != 0) endStatement(state, nullptr);
  state.stack.pop_back();
  state.itemClosed |= state.stack.empty();
  if (brace)
    state.emit(*brace, L::RBLOCK);
  else
    state.emit(L::RBLOCK, state.last.end, state.last.end, state.last);
  stmt.head = block.owner;
  stmt.indent = block.indent;
  stmt.length = 1;
  stmt.expectsBlock = stmt.onlyResults = false;
}

bool superfluousByIndent(const ItemState &state, size_t i) {
  const OpenBracket &top = state.stack.back();
  return top.token.line != state.scan.at(i).line && top.indent < state.lineIndent;
}

void unclosedBlock(ItemState &state, const OpenBracket &block, const std::string &before) {
  state.result.missingBraces = true;
  state.report(DiagCode::UnclosedBlock, state.afterLast(), str("missing `}` before ", before))
      .at({state.file, block.token.begin, block.token.end}, "this block is not closed")
      .fix("insert `}`", state.afterLast(), "\n" + std::string(block.indent, ' ') + "}");
}

void closeBlocksByIndent(ItemState &state, size_t i) {
  const TokenScan &scan = state.scan;
  if (state.mode != BraceMode::FindMissing || scan.type(i) == L::RBRACE) return;
  uint32_t column = scan.at(i).column;
  bool isElse = scan.type(i) == L::KW_ELSE;
  auto outside = [&](const OpenBracket &block) {
    bool indented = block.bodyIndent && *block.bodyIndent > block.indent;
    return block.kind == OpenBracket::Kind::Block &&
           ((indented && column <= block.indent) || (isElse && block.owner == StatementHead::Branch));
  };
  while (state.stack.size() > 1 && outside(state.stack.back())) {
    unclosedBlock(state, state.stack.back(), state.quoted(i));
    closeBlock(state, nullptr);
    if (isElse && state.stmt.head == StatementHead::Branch && !outside(state.stack.back()))
      return; // the `else` belongs to this `if`
    endStatement(state, nullptr);
  }
}

} // namespace xt
