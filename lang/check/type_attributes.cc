// Resolves attributes of types: layouts, orders, memory, and attributes in braces.
#include "ir/base/text.h"
#include "ir/gpu/subgroup_size.h"
#include "lang/check/types.h"
#include "lang/check/words.h"

#include <algorithm>
#include <array>
#include <map>

namespace xt {
namespace {

// Maximum length of one list; no type or op needs more.
constexpr size_t kMostIntegers = 1024;

bool unknownKey(Diagnostics &diagnostics, const ast::Name &key, std::string_view where) {
  diagnostics.report(DiagCode::UnknownAttribute, key.range, str(where, " has no attribute `", key.text, "`"));
  return false;
}

bool tooManyIntegers(Diagnostics &diagnostics, SourceRange range, std::string_view what, size_t count) {
  diagnostics.report(DiagCode::AttributeValue, range, str(what, " has at most ", kMostIntegers, " integers, not ", count));
  return false;
}

// Resolves a memory space that is a number, as MLIR's dialects for GPUs count them: 0 and 1 are global, 3 is shared local memory.
bool memorySpace(Diagnostics &diagnostics, const ast::Attr &attr, ShapedAttrs &out) {
  int64_t space = attr.value->integer;
  if (out.spaceRange.file || out.slm) {
    diagnostics.report(DiagCode::AttributeValue, attr.range, "the memory space is given twice");
    return false;
  }
  out.slm = space == 3;
  out.spaceRange = attr.range;
  if (space == 0 || space == 1 || space == 3) return true;
  diagnostics.report(DiagCode::AttributeValue, attr.range, str("there is no memory space ", space))
      .note("0 and 1 are global memory, 3 is shared local memory, which is also written `slm`");
  return false;
}

// Reports an error and returns false if `out` already has a memory layout.
bool onlyMemoryLayout(Diagnostics &diagnostics, SourceRange range, const ShapedAttrs &out) {
  if (out.memory)
    diagnostics.report(DiagCode::AttributeValue, range, "a memref can have only one memory layout, and one is already given");
  return !out.memory;
}

} // namespace

bool eachOnce(Diagnostics &diagnostics, const std::vector<ast::Attr::Entry> &entries) {
  std::map<std::string_view, SourceRange> seen;
  for (const ast::Attr::Entry &entry : entries) {
    if (!entry.key) continue;
    auto [first, isNew] = seen.emplace(entry.key.text, entry.key.range);
    if (isNew) continue;
    diagnostics.report(DiagCode::DuplicateName, entry.key.range, str("`", entry.key.text, "` is given twice"))
        .at(first->second, "first given here");
    return false;
  }
  return true;
}

bool TypeResolver::entry(const ast::Attr::Entry &e, ShapedAttrs &out) {
  if (!e.key && e.value && e.value->kind == ast::Attr::Kind::Value && e.value->value->is(ast::Expr::Kind::Int) &&
      !e.value->value->overflows)
    return memorySpace(diagnostics(), *e.value, out);
  if (!e.key) return e.value ? resolveAttr(*e.value, out) : true;
  std::string_view key = e.key.text;
  if (!e.value) { // a flag: slm, packed
    ast::Attr word;
    word.kind = ast::Attr::Kind::Word;
    word.name = e.key;
    word.range = e.range;
    return resolveAttr(word, out);
  }
  if (key == "order") return order(*e.value, out);
  if (key == "wg" || key == "sg" || key == "layout" || key == "affine_map" || key == "map") return resolveAttr(*e.value, out);
  if (key == "packed" || key == "scatter") {
    std::optional<ConstValue> flag = e.value->value ? params_.eval(*e.value->value) : std::nullopt;
    if (!flag) return false;
    (key == "packed" ? out.packed : out.scatter) = flag->integer != 0;
    return true;
  }
  if (key == "boundary_check" || key == "chunk_size_per_lane") {
    std::optional<ConstValue> value = e.value->value ? params_.eval(*e.value->value) : std::nullopt;
    if (!value) return false;
    if (key == "boundary_check")
      out.boundaryCheck = value->integer != 0;
    else
      out.chunk = value->integer;
    return true;
  }
  if (key == "memory_scope") {
    bool slm = isWord(*e.value, "slm"), known = slm || isWord(*e.value, "global");
    if (!known) diagnostics().report(DiagCode::AttributeValue, e.value->range, "memory_scope must be global or slm");
    out.slm = slm;
    return known;
  }
  return unknownKey(diagnostics(), e.key, "this type");
}

bool TypeResolver::order(const ast::Attr &attr, ShapedAttrs &out) {
  std::optional<std::vector<int64_t>> values = integers(attr, "order");
  if (!values) return false;
  if (*values == std::vector<int64_t>{1, 0})
    out.order = Order::RowMajor;
  else if (*values == std::vector<int64_t>{0, 1})
    out.order = Order::ColumnMajor;
  else {
    diagnostics().report(DiagCode::AttributeValue, attr.range, "order must be [1, 0] (row-major) or [0, 1] (column-major)");
    return false;
  }
  return true;
}

std::optional<std::vector<int64_t>> TypeResolver::integers(const ast::Attr &attr, std::string_view what) {
  std::vector<int64_t> values;
  bool expressions = attr.kind == ast::Attr::Kind::Value && attr.value && attr.value->is(ast::Expr::Kind::List);
  size_t count = expressions ? attr.value->children.size() : attr.items.size();
  if (count > kMostIntegers) return tooManyIntegers(diagnostics(), attr.range, what, count), std::nullopt;
  auto add = [&](const ast::Expr &expr) {
    // A dynamic stride is spelled '?'.
    std::optional<int64_t> value = expr.is(ast::Expr::Kind::Ident) && expr.text == "?" ? kDynamic : params_.evalInt(expr, what);
    if (value) values.push_back(*value);
    return value.has_value();
  };
  if (attr.kind == ast::Attr::Kind::Value && attr.value) {
    if (expressions) {
      for (const ast::Expr &item : attr.value->children)
        if (!add(item)) return std::nullopt;
      return values;
    }
    if (!add(*attr.value)) return std::nullopt;
    return values;
  }
  if (attr.kind == ast::Attr::Kind::List) {
    for (const ast::Attr &item : attr.items) {
      if (isWord(item, "?"))
        values.push_back(kDynamic);
      else if (!item.value || !add(*item.value)) {
        if (!item.value) diagnostics().report(DiagCode::AttributeValue, item.range, str(what, " must be a list of integers"));
        return std::nullopt;
      }
    }
    return values;
  }
  if (attr.kind != ast::Attr::Kind::Error)
    diagnostics().report(DiagCode::AttributeValue, attr.range, str(what, " must be a list of integers"));
  return std::nullopt;
}

bool TypeResolver::resolveAttr(const ast::Attr &attr, ShapedAttrs &out) {
  switch (attr.kind) {
  case ast::Attr::Kind::Error: return false;
  case ast::Attr::Kind::Word:
  case ast::Attr::Kind::Alias: {
    if (isWord(attr, "slm")) return out.slm = true;
    if (isWord(attr, "packed")) return out.packed = true;
    if (isWord(attr, "scatter") || isWord(attr, "scattered")) return out.scatter = true;
    if (attr.kind == ast::Attr::Kind::Word) return unknownKey(diagnostics(), attr.name, "this type");
    if (const ParamScope::GivenLayout *given = params_.givenLayout(attr.name.text, attr.range); given && !given->alias) {
      out.layout.emplace(), out.layoutRange = attr.range;
      return true;
    }
    const ast::AttrAlias *alias = params_.attrAlias(attr.name.text, attr.range);
    if (!alias) return false;
    if (circular_.count(alias->name.text) || !mayExpand(alias->name.range)) return false;
    if (std::find(expanding_.begin(), expanding_.end(), alias->name.text) != expanding_.end()) {
      circular_.insert(expanding_.begin(), expanding_.end());
      diagnostics().report(DiagCode::CircularDefinition, alias->name.range,
                           str("alias `#", attr.name.text, "` contains itself"));
      return false;
    }
    expanding_.push_back(alias->name.text);
    FileLayouts ofFile(params_);
    bool ok = resolveAttr(alias->value, out);
    expanding_.pop_back();
    out.layoutRange = attr.range;
    return ok;
  }
  case ast::Attr::Kind::Mapping: return mapping(attr, out);
  case ast::Attr::Kind::AffineMap:
    if (attr.results.size() > kMostIntegers)
      return tooManyIntegers(diagnostics(), attr.range, "an affine_map", attr.results.size());
    if (!onlyMemoryLayout(diagnostics(), attr.range, out)) return false;
    // The map of a memref must be a permutation, which memRef() checks: an alias may be a map of another kind.
    out.memory = MemoryLayout{MemoryLayout::Kind::Permuted, {}, attr.results};
    out.memoryRange = attr.range;
    return true;
  case ast::Attr::Kind::Dict:
    for (const ast::Attr::Entry &e : attr.entries)
      if (!entry(e, out)) return false;
    return true;
  case ast::Attr::Kind::Value:
  case ast::Attr::Kind::List:
  case ast::Attr::Kind::Type:
    diagnostics().report(DiagCode::LayoutExpected, attr.range, "expected a layout or an alias of one");
    return false;
  }
  return false;
}

bool TypeResolver::stridedMemory(const ast::Attr &attr, ShapedAttrs &out) {
  auto strides = integers(*attr.entries[0].value, "a stride");
  if (!strides) return false;
  for (int64_t stride : *strides)
    if (stride < kDynamic || stride == 0) {
      diagnostics().report(DiagCode::AttributeValue, attr.range, "a stride must be positive or `?`");
      return false;
    }
  if (!onlyMemoryLayout(diagnostics(), attr.range, out)) return false;
  out.memory = MemoryLayout{MemoryLayout::Kind::Strided, *strides, {}};
  return true;
}

bool TypeResolver::swizzledMemory(const ast::Attr &attr, ShapedAttrs &out) {
  auto wrong = [&](std::string message) {
    diagnostics()
        .report(DiagCode::AttributeValue, attr.range, std::move(message))
        .note("it is swizzle<bits, base, shift>, such as `swizzle<3, 4, 3>`");
    return false;
  };
  if (attr.entries.size() != 3) return wrong("a swizzle has three numbers");
  std::array<int64_t, 3> numbers{};
  constexpr int64_t kMostBits = 16;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const ast::Attr::Entry &e = attr.entries[i];
    if (e.key || !e.value || !e.value->value) return wrong("a swizzle has three numbers");
    std::optional<int64_t> number = params_.evalInt(*e.value->value, "a number of a swizzle");
    if (!number) return false;
    if (*number < 0 || *number > kMostBits)
      return wrong(str("a number of a swizzle is from 0 to ", kMostBits, ", not ", *number));
    numbers[i] = *number;
  }
  auto [bits, base, shift] = numbers;
  if (bits == 0) return wrong("a swizzle has at least one bit");
  if (shift < bits) return wrong(str("the shift of a swizzle must be at least its bits: ", shift, " < ", bits));
  if (!onlyMemoryLayout(diagnostics(), attr.range, out)) return false;
  out.memory = MemoryLayout{};
  out.memory->swizzle = {static_cast<uint8_t>(bits), static_cast<uint8_t>(base), static_cast<uint8_t>(shift)};
  return true;
}

