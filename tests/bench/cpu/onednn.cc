// oneDNN on plain row-major operands; it packs them within the call.
#include "tests/bench/cpu/onednn.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "tests/bench/cpu/problem.h"

#include <omp.h>

namespace xt::bench {
namespace {

std::function<void()> sgemm(const Problem &problem, const Matrix &result) {
  return [problem, result] {
    const Cell &c = problem.cell;
    auto data = [](const Matrix &matrix) { return static_cast<float *>(matrix.data.get()); };
    dnnl_sgemm(c.turnA ? 'T' : 'N', c.turnB ? 'T' : 'N', c.m, c.n, c.k, 1, data(problem.a), problem.a.columns, data(problem.b),
               problem.b.columns, 0, data(result), result.columns);
  };
}

std::function<void()> matmul(const Problem &problem, const Matrix &result) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  auto describe = [](const Matrix &matrix, bool turned) {
    dnnl::memory::dims sizes{matrix.rows, matrix.columns}, strides{matrix.columns, 1};
    if (turned) std::swap(sizes[0], sizes[1]), std::swap(strides[0], strides[1]);
    return dnnl::memory::desc(sizes, typeOf(matrix.elem), strides);
  };
  auto a = describe(problem.a, problem.cell.turnA), b = describe(problem.b, problem.cell.turnB), c = describe(result, false);
  dnnl::matmul product(dnnl::matmul::primitive_desc(dnnl::matmul::desc(a, b, c), engine));
  std::unordered_map<int, dnnl::memory> args{{DNNL_ARG_SRC, dnnl::memory(a, engine, problem.a.data.get())},
                                             {DNNL_ARG_WEIGHTS, dnnl::memory(b, engine, problem.b.data.get())},
                                             {DNNL_ARG_DST, dnnl::memory(c, engine, result.data.get())}};
  return [=, keep = problem]() mutable {
    product.execute(stream, args);
    stream.wait();
  };
}

} // namespace

void addOneDnn(const Problem &problem, int threads, std::vector<Side> &sides, std::string &why) {
  if (problem.cell.elem == Elem::F64) return;
  omp_set_num_threads(threads);
  try {
    Side side{"oneDNN", makeMatrix(problem.cell.sum(), problem.cell.m, problem.cell.n), {}};
    side.call = problem.cell.elem == Elem::F32 ? sgemm(problem, side.result) : matmul(problem, side.result);
    sides.push_back(std::move(side));
  } catch (const dnnl::error &error) {
    why += str("oneDNN refuses it: ", error.what(), "\n");
  }
}

} // namespace xt::bench
