// Compiles a file of the installed library of kernels, whose path is the argument, and launches its @gemm.
#include <xt/xt.hpp>

#include <cstdio>

int main(int, char **argv) {
  auto program = xt::compile(argv[1], {.defines = {{"GEMM_T", "f32"}}});
  if (!program) return std::puts(program.error().message.c_str()), 1;
  std::vector<float> a(20 * 30, 2.0f), b(30 * 10, 3.0f), c(20 * 10);
  auto done = program->kernel("gemm")->launch(xt::Array(a, {20, 30}), xt::Array(b, {30, 10}), xt::Array(c, {20, 10}));
  if (!done) return std::puts(done.error().message.c_str()), 1;
  int wrong = 0;
  for (float sum : c) wrong += sum != 180.0f;
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
