// One product of matrices, C = op(A) * op(B), its data, and the sides that compute it.
#pragma once
#include "ir/elem_kinds.h"
#include "tests/bench/cpu/matrix.h"

#include <string_view>
#include <vector>

namespace xt::bench {

// A cell of the table, such as "f32:128x128x128:nn": the type, M x N x K, and one letter each for A and B: n if the matrix is
// stored as it is multiplied, t if it is stored transposed.
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

// Returns "" if the result matches the problem within the rounding of its type (at all corners and many other elements),
// otherwise a description of the error.
std::string whatIsWrong(const Problem &problem, const Side &side);

// Each function adds a side if it supports these types. The side uses `threads` threads. `why` gets a line for each side that
// is not available.
void addOurs(const Problem &problem, int threads, std::vector<Side> &sides, std::string &why);
// Returns compile times in seconds, from module to code in memory: first of our kernel, then of kernels that differ in the
// sizes of their tiles. If a kernel does not compile, returns an empty list and appends the reason to `why`.
std::vector<double> compileSeconds(const Problem &problem, int times, std::string &why);
void addBlas(const Problem &problem, int threads, std::vector<Side> &sides, std::string &why); // OpenBLAS and BLIS
void addEigen(const Problem &problem, int threads, std::vector<Side> &sides);
void addLibxsmm(const Problem &problem, int threads, std::vector<Side> &sides);
void addOneDnn(const Problem &problem, int threads, std::vector<Side> &sides, std::string &why);

} // namespace xt::bench
