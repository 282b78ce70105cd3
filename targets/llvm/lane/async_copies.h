// Asynchronous copies to shared local memory, for devices that have them. The copies of a group are emitted where it is
// committed.
#pragma once
#include "targets/llvm/lane/lane_context.h"

namespace xt {

class LaneAsyncCopies : LanePart {
public:
  using LanePart::LanePart;
  void emitCommit(const Op &op);
  void emitWait(const Op &op);

  // The first copy of a kernel that the device does not perform in this form; null if there is none.
  const Op *firstWithoutCode();

private:
  // What one instruction copies.
  struct Portion {
    const Value *from, *to;
    int64_t row, column, bytes; // in the windows
    LlvmValue *source = nullptr; // the address that it begins at, but for a number of rows
    int64_t rows = 0;
  };
  // A condition for a number that is known up to a constant: 0 <= root + low, and root + high < size.
  struct Bound {
    LlvmValue *root, *size;
    int64_t low, high;
  };
  std::vector<Portion> portionsOf(const Op &commit);
  void bound(std::vector<Bound> &bounds, LlvmValue *number, int64_t last, LlvmValue *size, Interval range);
  std::vector<Bound> boundsOf(const std::vector<Portion> &portions);
  // An integer that is negative if the number leaves its matrix where its root has this value.
  LlvmValue *room(const Bound &bound, LlvmValue *root);
  LlvmValue *belowLimit(std::vector<Bound> &bounds);
  LlvmValue *allInside(std::vector<Bound> bounds);
  const CountedIndex *countedAt(const LlvmValue *root) const;
  LlvmValue *firstOf(const CountedIndex &index);
  LlvmValue *present(const Portion &portion);
  LlvmValue *begin(const Value *from, int64_t columns);
  void findSources(std::vector<Portion> &portions);
  void copy(const Portion &portion, LlvmValue *present);
};

} // namespace xt
