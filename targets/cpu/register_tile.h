// The part of a matrix product that stays in registers.
#pragma once
#include "targets/cpu/buffer_assignment.h"
#include "targets/cpu/cpu_info.h"

#include <algorithm>

namespace xt {

struct RegisterTile {
  int rows;    // of a
  int vectors; // registers of columns of b
  int lanes;   // elements of each
};

// Accumulators, one row of b and one broadcast element of a fill the register file (16 without FMA hold products too).
// At least `widest` registers of columns take the widest tile, so that the code is one for all large tiles. `elem` is
// what is multiplied in (mmaElem).
inline RegisterTile registerTile(const CpuInfo &cpu, Elem elem, int64_t rows, int64_t columns) {
  int lanes = cpu.lanes(elemInfo(elem).storageBytes);
  int widest = cpu.vectorRegisters == 32 ? 4 : 2;
  int vectors = static_cast<int>(std::min<int64_t>(widest, (columns + lanes - 1) / lanes));
  int accumulators = cpu.vectorRegisters == 32 ? 24 : cpu.fma ? 12 : 8;
  int most = std::min(accumulators / vectors, 12);
  return {static_cast<int>(std::min<int64_t>(most, rows)), vectors, lanes};
}

} // namespace xt
