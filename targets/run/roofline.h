// A chart of achieved rates against the peak rates of a machine (Williams, Waterman and Patterson: Roofline, CACM
// 52(4), 2009).
#pragma once
#include "targets/run/bench.h"

#include <string>
#include <vector>

namespace xt {

struct RooflinePoint {
  std::string label;
  double operations = 0, bytes = 0, seconds = 0; // of one run; bytes: of its arrays, each counted once
  MachineRates rates;
};

// SVG: operations per second over operations per byte, both axes logarithmic, with one roof per multiplied type.
// Points without operations, bytes or rates are omitted. The output is deterministic.
std::string rooflineSvg(const std::vector<RooflinePoint> &points);

} // namespace xt
