// Fuzzes the SPIR-V reader of the software device: the words of a module, and the mangled names in it. A small share of the
// inputs is also built, which starts another program; LLVM and that program are not instrumented.
#include "tests/fuzz/crash.h"

#include "ir/gpu/target_info.h"
#include "targets/soft/builtin_name.h"
#include "targets/soft/device_settings.h"
#include "targets/soft/program.h"
#include "targets/soft/spirv_words.h"

#include <cstdlib>
#include <cstring>

using namespace xt;

namespace {

// XT_FUZZ_BUILD=1 builds every module, to reproduce an error.
bool isBuilt(const uint8_t *data, size_t size) {
  const char *always = std::getenv("XT_FUZZ_BUILD");
  if (always && *always) return true;
  constexpr size_t kOneIn = 4096;
  return std::hash<std::string_view>()(fuzz::textOf(data, size)) % kOneIn == 0;
}

void readNames(std::span<const uint32_t> words) {
  constexpr uint32_t kOpName = 5, kOpDecorate = 71, kOpEntryPoint = 15;
  for (size_t at = 5; at < words.size();) {
    size_t length = words[at] >> 16, code = words[at] & 0xffff, skipped = code == kOpName ? 2 : 3;
    if (!length || length > words.size() - at) return;
    if ((code == kOpName || code == kOpDecorate || code == kOpEntryPoint) && length > skipped) {
      const auto *text = reinterpret_cast<const char *>(words.data() + at + skipped);
      soft::BuiltinName name = soft::builtinName({text, strnlen(text, (length - skipped) * 4)});
      for (const std::string &parameter : name.parameters) soft::namedType(soft::scalarOf(parameter));
    }
    at += length;
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::span bytes(data, size);
  Result<soft::SpirvWords> words = soft::readableSpirv(bytes);
  if (!words) return 0;
  readNames(words->words);
  // The result is rewritten again and must not change, because nothing is left to rewrite.
  std::string_view whole(reinterpret_cast<const char *>(words->words.data()), words->words.size() * 4);
  Result<soft::SpirvWords> again = soft::readableSpirv({reinterpret_cast<const uint8_t *>(whole.data()), whole.size()});
  if (!again || again->words != words->words) fuzz::fail("what was made readable is not", "");
  if (!isBuilt(data, size)) return 0;
  soft::DeviceSettings device;
  device.target = &targetInfos(GpuFamily::Xe)[size % targetInfos(GpuFamily::Xe).size()];
  (void)soft::Program::build(bytes, device, false);
  return 0;
}
