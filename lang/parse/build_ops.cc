#include "lang/parse/ast_builder.h"

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

ast::Signature AstBuilder::signature(P::SignatureContext *ctx) {
  ast::Signature out;
  out.range = range(ctx);
  auto lists = ctx->typeList();
  size_t right = 0;
  if (ctx->COLON()) {
    if (!lists.empty()) out.left = types(lists[0]);
    right = 1;
  } else {
    if (ctx->shapedType()) out.left.push_back(shapedType(ctx->shapedType()));
    for (P::TypeContext *t : ctx->type()) out.left.push_back(type(t));
  }
  out.hasArrow = ctx->arrow() || ctx->KW_FROM();
  if (lists.size() > right) out.right = types(lists[right]);
  if (ctx->KW_FROM()) std::swap(out.left, out.right); // f32 from vector<8xf32>
  return out;
}

ast::Attr AstBuilder::flag(P::FlagContext *ctx) {
  ast::Attr out;
  out.range = range(ctx);
  out.name = {std::string(slice(range(ctx->FLAG()))), range(ctx->FLAG())};
  out.kind = ctx->LANGLE() || ctx->LPAREN() ? ast::Attr::Kind::Mapping : ast::Attr::Kind::Word;
  for (P::WordContext *w : ctx->word()) out.entries.push_back({word(w), {}, range(w)});
  for (P::ArgContext *a : ctx->arg()) {
    ast::Attr::Entry entry{{{}, range(a).startPoint()}, {}, range(a)};
    entry.value = attrOf(arg(a, &entry.key));
    out.entries.push_back(std::move(entry));
  }
  return out;
}

void AstBuilder::tail(P::OpTailContext *ctx, OpClause &out) {
  if (!ctx) return;
  for (P::FlagContext *f : ctx->flag()) out.flags.push_back(flag(f));
  append(out, groups(ctx->attrGroup()));
  if (ctx->signature()) out.signature = signature(ctx->signature());
}

Expr AstBuilder::operand(P::OperandContext *ctx) {
  if (ctx->list()) return list(ctx->list());
  Expr base = indexed(simple(ctx->simple()), ctx->index());
  if (!ctx->MINUS()) return base;
  Expr out;
  out.kind = Expr::Kind::Unary;
  out.range = range(ctx);
  out.textRange = range(ctx->MINUS());
  out.text = "-";
  out.children.push_back(std::move(base));
  return out;
}

void AstBuilder::dims(P::ListContext *written, OpClause &out) {
  if (!written) return;
  if (out.dims)
    report(DiagCode::TooManyLists, range(written), str("`", out.op.text, "` takes one list of dimensions"))
        .at(out.dims->range, "the other one");
  else
    out.dims = list(written);
}

void AstBuilder::dimsOperands(P::DimsOperandsContext *ctx, OpClause &out) {
  if (!ctx) return;
  for (P::SimpleContext *s : ctx->simple()) out.operands.push_back(simple(s));
  append(out, groups(ctx->attrGroup()));
  dims(ctx->list(), out);
}

void AstBuilder::operandsOp(P::OperandsOpContext *ctx, OpClause &out) {
  out.shape = Clause::Operands;
  append(out, groups(ctx->attrGroup()));
  if (ctx->operands()) {
    for (P::OperandContext *o : ctx->operands()->operand()) out.operands.push_back(operand(o));
    append(out, groups(ctx->operands()->attrGroup()));
  }
  if (ctx->signature()) out.signature = signature(ctx->signature());
  tail(ctx->opTail(), out);
}

void AstBuilder::baseOp(P::BaseOpContext *ctx, OpClause &out) {
  out.shape = Clause::Base;
  append(out, groups(ctx->attrGroup()));
  out.operands.push_back(simple(ctx->simple()));
  std::vector<P::ListContext *> lists;
  if (ctx->list()) lists.push_back(ctx->list());
  for (P::BaseItemContext *item : ctx->baseItem()) {
    if (item->list())
      lists.push_back(item->list());
    else if (item->attrGroup())
      out.attrs.push_back(group(item->attrGroup()));
    else
      out.operands.push_back(simple(item->simple()));
  }
  ast::Maybe<Expr> *slots[] = {&out.offsets, &out.shapeList, &out.strides};
  for (size_t i = 0; i < lists.size(); ++i) {
    if (i < std::size(slots))
      *slots[i] = list(lists[i]);
    else
      report(DiagCode::TooManyLists, range(lists[i]),
             str("`", out.op.text, "` takes offsets, shape and strides, no fourth list"));
  }
  tail(ctx->opTail(), out);
}

void AstBuilder::localityOp(P::LocalityOpContext *ctx, OpClause &out) {
  out.shape = Clause::Locality;
  append(out, groups(ctx->attrGroup()));
  out.operands.push_back(simple(ctx->simple()));
  if (ctx->locality()) out.locality = expr(ctx->locality()->expr());
  tail(ctx->opTail(), out);
}

void AstBuilder::kindOp(P::KindOpContext *ctx, OpClause &out) {
  out.shape = Clause::Kind;
  append(out, groups(ctx->attrGroup()));
  if (P::KindContext *kind = ctx->kind()) {
    SourceRange where = kind->word() ? range(kind->word()) : range(kind);
    out.kind = withoutQuotes(slice(where), where);
  }
  dims(ctx->list(), out);
  dimsOperands(ctx->dimsOperands(), out);
  tail(ctx->opTail(), out);
}

void AstBuilder::dimsOp(P::DimsOpContext *ctx, OpClause &out) {
  out.shape = Clause::Dims;
  append(out, groups(ctx->attrGroup()));
  dims(ctx->list(), out);
  dimsOperands(ctx->dimsOperands(), out);
  if (ctx->signature()) out.signature = signature(ctx->signature());
  tail(ctx->opTail(), out);
}

void AstBuilder::literalOp(P::LiteralOpContext *ctx, OpClause &out) {
  out.shape = Clause::Literal;
  append(out, groups(ctx->attrGroup()));
  if (ctx->operand()) out.literal = attrOf(operand(ctx->operand()));
  tail(ctx->opTail(), out);
}

void AstBuilder::textOp(P::TextOpContext *ctx, OpClause &out) {
  out.shape = Clause::Text;
  append(out, groups(ctx->attrGroup()));
  for (P::TextItemContext *item : ctx->textItem()) {
    if (item->attrGroup())
      out.attrs.push_back(group(item->attrGroup()));
    else if (item->operand())
      out.operands.push_back(operand(item->operand()));
    else if (item->TEXT() && !out.text)
      out.text = text(item->TEXT()->getSymbol());
    else if (item->TEXT())
      out.operands.push_back(text(item->TEXT()->getSymbol()));
  }
  tail(ctx->opTail(), out);
}

OpClause AstBuilder::op(P::OpContext *ctx) {
  OpClause out;
  if (!ctx) return out;
  out.op = {std::string(slice(range(ctx->start))), range(ctx->start)};
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
    if (c->word()) out.kind = word(c->word());
    tail(c->opTail(), out);
  }
  return out;
}

} // namespace xt
