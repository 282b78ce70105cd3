#include "ir/elem_kinds.h"
#include "tests/bench/cpu/problem.h"

#include <Eigen/Core>

namespace xt::bench {
namespace {

template <class Number> std::function<void()> callOf(const Problem &problem, const Matrix &result) {
  using Stored = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return [problem, result] {
    auto view = [](const Matrix &matrix) {
      return Eigen::Map<Stored>(static_cast<Number *>(matrix.data.get()), matrix.rows, matrix.columns);
    };
    auto a = view(problem.a), b = view(problem.b), c = view(result);
    bool turnA = problem.cell.turnA, turnB = problem.cell.turnB;
    if (turnA && turnB)
      c.noalias() = a.transpose() * b.transpose();
    else if (turnA)
      c.noalias() = a.transpose() * b;
    else if (turnB)
      c.noalias() = a * b.transpose();
    else
      c.noalias() = a * b;
  };
}

} // namespace

void addEigen(const Problem &problem, int threads, std::vector<Side> &sides) {
  if (problem.cell.elem != Elem::F32 && problem.cell.elem != Elem::F64) return;
  Eigen::setNbThreads(threads);
  Side side{"Eigen", makeMatrix(problem.cell.sum(), problem.cell.m, problem.cell.n), {}};
  side.call = problem.cell.elem == Elem::F64 ? callOf<double>(problem, side.result) : callOf<float>(problem, side.result);
  sides.push_back(std::move(side));
}

} // namespace xt::bench
