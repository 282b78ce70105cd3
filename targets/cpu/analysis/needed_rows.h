// Which rows of the vectors of a kernel are stored in the end. A workgroup at the end of a matrix has fewer rows than its
// tiles: the others are computed from zeros and stored nowhere.
#pragma once
#include "ir/module.h"
#include "targets/cpu/analysis/cpu_info.h"

#include <unordered_map>

namespace xt {

class NeededRows {
public:
  // The init_tile of the only tile that rows of the vector are stored to: row i is needed if row i of that tile is in bounds.
  // All that the tile is made from is computed outside of loops. Null: all rows are needed.
  const Op *boundOf(const Value *value) const;

private:
  friend class NeededRowsFinder;
  std::unordered_map<const Value *, const Op *> bounds_; // for lookup only
};

NeededRows findNeededRows(const Kernel &kernel, const CpuInfo &cpu);

} // namespace xt
