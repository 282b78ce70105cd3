#include "lang/parse/expr_builder.h"

#include "ir/base/text.h"
#include "ir/op_info.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace xt {

using ast::Expr;
using P = xtg::XtParser;

namespace {

bool isComparison(std::string_view op) {
  return op == "<" || op == "<=" || op == "==" || op == "!=" || op == ">" || op == ">=";
}

bool isBitOperator(std::string_view op) { return op == "&" || op == "|" || op == "^"; }

} // namespace

Expr ExprBuilder::number(antlr4::Token *token) const {
  Expr out;
  out.range = tree_.range(token);
  std::string spelled(tree_.slice(out.range));
  out.text = spelled;
  switch (token->getType()) {
  case P::INT:
  case P::HEX: {
    out.kind = Expr::Kind::Int;
    bool hex = token->getType() == P::HEX;
    std::string_view digits = std::string_view(spelled).substr(hex ? 2 : 0);
    uint64_t bits = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, hex ? 16 : 10);
    out.overflows = error != std::errc();
    out.integer = static_cast<int64_t>(bits);
    out.number = static_cast<double>(bits);
    return out;
  }
  case P::KW_NAN:
    out.kind = Expr::Kind::Float;
    out.number = std::numeric_limits<double>::quiet_NaN();
    return out;
  case P::KW_INF:
    out.kind = Expr::Kind::Float;
    out.number = std::numeric_limits<double>::infinity();
    return out;
  default:
    out.kind = Expr::Kind::Float;
    out.number = std::strtod(spelled.c_str(), nullptr);
    out.overflows = std::isinf(out.number);
    return out;
  }
}

Expr ExprBuilder::text(antlr4::Token *token) const {
  Expr out;
  out.kind = Expr::Kind::Text;
  out.range = tree_.range(token);
  out.text = tree_.unescaped(out.range);
  return out;
}

namespace {

// The text of an operator. Error recovery may have taken a word for one: `%i xor 3` for `%i ^ 3`.
std::string operatorText(antlr4::Token *token, std::string_view spelled) {
  switch (token->getType()) {
  case P::CARET: return "^";
  case P::SHL: return "<<";
  case P::SHR: return ">>";
  case P::SLASH: return "/";
  case P::KW_MOD: return "mod";
  case P::KW_AND: return "and";
  case P::KW_OR: return "or";
  case P::KW_NOT: return "not";
  default: return std::string(spelled);
  }
}

} // namespace

Expr ExprBuilder::unary(antlr4::ParserRuleContext *ctx, antlr4::Token *op, P::ExprContext *operand) const {
  Expr out;
  out.kind = Expr::Kind::Unary;
  out.range = tree_.range(ctx);
  out.textRange = tree_.range(op);
  out.text = operatorText(op, tree_.slice(out.textRange));
  out.children.push_back(expr(operand));
  return out;
}

namespace {

// The name of the op in `reduction <add> %x`, which reads as two comparisons; null if the expression is something else.
const Expr *opWithKind(const Expr &expr) {
  const Expr &left = expr.children[0];
  bool brackets = expr.text == ">" && left.is(Expr::Kind::Binary) && !left.parenthesised && left.text == "<";
  if (!brackets || !left.children[0].is(Expr::Kind::Ident)) return nullptr;
  const OpInfo *op = findOp(left.children[0].text);
  return op && op->clause == Clause::Kind ? &left.children[0] : nullptr;
}

} // namespace

Expr ExprBuilder::binary(P::ExprContext *ctx) const {
  Expr out;
  out.kind = Expr::Kind::Binary;
  out.range = tree_.range(ctx);
  auto operands = ctx->getRuleContexts<P::ExprContext>();
  for (antlr4::tree::ParseTree *child : ctx->children)
    if (antlr4::tree::TerminalNode *node = xtg::terminal(child)) {
      out.textRange = tree_.range(node);
      out.text = operatorText(node->getSymbol(), tree_.slice(out.textRange));
    }
  for (P::ExprContext *operand : operands) out.children.push_back(expr(operand));
  while (out.children.size() < 2) out.children.emplace_back().range = out.range.endPoint();
  const Expr &left = out.children[0];
  if (const Expr *op = opWithKind(out)) {
    tree_.report(DiagCode::ExpressionOperand, op->range, str("the op `", op->text, "` is not allowed in an expression"))
        .note(str("bind the result of `", op->text, "` to a name first"));
    out.kind = Expr::Kind::Error;
    return out;
  }
  if (isComparison(out.text) && left.is(Expr::Kind::Binary) && !left.parenthesised && isComparison(left.text)) {
    const Expr &between = left.children[1];
    bool bits = between.is(Expr::Kind::Binary) && !between.parenthesised && isBitOperator(between.text);
    tree_.report(DiagCode::ChainedComparison, out.textRange, "comparisons do not chain: this one compares a truth value")
        .at(left.textRange, "the other comparison")
        .note(bits ? str("`", between.text, "` binds tighter than comparisons: put these in parentheses, or write `and`, `or`")
                   : "write `a < b and b < c`");
  }
  return out;
}

