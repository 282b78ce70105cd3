// Kernels that are implemented by plain functions, and a runner for tests with them.
#pragma once
#include "run_helper.h"

namespace xt {

// Declarations of the kernels; the functions below implement them.
inline const char *const kKernels = R"(
kernel @gemm(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>)
    grid (%i = 0 to dim(%C, 0) step 8, %j = 0 to dim(%C, 1) step 8) {
  %ta = init_tile %A[%i, 0] : memref<?x?xf32> -> tile<8x8xf32>
  %tb = init_tile %B[0, %j] : memref<?x?xf32> -> tile<8x8xf32>
  %acc = constant 0.0 : vector<8x8xf32>
  for %k = 0 to dim(%A, 1) step 8 {
    %a = load_tile %ta
    %b = load_tile %tb
    %acc = tile_mma %a, %b, %acc
    %ta = update_tile_offset %ta, 0, 8
    %tb = update_tile_offset %tb, 8, 0
  }
  %tc = init_tile %C[%i, %j] : memref<?x?xf32> -> tile<8x8xf32>
  store_tile %acc, %tc
}
kernel @add(%X: memref<?x?xi32>, %Y: memref<?x?xi32>, %n: i32) {
  %tx = init_tile %X[0, 0] : memref<?x?xi32> -> tile<8x8xi32>
  %ty = init_tile %Y[0, 0] : memref<?x?xi32> -> tile<8x8xi32>
  %x = load_tile %tx
  store_tile %x, %ty
}
)";

inline int64_t rows(const LaunchArg &a) { return a.buffer.sizes[0]; }
inline int64_t columns(const LaunchArg &a) { return a.buffer.sizes[1]; }

// Computes C = A[:, 0:K - skip] * B.
inline void product(const std::vector<LaunchArg> &args, int64_t skip = 0) {
  for (int64_t i = 0; i < rows(args[2]); ++i)
    for (int64_t j = 0; j < columns(args[2]); ++j) {
      float sum = 0;
      for (int64_t k = 0; k < columns(args[0]) - skip; ++k) sum += f32At(args[0], i, k) * f32At(args[1], k, j);
      f32At(args[2], i, j) = sum;
    }
}

// Returns a function that computes Y = X + n.
inline FakeExecutable::Body addBody() {
  return [](const std::vector<LaunchArg> &args) {
    for (int64_t i = 0; i < rows(args[1]); ++i)
      for (int64_t j = 0; j < columns(args[1]); ++j)
        i32At(args[1], i, j) = i32At(args[0], i, j) + static_cast<int32_t>(args[2].integer);
    return Result<void>();
  };
}

class Runner : public TestedProgram {
public:
  Runner(const std::string &tests, std::map<std::string, FakeExecutable::Body> kernels) : TestedProgram(kKernels + tests) {
    executable.kernels = std::move(kernels);
    options.budget = &budget;
    options.threads = 2;
    options.dataDirectory = XT_BINARY_DIR;
    options.repeatCommand = [](const std::string &test, const std::string &target, std::optional<bool>) {
      return "xtrun test.xt --test=" + test + " --target=" + target;
    };
  }
  TestReport run() { return runOn({{"fake", module.get(), &executable, false}}); }
  TestReport runOn(const std::vector<TargetUnderTest> &targets) {
    return runTest(module->tests[0], targets, options, diagnostics);
  }
  std::string text(const TestReport &report) { return renderText(report, sources, false); }

  FakeExecutable executable;
  RunOptions options;
};

inline const char *const kGemmTest = R"(
test "t" {
  %A = random(seed = 1) : memref<24x40xf32>
  %B = random(seed = 2) : memref<40x32xf32>
  %C = out : memref<24x32xf32>
  launch @gemm(%A, %B, %C)
  check %C == matmul(%A, %B)
}
)";

} // namespace xt
