#include "targets/soft/spirv_words.h"

#include "ir/base/text.h"
#include "targets/soft/extension_calls.h"
#include "targets/xe/library/spirv_numbers.h"

#include <cstring>
#include <map>
#include <string_view>

namespace xt::soft {
namespace {

using namespace spirv;

struct Scalar {
  bool isBool = false;
  uint32_t bits = 0;
};

class Rewriter {
public:
  explicit Rewriter(SpirvWords &out) : out_(out) {}
  void take(std::span<const uint32_t> op) {
    uint32_t code = opcodeOf(op[0]);
    if (code == OpExtension) out_.extensions.emplace_back(literal(op.subspan(1)));
    if (dropped(code, op)) return;
    if (code == OpTypeBool && op.size() > 1) scalars_[op[1]] = {true, 1};
    if ((code == OpTypeInt || code == OpTypeFloat) && op.size() > 2) scalars_[op[1]] = {false, op[2]};
    if (code == OpCapability && op.size() > 1 && op[1] == CapabilityFloat64) out_.float64 = true;
    std::vector<uint32_t> copy(op.begin(), op.end());
    if (code == OpControlBarrierWaitINTEL) copy[0] = firstWord(op.size(), OpControlBarrier);
    if (code == OpConstantNull && op.size() == 3) nullConstant(copy);
    out_.words.insert(out_.words.end(), copy.begin(), copy.end());
  }

private:
  static bool dropped(uint32_t code, std::span<const uint32_t> op) {
    if (code == OpControlBarrierArriveINTEL) return true;
    if (code == OpExtension)
      return literal(op.subspan(1)) == "SPV_INTEL_cache_controls" || literal(op.subspan(1)) == "SPV_INTEL_split_barrier";
    if (code == OpCapability && op.size() > 1)
      return op[1] == CapabilitySplitBarrierINTEL || op[1] == CapabilityCacheControlsINTEL;
    if (code == OpDecorate && op.size() > 2)
      return op[2] == DecorationCacheControlLoadINTEL || op[2] == DecorationCacheControlStoreINTEL;
    return false;
  }
  void nullConstant(std::vector<uint32_t> &op) const {
    auto found = scalars_.find(op[1]);
    if (found == scalars_.end()) return; // a null vector, array or pointer, which the tool can read
    if (found->second.isBool) {
      op[0] = firstWord(3, OpConstantFalse);
      return;
    }
    op.resize(found->second.bits > 32 ? 5 : 4, 0);
    op[0] = firstWord(op.size(), OpConstant);
  }

  SpirvWords &out_;
  std::map<uint32_t, Scalar> scalars_;
};

} // namespace

Result<SpirvWords> readableSpirv(std::span<const uint8_t> bytes) {
  std::vector<uint32_t> words(bytes.size() / 4);
  if (bytes.size() % 4 || words.size() < kHeaderWords)
    return Error::kernel("this is not SPIR-V: its size is not that of a module");
  std::memcpy(words.data(), bytes.data(), bytes.size());
  if (words[0] != kMagic) return Error::kernel(str("this is not SPIR-V: it begins with 0x", std::hex, words[0]));
  SpirvWords result;
  result.words.assign(words.begin(), words.begin() + kHeaderWords);
  if (result.words[1] > kVersion14) result.words[1] = kVersion14;
  Rewriter rewriter(result);
  for (size_t at = kHeaderWords; at < words.size();) {
    size_t length = lengthOf(words[at]);
    if (!length || length > words.size() - at) return Error::kernel(str("the SPIR-V ends within the instruction at word ", at));
    rewriter.take(std::span(words).subspan(at, length));
    at += length;
  }
  Result<std::vector<uint32_t>> called = callExtensions(std::move(result.words));
  if (!called) return called.error();
  result.words = std::move(*called);
  return result;
}

} // namespace xt::soft
