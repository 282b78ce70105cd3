// Creates ops at the start of a kernel, in the order of the calls, independently of where other builders insert ops: buffers,
// and values that are computed once for the whole kernel.
#pragma once
#include "ir/builder.h"

namespace xt {

class KernelPrologue {
public:
  KernelPrologue(Kernel &kernel, Context &context);

  Value *value(OpKind kind, std::vector<Value *> operands, Type type);
  Value *constant(Type type, int64_t value);
  Value *index(int64_t value) { return constant(builder_.context().index(), value); }

private:
  void goToEnd();
  Value *last(Value *value);

  Kernel &kernel_;
  Builder builder_;
  Op *last_ = nullptr; // the op that was created last
};

} // namespace xt
