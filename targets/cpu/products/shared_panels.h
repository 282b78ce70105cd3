// Memory that the workgroups of a launch share: the first workgroup that needs a packed panel packs it for all.
#pragma once
#include "targets/cpu/vector/kernel_emitter.h"

namespace xt {

struct SharedPanel {
  LlvmValue *address, *found, *mustFill;
};

class SharedPanels { // the shared panels of one kernel
public:
  explicit SharedPanels(KernelEmitter &emitter) : e_(emitter), b(emitter.context.b) {}

  // The number of workgroups of the launch that have the same coordinates in these dimensions of the grid (dims[d] is set), and
  // so agree in all that depends on these dimensions only. Null: one.
  LlvmValue *alikeWorkgroups(const std::vector<bool> &dims);
  // Whether this workgroup counts as an odd one among those workgroups: the sum of its coordinates in the other dimensions is
  // odd.
  LlvmValue *isOddAmongAlike(const std::vector<bool> &dims);
  // Lets workgroups that agree in `dims` run on one thread, unless they compute few sums (`sum` is their type).
  void shareBy(const std::vector<bool> &dims, Type sum);
  // Returns the panel that all workgroups that pass the same key words share (if `isOwn` holds, only those of one thread).
  // There is one if `shares` holds and there is memory (`found`). `mustFill`: whether the caller has to fill the panel, in its
  // own memory if no panel was found.
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
