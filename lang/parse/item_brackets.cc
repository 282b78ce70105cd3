// Brackets: determines their kinds, and repairs missing and superfluous ones.
#include "lang/parse/item_shaper.h"

#include "ir/base/check.h"
#include "ir/base/text.h"

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

} // namespace

const ItemShaper::Open *ItemShaper::block() const {
  size_t base = bracketsBase();
  return base ? &stack_[base - 1] : nullptr;
}

size_t ItemShaper::bracketsBase() const {
  size_t n = stack_.size();
  while (n && stack_[n - 1].kind != Open::Kind::Block) --n;
  return n;
}

bool ItemShaper::inHostBlock() const {
  const Open *b = block();
  return b && b->host;
}

bool ItemShaper::attrContext() const { return inBracket() ? stack_.back().attrContext : head_ == Head::Alias; }

bool ItemShaper::checkDepth(size_t i) {
  if (stack_.size() <= kMaxNesting && prefixes_ <= kMaxNesting && elseIfs_ <= kMaxNesting && operators_ <= kMaxOperators)
    return true;
  result_.diagnostics.clear();
  if (operators_ > kMaxOperators)
    report(DiagCode::NestingTooDeep, range(i), str("more than ", kMaxOperators, " operators in one statement"));
  else
    report(DiagCode::NestingTooDeep, range(i),
           str("more than ", kMaxNesting, " levels of brackets, blocks or operators inside one another"));
  result_.missingBraces = result_.superfluousBraces = false;
  abandoned_ = true;
  return false;
}

bool ItemShaper::bracket(size_t i) {
  if (takeKeyColon(i)) return true;
  healBefore(i);
  const SyntaxToken &token = scan_.at(i);
  if (token.type != L::MINUS && token.type != L::KW_NOT) prefixes_ = 0;
  switch (token.type) {
  case L::LPAREN: open(Open::Kind::Paren, L::LPAREN, i); break;
  case L::LBRACK: open(Open::Kind::Bracket, L::LBRACK, i); break;
  case L::LBRACE: openBrace(i); break;
  case L::RPAREN: close(Open::Kind::Paren, L::RPAREN, i); break;
  case L::RBRACK: close(Open::Kind::Bracket, L::RBRACK, i); break;
  case L::RBRACE: closeBrace(i); break;
  case L::LT:
    if (opensAngle())
      open(Open::Kind::Angle, L::LANGLE, i);
    else
      operatorToken(token);
    break;
  case L::GT:
    if (closesAngle(i))
      close(Open::Kind::Angle, L::RANGLE, i);
    else
      operatorToken(token);
    break;
  case L::COLON: {
    // `%x:2` is a splice in kernels; in tests a ':' in brackets is a slice.
    bool splice = last_.type == L::VALUE && last_.end == token.begin && scan_.type(i + 1) == L::INT &&
                  scan_.at(i + 1).begin == token.end && !inHostBlock();
    emit(token, splice ? L::SPLICE : L::COLON);
    if (head_ == Head::Label && !inBracket()) endStatement(nullptr);
    break;
  }
  case L::UNTERMINATED:
    report(DiagCode::UnterminatedText, range(i), "this text has no closing `\"`").fix("insert `\"`", range(i).endPoint(), "\"");
    emit(token, L::TEXT);
    break;
  default: operatorToken(token);
  }
  return checkDepth(i);
}

// Emits any other token; counts operators, which make expressions deep.
void ItemShaper::operatorToken(const SyntaxToken &token) {
  bool prefix = token.type == L::KW_NOT; // `-` may be a prefix too
  if (prefix || token.type == L::MINUS) ++prefixes_;
  if (prefix || isBinaryOperator(token.type)) ++operators_;
  emit(token, token.type);
}

void ItemShaper::open(Open::Kind kind, size_t type, size_t i) {
  Open entry{.kind = kind, .token = scan_.at(i), .opener = last_.type};
  entry.token.type = type;
  entry.attrContext = kind == Open::Kind::Attr || (kind == Open::Kind::Angle && last_.type != L::KW_LOCALITY) ||
                      (kind == Open::Kind::Bracket && attrContext() && !opensExtent());
  if (length_ == 0) entry.opener = 0;
  entry.holdsOp = kind == Open::Kind::Paren && opInParens(i);
  stack_.push_back(entry);
  emit(scan_.at(i), type);
}

