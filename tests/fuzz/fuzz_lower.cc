// Fuzzes the checker and lowering: text that compiles must become valid IR, whose text reads back as the same IR.
#include "tests/fuzz/input.h"

#include "ir/verify/verify.h"
#include "passes/infer_layouts.h"
#include "passes/pass_manager.h"
#include "passes/pipelines.h"

using namespace xt;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text = fuzz::textOf(data, size);
  fuzz::Compiled made(text);
  if (made.module) {
    if (!verify(*made.module, made.diagnostics)) fuzz::fail("lowering made broken IR", text);
    PassOptions options;
    options.verifyEach = true;
    options.roundTrip = fuzz::roundTrip;
    (void)runPasses(*made.module, passesOf(kFrontPipeline), options, made.diagnostics);
  }
  renderText(made.diagnostics, made.sources, false);
  return 0;
}
