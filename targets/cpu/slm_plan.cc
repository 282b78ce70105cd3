#include "targets/cpu/slm_plan.h"

#include "targets/cpu/buffer_assignment.h"

namespace xt {
namespace {

constexpr int64_t kTooLarge = int64_t{1} << 50;

// Up to and with the last element; saturated.
int64_t bytesOf(Type memref) {
  std::vector<int64_t> strides = memrefStrides(memref);
  int64_t last = 0;
  for (int d = 0; d < memref.rank(); ++d) {
    int64_t reach = 0;
    bool overflows = __builtin_mul_overflow(memref.extent(d) - 1, strides[static_cast<size_t>(d)], &reach) ||
                     __builtin_add_overflow(last, reach, &last);
    if (overflows || last > kTooLarge) return kTooLarge;
  }
  return (last + 1) * elemInfo(memref.elem()).storageBytes;
}

} // namespace

SlmPlan planSlm(const Kernel &kernel) {
  SlmPlan plan;
  for (const Op &op : kernel.body) {
    if (op.kind() != OpKind::AllocSlm) continue;
    int64_t bytes = bytesOf(op.result()->type());
    plan.buffers.push_back({&op, plan.bytes, bytes});
    int64_t whole = (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
    plan.bytes = std::min(plan.bytes + whole, kTooLarge);
  }
  return plan;
}

} // namespace xt
