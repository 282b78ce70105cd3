// OpenBLAS and BLIS define the same names, so each is opened separately. The environment sets their core type (the script
// `run`): on many processors they would select AVX2.
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "tests/bench/cpu/problem.h"

#include <dlfcn.h>

namespace xt::bench {
namespace {

constexpr int kRowMajor = 101, kAsStored = 111, kTransposed = 112; // constants of the CBLAS interface

template <class Number>
using Gemm = void (*)(int, int, int, int, int, int, Number, const Number *, int, const Number *, int, Number, Number *, int);

template <class Number>
std::function<void()> callOf(void *library, const char *name, const Problem &problem, const Matrix &result) {
  auto gemm = reinterpret_cast<Gemm<Number>>(dlsym(library, name));
  if (!gemm) return {};
  return [gemm, problem, result] {
    const Cell &c = problem.cell;
    auto data = [](const Matrix &matrix) { return static_cast<Number *>(matrix.data.get()); };
    gemm(kRowMajor, c.turnA ? kTransposed : kAsStored, c.turnB ? kTransposed : kAsStored, static_cast<int>(c.m),
         static_cast<int>(c.n), static_cast<int>(c.k), 1, data(problem.a), static_cast<int>(problem.a.columns), data(problem.b),
         static_cast<int>(problem.b.columns), 0, data(result), static_cast<int>(result.columns));
  };
}

void addOne(const char *name, const char *file, const char *setThreads, const Problem &problem, int threads,
            std::vector<Side> &sides, std::string &why) {
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    why += str(name, " is not there: ", dlerror(), "\n");
    return;
  }
  if (auto set = reinterpret_cast<void (*)(int)>(dlsym(library, setThreads))) set(threads);
  Side side{name, makeMatrix(problem.cell.sum(), problem.cell.m, problem.cell.n), {}};
  side.call = problem.cell.elem == Elem::F64 ? callOf<double>(library, "cblas_dgemm", problem, side.result)
                                             : callOf<float>(library, "cblas_sgemm", problem, side.result);
  if (side.call) sides.push_back(std::move(side));
}

} // namespace

void addBlas(const Problem &problem, int threads, std::vector<Side> &sides, std::string &why) {
  if (problem.cell.elem != Elem::F32 && problem.cell.elem != Elem::F64) return;
  addOne("OpenBLAS", "libopenblas.so.0", "openblas_set_num_threads", problem, threads, sides, why);
  addOne("BLIS", "libblis.so.4", "bli_thread_set_num_threads", problem, threads, sides, why);
}

} // namespace xt::bench
