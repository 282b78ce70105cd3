// A module from text, for tests that launch its kernels.
#pragma once
#include "lang/lower/lower.h"
#include "tests/launch_args.h"

#include <gtest/gtest.h>

namespace xt::test {

struct Program {
  explicit Program(std::string text) {
    uint32_t file = sources.add("test.xt", std::move(text));
    auto lowered = lowerFile(sources, file, context, {}, diagnostics);
    EXPECT_TRUE(lowered.ok()) << renderText(diagnostics, sources, false);
    if (lowered) module = std::move(*lowered);
  }
  const Kernel &kernel(size_t i = 0) const { return *module->kernels[i]; }

  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  std::unique_ptr<Module> module;
};

inline LaunchArg buffer(void *data, Elem elem, std::vector<int64_t> sizes, std::vector<int64_t> strides) {
  LaunchArg arg;
  arg.kind = LaunchArg::Kind::Buffer;
  arg.buffer = {data, elem, std::move(sizes), std::move(strides)};
  return arg;
}

} // namespace xt::test
