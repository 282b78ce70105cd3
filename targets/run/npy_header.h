// The header of a .npy file: a Python dictionary literal with three keys.
#pragma once
#include "targets/run/npy.h"

#include <string_view>

namespace xt {

// Parses "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }". The error message names the fault without the
// path. dataOffset stays 0.
Result<NpyHeader> parseNpyHeader(std::string_view text);
// The complete header of a version 1 file: magic, version, length, dictionary, padded to a multiple of 64 bytes.
std::string npyHead(std::string_view descr, std::span<const int64_t> shape);

} // namespace xt
