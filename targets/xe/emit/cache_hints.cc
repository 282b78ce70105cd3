// Hints on caches: decorations of SPV_INTEL_cache_controls on the pointer of an access.
#include "ir/base/text.h"
#include "targets/xe/emit/kernel_emitter.h"

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
constexpr uint32_t kLoadControl = 6442, kStoreControl = 6443; // the decorations

constexpr const char *kHints[] = {"L1_hint", "L2_hint", "L3_hint"};

bool isDefault(std::string_view hint) { return hint.empty() || hint == "cached" || hint == "write_back"; }

uint32_t controlOf(std::span<const Hint> hints, std::string_view word, uint32_t otherwise) {
  for (const Hint &hint : hints)
    if (hint.word == word) return hint.value;
  return otherwise;
}

} // namespace

// An access controls two levels of caches on Xe: level 0 is L1, level 1 the next one, which documents call L2 or L3. Intel's
// compiler accepts controls for both levels only, so a missing hint becomes the usual control.
void XeKernelEmitter::readHints(const Op &op) {
  hints_ = nullptr;
  const char *special = nullptr;
  bool given = false;
  for (const char *name : kHints) {
    given |= !op.textAttr(name).empty();
    if (!special && !isDefault(op.textAttr(name))) special = name;
  }
  if (!given) return;
  if (!options_.intelExtensions) {
    if (special)
      remark(op, str("`", op.info().name, "` has ", special, " = ", op.textAttr(special),
                     ", which is left out: SPIR-V has cache hints with --spirv-extensions=intel only"));
    return;
  }
  bool stores = has(op.info().effects, Effect::Writes);
  std::span<const Hint> known = stores ? std::span<const Hint>(kOfStores) : std::span<const Hint>(kOfLoads);
  std::string_view outer = op.textAttr(op.textAttr("L3_hint").empty() ? "L2_hint" : "L3_hint");
  uint32_t usual = stores ? 2 : 1, levels[] = {controlOf(known, op.textAttr("L1_hint"), usual), controlOf(known, outer, usual)};
  llvm::LLVMContext &context = b.getContext();
  auto constant = [&](uint32_t value) { return llvm::ConstantAsMetadata::get(b.getInt32(value)); };
  std::array<llvm::Metadata *, 2> controls;
  for (uint32_t level = 0; level < 2; ++level)
    controls[level] =
        llvm::MDNode::get(context, {constant(stores ? kStoreControl : kLoadControl), constant(level), constant(levels[level])});
  hints_ = llvm::MDNode::get(context, controls);
}

// A decoration belongs to a pointer, not to an access, so each access gets a new pointer.
LlvmValue *XeKernelEmitter::hinted(LlvmValue *address) {
  if (!hints_ || address->getType()->getPointerAddressSpace() != addressSpace(MemorySpace::Global)) return address;
  auto *own = llvm::GetElementPtrInst::Create(b.getInt8Ty(), address, {number(0)});
  b.Insert(own);
  own->setMetadata("spirv.Decorations", hints_);
  return own;
}

} // namespace xt
