// The matrix units that `xtc --query` describes, with the members of tpu_params of sycl_ext_oneapi_matrix.
#pragma once
#include "ir/gpu/target_info.h"

#include <string_view>
#include <vector>

namespace xt {

struct MatrixUnit {
  std::string_view name, summary;
  // Whether every size from 1 up to that of a combination is supported (max_msize, max_nsize, max_ksize), otherwise only the
  // sizes of the combinations themselves (msize, nsize, ksize).
  bool continuous = false;
  int tiles = 0; // tile registers; 0 if matrices are in general registers
  std::vector<MmaShape> combinations;
  const TargetInfo *gpu = nullptr; // null for the matrix unit of a processor
};

// The matrix units of all targets, and `amx`: Intel Advanced Matrix Extensions of processors.
std::vector<MatrixUnit> matrixUnits();

// Whether the unit multiplies matrices of these sizes, for the types of `combination`.
bool supportsSizes(const MatrixUnit &unit, const MmaShape &combination, const MmaShape &wanted);

} // namespace xt
