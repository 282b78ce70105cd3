#include "lang/parse/ast_builder.h"

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

TypeExpr AstBuilder::type(P::TypeContext *ctx) {
  TypeExpr out;
  if (!ctx) return out.range = none(), out;
  out.range = range(ctx);
  if (auto *shaped = as<P::ShapedTypeRefContext>(ctx)) return shapedType(shaped->shapedType());
  if (auto *alias = as<P::TypeAliasRefContext>(ctx)) {
    out.name = sigilName(alias->TYPE());
    // !xegpu.nbarrier is a dialect's type, not an alias.
    bool dialect = out.name.text.find('.') != std::string::npos;
    out.kind = dialect ? TypeExpr::Kind::Word : TypeExpr::Kind::Alias;
    if (dialect) out.name.text = lastPart(out.name.text);
  } else if (auto *param = as<P::TypeParamRefContext>(ctx)) {
    out.kind = TypeExpr::Kind::Param;
    out.name = sigilName(param->SIZE());
  } else if (auto *named = as<P::WordTypeContext>(ctx)) {
    out.kind = TypeExpr::Kind::Word;
    out.name = word(named->name());
  }
  return out;
}

TypeExpr AstBuilder::shapedType(P::ShapedTypeContext *ctx) {
  TypeExpr out;
  out.kind = TypeExpr::Kind::Shaped;
  out.range = range(ctx);
  out.name.range = range(ctx->start);
  std::string_view spelled = slice(out.name.range);
  if (spelled.starts_with("!")) spelled.remove_prefix(1);
  out.name.text = lastPart(spelled);
  P::ShapeContext *shape = ctx->shape();
  if (shape) {
    for (P::ExtentContext *e : shape->extent()) {
      ast::Extent extent;
      extent.range = range(e);
      if (e->QMARK()) {
        extent.dynamic = true;
      } else if (e->expr()) {
        extent.value = expr(e->expr());
      } else if (e->SIZE()) {
        Expr value;
        value.kind = Expr::Kind::Param;
        value.range = range(e->SIZE());
        value.text = sigilName(e->SIZE()).text;
        extent.value = std::move(value);
      } else if (e->DIM()) {
        std::string digits(slice(range(e->DIM())));
        Expr value;
        value.kind = Expr::Kind::Int;
        value.range = range(e->DIM());
        value.text = digits;
        value.integerOverflow = digits.size() > 18; // larger than any extent
        value.integer = value.integerOverflow ? 0 : std::stoll(digits);
        value.number = static_cast<double>(value.integer);
        extent.value = std::move(value);
      }
      out.extents.push_back(std::move(extent));
    }
    TypeExpr element;
    if (shape->ELEM()) {
      element.kind = TypeExpr::Kind::Word;
      element.range = range(shape->ELEM());
      element.name = {std::string(slice(element.range)), element.range};
    } else if (shape->SIZE()) {
      element.kind = TypeExpr::Kind::Param;
      element.range = range(shape->SIZE());
      element.name = sigilName(shape->SIZE());
    }
    out.element = std::make_shared<TypeExpr>(std::move(element));
  }
  for (P::AttrEntryContext *e : ctx->attrEntry()) out.attrs.push_back(entry(e));
  return out;
}

std::vector<TypeExpr> AstBuilder::types(P::TypeListContext *ctx) {
  std::vector<TypeExpr> out;
  if (ctx)
    for (P::TypeContext *t : ctx->type()) out.push_back(type(t));
  return out;
}

// ---- attributes ----

Attr AstBuilder::group(P::AttrGroupContext *ctx) {
  Attr out;
  out.kind = Attr::Kind::Dict;
  out.range = range(ctx);
  for (antlr4::tree::ParseTree *child : ctx->children) {
    if (auto *e = as<P::AttrEntryContext>(child)) {
      out.entries.push_back(entry(e));
    } else if (auto *l = as<P::LayoutAttrContext>(child)) {
      Attr::Entry positional;
      positional.range = range(l);
      positional.key.range = positional.range.startPoint();
      positional.value = layoutAttr(l);
      out.entries.push_back(std::move(positional));
    }
  }
  return out;
}

