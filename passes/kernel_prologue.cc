#include "passes/kernel_prologue.h"

#include "ir/context.h"

namespace xt {

KernelPrologue::KernelPrologue(Kernel &kernel, Context &context) : kernel_(kernel), builder_(context, kernel.body) {
  builder_.setRange(kernel.nameRange);
}

void KernelPrologue::goToEnd() {
  if (Op *next = last_ ? last_->next() : kernel_.body.first())
    builder_.setBefore(next);
  else
    builder_.setEnd(kernel_.body);
}

Value *KernelPrologue::last(Value *value) {
  last_ = value->definingOp();
  return value;
}

Value *KernelPrologue::value(OpKind kind, std::vector<Value *> operands, Type type) {
  goToEnd();
  return last(builder_.value(kind, std::move(operands), type));
}

Value *KernelPrologue::constant(Type type, int64_t value) {
  goToEnd();
  return last(builder_.constantInt(type, value));
}

} // namespace xt
