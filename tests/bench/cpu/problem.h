// One product of matrices, C = op(A) * op(B), its data, and who computes it.
#pragma once
#include "tests/bench/cpu/matrix.h"

#include <string_view>
#include <vector>

namespace xt::bench {

// "f32:128x128x128:nn": the type, M x N x K, and whether A and B are stored as they are multiplied or transposed.
struct Cell {
  Elem elem = Elem::F32;
  int64_t m = 0, n = 0, k = 0;
  bool turnA = false, turnB = false;

  Elem sum() const { return isInteger(elem) ? Elem::I32 : elem == Elem::F64 ? Elem::F64 : Elem::F32; }
  double operations() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
};
bool parseCell(std::string_view text, Cell &cell);

struct Problem {
  Cell cell;
  Matrix a, b; // as stored
};
Problem makeProblem(const Cell &cell);

// "" if the result is that of the problem within the rounding of its type (at all corners and many other places), else
// what is wrong.
std::string whatIsWrong(const Problem &problem, const Side &side);

// Those that take these types; each with `threads` threads. `why` gets a line for each that is not there.
void addOurs(const Problem &problem, int threads, std::vector<Side> &sides, std::string &why);
// Of our kernel, and then of others like it that differ in the sizes of their tiles, from module to code in memory; none if one does
// not compile: `why` says why not.
std::vector<double> compileSeconds(const Problem &problem, int times, std::string &why);
void addBlas(const Problem &problem, int threads, std::vector<Side> &sides, std::string &why); // OpenBLAS and BLIS
void addEigen(const Problem &problem, int threads, std::vector<Side> &sides);
void addLibxsmm(const Problem &problem, int threads, std::vector<Side> &sides);
void addOneDnn(const Problem &problem, int threads, std::vector<Side> &sides, std::string &why);

} // namespace xt::bench