Expr ExprBuilder::expr(P::ExprContext *ctx) const {
  Expr out;
  if (!ctx) return out.range = tree_.none(), out;
  out.range = tree_.range(ctx);
  if (auto *e = as<P::AtomExprContext>(ctx)) return indexed(atom(e->atom()), e->index());
  if (auto *e = as<P::SignExprContext>(ctx)) return unary(ctx, e->start, e->expr());
  if (auto *e = as<P::NotExprContext>(ctx)) return unary(ctx, e->start, e->expr());
  if (ctx->getRuleContexts<P::ExprContext>().empty()) return out;
  return binary(ctx);
}

Expr ExprBuilder::atom(P::AtomContext *ctx) const {
  Expr out;
  if (!ctx) return out.range = tree_.none(), out;
  if (ctx->simple()) return simple(ctx->simple());
  if (ctx->call()) return call(ctx->call());
  if (ctx->TEXT()) return text(ctx->TEXT()->getSymbol());
  out.range = tree_.range(ctx);
  if (ctx->name()) {
    out.kind = Expr::Kind::Ident;
    out.text = std::string(tree_.slice(out.range));
  }
  return out;
}

Expr ExprBuilder::simple(P::SimpleContext *ctx) const {
  Expr out;
  if (!ctx) return out.range = tree_.none(), out;
  out.range = tree_.range(ctx);
  if (auto *v = as<P::ValueAtomContext>(ctx)) {
    out.kind = v->SPLICE() ? Expr::Kind::Values : Expr::Kind::Value;
    out.text = tree_.sigilName(v->VALUE()).text;
    if (v->INT()) {
      Expr count = number(v->INT()->getSymbol());
      out.integer = count.integer;
      out.overflows = count.overflows || count.integer < 0;
    }
  } else if (auto *s = as<P::SizeAtomContext>(ctx)) {
    out.kind = Expr::Kind::Param;
    out.text = tree_.sigilName(s->SIZE()).text;
  } else if (as<P::NumberAtomContext>(ctx)) {
    return number(ctx->start);
  } else if (auto *b = as<P::BoolAtomContext>(ctx)) {
    out.kind = Expr::Kind::Bool;
    out.text = std::string(tree_.slice(out.range));
    out.integer = b->KW_TRUE() ? 1 : 0;
  } else if (auto *f = as<P::SymbolAtomContext>(ctx)) {
    out.kind = Expr::Kind::Symbol;
    out.text = tree_.sigilName(f->SYMBOL()).text;
  } else if (auto *p = as<P::ParenAtomContext>(ctx)) {
    out = expr(p->expr());
    out.range = tree_.range(ctx);
    out.parenthesised = true;
  }
  return out;
}

Expr ExprBuilder::arg(P::ArgContext *ctx, ast::Name *name) const {
  if (ctx->ATTR()) {
    Expr layout;
    layout.kind = Expr::Kind::Alias;
    layout.range = tree_.range(ctx);
    layout.text = tree_.sigilName(ctx->ATTR()).text;
    return layout;
  }
  if (ctx->word()) *name = tree_.word(ctx->word());
  return value(ctx->value());
}

Expr ExprBuilder::call(P::CallContext *ctx) const {
  Expr out;
  out.kind = Expr::Kind::Call;
  out.range = tree_.range(ctx);
  if (ctx->SYMBOL()) {
    ast::Name callee = tree_.sigilName(ctx->SYMBOL());
    out.symbolCall = true;
    out.text = callee.text;
    out.textRange = callee.range;
  } else {
    out.textRange = tree_.range(ctx->name());
    out.text = std::string(tree_.slice(out.textRange));
  }
  for (P::ArgContext *a : ctx->arg()) {
    ast::Name name{{}, tree_.none()};
    out.children.push_back(arg(a, &name));
    out.argNames.push_back(std::move(name));
  }
  return out;
}

Expr ExprBuilder::value(P::ValueContext *ctx) const {
  if (ctx && ctx->list()) return list(ctx->list());
  return expr(ctx ? ctx->expr() : nullptr);
}

Expr ExprBuilder::list(P::ListContext *ctx) const {
  Expr out;
  out.kind = Expr::Kind::List;
  out.range = tree_.range(ctx);
  for (P::ValueContext *v : ctx->value()) out.children.push_back(value(v));
  return out;
}

Expr ExprBuilder::indexed(Expr base, const std::vector<P::IndexContext *> &indexes) const {
  for (P::IndexContext *index : indexes) {
    Expr out;
    out.kind = Expr::Kind::Index;
    out.range = base.range.to(tree_.range(index));
    out.textRange = tree_.range(index);
    out.children.push_back(std::move(base));
    for (P::IndexItemContext *item : index->indexItem()) {
      auto parts = item->expr();
      if (!item->COLON()) {
        out.children.push_back(expr(parts.empty() ? nullptr : parts[0]));
        continue;
      }
      Expr slice;
      slice.kind = Expr::Kind::Slice;
      slice.range = tree_.range(item);
      slice.textRange = tree_.range(item->COLON());
      Expr begin, end;
      begin.range = slice.range.startPoint();
      end.range = slice.range.endPoint();
      for (P::ExprContext *part : parts) (tree_.range(part).begin < slice.textRange.begin ? begin : end) = expr(part);
      slice.children.push_back(std::move(begin));
      slice.children.push_back(std::move(end));
      if (item->step() && item->step()->expr()) slice.children.push_back(expr(item->step()->expr()));
      out.children.push_back(std::move(slice));
    }
    base = std::move(out);
  }
  return base;
}

} // namespace xt
