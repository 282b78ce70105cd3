// The device functions that Intel's driver links: a kernel that calls any other function by name is not built, or is
// built incorrectly.
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

// Sorted by symbol.
std::span<const LibraryFunction> libraryFunctions();
// Whether the library has the symbol for subgroups of this many lanes.
bool isInLibrary(std::string_view symbol, int64_t lanes);
// Whether the name, mangled or not, belongs to one of the extensions that the library implements: 2D block messages
// and products.
bool isLibraryName(std::string_view name);

} // namespace xt
