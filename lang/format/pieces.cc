#include "lang/format/pieces.h"

#include "ir/op_info.h"

#include <algorithm>

namespace xt {
namespace {

using Role = TokenRole;

// Costs of line breaks at different tokens. Each enclosing bracket adds kPerBracket.
constexpr uint32_t kSignature = 2, kComma = 3, kStep = 4, kLogic = 5, kCompare = 6, kBits = 7, kSum = 8, kProduct = 9,
                   kOpened = 10, kPerBracket = 11, kBinding = 50;

bool isOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  for (std::string_view word : words)
    if (word == text) return true;
  return false;
}

// Whether the op takes a list of dimensions behind its operands. A bracket behind the operand of another op holds indices.
bool takesDims(std::string_view name) {
  const OpInfo *info = findOp(name);
  return !info || info->clause != Clause::Kind ||
         std::ranges::any_of(info->attrs, [](const AttrSpec &attr) { return attr.kind == AttrKind::Ints; });
}

} // namespace

void PieceMaker::startStatement() {
  open_.clear();
  any_ = dimsOp_ = lastIsPrefix_ = false;
}

Piece PieceMaker::take(size_t i) {
  const SourceToken &token = tokens_[i];
  Piece piece{.text = textOf(i), .role = token.role};
  if (token.role == Role::Comment) {
    piece.space = true;
    piece.ownLine = token.newLines != 0;
    return piece;
  }
  if (!any_) first_ = i;
  if (closesBracket(token.role) && !open_.empty()) open_.pop_back();
  bool prefix = isPrefix(i);
  piece.space = any_ && spaceBefore(i);
  if (any_) piece.breakCost = breakCost(i);
  lastIsPrefix_ = prefix;
  dimsOp_ |= token.role == Role::DimsOp && takesDims(textOf(i));
  if (opensBracket(token.role)) enter(i);
  last_ = i;
  any_ = true;
  return piece;
}

void PieceMaker::enter(size_t i) {
  Bracket bracket{.role = tokens_[i].role};
  bool inAngle = inShape();
  bool colon = false;
  size_t depth = 0;
  for (size_t k = i + 1; k < tokens_.size(); ++k) {
    Role role = tokens_[k].role;
    if (closesBracket(role) && depth-- == 0) break;
    if (opensBracket(role)) ++depth;
    if (depth == 0 && role == Role::Colon) colon = true;
    bool extent =
        role == Role::OpenExtent || (role == Role::Parameter && k + 1 < tokens_.size() && tokens_[k + 1].role == Role::ShapeX);
    if (extent && (depth == 0 || (depth == 1 && role == Role::OpenExtent))) bracket.spacedShape = true;
  }
  bracket.tightInside = colon && inAngle && bracket.role == Role::OpenBracket;
  bracket.locationOrSlice = bracket.role == Role::OpenBracket || (any_ && textOf(last_) == "loc");
  open_.push_back(bracket);
}

bool PieceMaker::isPrefix(size_t i) const {
  if (tokens_[i].role != Role::Operator || (textOf(i) != "-" && textOf(i) != "~")) return false;
  if (!any_) return true;
  switch (tokens_[last_].role) {
  case Role::Keyword: return !isOneOf(textOf(last_), {"true", "false", "nan", "inf"});
  case Role::SoftWord: return last_ == first_ && textOf(last_) == "check";
  case Role::Comma:
  case Role::Operator:
  case Role::Equals:
  case Role::Arrow:
  case Role::Op:
  case Role::DimsOp:
  case Role::Colon:
  case Role::CloseBrace:
  case Role::CloseAngle: return true;
  default: return opensBracket(tokens_[last_].role);
  }
}