// Whether a '[' here opens an extent, as in tile<[$BM / 2]x32xf16>.
bool ItemShaper::opensExtent() const {
  if (last_.type == L::X) return true;
  if (last_.type != L::LANGLE) return false;
  size_t opener = stack_.back().opener;
  return opener == L::TYPE || (opener >= L::KW_TILE && opener <= L::KW_TENSOR_DESC);
}

// Whether a '<' is a bracket: it follows a token that takes one. Otherwise it is a comparison.
bool ItemShaper::opensAngle() const {
  if (length_ == 0) return false;
  switch (last_.type) {
  case L::KW_TILE:
  case L::KW_VECTOR:
  case L::KW_MEMREF:
  case L::KW_TENSOR_DESC:
  case L::KW_LOCALITY:
  case L::KW_AFFINE_MAP:
  case L::FLAG:
  case L::ATTR:
  case L::TYPE:
  case L::RBRACE: return true;
  case L::EQ: return beforeLast_ == L::KW_AFFINE_MAP;
  case L::WORD: return attrContext();
  default: return last_.type >= L::OP_OPERANDS && last_.type <= L::OP_DIMENSION;
  }
}

bool ItemShaper::closesAngle(size_t i) const {
  if (!inBracket()) return false;
  if (stack_.back().kind == Open::Kind::Angle) return true;
  // Inside [ ] or ( ) a '>' is a comparison if an operand follows; otherwise it closes an angle bracket further out.
  if (scan_.startsOperand(i + 1) && scan_.sameLine(i, i + 1)) return false;
  for (size_t k = bracketsBase(); k < stack_.size(); ++k)
    if (stack_[k].kind == Open::Kind::Angle) return true;
  return false;
}

void ItemShaper::closeBrackets(size_t keep, const std::string &before) {
  if (stack_.size() <= keep) return;
  SourceRange where = afterLast();
  // `f(%a,` at the end of a line: remove the comma too, since its operand is missing.
  if (last_.type == L::COMMA && before == "the end of the line") {
    where.begin = last_.begin;
    result_.tokens.pop_back();
    last_ = result_.tokens.back();
    --length_;
  }
  if (!statementReported_) {
    std::string closers;
    for (size_t k = stack_.size(); k-- > keep;) closers += pairOf(stack_[k].token.type).closerText;
    Diagnostic &d = report(DiagCode::MissingClose, where, str("missing `", closers, "` before ", before));
    for (size_t k = stack_.size(); k-- > keep;)
      d.at({file_, stack_[k].token.begin, stack_[k].token.end},
           str("`", pairOf(stack_[k].token.type).openerText, "` opened here"));
    d.fix(str("insert `", closers, "`"), where, closers);
  }
  while (stack_.size() > keep) {
    emit(pairOf(stack_.back().token.type).closer, last_.end, last_.end, last_);
    stack_.pop_back();
  }
}

void ItemShaper::healBefore(size_t i) {
  if (!inBracket()) return;
  size_t keep = stack_.size();
  auto top = [&]() -> const Open & { return stack_[keep - 1]; };
  auto inside = [&] { return keep > bracketsBase() && !top().holdsOp; };
  switch (scan_.type(i)) {
  case L::ARROW:
  case L::FAT_ARROW:
  case L::KW_INTO:
    while (inside() && !(top().kind == Open::Kind::Angle && (top().opener == L::KW_AFFINE_MAP || top().opener == L::EQ)))
      --keep;
    break;
  case L::COLON:
    while (inside()) {
      const Open &t = top();
      bool closed = t.kind == Open::Kind::Attr || (t.kind == Open::Kind::Angle && t.opener != L::WORD);
      bool bracket = t.kind == Open::Kind::Bracket && !inHostBlock() && !t.attrContext &&
                     !(last_.type == L::VALUE && last_.end == scan_.at(i).begin && scan_.type(i + 1) == L::INT);
      bool params = (head_ == Head::Kernel && expectsBlock_) || head_ == Head::Label;
      bool paren = t.kind == Open::Kind::Paren && !params && t.opener != L::KW_LOC &&
                   !(last_.type == L::VALUE && scan_.type(i + 1) == L::INT);
      if (!closed && !bracket && !paren) break;
      --keep;
    }
    break;
  case L::LBRACE:
    if (!expectsBlock_) return;
    switch (last_.type) {
    case L::LANGLE:
    case L::EQ:
    case L::LBRACK:
    case L::COMMA:
    case L::LPAREN:
    case L::LBRACE:
    case L::COLON: return;
    default: keep = bracketsBase();
    }
    break;
  default: return;
  }
  if (keep < stack_.size()) closeBrackets(keep, quoted(i));
}

