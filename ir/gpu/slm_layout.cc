#include "ir/gpu/slm_layout.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "ir/views/tile.h"

#include <algorithm>

namespace xt {
namespace {

constexpr int64_t kTooLarge = int64_t{1} << 50;

int64_t roundUp(int64_t bytes) { return (bytes + kSlmAlignment - 1) / kSlmAlignment * kSlmAlignment; }

} // namespace

int64_t slmBytesOf(Type memref) {
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

int64_t SlmLayout::offsetOf(const Op &alloc) const {
  auto found = std::ranges::find(buffers, &alloc, &SlmBuffer::alloc);
  XT_CHECK(found != buffers.end(), "buffers are allocated at the kernel's top level");
  return found->offset;
}

SlmLayout slmLayout(const Kernel &kernel) {
  SlmLayout layout;
  for (const Op &op : kernel.body) {
    if (op.kind() != OpKind::AllocSlm) continue;
    SlmBuffer buffer{&op, AllocSlmOp(op).offset().value_or(-1), slmBytesOf(op.result()->type())};
    if (buffer.offset >= 0) layout.bytes = std::max(layout.bytes, std::min(kTooLarge, buffer.offset + buffer.bytes));
    layout.buffers.push_back(buffer);
  }
  for (SlmBuffer &buffer : layout.buffers) {
    if (buffer.offset >= 0) continue;
    buffer.offset = roundUp(layout.bytes);
    layout.bytes = std::min(kTooLarge, buffer.offset + buffer.bytes);
  }
  return layout;
}

bool fitsHost(const Kernel &kernel, const SlmLayout &layout, Diagnostics &diagnostics) {
  if (layout.bytes <= kMostSlmOfHost) return true;
  auto mib = [](int64_t bytes) { return (bytes + (1 << 20) - 1) >> 20; };
  Diagnostic &diagnostic = diagnostics.report(DiagCode::SlmTooLarge, kernel.nameRange,
                                              str("`@", kernel.name, "` has ", mib(layout.bytes),
                                                  " MiB of shared local memory; the limit is ", mib(kMostSlmOfHost), " MiB"));
  for (const SlmBuffer &buffer : layout.buffers)
    diagnostic.at(buffer.alloc->range(),
                  str(shapedText(buffer.alloc->result()->type()), ", ", (buffer.bytes + 1023) >> 10, " KiB"));
  return false;
}

} // namespace xt
