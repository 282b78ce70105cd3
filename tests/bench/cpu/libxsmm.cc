// libxsmm: kernels for one small product each, compiled at run time. It expects column-major matrices, so the operands are
// swapped.
#include "ir/elem_kinds.h"
#include "tests/bench/cpu/problem.h"

#include <libxsmm.h>

namespace xt::bench {
namespace {

// The number of multiplications up to which libxsmm is designed for: for larger products the package calls a BLAS. It runs on
// one thread.
constexpr int64_t kMostProducts = int64_t{256} * 256 * 256;

template <class Number, class Dispatch>
std::function<void()> callOf(const Problem &problem, const Matrix &result, Dispatch dispatch) {
  const Cell &c = problem.cell;
  auto m = static_cast<libxsmm_blasint>(c.n), n = static_cast<libxsmm_blasint>(c.m), k = static_cast<libxsmm_blasint>(c.k);
  const Number one = 1, zero = 0;
  auto kernel = dispatch(m, n, k, &m, &k, &m, &one, &zero, nullptr, nullptr);
  if (!kernel) return {};
  return [kernel, problem, result] {
    auto data = [](const Matrix &matrix) { return static_cast<Number *>(matrix.data.get()); };
    kernel(data(problem.b), data(problem.a), data(result));
  };
}

} // namespace

void addLibxsmm(const Problem &problem, int threads, std::vector<Side> &sides) {
  const Cell &c = problem.cell;
  if (threads > 1 || c.turnA || c.turnB || c.m * c.n * c.k > kMostProducts) return;
  Side side{"libxsmm", makeMatrix(c.sum(), c.m, c.n), {}};
  if (c.elem == Elem::F32) side.call = callOf<float>(problem, side.result, libxsmm_smmdispatch);
  if (c.elem == Elem::F64) side.call = callOf<double>(problem, side.result, libxsmm_dmmdispatch);
  if (side.call) sides.push_back(std::move(side));
}

} // namespace xt::bench
