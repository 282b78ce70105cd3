#include "targets/xe/library/device_library.h"

#include <algorithm>

namespace xt {
namespace {

constexpr LibraryFunction kFunctions[] = {
#define XT_IGC_FUNCTION(symbol, lanes) {#symbol, LibraryLanes::lanes},
#include "targets/xe/library/igc_functions.def"
#undef XT_IGC_FUNCTION
};
static_assert(std::ranges::is_sorted(kFunctions, {}, &LibraryFunction::symbol));

} // namespace

std::span<const LibraryFunction> libraryFunctions() { return kFunctions; }

bool isInLibrary(std::string_view symbol, int64_t lanes) {
  const auto *found = std::ranges::lower_bound(kFunctions, symbol, {}, &LibraryFunction::symbol);
  if (found == std::end(kFunctions) || found->symbol != symbol) return false;
  switch (found->lanes) {
  case LibraryLanes::OfAny: return true;
  case LibraryLanes::Of16: return lanes == 16;
  case LibraryLanes::Of8: return lanes == 8;
  }
  return false;
}

bool isLibraryName(std::string_view name) {
  if (name.find("intel_sub_group_") == std::string_view::npos) return false;
  return name.find("_2d_block_") != std::string_view::npos || name.find("_matrix_mad_k") != std::string_view::npos;
}

} // namespace xt