void ItemShaper::close(Open::Kind kind, size_t type, size_t i) {
  size_t base = bracketsBase(), k = stack_.size();
  while (k > base && stack_[k - 1].kind != kind) --k;
  if (k == base) {
    report(DiagCode::ExtraClose, range(i), str("unmatched ", quoted(i))).fix("remove it", range(i), "");
    return;
  }
  if (k < stack_.size()) closeBrackets(k, quoted(i));
  stack_.pop_back();
  emit(scan_.at(i), type);
}

// ---- braces ----

void ItemShaper::openBrace(size_t i) {
  if (inBracket()) return open(Open::Kind::Attr, L::LBRACE, i);
  if (head_ == Head::Test && expectsBlock_) {
    if (scan_.type(i + 1) == L::LBRACE && scan_.sameLine(i, i + 1)) { // `{` was typed twice
      report(DiagCode::SyntaxError, range(i), "unexpected `{` before another `{`").fix("remove it", range(i), "");
      return;
    }
    // The brace opens sizes, as in {M = 4096}, if they are named or another brace follows on the line.
    size_t commas = 0, after = scan_.afterBracket(i, commas);
    bool further = scan_.type(after) == L::LBRACE || scan_.type(after) == L::KW_SMALL;
    bool named = i + 1 < end_ && (scan_.type(i + 2) == L::EQ || scan_.type(i + 2) == L::COLON); // the next item may be an alias
    bool sizes = last_.type == L::KW_SMALL || named || (further && scan_.sameLine(i, after));
    if (sizes && scan_.type(i + 1) != L::VALUE) return open(Open::Kind::Attr, L::LBRACE, i);
  }
  if (length_ == 0) {
    report(DiagCode::SyntaxError, range(i), "unexpected `{`: a block belongs to a loop or a branch")
        .fix("remove it", range(i), "");
    if (last_.type == L::LBLOCK && scan_.sameLine(i - 1, i)) return; // `{` was typed twice
    return openBlock(scan_.at(i), true);
  }
  // Treat a body under an unrecognisable header as a block nevertheless.
  if (expectsBlock_ || (head_ != Head::Alias && head_ != Head::Item && scan_.opensBody(i))) return openBlock(scan_.at(i), true);
  open(Open::Kind::Attr, L::LBRACE, i);
}

void ItemShaper::openBlock(const SyntaxToken &brace, bool written) {
  Open entry{.kind = Open::Kind::Block, .token = brace, .opener = last_.type};
  entry.token.type = L::LBLOCK;
  entry.owner = head_;
  entry.host = head_ == Head::Test || inHostBlock();
  entry.indent = indent_;
  if (written)
    emit(brace, L::LBLOCK);
  else
    emit(L::LBLOCK, brace.end, brace.end, brace);
  stack_.push_back(entry);
  length_ = 0;
  statementReported_ = false;
  head_ = Head::None;
  expectsBlock_ = onlyResults_ = false;
  operators_ = prefixes_ = 0;
}

// `brace` is null for a block without closing brace in the text.
void ItemShaper::closeBlock(const SyntaxToken *brace) {
  Open block = stack_.back();
  if (length_ != 0) endStatement(nullptr);
  stack_.pop_back();
  itemClosed_ |= stack_.empty();
  if (brace)
    emit(*brace, L::RBLOCK);
  else
    emit(L::RBLOCK, last_.end, last_.end, last_);
  head_ = block.owner;
  indent_ = block.indent;
  length_ = 1;
  expectsBlock_ = onlyResults_ = false;
}

