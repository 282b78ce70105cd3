// The device functions that Intel's driver links. If a kernel calls any other function by name, the driver does not build it,
// or builds it incorrectly.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace xt {

enum class LibraryLanes : uint8_t { OfAny, Of16, Of8 }; // subgroup sizes for which a function exists

struct LibraryFunction {
  std::string_view symbol;
  LibraryLanes lanes;
};

// All functions of the library, sorted by symbol.
std::span<const LibraryFunction> libraryFunctions();
// Whether the library has the symbol for subgroups of this many lanes.
bool isInLibrary(std::string_view symbol, int64_t lanes);
// Whether the name, mangled or not, belongs to one of the extensions that the library implements: 2D block messages and
// products.
bool isLibraryName(std::string_view name);

} // namespace xt
