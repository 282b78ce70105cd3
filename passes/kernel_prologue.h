// Creates ops at the start of a kernel: buffers, and values that are computed once for the whole kernel. The ops are in the
// order of the calls, and their place does not depend on where other builders insert ops.
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
