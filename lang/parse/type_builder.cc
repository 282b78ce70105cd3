#include "lang/parse/type_builder.h"

#include "ir/base/text.h"

namespace xt {

using ast::Attr;
using ast::Expr;
using ast::TypeExpr;
using P = xtg::XtParser;

namespace {

// The part of a name after its last dot: "tile" for "xetile.tile". Identifies the constructor or word of a type.
std::string lastPart(std::string_view name) { return std::string(name.substr(name.rfind('.') + 1)); }

} // namespace

TypeExpr TypeBuilder::type(P::TypeContext *ctx) const {
  TypeExpr out;
  if (!ctx) return out.range = tree_.none(), out;
  out.range = tree_.range(ctx);
  if (auto *shaped = as<P::ShapedTypeRefContext>(ctx)) return shapedType(shaped->shapedType());
  if (auto *alias = as<P::TypeAliasRefContext>(ctx)) {
    out.name = tree_.sigilName(alias->TYPE());
    // !xegpu.nbarrier is a dialect's type, not an alias.
    bool dialect = out.name.text.find('.') != std::string::npos;
    out.kind = dialect ? TypeExpr::Kind::Word : TypeExpr::Kind::Alias;
    if (dialect) out.name.text = lastPart(out.name.text);
  } else if (auto *param = as<P::TypeParamRefContext>(ctx)) {
    out.kind = TypeExpr::Kind::Param;
    out.name = tree_.sigilName(param->SIZE());
  } else if (auto *named = as<P::WordTypeContext>(ctx)) {
    out.kind = TypeExpr::Kind::Word;
    out.name = tree_.word(named->name());
  }
  return out;
}

ast::Extent TypeBuilder::extent(P::ExtentContext *ctx) const {
  ast::Extent out;
  out.range = tree_.range(ctx);
  if (ctx->QMARK()) {
    out.dynamic = true;
  } else if (ctx->expr()) {
    out.value = exprs_.expr(ctx->expr());
  } else if (ctx->SIZE()) {
    Expr value;
    value.kind = Expr::Kind::Param;
    value.range = tree_.range(ctx->SIZE());
    value.text = tree_.sigilName(ctx->SIZE()).text;
    out.value = std::move(value);
  } else if (ctx->DIM()) {
    std::string digits(tree_.slice(tree_.range(ctx->DIM())));
    Expr value;
    value.kind = Expr::Kind::Int;
    value.range = tree_.range(ctx->DIM());
    value.text = digits;
    value.overflows = digits.size() > 18; // larger than any extent
    value.integer = value.overflows ? 0 : std::stoll(digits);
    value.number = static_cast<double>(value.integer);
    out.value = std::move(value);
  }
  return out;
}

TypeExpr TypeBuilder::element(P::ShapeContext *ctx) const {
  TypeExpr out;
  if (ctx->ELEM()) {
    out.kind = TypeExpr::Kind::Word;
    out.range = tree_.range(ctx->ELEM());
    out.name = {std::string(tree_.slice(out.range)), out.range};
  } else if (ctx->SIZE()) {
    out.kind = TypeExpr::Kind::Param;
    out.range = tree_.range(ctx->SIZE());
    out.name = tree_.sigilName(ctx->SIZE());
  }
  return out;
}

TypeExpr TypeBuilder::shapedType(P::ShapedTypeContext *ctx) const {
  TypeExpr out;
  out.kind = TypeExpr::Kind::Shaped;
  out.range = tree_.range(ctx);
  out.name.range = tree_.range(ctx->start);
  std::string_view spelled = tree_.slice(out.name.range);
  if (spelled.starts_with("!")) spelled.remove_prefix(1);
  out.name.text = lastPart(spelled);
  if (P::ShapeContext *shape = ctx->shape()) {
    for (P::ExtentContext *e : shape->extent()) out.extents.push_back(extent(e));
    out.element = std::make_shared<TypeExpr>(element(shape));
    // A missing `x`, which has been reported: the number of dimensions is a guess, which later messages must not build on.
    for (antlr4::tree::TerminalNode *x : shape->X())
      if (tree_.slice(tree_.range(x)).empty()) out.kind = TypeExpr::Kind::Error;
  }
  for (P::AttrEntryContext *e : ctx->attrEntry()) out.attrs.push_back(entry(e));
  return out;
}

std::vector<TypeExpr> TypeBuilder::types(P::TypeListContext *ctx) const {
  std::vector<TypeExpr> out;
  if (ctx)
    for (P::TypeContext *t : ctx->type()) out.push_back(type(t));
  return out;
}

std::vector<ast::Param> TypeBuilder::params(P::ParamsContext *ctx) const {
  std::vector<ast::Param> out;
  if (ctx)
    for (P::ParamContext *p : ctx->param()) {
      if (p->SYMBOL())
        out.push_back({tree_.sigilName(p->SYMBOL()), {}, true});
      else if (p->ATTR())
        out.push_back({tree_.sigilName(p->ATTR()), {}, false, true});
      else
        out.push_back({tree_.boundName(p->VALUE()), type(p->type())});
    }
  return out;
}

ast::Signature TypeBuilder::signature(P::SignatureContext *ctx) const {
  ast::Signature out;
  out.range = tree_.range(ctx);
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

// ---- attributes ----

Attr TypeBuilder::group(P::AttrGroupContext *ctx) const {
  Attr out;
  out.kind = Attr::Kind::Dict;
  out.range = tree_.range(ctx);
  for (antlr4::tree::ParseTree *child : ctx->children) {
    if (auto *e = as<P::AttrEntryContext>(child)) {
      out.entries.push_back(entry(e));
    } else if (auto *l = as<P::LayoutAttrContext>(child)) {
      Attr::Entry positional;
      positional.range = tree_.range(l);
      positional.key.range = positional.range.startPoint();
      positional.value = layoutAttr(l);
      out.entries.push_back(std::move(positional));
    }
  }
  return out;
}

std::vector<Attr> TypeBuilder::groups(const std::vector<P::AttrGroupContext *> &list) const {
  std::vector<Attr> out;
  for (P::AttrGroupContext *g : list) out.push_back(group(g));
  return out;
}

Attr::Entry TypeBuilder::entry(P::AttrEntryContext *ctx) const {
  Attr::Entry out;
  out.range = tree_.range(ctx);
  out.key.range = out.range.startPoint();
  if (ctx->SIZE())
    out.key = tree_.sigilName(ctx->SIZE()); // {$reduction_size = 32}
  else if (ctx->word())
    out.key = tree_.word(ctx->word());
  if (!ctx->attrValue()) return out;
  Attr value = attr(ctx->attrValue());
  bool named = ctx->SIZE() || ctx->word();
  if (!named && value.kind == Attr::Kind::AffineMap && value.name) {
    out.key = value.name; // the form affine_map = <…>
    out.value = std::move(value);
  } else if (!named && value.kind == Attr::Kind::Word) {
    out.key = value.name; // a flag
  } else {
    out.value = std::move(value);
  }
  return out;
}

std::vector<Attr::Entry> TypeBuilder::entries(P::EntriesContext *ctx) const {
  std::vector<Attr::Entry> out;
  if (!ctx) return out;
  for (P::AttrEntryContext *e : ctx->attrEntry()) {
    Attr::Entry one = entry(e);
    // sg_map<{wi_layout = …, wi_data = …}>, as the RFC for XeTile and XeGPU Dialect prints it
    if (!one.key && one.value && one.value->kind == Attr::Kind::Dict)
      out.insert(out.end(), one.value->entries.begin(), one.value->entries.end());
    else
      out.push_back(std::move(one));
  }
  return out;
}

Attr TypeBuilder::layoutAttr(P::LayoutAttrContext *ctx) const {
  Attr out;
  out.range = tree_.range(ctx);
  out.name = tree_.sigilName(ctx->ATTR());
  out.kind = ctx->LANGLE() ? Attr::Kind::Mapping : Attr::Kind::Alias;
  out.entries = entries(ctx->entries());
  return out;
}

Attr TypeBuilder::affineMap(P::AffineMapAttrContext *ctx) const {
  Attr out;
  out.kind = Attr::Kind::AffineMap;
  out.range = tree_.range(ctx);
  if (ctx->EQ()) out.name = {"affine_map", tree_.range(ctx->KW_AFFINE_MAP())};
  if (!ctx->words() || !ctx->mapResults()) return out;
  std::vector<ast::Name> from = tree_.words(ctx->words()->word());
  out.mapDims = from.size();
  for (P::MapResultContext *result : ctx->mapResults()->mapResult()) {
    SourceRange range = tree_.range(result);
    std::string_view text = tree_.slice(range);
    size_t k = 0;
    while (k < from.size() && from[k].text != text) ++k;
    if (k < from.size()) {
      out.results.push_back(static_cast<int64_t>(k));
    } else if (text == "0") {
      out.results.push_back(ast::kMapZero);
    } else {
      tree_.report(DiagCode::BadPermutation, range, str("`", text, "` is not a dimension on the map's left side"));
      out.kind = Attr::Kind::Error;
    }
  }
  return out;
}

// Converts an expression to an attribute: the grammar parses numbers, parameters and words as expressions.
Attr TypeBuilder::attrOf(Expr value) {
  Attr out;
  out.range = value.range;
  if (value.is(Expr::Kind::Ident)) {
    out.kind = Attr::Kind::Word;
    out.name = {value.text, value.range};
  } else if (!value.is(Expr::Kind::Error)) {
    out.kind = Attr::Kind::Value;
    out.value = std::move(value);
  }
  return out;
}

// Builds a factor of #layout<…>, such as `4 : lane`.
Attr TypeBuilder::factor(P::AttrItemContext *ctx, Attr extent) const {
  Expr out;
  out.kind = Expr::Kind::Slice;
  out.range = tree_.range(ctx);
  out.textRange = tree_.range(ctx->COLON());
  Expr missing;
  missing.range = extent.range;
  out.children.push_back(extent.value ? std::move(*extent.value) : std::move(missing));
  out.children.push_back(exprs_.expr(ctx->expr()));
  return attrOf(std::move(out));
}

Attr TypeBuilder::attr(P::AttrValueContext *ctx) const {
  Attr out;
  if (!ctx) return out.range = tree_.none(), out;
  out.range = tree_.range(ctx);
  if (auto *layout = as<P::LayoutAttrRefContext>(ctx)) {
    return layoutAttr(layout->layoutAttr());
  } else if (auto *mapping = as<P::MappingAttrContext>(ctx)) {
    out.kind = Attr::Kind::Mapping;
    out.name = {std::string(tree_.slice(tree_.range(mapping->WORD()))), tree_.range(mapping->WORD())};
    out.entries = entries(mapping->entries());
  } else if (auto *map = as<P::AffineMapAttrContext>(ctx)) {
    return affineMap(map);
  } else if (auto *items = as<P::ListAttrContext>(ctx)) {
    out.kind = Attr::Kind::List;
    for (P::AttrItemContext *item : items->attrItem()) {
      Attr one = attr(item->attrValue());
      out.items.push_back(item->COLON() ? factor(item, std::move(one)) : std::move(one));
    }
  } else if (auto *g = as<P::GroupAttrContext>(ctx)) {
    return group(g->attrGroup());
  } else if (auto *t = as<P::TypeAttrContext>(ctx)) {
    out.kind = Attr::Kind::Type;
    TypeExpr named;
    if (t->shapedType()) {
      named = shapedType(t->shapedType());
    } else {
      named.kind = TypeExpr::Kind::Alias;
      named.range = out.range;
      named.name = tree_.sigilName(t->TYPE());
    }
    out.type = std::make_shared<TypeExpr>(std::move(named));
  } else if (as<P::DynamicAttrContext>(ctx) || as<P::WordAttrContext>(ctx)) {
    out.kind = Attr::Kind::Word; // "?" too
    out.name = {std::string(tree_.slice(out.range)), out.range};
  } else if (auto *e = as<P::ExprAttrContext>(ctx)) {
    return attrOf(exprs_.expr(e->expr()));
  }
  return out;
}

} // namespace xt
