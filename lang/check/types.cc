#include "lang/check/types.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "lang/check/joint_matrix_type.h"
#include "lang/check/words.h"

#include <algorithm>
#include <utility>

namespace xt {
namespace {

// Limits for the nesting of aliases, and for the total number of alias uses when one alias is expanded.
constexpr size_t kMostAliasUses = 1000;

// The kind of type that a constructor such as `memref` makes.
TypeKind kindOf(std::string_view constructor) {
  if (constructor == "memref") return TypeKind::MemRef;
  if (constructor == "vector" || constructor == "joint_matrix") return TypeKind::Vector;
  return constructor == "tile" ? TypeKind::Tile : TypeKind::TensorDesc;
}

// Whether the product of the static extents exceeds 2^31, the maximum number of elements of all types except memrefs.
bool hasTooManyElements(std::span<const int64_t> shape) {
  int64_t total = 1;
  for (int64_t extent : shape)
    if (extent != kDynamic && (__builtin_mul_overflow(total, extent, &total) || total > (int64_t{1} << 31))) return true;
  return false;
}

// Reports an error and returns false if this memref cannot be swizzled. Scatter tiles and XeGPU blocks address elements by
// their distance from the base, so only memrefs of two or more dimensions can be swizzled.
bool swizzleFits(Diagnostics &diagnostics, const ast::TypeExpr &expr, const TypeData &data) {
  const int elemBytes = elemInfo(data.elem).storageBytes;
  const bool splitsElements = elemBytes > (1 << data.memory.swizzle.base);
  std::string_view mistake;
  if (data.space != MemorySpace::Slm)
    mistake = "only shared local memory can be swizzled: add `slm`";
  else if (data.shape.size() < 2)
    mistake = "a swizzle needs a memref of at least two dimensions";
  else if (splitsElements)
    mistake = "this swizzle would split elements: its base is too small";
  if (mistake.empty()) return true;
  auto &diagnostic = diagnostics.report(DiagCode::AttributeValue, expr.range, std::string(mistake));
  if (data.space == MemorySpace::Slm && data.shape.size() >= 2)
    diagnostic.note(
        str("a base of b keeps 2^b neighbouring bytes together; ", elemName(data.elem), " has ", elemBytes, " bytes"));
  return false;
}

} // namespace

std::optional<Elem> TypeResolver::element(const ast::TypeExpr &expr) {
  switch (expr.kind) {
  case ast::TypeExpr::Kind::Error: return std::nullopt;
  case ast::TypeExpr::Kind::Word:
    if (std::optional<Elem> elem = elemFromName(expr.name.text)) return elem;
    if (const ConstValue *own = params_.generic(expr.name.text); own && own->kind == ConstValue::Kind::Type) return own->elem;
    {
      auto &diagnostic = diagnostics().report(DiagCode::UnknownType, expr.range, str("unknown type `", expr.name.text, "`"));
      std::vector<std::string_view> names;
      for (int i = 0; i < kElemCount; ++i) names.push_back(elemName(static_cast<Elem>(i)));
      suggestName(diagnostic, expr.range, 0, expr.name.text, names);
    }
    return std::nullopt;
  case ast::TypeExpr::Kind::Param: {
    std::optional<ConstValue> value = params_.get({expr.name.text, expr.range});
    if (!value) return std::nullopt;
    if (value->kind == ConstValue::Kind::Type) return value->elem;
    diagnostics().report(DiagCode::UnknownType, expr.range, str("parameter `$", expr.name.text, "` is not a type"));
    return std::nullopt;
  }
  case ast::TypeExpr::Kind::Alias:
  case ast::TypeExpr::Kind::Shaped:
    diagnostics().report(DiagCode::UnknownType, expr.range, "an element type must be a scalar type");
    return std::nullopt;
  }
  return std::nullopt;
}

// Whether another alias may be expanded. Chains of aliases that each use the next one twice would expand to exponentially many
// attributes. Reports an excess once, at the outermost alias.
bool TypeResolver::mayExpand(SourceRange alias) {
  if (expanding_.empty()) expansions_ = 0, outermost_ = alias;
  bool deep = expanding_.size() >= kMostAliasDepth;
  if (!deep && ++expansions_ <= kMostAliasUses) return true;
  if (std::exchange(expandedTooMuch_, true)) return false;
  diagnostics().report(DiagCode::NotSupported, outermost_,
                       deep ? str("aliases contain one another in a chain longer than ", kMostAliasDepth)
                            : str("this alias stands for more than ", kMostAliasUses, " uses of other aliases"));
  return false;
}

Type TypeResolver::resolve(const ast::TypeExpr &expr) {
  switch (expr.kind) {
  case ast::TypeExpr::Kind::Error: return {};
  case ast::TypeExpr::Kind::Word:
  case ast::TypeExpr::Kind::Param: {
    for (const TypeWord &word : kTypeWords)
      if (expr.kind == ast::TypeExpr::Kind::Word && lastWord(expr.name.text) == word.text) return context_.ofKind(word.kind);
    std::optional<Elem> elem = element(expr);
    return elem ? context_.scalar(*elem) : Type();
  }
  case ast::TypeExpr::Kind::Alias: {
    const ast::TypeAlias *alias = params_.symbols().typeAlias(expr.name.text);
    if (!alias) {
      if (!params_.symbols().complete()) return {};
      auto &diagnostic =
          diagnostics().report(DiagCode::UnknownAlias, expr.range, str("unknown type alias `!", expr.name.text, "`"));
      suggestName(diagnostic, expr.range, '!', expr.name.text, params_.symbols().typeAliasNames());
      return {};
    }
    if (NameIndex *index = params_.symbols().index()) index->use(NameKind::TypeAlias, expr.range, alias->name.range);
    if (circular_.count(alias->name.text) || !mayExpand(alias->name.range)) return {};
    if (std::find(expanding_.begin(), expanding_.end(), alias->name.text) != expanding_.end()) {
      circular_.insert(expanding_.begin(), expanding_.end());
      diagnostics().report(DiagCode::CircularDefinition, alias->name.range,
                           str("type alias `!", expr.name.text, "` contains itself"));
      return {};
    }
    expanding_.push_back(alias->name.text);
    Type type = resolve(alias->value);
    expanding_.pop_back();
    return type;
  }
  case ast::TypeExpr::Kind::Shaped: return shaped(expr);
  }
  return {};
}

Type TypeResolver::resolvePattern(const ast::TypeExpr &expr) {
  pattern_ = true;
  Type type = resolve(expr);
  pattern_ = false;
  return type;
}

Type TypeResolver::resolveOpen(const ast::TypeExpr &expr) {
  open_ = true;
  Type type = resolve(expr);
  open_ = false;
  return type;
}

// Resolves the extents of a shape. Returns false if an error was reported.
bool TypeResolver::extents(const ast::TypeExpr &expr, std::string_view constructor, TypeData &data) {
  bool ok = true;
  for (const ast::Extent &extent : expr.extents) {
    if (extent.dynamic) {
      data.shape.push_back(kDynamic);
      if (data.kind != TypeKind::MemRef && !pattern_ && !open_) {
        diagnostics().report(DiagCode::BadExtent, extent.range, str("the shape of a ", constructor, " must be static"));
        ok = false;
      }
      continue;
    }
    std::optional<int64_t> value = extent.value ? params_.evalInt(*extent.value, "an extent") : std::nullopt;
    if (value && (*value <= 0 || *value > (int64_t{1} << 40))) {
      diagnostics().report(DiagCode::BadExtent, extent.range,
                           str("an extent must be a positive number (at most 2^40), not ", *value));
      value = std::nullopt;
    }
    ok &= value.has_value();
    data.shape.push_back(value.value_or(1));
  }
  int most = data.kind == TypeKind::Vector ? kMaxFragmentRank : kMaxRank;
  if (static_cast<int>(data.shape.size()) > most) {
    diagnostics().report(DiagCode::BadExtent, expr.range, str("types have at most ", most, " dimensions"));
    ok = false;
  }
  return ok;
}

Type TypeResolver::memRef(const ast::TypeExpr &expr, TypeData data, const ShapedAttrs &attrs) {
  data.space = attrs.slm ? MemorySpace::Slm : MemorySpace::Global;
  if (attrs.memory) data.memory = *attrs.memory;
  size_t written = data.memory.kind == MemoryLayout::Kind::Strided    ? data.memory.strides.size()
                   : data.memory.kind == MemoryLayout::Kind::Permuted ? data.memory.permutation.size()
                                                                      : data.shape.size();
  if (written != data.shape.size()) {
    diagnostics().report(DiagCode::BadExtent, expr.range,
                         str("the layout of this memref has ", written, " dimensions, its shape ", data.shape.size()));
    return {};
  }
  const std::vector<int64_t> &map = data.memory.permutation;
  for (size_t d = 0; d < map.size(); ++d)
    if (std::count(map.begin(), map.end(), static_cast<int64_t>(d)) != 1) {
      diagnostics().report(DiagCode::AttributeValue, attrs.memoryRange, "the map of a memref must list each dimension once");
      return {};
    }
  if (data.memory.swizzle && !swizzleFits(diagnostics(), expr, data)) return {};
  if (attrs.layout || attrs.scatter || attrs.order) {
    diagnostics().report(DiagCode::LayoutExpected, expr.range,
                         "a memref cannot have a layout attribute: memory is not distributed");
    return {};
  }
  return context_.intern(std::move(data));
}

// Makes the type of a vector or a tile, which may have a layout.
Type TypeResolver::distributed(const ast::TypeExpr &expr, std::string_view constructor, TypeData data,
                               const ShapedAttrs &attrs) {
  if (attrs.slm || attrs.spaceRange.file || attrs.memory || attrs.boundaryCheck || attrs.chunk) {
    diagnostics().report(DiagCode::LayoutExpected, expr.range,
                         str("a ", constructor, " has no memory layout: give it to the base memref"));
    return {};
  }
  data.order = attrs.order.value_or(Order::RowMajor);
  data.packed = attrs.packed;
  data.scatter = attrs.scatter;
  if (data.scatter && data.kind == TypeKind::Tile && data.shape.size() == 1) data.shape.insert(data.shape.begin(), 1);
  if (!attrs.layout) return context_.intern(std::move(data));
  if (pattern_) {
    diagnostics().report(DiagCode::LayoutExpected, expr.range,
                         "the signature of a function has no layouts: they are inferred at each call");
    return {};
  }
  data.layout = layoutOn(data.shape, *attrs.layout, attrs.layoutRange);
  if (!data.layout) return {};
  return context_.intern(std::move(data));
}

Type TypeResolver::shaped(const ast::TypeExpr &expr) {
  std::string_view constructor = lastWord(expr.name.text);
  TypeData data;
  data.kind = kindOf(constructor);
  bool ok = extents(expr, constructor, data);
  std::optional<Elem> elem = expr.element ? element(*expr.element) : std::nullopt;
  ShapedAttrs attrs;
  ok &= eachOnce(diagnostics(), expr.attrs);
  for (const ast::Attr::Entry &e : expr.attrs)
    ok &= constructor == "joint_matrix" && isMatrixWord(e) ? takeMatrixWord(diagnostics(), e, data.matrix) : entry(e, attrs);
  if (!ok || !elem) return {};
  data.elem = *elem;
  if (data.kind == TypeKind::MemRef) return memRef(expr, std::move(data), attrs);
  if (constructor == "joint_matrix" && !jointMatrixFits(diagnostics(), expr.range, data, attrs)) return {};
  if (hasTooManyElements(data.shape)) {
    diagnostics().report(DiagCode::BadExtent, expr.range, str("a ", constructor, " has at most 2^31 elements"));
    return {};
  }
  bool dynamic = std::find(data.shape.begin(), data.shape.end(), kDynamic) != data.shape.end();
  if (attrs.layout && dynamic && !pattern_) {
    diagnostics().report(DiagCode::LayoutExpected, expr.range,
                         "a layout needs a static shape: omit it where an extent is `?`, and both are inferred at each call");
    return {};
  }
  if (data.kind == TypeKind::TensorDesc) return tensorDesc(expr, std::move(data), attrs);
  return distributed(expr, constructor, std::move(data), attrs);
}

// Makes the type of a tensor_desc: a block of one or two dimensions or, if scattered, one element or a chunk of elements per
// lane, where each lane has its own offset.
Type TypeResolver::tensorDesc(const ast::TypeExpr &expr, TypeData data, const ShapedAttrs &attrs) {
  if (attrs.memory || attrs.order || attrs.packed) {
    diagnostics().report(DiagCode::LayoutExpected, expr.range,
                         "a tensor_desc has no memory layout: give it to the base memref");
    return {};
  }
  if (data.shape.empty() || data.shape.size() > 2) {
    diagnostics().report(DiagCode::BadExtent, expr.range, "a tensor_desc has one or two dimensions");
    return {};
  }
  data.scatter = attrs.scatter;
  if (attrs.slm) data.space = MemorySpace::Slm;
  data.boundaryCheck = attrs.boundaryCheck.value_or(true);
  // The second dimension of a scattered tensor_desc is the chunk of each lane.
  if (data.scatter && data.shape.size() == 2) data.chunk = data.shape[1];
  if (attrs.chunk && *attrs.chunk != data.chunk) {
    diagnostics()
        .report(DiagCode::ShapeMismatch, expr.range,
                str("chunk_size_per_lane is ", *attrs.chunk, ", but the shape is ", shapeText(data.shape)))
        .note("the second dimension of a scattered tensor_desc is the chunk of each lane");
    return {};
  }
  if (attrs.layout && !lanesOf(expr, attrs, data)) return {};
  return context_.intern(std::move(data));
}

// Sets the layout of a descriptor from its sg_map. Each element must belong to one lane; in a scattered descriptor, lane i must
// have row i, which is its chunk. Reports an error and returns false otherwise.
bool TypeResolver::lanesOf(const ast::TypeExpr &expr, const ShapedAttrs &attrs, TypeData &data) {
  SourceRange range = attrs.layoutRange.file ? attrs.layoutRange : expr.range;
  LayoutOrError made = makeLayout(context_, *attrs.layout, data.shape);
  const Layout *layout = std::holds_alternative<const Layout *>(made) ? std::get<const Layout *>(made) : nullptr;
  if (data.scatter) {
    auto ownRows = [&](const Layout *l) {
      if (l && data.shape[0] == 1) return l->axisSize(Axis::Lane) == 1;
      return l && l->factors(0).size() == 1 && l->factors(0)[0] == Factor{data.shape[0], Axis::Lane, 1} &&
             l->axisSize(Axis::Lane) == data.shape[0];
    };
    // In the RFC for XeTile and XeGPU Dialect, the chunk is the outer dimension of the map: 16 lanes with chunks of 8 elements
    // have wi_layout = [1, 16] and wi_data = [8, 1].
    if (!ownRows(layout) && data.shape.size() == 2) {
      int64_t transposedShape[] = {data.shape[1], data.shape[0]};
      constexpr int64_t kSwap[] = {1, 0};
      LayoutOrError other = makeLayout(context_, *attrs.layout, transposedShape);
      if (const Layout *const *fits = std::get_if<const Layout *>(&other)) layout = transposed(context_, *fits, kSwap);
    }
    if (layout && !ownRows(layout)) {
      diagnostics()
          .report(DiagCode::SgMap, range,
                  str("each of the ", data.shape[0],
                      " lanes has its own offset and moves the chunk that begins there, so a lane must own its whole row"))
          .withLabel(attrs.layout->text());
      return false;
    }
  }
  if (!layout) {
    const LayoutError &error = std::get<LayoutError>(made);
    diagnostics()
        .report(DiagCode::LayoutDoesNotFit, range, str("this layout does not fit ", shapeText(data.shape), ": ", error.message))
        .withLabel(attrs.layout->text())
        .withPicture(error.table);
    return false;
  }
  if (layout->subgroups() != 1 || layout->isReplicated(Axis::Lane)) {
    diagnostics()
        .report(DiagCode::SgMap, range, "the map of a tensor_desc must assign each element to one lane of one subgroup")
        .withLabel(attrs.layout->text());
    return false;
  }
  data.layout = layout;
  return true;
}

} // namespace xt
