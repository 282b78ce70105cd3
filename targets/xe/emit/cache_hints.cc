// Emits cache hints as decorations of SPV_INTEL_cache_controls on the pointers of accesses.
#include "ir/base/text.h"
#include "ir/views/names.h"
#include "ir/views/shared.h"
#include "targets/xe/emit/xe_lane_device.h"

#include <algorithm>
#include <array>

namespace xt {
namespace {

// Values of Load Cache Control and Store Cache Control.
struct Hint {
  std::string_view word;
  uint32_t value;
};
constexpr Hint kOfLoads[] = {{"uncached", 0}, {"cached", 1}, {"streaming", 2}, {"read_invalidate", 3}};
constexpr Hint kOfStores[] = {{"uncached", 0}, {"write_through", 1}, {"write_back", 2}, {"streaming", 3}};
constexpr uint32_t kLoadControl = 6442, kStoreControl = 6443; // numbers of the decorations

bool isDefault(std::string_view hint) { return hint.empty() || hint == "cached" || hint == "write_back"; }

uint32_t controlOf(std::span<const Hint> hints, std::string_view word, uint32_t otherwise) {
  for (const Hint &hint : hints)
    if (hint.word == word) return hint.value;
  return otherwise;
}

} // namespace

// An access controls two levels of caches on Xe: level 0 is L1, and level 1 the next one, which documents call L2 or L3.
// Intel's compiler accepts controls only for both levels together, so a missing hint becomes the default control (cached, or
// write_back for stores).
void XeLaneDevice::beginOp(LaneContext &c, const Op &op) {
  hints_ = nullptr;
  SharedAttrs attrs(op);
  const std::pair<std::string_view, std::string_view> hints[] = {
      {attr_names::kL1Hint, attrs.l1Hint()}, {attr_names::kL2Hint, attrs.l2Hint()}, {attr_names::kL3Hint, attrs.l3Hint()}};
  if (std::all_of(std::begin(hints), std::end(hints), [](auto &hint) { return hint.second.empty(); })) return;
  if (!options_.intelExtensions()) {
    auto special = std::find_if(std::begin(hints), std::end(hints), [](auto &hint) { return !isDefault(hint.second); });
    if (special != std::end(hints))
      remark(op, str("`", op.info().name, "` has ", special->first, " = ", special->second,
                     ", which is ignored: SPIR-V has cache hints only with --spirv-extensions=intel"));
    return;
  }
  bool stores = has(op.info().effects, Effect::Writes);
  std::span<const Hint> known = stores ? std::span<const Hint>(kOfStores) : std::span<const Hint>(kOfLoads);
  std::string_view outer = attrs.l3Hint().empty() ? attrs.l2Hint() : attrs.l3Hint();
  uint32_t usual = stores ? 2 : 1, levels[] = {controlOf(known, attrs.l1Hint(), usual), controlOf(known, outer, usual)};
  llvm::LLVMContext &context = c.b.getContext();
  auto constant = [&](uint32_t value) { return llvm::ConstantAsMetadata::get(c.b.getInt32(value)); };
  std::array<llvm::Metadata *, 2> controls;
  for (uint32_t level = 0; level < 2; ++level)
    controls[level] =
        llvm::MDNode::get(context, {constant(stores ? kStoreControl : kLoadControl), constant(level), constant(levels[level])});
  hints_ = llvm::MDNode::get(context, controls);
}

// A decoration belongs to a pointer, not to an access, so each access gets a new pointer.
LlvmValue *XeLaneDevice::accessed(LaneContext &c, LlvmValue *address) {
  if (!hints_ || address->getType()->getPointerAddressSpace() != addressSpace(MemorySpace::Global)) return address;
  auto *own = llvm::GetElementPtrInst::Create(c.b.getInt8Ty(), address, {c.values.number(0)});
  c.b.Insert(own);
  own->setMetadata("spirv.Decorations", hints_);
  return own;
}

} // namespace xt
