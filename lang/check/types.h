// Resolves type and attribute expressions to interned types and layouts, for one instantiation of the file's parameters.
#pragma once
#include "ir/context.h"
#include "lang/check/const_eval.h"

#include <set>

namespace xt {

// The meaning of the attributes of a shaped type: #mp_a, #tile_attr<wg = …, order = …>, order = [0, 1], #scatter, packed.
struct ShapedAttrs {
  std::optional<LayoutSpec> layout;
  SourceRange layoutRange;
  std::optional<Order> order;
  bool scatter = false, packed = false;
  bool slm = false;
  SourceRange spaceRange; // where the memory space is written as a number
  std::optional<MemoryLayout> memory;
  SourceRange memoryRange; // where an affine_map is written
  std::optional<bool> boundaryCheck; // only for a tensor_desc
  std::optional<int64_t> chunk;
};

inline constexpr size_t kMostAliasDepth = 100; // of aliases that stand for one another

inline constexpr int kMaxFragmentRank = 3 * kMaxRank; // of [batch] x [outer] x [element], which to_simt and to_simd name

class TypeResolver {
public:
  TypeResolver(Context &context, ParamScope &params) : context_(context), params_(params) {}

  // Sets the number of subgroups that the header of a kernel at workgroup scope states. The virtual subgroups of a nested_layout
  // then count modulo this number (onSubgroupsModulo).
  void setSubgroups(std::optional<int64_t> subgroups) { subgroups_ = subgroups; }
  std::optional<int64_t> subgroups() const { return subgroups_; }

  // Resolves a type. Null if an error was reported.
  Type resolve(const ast::TypeExpr &expr);
  // Resolves a type in the signature of a function, where `?` is allowed in every shape and matches any extent.
  Type resolvePattern(const ast::TypeExpr &expr);
  // Resolves a type in the body of a function, where `?` is allowed in every shape that has no layout.
  Type resolveOpen(const ast::TypeExpr &expr);
  // Returns the layout that an attribute such as `{#mp_b}` describes for `shape`; null if an error was reported.
  const Layout *layoutFor(const ast::Attr &attr, std::span<const int64_t> shape);
  // Resolves a single attribute, as in the definition of an alias. Returns false if an error was reported. A parameter that is
  // some layout (ParamScope::GivenLayout) is an empty specification.
  bool resolveAttr(const ast::Attr &attr, ShapedAttrs &out);
  std::optional<std::vector<int64_t>> integers(const ast::Attr &attr, std::string_view what);
  std::optional<Elem> element(const ast::TypeExpr &expr);

private:
  Type shaped(const ast::TypeExpr &expr);
  bool extents(const ast::TypeExpr &expr, std::string_view constructor, TypeData &data);
  const Layout *layoutOn(std::span<const int64_t> shape, const LayoutSpec &spec, SourceRange range);
  Type memRef(const ast::TypeExpr &expr, TypeData data, const ShapedAttrs &attrs);
  Type distributed(const ast::TypeExpr &expr, std::string_view constructor, TypeData data, const ShapedAttrs &attrs);
  Type tensorDesc(const ast::TypeExpr &expr, TypeData data, const ShapedAttrs &attrs);
  bool lanesOf(const ast::TypeExpr &expr, const ShapedAttrs &attrs, TypeData &data);
  bool mayExpand(SourceRange alias);
  bool entry(const ast::Attr::Entry &entry, ShapedAttrs &out);
  bool mapping(const ast::Attr &attr, ShapedAttrs &out);
  bool swizzledMemory(const ast::Attr &attr, ShapedAttrs &out);
  bool stridedMemory(const ast::Attr &attr, ShapedAttrs &out);
  bool factorMap(const ast::Attr &attr, ShapedAttrs &out);
  std::optional<std::vector<Factor>> factors(const ast::Attr &list);
  bool nestedMap(const ast::Attr &attr, ShapedAttrs &out);
  bool order(const ast::Attr &attr, ShapedAttrs &out);
  Diagnostics &diagnostics() const { return params_.diagnostics(); }

  Context &context_;
  ParamScope &params_;
  std::optional<int64_t> subgroups_;
  bool pattern_ = false; // `?` is allowed in every shape, and layouts are not allowed
  bool open_ = false; // `?` is allowed in every shape that has no layout
  std::vector<std::string_view> expanding_; // aliases being resolved
  size_t expansions_ = 0; // number of alias uses since the outermost alias
  SourceRange outermost_;
  bool expandedTooMuch_ = false; // the error about too many uses has been reported
  std::set<std::string_view> circular_; // aliases that contain themselves, each reported once
};

// Whether no key is given twice; otherwise reports an error.
bool eachOnce(Diagnostics &diagnostics, const std::vector<ast::Attr::Entry> &entries);

} // namespace xt
