// A block of ops prepared for execution: values are numbered, regions linked, and the parts that subgroups hold computed once.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/context.h"
#include "ir/gpu/lane_fragments.h"
#include "ir/interp/scalar_eval.h"
#include "ir/module.h"

#include <memory>
#include <span>
#include <unordered_map>

namespace xt {

// The parts of a vector or tile type that the subgroups hold. A part has for each dimension the indices that are held,
// ascending. Its elements are all combinations of these indices, in row-major order.
struct Holding {
  struct Part {
    std::vector<std::vector<int64_t>> slices; // per dimension
    size_t count = 1;                         // number of elements
    bool isFirst = true; // whether the subgroup is the first of those that hold the same elements: it writes them
  };
  std::vector<Part> parts; // per subgroup; a single part if all hold everything (no layout)
  const Part &of(size_t subgroup) const { return parts.size() == 1 ? parts[0] : parts[subgroup]; }
};

// Calls visit(index) for each element of the part, in its order; `index` has one entry per dimension.
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

struct Step { // an op that is prepared for execution; values are identified by their slots, which are indices
  const Op *op = nullptr;
  std::vector<size_t> operands, results; // slots
  std::vector<size_t> regions;           // indices of the program's blocks
  ElementwiseOp elementwise{};           // for elementwise ops only
  const Holding *holding = nullptr;      // of the first vector or tile among the results, else the operands; null if none
  // Whether workers meet here, which means that they wait for each other before they continue: at a barrier or named barrier,
  // because some subgroup needs elements of an operand that only others hold, because a whole vector is printed or asserted,
  // or at lane scope because the lanes of a subgroup execute a collective op together.
  bool meets = false;
};

struct BlockPlan {
  std::vector<size_t> params; // slots
  std::vector<Step> steps;
};

// The most elements that the vectors of a workgroup may have: the interpreter keeps each in 16 bytes. A tile counts as many as its
// largest extent.
inline constexpr int64_t kMostHeldElements = int64_t{1} << 28;

// Whether the interpreter runs a kernel with as many elements; reports the error if not, with a label at the largest value.
bool fitsInterpreter(const Kernel &kernel, Diagnostics &diagnostics);

class Program {
public:
  // `subgroups` is the number of subgroups that run the block, each holding its part of values with a layout. At lane scope it
  // is the number of all lanes, and `lanes` the number per subgroup; otherwise `lanes` is 0.
  Program(const Block &entry, size_t subgroups, size_t lanes = 0);
  // Fails where the kernel does not fit the interpreter.
  static Result<Program> of(const Kernel &kernel);

  const Block &entry() const { return entry_; }
  size_t subgroups() const { return subgroups_; }
  size_t slotCount() const { return slots_.size(); }
  size_t slotOf(const Value *value) const;
  const BlockPlan &block(size_t index) const { return blocks_[index]; } // 0 is the entry
  const Holding &holding(Type type) const;
  const DpasFragments &fragmentsOf(const Op &dpas) const { return dpas_.at(&dpas); } // at lane scope only

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
  std::unique_ptr<Context> context_; // owns the layouts that dpas_ refers to
  // Used for lookup only; iteration order would not be deterministic.
  std::unordered_map<const Value *, size_t> slots_;
  std::unordered_map<const TypeData *, std::unique_ptr<Holding>> holdings_;
  std::unordered_map<const Op *, DpasFragments> dpas_;
};

} // namespace xt
