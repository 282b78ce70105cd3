#include "lang/parse/ast_builder.h"

#include "ir/base/text.h"

namespace xt {

using P = xtg::XtParser;

ast::File AstBuilder::file(P::FileContext *ctx) {
  ast::File out;
  out.file = file_;
  findLosses();
  if (mistakes_ && ctx) findExceptions(ctx);
  for (P::ItemContext *i : ctx->item()) item(i, out);
  return out;
}

void AstBuilder::item(P::ItemContext *ctx, ast::File &out) {
  if (auto *i = as<P::ImportItemContext>(ctx)) {
    if (i->TEXT()) out.imports.push_back({range(ctx), unescaped(range(i->TEXT())), range(i->TEXT())});
  }
  if (auto *i = as<P::ParamItemContext>(ctx)) {
    out.params.push_back(param(i));
    if (broken(ctx)) out.params.back().type = {};
  }
  if (auto *i = as<P::AttrAliasItemContext>(ctx)) {
    out.attrAliases.push_back({range(ctx), sigilName(i->ATTR()), attr(i->attrValue())});
    if (broken(ctx)) out.attrAliases.back().value = {};
  }
  if (auto *i = as<P::TypeAliasItemContext>(ctx)) {
    out.typeAliases.push_back({range(ctx), sigilName(i->TYPE()), type(i->type())});
    if (broken(ctx)) out.typeAliases.back().value = {};
  }
  if (auto *i = as<P::KernelItemContext>(ctx)) {
    out.kernels.push_back(kernel(i));
  }
  if (auto *i = as<P::TestItemContext>(ctx)) {
    out.tests.push_back(test(i));
  }
}

ast::ParamDecl AstBuilder::param(P::ParamItemContext *ctx) {
  ast::ParamDecl out;
  out.range = range(ctx);
  out.name = sigilName(ctx->SIZE());
  out.type = type(ctx->type());
  bool ofType = out.type.kind == ast::TypeExpr::Kind::Word && out.type.name.text == "type";
  auto asType = [&](P::ChoiceContext *c) {
    if (c->shapedType()) return shapedType(c->shapedType());
    ast::Expr e = expr(c->expr());
    ast::TypeExpr t;
    t.range = e.range;
    t.name = {e.text, e.range};
    if (e.is(ast::Expr::Kind::Ident)) t.kind = ast::TypeExpr::Kind::Word;
    if (e.is(ast::Expr::Kind::Param)) t.kind = ast::TypeExpr::Kind::Param;
    return t;
  };
  auto asValue = [&](P::ChoiceContext *c) { return expr(c->expr()); };
  if (ctx->choice()) {
    if (ofType)
      out.typeValue = asType(ctx->choice());
    else
      out.value = asValue(ctx->choice());
  }
  if (ctx->choices())
    for (P::ChoiceContext *c : ctx->choices()->choice()) {
      if (ofType)
        out.typeChoices.push_back(asType(c));
      else
        out.choices.push_back(asValue(c));
    }
  return out;
}

ast::KernelDecl AstBuilder::kernel(P::KernelItemContext *ctx) {
  ast::KernelDecl out;
  out.range = range(ctx);
  out.broken = broken(ctx);
  out.isFunction = ctx->KW_FUNC() != nullptr;
  out.name = sigilName(ctx->SYMBOL());
  out.params = params(ctx->params());
  out.results = types(ctx->typeList());
  for (P::HeaderContext *h : ctx->header()) header(h, out);
  out.body = block(ctx->block());
  if (ctx->block())
    for (P::LineContext *line : ctx->block()->line())
      if (auto *form = as<P::FormStmtContext>(line->stmt()))
        for (ast::Name &name : words(form->word())) out.forms.push_back(std::move(name));
  return out;
}

std::vector<ast::Param> AstBuilder::params(P::ParamsContext *ctx) {
  std::vector<ast::Param> out;
  if (ctx)
    for (P::ParamContext *p : ctx->param()) out.push_back({boundName(p->VALUE()), type(p->type())});
  return out;
}

void AstBuilder::header(P::HeaderContext *ctx, ast::KernelDecl &out) {
  auto once = [&](bool given) {
    if (given) report(DiagCode::RepeatedClause, range(ctx->start), str("`", slice(range(ctx->start)), "` is given twice"));
    return !given;
  };
  if (auto *h = as<P::GridHeaderContext>(ctx)) {
    if (!once(!out.grid.empty())) return;
    for (P::GridVarContext *v : h->gridVar()) {
      ast::GridVar var;
      var.name = boundName(v->VALUE());
      auto bounds = v->expr();
      var.lower = expr(!bounds.empty() ? bounds[0] : nullptr);
      var.upper = expr(bounds.size() > 1 ? bounds[1] : nullptr);
      if (bounds.size() > 2) var.step = expr(bounds[2]);
      out.grid.push_back(std::move(var));
    }
  }
  if (auto *h = as<P::SubgroupsHeaderContext>(ctx)) {
    if (once(out.subgroups.has_value())) out.subgroups = expr(h->expr());
  }
  if (auto *h = as<P::LanesHeaderContext>(ctx)) {
    if (once(out.lanes.has_value())) out.lanes = expr(h->expr());
  }
  if (auto *h = as<P::FormHeaderContext>(ctx)) {
    for (ast::Name &name : words(h->word())) out.forms.push_back(std::move(name));
  }
}

std::vector<ast::SizeDecl> AstBuilder::sizes(P::SizesContext *ctx) {
  std::vector<ast::SizeDecl> out;
  if (ctx)
    for (P::SizeContext *s : ctx->size()) out.push_back({word(s->word()), expr(s->expr())});
  return out;
}

ast::TestDecl AstBuilder::test(P::TestItemContext *ctx) {
  ast::TestDecl out;
  out.range = range(ctx);
  out.broken = broken(ctx);
  out.nameRange = range(ctx->TEXT());
  if (ctx->TEXT()) out.name = unescaped(out.nameRange);
  out.sizes = sizes(ctx->sizes());
  if (ctx->small()) {
    out.hasSmall = true;
    out.small = sizes(ctx->small()->sizes());
  }
  out.body = hostBlock(ctx->hostBlock());
  return out;
}

} // namespace xt
