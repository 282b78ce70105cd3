// Conversions shared by the files that call oneDNN. These files are compiled with exceptions, because oneDNN throws.
#pragma once
#include "ir/elem.h"
#include "ir/elem_kinds.h"

#include <oneapi/dnnl/dnnl.hpp>

namespace xt::bench {

inline dnnl::memory::data_type typeOf(Elem elem) {
  using Type = dnnl::memory::data_type;
  return elem == Elem::BF16  ? Type::bf16
         : elem == Elem::I8  ? Type::s8
         : elem == Elem::U8  ? Type::u8
         : elem == Elem::I32 ? Type::s32
                             : Type::f32;
}

} // namespace xt::bench
