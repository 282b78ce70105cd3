// The device functions that a driver of Intel's links: a kernel that calls another by name is not built, or built wrong.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace xt {

enum class LibraryLanes : uint8_t { OfAny, Of16, Of8 }; // of the subgroups that a function is for

struct LibraryFunction {
  std::string_view symbol;
  LibraryLanes lanes;
};

// By symbol.
std::span<const LibraryFunction> libraryFunctions();
// Whether the library has the symbol for subgroups of so many lanes.
bool isInLibrary(std::string_view symbol, int64_t lanes);
// Whether the name, mangled or not, is of one of the extensions that the library implements: 2D block messages, products.
bool isLibraryName(std::string_view name);

} // namespace xt
