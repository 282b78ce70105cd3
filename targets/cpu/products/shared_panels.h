// Memory that the workgroups of a launch share: the first workgroup that needs a packed panel packs it for all.
#pragma once
#include "targets/cpu/vector/kernel_emitter.h"

namespace xt {

struct SharedPanel {
  LlvmValue *address, *found, *mustFill;
};

class SharedPanels { // of one kernel
public:
  explicit SharedPanels(KernelEmitter &emitter) : e_(emitter), b(emitter.context.b) {}

  // The number of workgroups of the launch that agree in these dimensions of the grid, and so in all that depends on them; null:
  // one.
  LlvmValue *alikeWorkgroups(const std::vector<bool> &dims);
  // Whether this workgroup's position among them is odd.
  LlvmValue *isOddAmongAlike(const std::vector<bool> &dims);
  // Runs workgroups that agree in `dims` on one thread, unless their `sum` is small.
  void shareBy(const std::vector<bool> &dims, Type sum);
  // The panel of all workgroups that pass the same key words (if `isOwn` holds, only those of one thread), if `shares` holds and
  // there is memory. `mustFill`: the caller has to fill it, in its own memory if no panel was found.
  SharedPanel take(LlvmValue *shares, LlvmValue *isOwn, LlvmValues key, LlvmValue *bytes);
  // Reports that a panel that was found has been filled.
  void isReady(const SharedPanel &panel);

private:
  LlvmValue *number(int64_t value) { return e_.context.number(value); }
  LlvmValue *keySlot(size_t words); // a key's slot on the stack

  KernelEmitter &e_;
  llvm::IRBuilder<> &b;
  LlvmValue *key_ = nullptr;
  int64_t places_ = 0; // the number of ops so far that take panels
};

} // namespace xt