bool TypeResolver::mapping(const ast::Attr &attr, ShapedAttrs &out) {
  if (!eachOnce(diagnostics(), attr.entries)) return false;
  std::string_view name = lastWord(attr.name.text);
  if (name == "strided") {
    bool offset = attr.entries.size() == 2 && attr.entries[1].key.text == "offset" && attr.entries[1].value;
    if ((attr.entries.size() != 1 && !offset) || attr.entries[0].key || !attr.entries[0].value) {
      diagnostics().report(DiagCode::AttributeValue, attr.range, "strided takes one list: strided<[4096, 1]>");
      return false;
    }
    // The address of a memref is that of its first element, so MLIR's `offset: ?` adds nothing, and 0 is the only valid number.
    if (offset && !isWord(*attr.entries[1].value, "?")) {
      std::optional<ConstValue> value =
          attr.entries[1].value->value ? params_.eval(*attr.entries[1].value->value) : std::nullopt;
      if (value && value->kind == ConstValue::Kind::Int && value->integer == 0) return stridedMemory(attr, out);
      if (value || !attr.entries[1].value->value)
        diagnostics().report(DiagCode::NotSupported, attr.entries[1].range, "the offset of a memref must be 0 or `?`");
      return false;
    }
    return stridedMemory(attr, out);
  }
  if (name == "swizzle") return swizzledMemory(attr, out);
  out.layoutRange = attr.range;
  if (!out.layout) out.layout.emplace();
  if (name == "tile_attr" || name == "xe_map") {
    for (const ast::Attr::Entry &e : attr.entries)
      if (!entry(e, out)) return false;
    if (!out.layout->wg && !out.layout->sg && !out.layout->nested && !out.layout->factors) out.layout.reset();
    return true;
  }
  if (name == "wg_map" || name == "sg_map") {
    bool wg = name == "wg_map";
    std::optional<std::vector<int64_t>> layout, data;
    for (const ast::Attr::Entry &e : attr.entries) {
      std::string_view key = e.key.text;
      if (key != (wg ? "sg_layout" : "wi_layout") && key != (wg ? "sg_data" : "wi_data"))
        return unknownKey(diagnostics(), e.key, str("`", name, "`"));
      auto values = e.value ? integers(*e.value, key) : std::nullopt;
      if (!values) return false;
      (key.ends_with("layout") ? layout : data) = std::move(values);
    }
    if (!layout || !data) {
      diagnostics().report(DiagCode::AttributeValue, attr.range,
                           str(name, " needs ", wg ? "sg_layout and sg_data" : "wi_layout and wi_data"));
      return false;
    }
    if (wg)
      out.layout->wg = WgMap{std::move(*layout), std::move(*data)};
    else
      out.layout->sg = SgMap{std::move(*layout), std::move(*data)};
    return true;
  }
  if (name == "nested_layout") return nestedMap(attr, out);
  if (name == "layout") return factorMap(attr, out);
  auto &diagnostic =
      diagnostics().report(DiagCode::LayoutExpected, attr.name.range, str("unknown attribute `", attr.name.text, "`"));
  static constexpr std::string_view kKnown[] = {"wg_map",        "sg_map", "xe_map",  "tile_attr",
                                                "nested_layout", "layout", "strided", "swizzle"};
  suggestName(diagnostic, attr.name.range, '#', name, kKnown);
  return false;
}

