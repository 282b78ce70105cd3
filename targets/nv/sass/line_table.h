// The source lines of the instructions in a cubin: DWARF's line table, which ptxas makes of the line directives in PTX.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace xt {

// From this byte of the kernel's code on, instructions are of this line.
struct LineStart {
  uint64_t address = 0;
  uint32_t line = 0;
};

// By kernel, in ascending order of addresses. Empty if the file has no such table. Lines of different files are not told apart.
std::map<std::string, std::vector<LineStart>> readLineTable(std::string_view image);

} // namespace xt
