// The names of the kinds of ops. Files that name none include only ir/op.h, so that a new row of the op table does not rebuild
// them.
#pragma once
#include "ir/op_info.h"

namespace xt {

enum class OpKind : uint16_t {
#define XT_OP(kind, ...) kind,
#include "ir/ops/ops.def"
#undef XT_OP
};

} // namespace xt
