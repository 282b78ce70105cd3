#include "ir/interp/checked_memory.h"

#include "ir/base/text.h"
#include "ir/interp/launch_state.h"
#include "ir/op_kinds.h"

#include <algorithm>
#include <utility>

namespace xt {
namespace {

// Whether an op makes a tile or a descriptor from an address. These may have any element type, so the memory of the launch is
// then tracked byte by byte.
bool startsAtAddress(const Op &op) {
  const auto &operands = op.info().operands;
  return operands.size() > 0 && operands[0].type == OperandClass::Base && !op.operand(0)->type().isMemRef();
}

} // namespace

CheckedMemory::CheckedMemory(const Kernel &kernel, const std::vector<LaunchArg> &args, SlmMemory &slm) {
  addBuffers(kernel, args);
  addSlm(kernel, slm);
}

void CheckedMemory::addBuffers(const Kernel &kernel, const std::vector<LaunchArg> &args) {
  bool anyType = false;
  walk(kernel.body, [&](const Op &op) { anyType |= startsAtAddress(op); });
  std::vector<Piece> pieces;
  for (size_t i = 0; i < args.size(); ++i) {
    const BufferView &view = args[i].buffer;
    if (!view.data) continue;
    MemoryRange range = bytesOf(view);
    auto bytes = static_cast<size_t>(elemInfo(view.elem).storageBytes);
    buffers_.push_back(
        {"%" + kernel.param(i)->name(), range, static_cast<const unsigned char *>(view.data), bytes, view.sizes, view.strides});
    if (range.low != range.high) pieces.push_back({range, anyType ? 1 : bytes, view.unwritten});
  }
  addConnected(std::move(pieces), false);
}

// Makes one region of each set of overlapping pieces.
void CheckedMemory::addConnected(std::vector<Piece> pieces, bool slm) {
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece &a, const Piece &b) { return a.range.low < b.range.low; });
  for (size_t i = 0, end; i < pieces.size(); i = end) {
    Piece joined = pieces[i];
    for (end = i + 1; end < pieces.size() && pieces[end].range.low < joined.range.high; ++end) {
      const Piece &next = pieces[end];
      joined.range.high = std::max(joined.range.high, next.range.high);
      joined.fresh &= next.fresh;
      bool aligned = next.unit == joined.unit && static_cast<size_t>(next.range.low - joined.range.low) % joined.unit == 0;
      if (!aligned) joined.unit = 1;
    }
    regions_.push_back({ShadowRegion(joined.range, joined.unit), slm, joined.fresh});
  }
}

void CheckedMemory::addSlm(const Kernel &kernel, SlmMemory &slm) {
  std::vector<Piece> pieces;
  for (const Op &op : kernel.body) {
    if (op.kind() != OpKind::AllocSlm) continue;
    MemRefValue memref = slm.at(op);
    auto bytes = static_cast<size_t>(elemInfo(memref.elem).storageBytes);
    std::vector<int64_t> sizes(memref.sizes.begin(), memref.sizes.begin() + static_cast<ptrdiff_t>(memref.rank)),
        strides(memref.strides.begin(), memref.strides.begin() + static_cast<ptrdiff_t>(memref.rank));
    buffers_.push_back({"%" + op.result()->name(), memref.memory, memref.data, bytes, sizes, strides, memref.swizzle});
    pieces.push_back({memref.memory, bytes, true});
  }
  addConnected(std::move(pieces), true);
}

CheckedMemory::Region *CheckedMemory::regionOf(const unsigned char *p) {
  for (size_t tried = 0; tried < regions_.size(); ++tried) {
    if (regions_[lastRegion_].shadow.range().contains(p, 1)) return &regions_[lastRegion_];
    lastRegion_ = (lastRegion_ + 1) % regions_.size();
  }
  return nullptr;
}

std::string CheckedMemory::elementAt(const unsigned char *p) const {
  for (const NamedBuffer &buffer : buffers_)
    if (buffer.range.contains(p, 1)) return elementText(buffer, p);
  return "an element";
}

std::string CheckedMemory::bufferText(const MemoryRange &range) const {
  for (const NamedBuffer &buffer : buffers_)
    if (range.low && buffer.range.low == range.low) return str("`", buffer.name, "`");
  return {};
}

} // namespace xt
