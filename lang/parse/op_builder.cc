#include "lang/parse/op_builder.h"

#include "ir/base/text.h"

namespace xt {

using ast::Expr;
using ast::OpClause;
using P = xtg::XtParser;

namespace {

OpClause &append(OpClause &out, std::vector<ast::Attr> groups) {
  for (ast::Attr &g : groups) out.attrs.push_back(std::move(g));
  return out;
}

ast::Name withoutQuotes(std::string_view text, SourceRange range) {
  for (std::string_view quote : {"\"", "\xE2\x80\x9C", "\xE2\x80\x9D"}) {
    if (text.starts_with(quote)) text.remove_prefix(quote.size());
    if (text.ends_with(quote)) text.remove_suffix(quote.size());
  }
  return {std::string(text), range};
}

} // namespace

ast::Attr OpBuilder::flag(P::FlagContext *ctx) const {
  ast::Attr out;
  out.range = tree_.range(ctx);
  out.name = {std::string(tree_.slice(tree_.range(ctx->FLAG()))), tree_.range(ctx->FLAG())};
  out.kind = ctx->LANGLE() || ctx->LPAREN() ? ast::Attr::Kind::Mapping : ast::Attr::Kind::Word;
  for (P::WordContext *w : ctx->word()) out.entries.push_back({tree_.word(w), {}, tree_.range(w)});
  for (P::ArgContext *a : ctx->arg()) {
    ast::Attr::Entry entry{{{}, tree_.range(a).startPoint()}, {}, tree_.range(a)};
    entry.value = types_.attrOf(exprs_.arg(a, &entry.key));
    out.entries.push_back(std::move(entry));
  }
  return out;
}

// Builds `to layout(#l)` as the attribute group {#l}.
void OpBuilder::toLayout(P::ToLayoutContext *ctx, OpClause &out) const {
  if (!ctx->name() || !ctx->layoutAttr()) return;
  if (!out.op.text.ends_with("to_layout")) {
    tree_.report(DiagCode::SyntaxError, tree_.range(ctx), "only `to_layout` takes `to layout(…)`");
    return;
  }
  SourceRange word = tree_.range(ctx->name());
  if (tree_.slice(word) != "layout")
    tree_.report(DiagCode::SyntaxError, word, str("expected `layout`, not `", tree_.slice(word), "`"));
  ast::Attr group;
  group.kind = ast::Attr::Kind::Dict;
  group.range = tree_.range(ctx->layoutAttr());
  ast::Attr layout = types_.layoutAttr(ctx->layoutAttr());
  group.entries.push_back({{{}, layout.range.startPoint()}, std::move(layout), group.range});
  out.attrs.push_back(std::move(group));
}

void OpBuilder::tail(P::OpTailContext *ctx, OpClause &out) const {
  if (!ctx) return;
  if (P::ToLayoutContext *to = ctx->toLayout()) toLayout(to, out);
  for (P::FlagContext *f : ctx->flag()) out.flags.push_back(flag(f));
  append(out, types_.groups(ctx->attrGroup()));
  if (ctx->signature()) out.signature = types_.signature(ctx->signature());
}

Expr OpBuilder::operand(P::OperandContext *ctx) const {
  if (ctx->list()) return exprs_.list(ctx->list());
  Expr base = exprs_.indexed(exprs_.simple(ctx->simple(0)), ctx->index());
  if (!ctx->MINUS()) return base;
  Expr out;
  out.kind = Expr::Kind::Unary;
  out.range = tree_.range(ctx);
  out.textRange = tree_.range(ctx->MINUS());
  out.text = "-";
  out.children.push_back(std::move(base));
  return out;
}

void OpBuilder::dims(P::ListContext *written, OpClause &out) const {
  if (!written) return;
  if (out.dims)
    tree_.report(DiagCode::TooManyLists, tree_.range(written), str("`", out.op.text, "` takes one list of dimensions"))
        .at(out.dims->range, "the other one");
  else
    out.dims = exprs_.list(written);
}

void OpBuilder::dimsOperands(P::DimsOperandsContext *ctx, OpClause &out) const {
  if (!ctx) return;
  for (P::SimpleContext *s : ctx->simple()) out.operands.push_back(exprs_.simple(s));
  append(out, types_.groups(ctx->attrGroup()));
  dims(ctx->list(), out);
}

void OpBuilder::operandsOp(P::OperandsOpContext *ctx, OpClause &out) const {
  out.shape = Clause::Operands;
  append(out, types_.groups(ctx->attrGroup()));
  if (ctx->operands()) {
    for (P::OperandContext *o : ctx->operands()->operand()) {
      out.operands.push_back(operand(o));
      // The values in parentheses are operands too, as if they were written after the other ones of `o` with commas.
      for (size_t i = 1; i < o->simple().size(); ++i) out.operands.push_back(exprs_.simple(o->simple(i)));
      const OpInfo *op = findOp(out.op.text);
      if (o->simple().size() > 1 && op && op->composite != Composite::TransferGather)
        tree_.report(DiagCode::SyntaxError, tree_.range(o->LPAREN()),
                     str("`", out.op.text, "` has no operands in parentheses"));
    }
    append(out, types_.groups(ctx->operands()->attrGroup()));
  }
  if (ctx->signature()) out.signature = types_.signature(ctx->signature());
  tail(ctx->opTail(), out);
}

void OpBuilder::baseOp(P::BaseOpContext *ctx, OpClause &out) const {
  out.shape = Clause::Base;
  append(out, types_.groups(ctx->attrGroup()));
  out.operands.push_back(exprs_.simple(ctx->simple()));
  std::vector<P::ListContext *> lists = ctx->list();
  for (P::BaseItemContext *item : ctx->baseItem()) {
    if (item->list())
      lists.push_back(item->list());
    else if (item->attrGroup())
      out.attrs.push_back(types_.group(item->attrGroup()));
    else
      out.operands.push_back(exprs_.simple(item->simple()));
  }
  ast::Maybe<Expr> *slots[] = {&out.offsets, &out.shapeList, &out.strides};
  for (size_t i = 0; i < lists.size(); ++i) {
    if (i < std::size(slots))
      *slots[i] = exprs_.list(lists[i]);
    else
      tree_.report(DiagCode::TooManyLists, tree_.range(lists[i]),
                   str("`", out.op.text, "` takes offsets, shape and strides, no fourth list"));
  }
  tail(ctx->opTail(), out);
}

void OpBuilder::localityOp(P::LocalityOpContext *ctx, OpClause &out) const {
  out.shape = Clause::Locality;
  append(out, types_.groups(ctx->attrGroup()));
  out.operands.push_back(exprs_.simple(ctx->simple()));
  if (ctx->locality()) out.locality = exprs_.expr(ctx->locality()->expr());
  tail(ctx->opTail(), out);
}

void OpBuilder::kindOp(P::KindOpContext *ctx, OpClause &out) const {
  out.shape = Clause::Kind;
  append(out, types_.groups(ctx->attrGroup()));
  if (P::KindContext *kind = ctx->kind()) {
    SourceRange where = kind->word() ? tree_.range(kind->word()) : tree_.range(kind);
    out.kind = withoutQuotes(tree_.slice(where), where);
  }
  dims(ctx->list(), out);
  dimsOperands(ctx->dimsOperands(), out);
  tail(ctx->opTail(), out);
}

void OpBuilder::dimsOp(P::DimsOpContext *ctx, OpClause &out) const {
  out.shape = Clause::Dims;
  append(out, types_.groups(ctx->attrGroup()));
  dims(ctx->list(), out);
  dimsOperands(ctx->dimsOperands(), out);
  if (ctx->signature()) out.signature = types_.signature(ctx->signature());
  tail(ctx->opTail(), out);
}

void OpBuilder::literalOp(P::LiteralOpContext *ctx, OpClause &out) const {
  out.shape = Clause::Literal;
  append(out, types_.groups(ctx->attrGroup()));
  if (ctx->operand()) out.literal = types_.attrOf(operand(ctx->operand()));
  tail(ctx->opTail(), out);
}

void OpBuilder::textOp(P::TextOpContext *ctx, OpClause &out) const {
  out.shape = Clause::Text;
  append(out, types_.groups(ctx->attrGroup()));
  for (P::TextItemContext *item : ctx->textItem()) {
    if (item->attrGroup())
      out.attrs.push_back(types_.group(item->attrGroup()));
    else if (item->operand())
      out.operands.push_back(operand(item->operand()));
    else if (item->TEXT() && !out.text)
      out.text = exprs_.text(item->TEXT()->getSymbol());
    else if (item->TEXT())
      out.operands.push_back(exprs_.text(item->TEXT()->getSymbol()));
  }
  tail(ctx->opTail(), out);
}

OpClause OpBuilder::op(P::OpContext *ctx) const {
  OpClause out;
  if (!ctx) return out;
  out.op = {std::string(tree_.slice(tree_.range(ctx->start))), tree_.range(ctx->start)};
  if (auto *c = as<P::OperandsOpContext>(ctx)) operandsOp(c, out);
  if (auto *c = as<P::BaseOpContext>(ctx)) baseOp(c, out);
  if (auto *c = as<P::LocalityOpContext>(ctx)) localityOp(c, out);
  if (auto *c = as<P::KindOpContext>(ctx)) kindOp(c, out);
  if (auto *c = as<P::DimsOpContext>(ctx)) dimsOp(c, out);
  if (auto *c = as<P::LiteralOpContext>(ctx)) literalOp(c, out);
  if (auto *c = as<P::TextOpContext>(ctx)) textOp(c, out);
  if (auto *c = as<P::BareOpContext>(ctx)) {
    out.shape = Clause::Bare;
    tail(c->opTail(), out);
  }
  if (auto *c = as<P::DimensionOpContext>(ctx)) {
    out.shape = Clause::Dimension;
    if (c->word()) out.kind = tree_.word(c->word());
    tail(c->opTail(), out);
  }
  return out;
}

} // namespace xt
