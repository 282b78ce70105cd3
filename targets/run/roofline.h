// A chart of rates against what a machine can do (Williams, Waterman and Patterson: Roofline, CACM 52(4), 2009).
#pragma once
#include "targets/run/bench.h"

#include <string>
#include <vector>

namespace xt {

struct RooflinePoint {
  std::string label;
  double operations = 0, bytes = 0, seconds = 0; // of one run; bytes: of its arrays, each once
  MachineRates rates;
};

// SVG: operations a second over operations for each byte, both axes logarithmic; a roof for each type that was multiplied.
// Points without operations, bytes or rates are left out. The same text for the same points.
std::string rooflineSvg(const std::vector<RooflinePoint> &points);

} // namespace xt
