// Each rank multiplies its columns of A by its rows of B, by the kernel of the file that the argument names; the products are added.
#include "check.hpp"

int main(int, char **argv) {
  auto ranks = xt::mpi::Ranks::create();
  auto program = xt::compile(argv[1], {.defines = {{"GEMM_T", "f32"}}, .threads = 1});
  if (!ranks) return std::puts(ranks.error().message.c_str()), 2;
  if (!program) return std::puts(program.error().message.c_str()), 2;
  const int64_t k = 12 * ranks->count();
  std::vector<float> a(static_cast<size_t>(40 * k), 1.0f), b(static_cast<size_t>(k * 50), 2.0f), c(40 * 50);
  auto columns = ranks->shard(xt::Array(a, {40, k}), {1});
  auto rows = ranks->shard(xt::Array(b, {k, 50}), {0});
  auto kernel = program->kernel("gemm");
  CHECK(columns && rows && kernel);
  const xt::Array sum(c, {40, 50});
  if (failedChecks == 0) DONE(kernel->launch(*columns, *rows, sum));
  DONE(ranks->allReduce(sum));
  for (float value : c) CHECK(value == static_cast<float>(2 * k));
  return report(*ranks);
}
