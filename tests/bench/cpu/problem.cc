#include "tests/bench/cpu/problem.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"

#include <cmath>
#include <cstdio>

namespace xt::bench {
bool parseCell(std::string_view text, Cell &cell) {
  std::vector<std::string> parts{""};
  for (char c : text)
    if (c == ':')
      parts.emplace_back();
    else
      parts.back() += c;
  if (parts.size() != 3 || parts[2].size() != 2) return false;
  bool found = false;
  for (Elem elem : {Elem::F64, Elem::F32, Elem::F16, Elem::BF16, Elem::I8, Elem::U8})
    if (elemName(elem) == parts[0]) cell.elem = elem, found = true;
  long long m = 0, n = 0, k = 0;
  if (!found || std::sscanf(parts[1].c_str(), "%lldx%lldx%lld", &m, &n, &k) != 3 || m < 1 || n < 1 || k < 1) return false;
  cell.m = m, cell.n = n, cell.k = k;
  cell.turnA = parts[2][0] == 't';
  cell.turnB = parts[2][1] == 't';
  return true;
}

Problem makeProblem(const Cell &cell) {
  Problem problem;
  problem.cell = cell;
  // If A is u8, B is i8.
  Elem right = cell.elem == Elem::U8 ? Elem::I8 : cell.elem;
  problem.a = cell.turnA ? makeMatrix(cell.elem, cell.k, cell.m) : makeMatrix(cell.elem, cell.m, cell.k);
  problem.b = cell.turnB ? makeMatrix(right, cell.n, cell.k) : makeMatrix(right, cell.k, cell.n);
  fill(problem.a, 1);
  fill(problem.b, 2);
  return problem;
}

std::string whatIsWrong(const Problem &problem, const Side &side) {
  const Cell &cell = problem.cell;
  uint64_t seed = 3;
  constexpr int kPlaces = 1000;
  for (int i = 0; i < kPlaces; ++i) {
    int64_t row = static_cast<int64_t>(nextRandom(seed) % static_cast<uint64_t>(cell.m));
    int64_t column = static_cast<int64_t>(nextRandom(seed) % static_cast<uint64_t>(cell.n));
    if (i < 4) row = i & 1 ? cell.m - 1 : 0, column = i & 2 ? cell.n - 1 : 0;
    double sum = 0, size = 0;
    for (int64_t k = 0; k < cell.k; ++k) {
      double x = cell.turnA ? problem.a.at(k, row) : problem.a.at(row, k);
      double y = cell.turnB ? problem.b.at(column, k) : problem.b.at(k, column);
      sum += x * y;
      size += std::fabs(x * y);
    }
    double bound = kSumBound * std::sqrt(static_cast<double>(cell.k)) * roundOff(cell.sum()) * size,
           got = side.result.at(row, column);
    if (!(std::fabs(got - sum) <= bound)) // also true for NaN
      return str(side.name, " [", row, ", ", column, "] is ", got, " and should be ", sum);
  }
  return "";
}

} // namespace xt::bench
