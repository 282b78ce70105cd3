#include "passes/cse.h"

#include "ir/base/text.h"
#include "passes/facts.h"

#include <functional>
#include <unordered_map>

namespace xt {
namespace {

class Cse {
public:
  explicit Cse(Diagnostics &diagnostics) : diagnostics_(diagnostics) {}
  // Earlier ops of enclosing blocks are in scope; those of an inner block leave the scope at its end.
  void block(Block &block) {
    size_t mark = sight_.size();
    for (Op *op = block.first(); op;) {
      Op *next = op->next();
      if (isPure(*op)) {
        size_t hash = hashOf(*op);
        if (Op *earlier = find(*op, hash))
          replace(*op, *earlier);
        else {
          buckets_[hash].push_back(op);
          sight_.push_back(hash);
        }
      } else if (isLoad(*op)) {
        remarkLoad(*op);
      } else {
        for (size_t r = 0; r < op->regionCount(); ++r) this->block(*op->region(r));
      }
      op = next;
    }
    for (; sight_.size() > mark; sight_.pop_back()) buckets_[sight_.back()].pop_back();
  }

private:
  static size_t hashOf(const Op &op) {
    size_t operands = 0;
    for (size_t i = 0; i < op.operandCount(); ++i) {
      size_t one = std::hash<const Value *>()(op.operand(i)) * 0x9e3779b97f4a7c15ull;
      // For a commutative op, a sum makes the hash independent of the order of the operands.
      operands = op.info().commutative ? operands + one : (operands << 7 | operands >> 57) ^ one;
    }
    size_t hash = operands * 31 + static_cast<size_t>(op.kind());
    hash = hash * 31 + std::hash<const TypeData *>()(&op.result()->type().data());
    for (const Attr &attr : op.attrs()) {
      hash *= 31;
      if (const auto *integer = std::get_if<int64_t>(&attr.value)) hash += std::hash<int64_t>()(*integer);
      if (const auto *number = std::get_if<double>(&attr.value)) hash += std::hash<double>()(*number);
      if (const auto *text = std::get_if<std::string>(&attr.value)) hash += std::hash<std::string>()(*text);
    }
    return hash;
  }

  static bool equal(const Op &a, const Op &b) {
    if (a.kind() != b.kind() || a.operandCount() != b.operandCount() || a.resultCount() != b.resultCount()) return false;
    for (size_t i = 0; i < a.resultCount(); ++i)
      if (a.result(i)->type() != b.result(i)->type()) return false;
    if (!sameAttributes(a, b)) return false;
    if (a.operands() == b.operands()) return true;
    return a.info().commutative && a.operandCount() == 2 && a.operand(0) == b.operand(1) && a.operand(1) == b.operand(0);
  }

  Op *find(const Op &op, size_t hash) const {
    auto bucket = buckets_.find(hash);
    if (bucket == buckets_.end()) return nullptr;
    for (Op *other : bucket->second)
      if (equal(*other, op)) return other;
    return nullptr;
  }

  // Reports that two equal loads in one block are not merged: an op between them may have changed memory.
  void remarkLoad(Op &op) {
    if (!diagnostics_.wantsRemarks()) return;
    const UseList &uses = op.operand(0)->uses();
    const Op *earlier = nullptr;
    for (Use use : uses)
      if (use.user != &op && use.user->block() == op.block() && equal(*use.user, op) && isBefore(*use.user, op)) {
        if (!earlier || isBefore(*earlier, *use.user)) earlier = use.user;
      }
    if (!earlier || earlier->range() == op.range()) return;
    Diagnostic &remark = diagnostics_.report(
        DiagCode::PassRemark, op.range(),
        str("`", op.info().name, "` repeats an earlier load: loads are not merged, because memory may change in between"));
    remark.at(earlier->range(), "loaded here");
    if (const Op *write = firstWrite(earlier->next(), &op)) {
      bool writes = has(write->info().effects, Effect::Writes);
      remark.at(write->range(), writes ? "written here" : "other subgroups may write before this point");
    } else {
      remark.note("nothing writes between the two; if no other workgroup writes it either, you can reuse the first load");
    }
  }

  void replace(Op &op, Op &earlier) {
    if (costsWork(op) && op.range() != earlier.range())
      diagnostics_
          .report(DiagCode::PassRemark, op.range(),
                  str("`", op.info().name, "` repeats an earlier computation: the earlier result is reused"))
          .at(earlier.range(), "first computed here");
    for (size_t i = 0; i < op.resultCount(); ++i) {
      if (earlier.result(i)->name().empty()) earlier.result(i)->setName(op.result(i)->name());
      op.result(i)->replaceAllUsesWith(earlier.result(i));
    }
    op.block()->erase(&op);
  }

  Diagnostics &diagnostics_;
  std::unordered_map<size_t, std::vector<Op *>> buckets_; // by hash, in program order; for lookup only
  std::vector<size_t> sight_;                             // hashes of the ops in scope, as a stack
};

} // namespace

Result<void> cse(Module &module, Diagnostics &diagnostics) {
  for (const auto &kernel : module.kernels) Cse(diagnostics).block(kernel->body);
  return {};
}

} // namespace xt