std::vector<Attr> AstBuilder::groups(const std::vector<P::AttrGroupContext *> &list) {
  std::vector<Attr> out;
  for (P::AttrGroupContext *g : list) out.push_back(group(g));
  return out;
}

Attr::Entry AstBuilder::entry(P::AttrEntryContext *ctx) {
  Attr::Entry out;
  out.range = range(ctx);
  out.key.range = out.range.startPoint();
  if (ctx->SIZE())
    out.key = sigilName(ctx->SIZE()); // {$reduction_size = 32}
  else if (ctx->word())
    out.key = word(ctx->word());
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

std::vector<Attr::Entry> AstBuilder::entries(P::EntriesContext *ctx) {
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

Attr AstBuilder::layoutAttr(P::LayoutAttrContext *ctx) {
  Attr out;
  out.range = range(ctx);
  out.name = sigilName(ctx->ATTR());
  out.kind = ctx->LANGLE() ? Attr::Kind::Mapping : Attr::Kind::Alias;
  out.entries = entries(ctx->entries());
  return out;
}

Attr AstBuilder::affineMap(P::AffineMapAttrContext *ctx) {
  Attr out;
  out.kind = Attr::Kind::AffineMap;
  out.range = range(ctx);
  if (ctx->EQ()) out.name = {"affine_map", range(ctx->KW_AFFINE_MAP())};
  auto sides = ctx->words();
  if (sides.size() != 2) return out;
  std::vector<ast::Name> from = words(sides[0]->word()), to = words(sides[1]->word());
  for (const ast::Name &name : to) {
    size_t k = 0;
    while (k < from.size() && from[k].text != name.text) ++k;
    if (k == from.size()) {
      report(DiagCode::BadPermutation, name.range, str("`", name.text, "` is not a dimension on the map's left side"));
      out.kind = Attr::Kind::Error;
    } else {
      out.permutation.push_back(static_cast<int64_t>(k));
    }
  }
  return out;
}

// Converts an expression to an attribute: the grammar parses numbers, parameters and words as expressions.
Attr AstBuilder::attrOf(Expr value) {
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

Attr AstBuilder::attr(P::AttrValueContext *ctx) {
  Attr out;
  if (!ctx) return out.range = none(), out;
  out.range = range(ctx);
  if (auto *layout = as<P::LayoutAttrRefContext>(ctx)) {
    return layoutAttr(layout->layoutAttr());
  } else if (auto *mapping = as<P::MappingAttrContext>(ctx)) {
    out.kind = Attr::Kind::Mapping;
    out.name = {std::string(slice(range(mapping->WORD()))), range(mapping->WORD())};
    out.entries = entries(mapping->entries());
  } else if (auto *map = as<P::AffineMapAttrContext>(ctx)) {
    return affineMap(map);
  } else if (auto *items = as<P::ListAttrContext>(ctx)) {
    out.kind = Attr::Kind::List;
    for (P::AttrItemContext *item : items->attrItem()) {
      Attr one = attr(item->attrValue());
      if (item->COLON()) { // a factor of #layout<…>
        Expr factor;
        factor.kind = Expr::Kind::Slice;
        factor.range = range(item);
        factor.textRange = range(item->COLON());
        Expr extent;
        extent.range = one.range;
        factor.children.push_back(one.value ? std::move(*one.value) : std::move(extent));
        factor.children.push_back(expr(item->expr()));
        one = attrOf(std::move(factor));
      }
      out.items.push_back(std::move(one));
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
      named.name = sigilName(t->TYPE());
    }
    out.type = std::make_shared<TypeExpr>(std::move(named));
  } else if (as<P::DynamicAttrContext>(ctx) || as<P::WordAttrContext>(ctx)) {
    out.kind = Attr::Kind::Word; // "?" too
    out.name = {std::string(slice(out.range)), out.range};
  } else if (auto *e = as<P::ExprAttrContext>(ctx)) {
    return attrOf(expr(e->expr()));
  }
  return out;
}

} // namespace xt
