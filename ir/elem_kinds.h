// The names of the element types. Files that name none include only ir/elem.h, so that a new type does not rebuild them.
#pragma once
#include "ir/elem.h"

namespace xt {

enum class Elem : uint8_t {
  I1,
  I4,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  Index,
  F64,
  F32,
  TF32,
  F16,
  BF16,
  F8E4M3,
  F8E5M2,
  U4,
  F4E2M1,
  F8E8M0,
};
inline constexpr int kElemCount = 21;

} // namespace xt
