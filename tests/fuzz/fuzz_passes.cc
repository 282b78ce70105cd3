// Runs IR text through the pipelines of the targets, those of one GPU for each input. After each pass, the module is verified,
// printed and read back.
#include "tests/fuzz/input.h"

#include "passes/pass_manager.h"
#include "passes/pipelines.h"

#include <functional>

using namespace xt;

namespace {

void run(std::string_view text, std::span<const PassKind> passes, const TargetInfo *target) {
  fuzz::Compiled made(text);
  if (!made.module) return;
  PassOptions options;
  options.target = target;
  options.verifyEach = true;
  options.roundTrip = fuzz::roundTrip;
  (void)runPasses(*made.module, passesOf(passes), options, made.diagnostics);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text = fuzz::textOf(data, size);
  {
    fuzz::Compiled made(text);
    if (!made.module) return 0;
  }
  run(text, kTilePipeline, nullptr);
  run(text, kProcessorPipeline, nullptr);
  // A mutated input meets another GPU, and all of them would take five times as long.
  const TargetInfo &gpu = targetInfos()[std::hash<std::string_view>{}(text) % targetInfos().size()];
  run(text, kLanePipeline, &gpu);
  return 0;
}