bool PieceMaker::spaceBeforeBracket(size_t i) const {
  Role last = tokens_[last_].role;
  switch (tokens_[i].role) {
  case Role::OpenAngle: return !isAnyWord(last) && last != Role::Symbol && last != Role::Alias && last != Role::TypeAlias;
  case Role::OpenParen:
    if (last == Role::Keyword) return !isOneOf(textOf(last_), {"iter_args", "scf.condition"});
    if (isAnyWord(last))
      return isOneOf(textOf(last_), {"grid", "requires"}) ||
             (last_ == first_ && last == Role::SoftWord && textOf(last_) == "mesh");
    if (last == Role::CloseAngle && open_.empty() && isOneOf(textOf(first_), {"func", "func.func", "kernel"})) return false;
    // %A[%i, %j](%rows), but transpose [1, 0] (%x + %y), and broadcast %A[0:8] (1) in a test
    if (last == Role::CloseBracket) return dimsOp_ || (open_.empty() && tokens_[first_].role == Role::SoftWord);
    return last != Role::Symbol;
  case Role::OpenBracket: {
    if (dimsOp_ && open_.empty()) return true;
    if (isAnyWord(last)) return textOf(last_) == "in";
    return last != Role::Value && last != Role::Symbol && last != Role::Parameter && last != Role::CloseParen &&
           last != Role::CloseBracket;
  }
  case Role::OpenExtent: return inShape() && open_.back().spacedShape;
  default: return true;
  }
}

bool PieceMaker::spaceBefore(size_t i) {
  Role role = tokens_[i].role, last = tokens_[last_].role;
  if (opensBracket(last) && last != Role::OpenBlock) return false;
  if (closesBracket(role) && (role != Role::CloseBlock || last == Role::OpenBlock)) return false;
  if (role == Role::Comma || role == Role::Splice || last == Role::Splice) return false;
  if (role == Role::Equals && textOf(i) == ":") return false; // strided<[4, 1], offset: ?>
  // A blank precedes the ` : ` of a signature, but no colon in parentheses (`%A: memref<…>`), in brackets (0:8) or in a
  // location.
  if (role == Role::Colon && open_.empty() && textOf(first_).starts_with("^")) return false; // ^bb0(%x: f32):
  if (role == Role::Colon) return open_.empty() || open_.back().role == Role::OpenBrace || last == Role::Comma;
  if (last == Role::Colon && !open_.empty() && open_.back().locationOrSlice) return false;
  if (role == Role::ShapeX || last == Role::ShapeX) return inShape() && open_.back().spacedShape;
  if (lastIsPrefix_) return false;
  bool tight = !open_.empty() && open_.back().tightInside;
  if (tight && (role == Role::Operator || last == Role::Operator)) return false;
  return !opensBracket(role) || spaceBeforeBracket(i);
}

uint32_t PieceMaker::costOfWord(size_t i) const {
  std::string_view word = textOf(i);
  if (open_.empty() && isOneOf(word, {"grid", "requires", "subgroups", "lanes", "iter_args"})) return Piece::kHeaderClause;
  if (word == "into") return kSignature;
  if (word == "to" || word == "step") return kStep;
  if (word == "and" || word == "or") return kLogic;
  if (word == "mod") return kProduct;
  return Piece::kNoBreak;
}

uint32_t PieceMaker::breakCost(size_t i) const {
  Role role = tokens_[i].role, last = tokens_[last_].role;
  uint32_t cost = Piece::kNoBreak;
  std::string_view text = textOf(i);
  if (role == Role::Operator && !isPrefix(i) && !lastIsPrefix_) {
    bool sum = text == "+" || text == "-";
    bool bits = isOneOf(text, {"&", "|", "^", "<<", ">>"});
    cost = sum ? kSum : text == "*" || text == "/" ? kProduct : bits ? kBits : kCompare;
    if (!open_.empty() && open_.back().tightInside) cost = Piece::kNoBreak;
  } else if (role == Role::Keyword || isAnyWord(role)) {
    cost = costOfWord(i);
  } else if (role == Role::Arrow || (role == Role::Colon && open_.empty())) {
    cost = kSignature;
  } else if (role == Role::OpenBrace && open_.empty() && textOf(last_) != "small") {
    cost = kComma;
  }
  if (last == Role::Comma) cost = std::min(cost, kComma);
  bool opened = last == Role::OpenParen || last == Role::OpenBracket || last == Role::OpenBrace;
  if (opened && !closesBracket(role)) cost = kOpened;
  if (last == Role::Equals && open_.empty()) cost = kBinding;
  if (cost == Piece::kNoBreak) return cost;
  return cost + kPerBracket * static_cast<uint32_t>(open_.size());
}

} // namespace xt
