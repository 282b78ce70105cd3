// A block of ops made ready to run: values numbered, regions linked, and what each subgroup holds worked out once.
#pragma once
#include "ir/context.h"
#include "ir/interp/scalar_eval.h"
#include "ir/lane_fragments.h"
#include "ir/module.h"

#include <memory>
#include <span>
#include <unordered_map>

namespace xt {

// What the subgroups hold of a vector or tile type: per subgroup and dimension the indices, ascending; the elements are
// their product, row-major.
struct Holding {
  struct Part {
    std::vector<std::vector<int64_t>> slices; // per dimension
    size_t count = 1;                         // elements
  };
  std::vector<Part> parts; // per subgroup; a single one where all hold everything (no layout)
  const Part &of(size_t subgroup) const { return parts.size() == 1 ? parts[0] : parts[subgroup]; }
};

// Calls visit(index) for each element of the part, in its order; `index` has one entry a dimension.
template <class Visit> void forEachHeld(const Holding::Part &part, Visit visit) {
  std::vector<int64_t> index(part.slices.size());
  std::vector<size_t> at(part.slices.size(), 0);
  for (size_t k = 0; k < part.count; ++k) {
    for (size_t d = 0; d < at.size(); ++d) index[d] = part.slices[d][at[d]];
    visit(std::span<const int64_t>(index));
    for (size_t d = at.size(); d-- > 0;) {
      if (++at[d] < part.slices[d].size()) break;
      at[d] = 0;
    }
  }
}

inline constexpr size_t kNoBlock = ~size_t{0};

struct Step {
  const Op *op = nullptr;
  std::vector<size_t> operands, results; // slots
  std::vector<size_t> regions;           // blocks of the program
  ElementwiseOp elementwise{};           // of elementwise ops
  const Holding *holding = nullptr;      // of the first result that is a vector, else of the first operand that is one
  // All subgroups meet here: at a barrier, because some needs elements of an operand that only others hold, or because
  // a whole vector is shown (print, assert).
  bool meets = false;
};

struct BlockPlan {
  std::vector<size_t> params; // slots
  std::vector<Step> steps;
};

class Program {
public:
  // `subgroups` is the number that run the block, each holding its part of what has a layout. At lane scope it is that of
  // all lanes, and `lanes` those of one subgroup; else 0.
  Program(const Block &entry, size_t subgroups, size_t lanes = 0);
  static Program of(const Kernel &kernel);

  const Block &entry() const { return entry_; }
  size_t subgroups() const { return subgroups_; }
  size_t slotCount() const { return slots_.size(); }
  size_t slotOf(const Value *value) const;
  const BlockPlan &block(size_t index) const { return blocks_[index]; } // 0 is the entry
  const Holding &holding(Type type) const;
  const DpasFragments &fragmentsOf(const Op &dpas) const { return dpas_.at(&dpas); } // at lane scope

private:
  size_t addSlot(const Value *value);
  Step makeStep(const Op &op, std::vector<const Block *> &pending);
  void addHolding(Type type);
  bool subgroupsMeet(const Op &op) const;
  bool heldByAll(Type type) const;
  bool vectorNeedsExchange(const Op &op) const;
  bool mmaNeedsExchange(const Op &op) const;

  const Block &entry_;
  size_t subgroups_, lanes_;
  std::vector<BlockPlan> blocks_;
  std::unique_ptr<Context> context_; // of the layouts in dpas_
  // Only looked up, never iterated.
  std::unordered_map<const Value *, size_t> slots_;
  std::unordered_map<const TypeData *, std::unique_ptr<Holding>> holdings_;
  std::unordered_map<const Op *, DpasFragments> dpas_;
};

} // namespace xt
