// Integers of an element type in decimal.
#pragma once
#include "ir/elem.h"
#include "ir/elem_kinds.h"

#include <string>

namespace xt {

// `value` holds the element's bits, extended to 64 bits; a u64 is reinterpreted as unsigned.
inline std::string integerText(Elem elem, int64_t value) {
  return elem == Elem::U64 ? std::to_string(static_cast<uint64_t>(value)) : std::to_string(value);
}

} // namespace xt