// Resolves a list of factors, such as [8:sg*4, 32]: the digits of an index, outermost first. A factor without an axis is a
// register digit.
std::optional<std::vector<Factor>> TypeResolver::factors(const ast::Attr &list) {
  std::vector<Factor> result;
  auto wrong = [&](SourceRange range) {
    diagnostics().report(DiagCode::AttributeValue, range,
                         "a factor must be a number, or number:axis*stride with axis sg or lane");
    return std::nullopt;
  };
  if (list.kind != ast::Attr::Kind::List) return wrong(list.range);
  for (const ast::Attr &item : list.items) {
    if (!item.value) return wrong(item.range);
    const ast::Expr &expr = *item.value;
    if (!expr.is(ast::Expr::Kind::Slice)) {
      std::optional<int64_t> extent = params_.evalInt(expr, "a factor");
      if (!extent) return std::nullopt;
      result.push_back({*extent, Axis::Register, 1});
      continue;
    }
    const ast::Expr &target = expr.children[1];
    bool scaled = target.is(ast::Expr::Kind::Binary) && target.text == "*";
    const ast::Expr &axis = scaled ? target.children[0] : target;
    std::optional<int64_t> extent = params_.evalInt(expr.children[0], "a factor");
    std::optional<int64_t> stride = scaled ? params_.evalInt(target.children[1], "a stride") : 1;
    if (!extent || !stride) return std::nullopt;
    if (!axis.is(ast::Expr::Kind::Ident) || (axis.text != "sg" && axis.text != "lane")) return wrong(axis.range);
    result.push_back({*extent, axis.text == "sg" ? Axis::Subgroup : Axis::Lane, *stride});
  }
  return result;
}

