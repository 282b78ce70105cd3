#include "ir/builder.h"

#include "ir/base/check.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"

namespace xt {

Value *Builder::constantInt(Type type, int64_t value) {
  Op *op = create(OpKind::Constant, {}, {type});
  if (isFloat(type.elem()))
    ConstantOp(*op).setValue(roundTo(type.elem(), static_cast<double>(value)), range_);
  else
    ConstantOp(*op).setValue(wrapTo(type.elem(), value), range_);
  return op->result();
}

Value *Builder::constantFloat(Type type, double value) {
  XT_CHECK(isFloat(type.elem()), "float constant of an integer type");
  Op *op = create(OpKind::Constant, {}, {type});
  ConstantOp(*op).setValue(roundTo(type.elem(), value), range_);
  return op->result();
}

} // namespace xt
