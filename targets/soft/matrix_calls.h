// Replaces the types and instructions of SPV_KHR_cooperative_matrix by vectors of words and calls of the functions of
// cooperative_matrices.h.
#pragma once
#include "ir/gpu/target_info.h"
#include "targets/soft/cooperative_matrices.h"
#include "targets/soft/spirv_calls.h"

namespace xt::soft {

class MatrixCalls {
public:
  explicit MatrixCalls(SpirvCalls &module);
  // Takes an instruction and returns true if it is one of the extension, or has a matrix as its result or operand; `problem()` then
  // says what is wrong with it.
  bool take(SpirvCalls::Words op);
  const std::string &problem() const { return problem_; }

private:
  struct Matrix {
    MatrixSize size;
    uint32_t component = 0; // id of the type
    bool isFloat = false, isBfloat = false;
  };
  void type(SpirvCalls::Words op);
  void load(SpirvCalls::Words op);
  void store(SpirvCalls::Words op);
  void fill(SpirvCalls::Words op);
  void product(SpirvCalls::Words op);
  const Matrix *matrix(uint32_t type) const;
  bool computesBfloat(SpirvCalls::Words op) const;
  std::string unique(uint32_t type) const;
  void fail(std::string text);

  SpirvCalls &module_;
  uint32_t lanes_ = 0; // of the subgroups of the kernels with matrices, the same in all; 0: unknown
  std::map<uint32_t, Matrix> matrices_; // by id of the type
  std::set<uint32_t> bfloats_; // ids of types
  std::string problem_;
};

} // namespace xt::soft