bool TypeResolver::factorMap(const ast::Attr &attr, ShapedAttrs &out) {
  FactorMap map;
  for (const ast::Attr::Entry &e : attr.entries) {
    if (e.key && e.key.text != "copies") return unknownKey(diagnostics(), e.key, "`layout`");
    auto list = e.value ? factors(*e.value) : std::nullopt;
    if (!list) return false;
    if (e.key)
      map.replication = std::move(*list);
    else
      map.dims.push_back(std::move(*list));
  }
  out.layout->factors = std::move(map);
  return true;
}

bool TypeResolver::nestedMap(const ast::Attr &attr, ShapedAttrs &out) {
  NestedLayout nested;
  struct Field {
    std::string_view key;
    std::vector<int64_t> *values;
  } fields[] = {{"subgroup_tile", &nested.subgroupTile},  {"batch_tile", &nested.batchTile},
                {"outer_tile", &nested.outerTile},        {"thread_tile", &nested.threadTile},
                {"element_tile", &nested.elementTile},    {"subgroup_strides", &nested.subgroupStrides},
                {"thread_strides", &nested.threadStrides}};
  for (const ast::Attr::Entry &e : attr.entries) {
    auto field = std::find_if(std::begin(fields), std::end(fields), [&](const Field &f) { return f.key == e.key.text; });
    if (field == std::end(fields)) return unknownKey(diagnostics(), e.key, "`nested_layout`");
    auto values = e.value ? integers(*e.value, field->key) : std::nullopt;
    if (!values) return false;
    *field->values = std::move(*values);
  }
  out.layout->nested = std::move(nested);
  return true;
}

