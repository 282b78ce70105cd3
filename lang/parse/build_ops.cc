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
  out.hasArrow = ctx->arrow() != nullptr;
  if (lists.size() > right) out.right = types(lists[right]);
  return out;
}

void AstBuilder::tail(P::OpTailContext *ctx, OpClause &out) {
  if (!ctx) return;
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

OpClause AstBuilder::op(P::OpContext *ctx) {
  OpClause out;
  out.op.range = range(ctx->start);
  out.op.text = std::string(slice(out.op.range));
  auto dims = [&](P::ListContext *list_) {
    if (!list_) return;
    if (out.dims)
      report(DiagCode::TooManyLists, range(list_), str("`", out.op.text, "` takes one list of dimensions"))
          .at(out.dims->range, "the other one");
    else
      out.dims = list(list_);
  };
  auto dimsOperands = [&](P::DimsOperandsContext *operands) {
    if (!operands) return;
    for (P::SimpleContext *s : operands->simple()) out.operands.push_back(simple(s));
    append(out, groups(operands->attrGroup()));
    dims(operands->list());
  };

  if (auto *c = dynamic_cast<P::OperandsOpContext *>(ctx)) {
    out.shape = Clause::Operands;
    append(out, groups(c->attrGroup()));
    if (c->operands()) {
      for (P::OperandContext *o : c->operands()->operand()) out.operands.push_back(operand(o));
      append(out, groups(c->operands()->attrGroup()));
    }
    if (c->signature()) out.signature = signature(c->signature());
    tail(c->opTail(), out);
  }
  if (auto *c = dynamic_cast<P::BaseOpContext *>(ctx)) {
    out.shape = Clause::Base;
    append(out, groups(c->attrGroup()));
    out.operands.push_back(simple(c->simple()));
    std::vector<P::ListContext *> lists;
    if (c->list()) lists.push_back(c->list());
    for (P::BaseItemContext *item : c->baseItem()) {
      if (item->list())
        lists.push_back(item->list());
      else if (item->attrGroup())
        out.attrs.push_back(group(item->attrGroup()));
      else
        out.operands.push_back(simple(item->simple()));
    }
    std::optional<Expr> *slots[] = {&out.offsets, &out.shapeList, &out.strides};
    for (size_t i = 0; i < lists.size(); ++i) {
      if (i < std::size(slots))
        *slots[i] = list(lists[i]);
      else
        report(DiagCode::TooManyLists, range(lists[i]),
               str("`", out.op.text, "` takes offsets, shape and strides, no fourth list"));
    }
    tail(c->opTail(), out);
  }
  if (auto *c = dynamic_cast<P::LocalityOpContext *>(ctx)) {
    out.shape = Clause::Locality;
    append(out, groups(c->attrGroup()));
    out.operands.push_back(simple(c->simple()));
    if (c->locality()) out.locality = expr(c->locality()->expr());
    tail(c->opTail(), out);
  }
  if (auto *c = dynamic_cast<P::KindOpContext *>(ctx)) {
    out.shape = Clause::Kind;
    append(out, groups(c->attrGroup()));
    if (P::KindContext *k = c->kind()) {
      SourceRange where = range(k->word());
      if (!k->word()) where = range(k);
      out.kind = withoutQuotes(slice(where), where);
    }
    dims(c->list());
    dimsOperands(c->dimsOperands());
    tail(c->opTail(), out);
  }
  if (auto *c = dynamic_cast<P::DimsOpContext *>(ctx)) {
    out.shape = Clause::Dims;
    append(out, groups(c->attrGroup()));
    dims(c->list());
    dimsOperands(c->dimsOperands());
    if (c->signature()) out.signature = signature(c->signature());
    tail(c->opTail(), out);
  }
  if (auto *c = dynamic_cast<P::LiteralOpContext *>(ctx)) {
    out.shape = Clause::Literal;
    append(out, groups(c->attrGroup()));
    if (c->operand()) out.literal = attrOf(operand(c->operand()));
    tail(c->opTail(), out);
  }
  if (auto *c = dynamic_cast<P::TextOpContext *>(ctx)) {
    out.shape = Clause::Text;
    append(out, groups(c->attrGroup()));
    for (P::TextItemContext *item : c->textItem()) {
      if (item->attrGroup()) {
        out.attrs.push_back(group(item->attrGroup()));
      } else if (!item->TEXT()) {
        out.operands.push_back(item->operand() ? operand(item->operand()) : Expr{});
      } else if (!out.text) {
        out.text = text(item->TEXT()->getSymbol());
      } else {
        out.operands.push_back(text(item->TEXT()->getSymbol()));
      }
    }
    tail(c->opTail(), out);
  }
  if (auto *c = dynamic_cast<P::BareOpContext *>(ctx)) {
    out.shape = Clause::Bare;
    tail(c->opTail(), out);
  }
  if (auto *c = dynamic_cast<P::DimensionOpContext *>(ctx)) {
    out.shape = Clause::Dimension;
    if (c->word()) out.kind = word(c->word());
    tail(c->opTail(), out);
  }
  return out;
}

} // namespace xt
