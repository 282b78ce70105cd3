#include "targets/cpu/analysis/streaming.h"

#include "ir/op_kinds.h"

namespace xt {
namespace {

// Follows the tiles of one parameter to their uses.
class Flow {
public:
  explicit Flow(const Value *param) { follow(param); }
  bool isRead() const { return read_; }
  const std::vector<const Op *> &stores() const { return stores_; }

private:
  void follow(const Value *from) {
    std::vector<const Value *> work{from};
    while (!work.empty()) {
      const Value *value = work.back();
      work.pop_back();
      if (!seen_.insert(value).second) continue;
      for (Use use : value->uses()) visit(*use.user, use.operand, work);
    }
  }

  void visit(const Op &op, size_t operand, std::vector<const Value *> &work) {
    switch (op.kind()) {
    case OpKind::Dim:
    case OpKind::Stride:
    case OpKind::PrefetchTile: return;
    case OpKind::InitTile:
    case OpKind::UpdateTileOffset:
      if (op.result(0)->type().data().scatter) read_ = true; // accessed element by element
      work.push_back(op.result(0));
      return;
    case OpKind::StoreTile: stores_.push_back(&op); return;
    case OpKind::For:
      work.push_back(op.region(0)->param(operand - kForBounds + 1));
      work.push_back(op.result(operand - kForBounds));
      return;
    case OpKind::Yield:
      if (const Op *parent = op.block()->parentOp(); parent && parent->kind() == OpKind::For) {
        work.push_back(parent->region(0)->param(operand + 1));
        work.push_back(parent->result(operand));
        return;
      }
      break;
    default: break;
    }
    read_ = true;
  }

  static constexpr size_t kForBounds = 3; // operands of `for` before the carried values
  bool read_ = false;
  std::vector<const Op *> stores_;
  std::unordered_set<const Value *> seen_;
};

} // namespace

StreamedStores findStreamedStores(const Kernel &kernel) {
  StreamedStores found;
  for (size_t i = 0; i < kernel.paramCount; ++i) {
    const Value *param = kernel.param(i);
    if (!param->type().isMemRef()) continue;
    Flow flow(param);
    if (flow.isRead())
      found.read.push_back(param);
    else
      found.stores.insert(flow.stores().begin(), flow.stores().end());
  }
  return found;
}

} // namespace xt