const Layout *TypeResolver::layoutFor(const ast::Attr &attr, std::span<const int64_t> shape) {
  ShapedAttrs attrs;
  if (!resolveAttr(attr, attrs)) return nullptr;
  if (!attrs.layout) {
    diagnostics().report(DiagCode::LayoutExpected, attr.range, "this attribute is not a layout");
    return nullptr;
  }
  return layoutOn(shape, *attrs.layout, attr.range);
}

namespace {
// The specification, or for some layout the one that fits every shape: one subgroup holds all elements.
LayoutSpec specOn(std::span<const int64_t> shape, const LayoutSpec &spec) {
  if (spec != LayoutSpec()) return spec;
  return LayoutSpec::of({std::vector<int64_t>(shape.size(), 1), {shape.begin(), shape.end()}});
}
} // namespace

// Makes the layout of a vector or a tile; null if an error was reported.
const Layout *TypeResolver::layoutOn(std::span<const int64_t> shape, const LayoutSpec &spec, SourceRange range) {
  LayoutOrError made = makeLayout(context_, specOn(shape, spec), shape);
  if (const LayoutError *error = std::get_if<LayoutError>(&made)) {
    diagnostics()
        .report(DiagCode::LayoutDoesNotFit, range, str("this layout does not fit ", shapeText(shape), ": ", error->message))
        .withLabel(spec.text())
        .withPicture(error->table);
    return nullptr;
  }
  const Layout *layout = std::get<const Layout *>(made);
  if (!spec.nested || !subgroups_) return layout;
  if (const Layout *shared = onSubgroupsModulo(context_, layout, *subgroups_)) return shared;
  std::vector<int64_t> counts = subgroupsModulo(layout, kMostSubgroups);
  for (int64_t n = layout->subgroups(); n <= kMostSubgroups; n += layout->subgroups()) counts.push_back(n);
  auto above = std::upper_bound(counts.begin(), counts.end(), *subgroups_);
  diagnostics()
      .report(DiagCode::SubgroupCounts, range,
              str("the ", layout->subgroups(), " virtual subgroups of this layout cannot be shared by ",
                  counted(*subgroups_, "subgroup")))
      .withLabel(spec.text())
      .note(str("virtual subgroup x is subgroup x mod n, which gives a layout for n = ", above[-1],
                above == counts.end() ? ", but for no larger n" : str(" and n = ", *above, ", but for none between them")));
  return nullptr;
}

} // namespace xt