void ItemShaper::closeBrace(size_t i) {
  const SyntaxToken &token = scan_.at(i);
  size_t base = bracketsBase(), k = stack_.size();
  while (k > base && stack_[k - 1].kind != Open::Kind::Attr) --k;
  bool belongsToBlock = token.firstOnLine && token.column < indent_ && base != 0;
  if (k > base && !belongsToBlock) return close(Open::Kind::Attr, L::RBRACE, i);
  if (stack_.size() > base) {
    closeBrackets(base, quoted(i));
  }
  if (base == 0) {
    result_.superfluousBraces = true;
    report(DiagCode::ExtraClose, range(i), "unmatched `}`").fix("remove it", range(i), "");
    return;
  }
  if (length_ != 0) endStatement(nullptr);
  if (mode_ == BraceMode::FindMissing && token.firstOnLine) {
    auto fits = [&](const Open &open) { return open.kind == Open::Kind::Block && open.indent == token.column; };
    if (std::any_of(stack_.begin(), stack_.end(), fits))
      while (stack_.size() > 1 && stack_.back().indent > token.column) {
        unclosedBlock(stack_.back(), quoted(i));
        closeBlock(nullptr);
        if (length_ != 0) endStatement(nullptr);
      }
  }
  if (mode_ == BraceMode::FindSuperfluous && superfluousByIndent(i)) {
    result_.superfluousBraces = true;
    report(DiagCode::ExtraClose, range(i), token.firstOnLine ? "unmatched `}`, judging by the indentation" : "unmatched `}`")
        .fix("remove it", range(i), "");
    return;
  }
  closeBlock(&token);
}

bool ItemShaper::superfluousByIndent(size_t i) const {
  const Open &top = stack_.back();
  return top.token.line != scan_.at(i).line && top.indent < lineIndent_;
}

// Closes blocks that the statement at i is outside of: it is indented no deeper than the line that opened the block, or it
// is an `else` in the block of its `if`.
void ItemShaper::closeBlocksByIndent(size_t i) {
  if (mode_ != BraceMode::FindMissing || scan_.type(i) == L::RBRACE) return;
  uint32_t column = scan_.at(i).column;
  bool isElse = scan_.type(i) == L::KW_ELSE;
  auto outside = [&](const Open &block) {
    bool indented = block.bodyIndent && *block.bodyIndent > block.indent;
    return block.kind == Open::Kind::Block && ((indented && column <= block.indent) || (isElse && block.owner == Head::Branch));
  };
  while (stack_.size() > 1 && outside(stack_.back())) {
    unclosedBlock(stack_.back(), quoted(i));
    closeBlock(nullptr);
    if (isElse && head_ == Head::Branch && !outside(stack_.back())) return; // the `else` belongs to this `if`
    endStatement(nullptr);
  }
}

void ItemShaper::unclosedBlock(const Open &block, const std::string &before) {
  result_.missingBraces = true;
  report(DiagCode::UnclosedBlock, afterLast(), str("missing `}` before ", before))
      .at({file_, block.token.begin, block.token.end}, "this block is not closed")
      .fix("insert `}`", afterLast(), "\n" + std::string(block.indent, ' ') + "}");
}

void ItemShaper::finish() {
  if (inBracket()) closeBrackets(bracketsBase(), quoted(end_));
  if (length_ != 0) endStatement(nullptr);
  if (!stack_.empty()) {
    // Report all open blocks in one message, since the text may simply be unfinished.
    unclosedBlock(stack_.back(), quoted(end_));
    Diagnostic &d = result_.diagnostics.back();
    for (size_t k = stack_.size() - 1; k-- > 0;) {
      const Open &outer = stack_[k];
      d.at({file_, outer.token.begin, outer.token.end}, "nor is this one");
      d.fixits[0].edits[0].replacement += "\n" + std::string(outer.indent, ' ') + "}";
    }
    while (!stack_.empty()) {
      closeBlock(nullptr);
      endStatement(nullptr);
    }
  }
  if (length_ != 0) endStatement(nullptr);
}

} // namespace xt
