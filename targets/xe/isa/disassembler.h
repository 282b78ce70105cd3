// SPIR-V as text.
#pragma once
#include "ir/base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace xt {

// Disassembles a module with the tool spirv-dis.
Result<std::string> disassembleSpirv(const std::vector<uint8_t> &spirv);

} // namespace xt
