// How the layouts of one op's operands and results determine each other (OpInfo::layoutRule), and the check that they agree.
#pragma once
#include "ir/infer/layout_inference.h"

#include <unordered_map>

namespace xt {

// Where a value's layout comes from, for messages.
struct LayoutOrigin {
  SourceRange range;
  std::string how;                         // "declared", "inferred from `load_tile`"
  std::vector<WrittenLayout> written = {}; // all places that declare it, if known
};
// Information for messages about layouts: where they come from, and how the source spells them.
class LayoutOrigins {
public:
  LayoutOrigins(Context &context, std::span<const LayoutAlias> aliases, const SourceManager *sources)
      : context_(context), aliases_(aliases), sources_(sources) {}
  void set(const Value *value, LayoutOrigin origin) { origins_[value] = std::move(origin); }
  void addPlace(const Value *value, const WrittenLayout &place) { origins_[value].written.push_back(place); }
  const LayoutOrigin *find(const Value *value) const; // null if unknown
  // The alias that names `layout` for a value of type `type`; null if there is none.
  const LayoutAlias *aliasOf(Type type, const Layout *layout) const;
  // The text of a layout: "#mp_b" if an alias owns the same elements, else the layout spelled out.
  std::string spell(Type type, const Layout *layout) const;
  // The text of the type with that layout: "tile<16x32xf32, #mp_b>".
  std::string spellType(Type type, const Layout *layout) const;
  Context &context() const { return context_; }
  std::span<const LayoutAlias> aliases() const { return aliases_; }
  const SourceManager *sources() const { return sources_; } // null if unknown, so there are no fix-its
  std::string_view nameOf(const Op &op) const; // as it is written, if the sources are known
  // The place where a function is called, for each op that comes from its body. callOf returns null for other ops.
  void setCalls(const std::unordered_map<const Op *, SourceRange> *calls) { calls_ = calls; }
  const SourceRange *callOf(const Op &op) const;

private:
  Context &context_;
  std::span<const LayoutAlias> aliases_;
  const SourceManager *sources_;
  const std::unordered_map<const Op *, SourceRange> *calls_ = nullptr;
  std::unordered_map<const Value *, LayoutOrigin> origins_; // used for lookup only
};

inline bool holdsLayout(Type type) { return type.isVector() || type.isTile(); }
// The layout of a vector or a tile; null if it has none yet, or if the value is something else.
inline const Layout *layoutOf(const Value *value) { return holdsLayout(value->type()) ? value->type().layout() : nullptr; }
// Whether an op defines the value that makes its elements in any layout, such as `constant`: it is copied for users that differ.
bool isFree(const Value *value);

// The layout that the other values of `op` require for its operand `index`; null if they do not determine it (yet).
const Layout *wantedForOperand(Context &context, const Op &op, size_t index);
// The layout that the operands of `op` determine for its result `index`; null if they do not determine it (yet).
const Layout *givenToResult(Context &context, const Op &op, size_t index);

// The layout to assume for the result of a broadcast if nothing else determines it: each subgroup that holds an element of the
// operand holds all copies of it. Null for other ops, and if the operand has no layout.
const Layout *assumedForResult(Context &context, const Op &op);

// What to note about a reduction or a broadcast whose blocks of neighbours are divided in the layout of its wide side, which is
// known; "" for other ops, and if each block is in one subgroup.
std::string dividedBlocks(const Op &op, const LayoutOrigins &origins);

// Checks whether the layouts of `op`, which must all be known, agree. Returns false after reporting an error if they do not.
bool checkLayoutRule(Context &context, const Op &op, const LayoutOrigins &origins, Diagnostics &diagnostics);

} // namespace xt
