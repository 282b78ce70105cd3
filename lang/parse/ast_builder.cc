#include "lang/parse/ast_builder.h"

#include "ir/base/text.h"

namespace xt {

using P = xtg::XtParser;

ast::File AstBuilder::file(P::FileContext *ctx) {
  ast::File out;
  out.file = tree_.file();
  for (P::ItemContext *i : ctx->item()) item(i, out);
  return out;
}

void AstBuilder::item(P::ItemContext *ctx, ast::File &out) {
  if (auto *i = as<P::ImportItemContext>(ctx)) {
    if (i->TEXT()) out.imports.push_back({tree_.range(ctx), tree_.unescaped(tree_.range(i->TEXT())), tree_.range(i->TEXT())});
  }
  if (auto *i = as<P::ParamItemContext>(ctx)) {
    out.params.push_back(param(i));
    if (losses_.broken(ctx)) out.params.back().type = {};
  }
  if (auto *i = as<P::AttrAliasItemContext>(ctx)) {
    out.attrAliases.push_back({tree_.range(ctx), tree_.sigilName(i->ATTR()), types_.attr(i->attrValue())});
    if (losses_.broken(ctx)) out.attrAliases.back().value = {};
  }
  if (auto *i = as<P::TypeAliasItemContext>(ctx)) {
    out.typeAliases.push_back({tree_.range(ctx), tree_.sigilName(i->TYPE()), types_.type(i->type())});
    if (losses_.broken(ctx)) out.typeAliases.back().value = {};
  }
  if (auto *i = as<P::KernelItemContext>(ctx)) {
    out.kernels.push_back(kernel(i));
  }
  if (auto *i = as<P::HostFunctionItemContext>(ctx)) {
    out.kernels.push_back(tests_.function(i));
  }
  if (auto *i = as<P::TestItemContext>(ctx)) {
    out.tests.push_back(tests_.test(i));
  }
}

ast::ParamDecl AstBuilder::param(P::ParamItemContext *ctx) const {
  ast::ParamDecl out;
  out.range = tree_.range(ctx);
  out.name = tree_.sigilName(ctx->SIZE());
  out.type = types_.type(ctx->type());
  bool ofType = out.type.kind == ast::TypeExpr::Kind::Word && out.type.name.text == "type";
  auto asType = [&](P::ChoiceContext *c) {
    if (c->shapedType()) return types_.shapedType(c->shapedType());
    ast::Expr e = exprs_.expr(c->expr());
    ast::TypeExpr t;
    t.range = e.range;
    t.name = {e.text, e.range};
    if (e.is(ast::Expr::Kind::Ident)) t.kind = ast::TypeExpr::Kind::Word;
    if (e.is(ast::Expr::Kind::Param)) t.kind = ast::TypeExpr::Kind::Param;
    return t;
  };
  auto asValue = [&](P::ChoiceContext *c) { return exprs_.expr(c->expr()); };
  auto readChoice = [&](P::ChoiceContext *c, auto &into) {
    if (!c) return;
    if (ofType)
      into.typeValue = asType(c);
    else
      into.value = asValue(c);
  };
  readChoice(ctx->choice(), out);
  if (ctx->choices())
    for (P::ChoiceContext *c : ctx->choices()->choice()) {
      if (ofType)
        out.typeChoices.push_back(asType(c));
      else
        out.choices.push_back(asValue(c));
    }
  for (P::TargetChoiceContext *c : ctx->targetChoice()) {
    ast::TargetChoice &choice = out.targetChoices.emplace_back();
    choice.range = tree_.range(c);
    choice.targetRange = tree_.range(c->TEXT());
    if (c->TEXT()) choice.target = tree_.unescaped(choice.targetRange);
    readChoice(c->choice(), choice);
  }
  return out;
}

ast::KernelDecl AstBuilder::kernel(P::KernelItemContext *ctx) {
  ast::KernelDecl out;
  out.range = tree_.range(ctx);
  out.broken = losses_.broken(ctx);
  out.isFunction = ctx->KW_FUNC() != nullptr;
  out.name = tree_.sigilName(ctx->SYMBOL());
  if (ctx->generics())
    for (P::GenericContext *g : ctx->generics()->generic()) {
      ast::Generic generic;
      std::vector<P::WordContext *> words = g->word();
      generic.name = g->SIZE() ? tree_.sigilName(g->SIZE()) : tree_.word(words.empty() ? nullptr : words.front());
      if (g->COLON() && !words.empty()) generic.constraint = tree_.word(words.back());
      out.generics.push_back(std::move(generic));
    }
  out.params = types_.params(ctx->params());
  out.results = types_.types(ctx->typeList());
  for (P::HeaderContext *h : ctx->header()) header(h, out);
  out.body = statements_.block(ctx->block());
  if (ctx->block())
    for (P::LineContext *line : ctx->block()->line())
      if (auto *form = as<P::FormStmtContext>(line->stmt()))
        for (ast::Name &name : tree_.words(form->word())) out.forms.push_back(std::move(name));
  return out;
}

void AstBuilder::header(P::HeaderContext *ctx, ast::KernelDecl &out) const {
  auto once = [&](bool given) {
    if (given)
      tree_.report(DiagCode::RepeatedClause, tree_.range(ctx->start),
                   str("`", tree_.slice(tree_.range(ctx->start)), "` is given twice"));
    return !given;
  };
  if (auto *h = as<P::GridHeaderContext>(ctx)) {
    if (!once(!out.grid.empty())) return;
    for (P::GridVarContext *v : h->gridVar()) {
      ast::GridVar var;
      var.name = tree_.boundName(v->VALUE());
      auto bounds = v->expr();
      var.lower = exprs_.expr(!bounds.empty() ? bounds[0] : nullptr);
      var.upper = exprs_.expr(bounds.size() > 1 ? bounds[1] : nullptr);
      if (bounds.size() > 2) var.step = exprs_.expr(bounds[2]);
      out.grid.push_back(std::move(var));
    }
  }
  if (auto *h = as<P::RequiresHeaderContext>(ctx)) {
    if (!once(!out.requirements.empty())) return;
    for (P::ExprContext *condition : h->expr()) out.requirements.push_back(exprs_.expr(condition));
  }
  if (auto *h = as<P::SubgroupsHeaderContext>(ctx)) {
    if (once(out.subgroups.has_value())) out.subgroups = exprs_.expr(h->expr());
  }
  if (auto *h = as<P::LanesHeaderContext>(ctx)) {
    if (once(out.lanes.has_value())) out.lanes = exprs_.expr(h->expr());
  }
  if (auto *h = as<P::FormHeaderContext>(ctx)) {
    for (ast::Name &name : tree_.words(h->word())) out.forms.push_back(std::move(name));
  }
}

} // namespace xt
