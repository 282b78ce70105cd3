// A block of ops made ready to run: values numbered, regions linked, and what each subgroup holds worked out once.
#pragma once
#include "ir/interp/scalar_eval.h"
#include "ir/module.h"

#include <memory>
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

inline constexpr size_t kNoBlock = ~size_t{0};

struct Step {
  const Op *op = nullptr;
  std::vector<size_t> operands, results; // slots
  std::vector<size_t> regions;           // blocks of the program
  ElementwiseOp elementwise{};           // of elementwise ops
  const Holding *holding = nullptr;      // of the first result that is a vector, else of the first operand that is one
  // Some subgroup needs elements of an operand that only others hold: all meet here.
  bool exchanges = false;
};

struct BlockPlan {
  std::vector<size_t> params; // slots
  std::vector<Step> steps;
};

class Program {
public:
  // `subgroups` is the number that run the block, each holding its part of what has a layout.
  Program(const Block &entry, size_t subgroups);

  size_t subgroups() const { return subgroups_; }
  size_t slotCount() const { return slots_.size(); }
  size_t slotOf(const Value *value) const;
  const BlockPlan &block(size_t index) const { return blocks_[index]; } // 0 is the entry
  const Holding &holding(Type type) const;

private:
  size_t addSlot(const Value *value);
  Step makeStep(const Op &op, std::vector<const Block *> &pending);
  void addHolding(Type type);
  bool needsExchange(const Op &op) const;

  size_t subgroups_;
  std::vector<BlockPlan> blocks_;
  // Only looked up, never iterated.
  std::unordered_map<const Value *, size_t> slots_;
  std::unordered_map<const TypeData *, std::unique_ptr<Holding>> holdings_;
};

} // namespace xt
