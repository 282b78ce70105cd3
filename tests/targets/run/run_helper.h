// Helpers for tests of the runner: programs from text, evaluated expressions, and targets made of plain functions.
#pragma once
#include "lang/lower/lower.h"
#include "targets/run/test_runner.h"
#include "targets/run/test_state.h"

#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>

namespace xt {

class TestedProgram {
public:
  explicit TestedProgram(const std::string &text) {
    uint32_t file = sources.add("test.xt", text);
    auto lowered = lowerFile(sources, file, context, {}, diagnostics);
    EXPECT_TRUE(lowered.ok()) << renderText(diagnostics, sources, false);
    if (lowered) module = std::move(*lowered);
  }
  std::string messages() const { return renderText(diagnostics, sources, false); }

  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  std::unique_ptr<Module> module;
  MemoryBudget budget{int64_t{1} << 30};
};

// The value of an expression, after statements that define buffers, such as Expression("%A = fill(2) : memref<3xf32>",
// "sum(%A)").
class Expression : public TestedProgram {
public:
  Expression(const std::string &statements, const std::string &expression)
      : TestedProgram("test \"t\" {\n" + statements + "\n%value = " + expression + "\n}\n") {
    if (!module) return;
    const HostTest &test = module->tests[0];
    state = std::make_unique<TestState>(test, false, EvalSite{budget, diagnostics, 2, true, test.range, &weak});
    for (size_t p = 0; p + 1 < test.body.size(); ++p) addBuffer(test.body[p], p);
    auto result = state->evaluate(test.body.back().value, test.body.size() - 1);
    if (result) array = std::move(*result);
  }
  bool ok() const { return array.has_value(); }
  double at(int64_t i) const { return array ? array->valueAt(i) : -12345; }
  double error(int64_t i) const { return array ? array->errorAt(i) : -12345; }

  std::vector<WeakBound> weak;
  std::unique_ptr<TestState> state;
  std::optional<HostArray> array;

private:
  void addBuffer(const HostStmt &stmt, size_t position);
};

// A target whose kernels are C++ functions.
class FakeExecutable : public Executable {
public:
  using Body = std::function<Result<void>(const std::vector<LaunchArg> &)>;
  std::map<std::string, Body> kernels;
  int launches = 0;
  Result<void> launch(const Kernel &kernel, const std::vector<LaunchArg> &args, const std::vector<GridRange> &) override {
    ++launches;
    return kernels.at(kernel.name)(args);
  }
};

// These functions return a reference to an element of a launched f32 or i32 buffer.
inline float &f32At(const LaunchArg &arg, int64_t i, int64_t j) {
  return static_cast<float *>(arg.buffer.data)[i * arg.buffer.strides[0] + j * arg.buffer.strides[1]];
}
inline int32_t &i32At(const LaunchArg &arg, int64_t i, int64_t j) {
  return static_cast<int32_t *>(arg.buffer.data)[i * arg.buffer.strides[0] + j * arg.buffer.strides[1]];
}

} // namespace xt
