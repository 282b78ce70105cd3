// Internal to the pass distribute-to-subgroups: the barriers around exchanges through shared local memory.
//
// An exchange writes a buffer, and other subgroups read it after a barrier. In a loop, another barrier precedes the writes,
// because other subgroups may still read the data of the previous iteration.
#pragma once
#include "ir/builder.h"

#include <set>
#include <unordered_map>

namespace xt {

class ExchangeBarriers {
public:
  explicit ExchangeBarriers(Builder &builder) : b_(builder) {}

  // Call these around the body of a loop.
  void enterLoop() { ++loops_; }
  void leaveLoop() { --loops_; }

  void beforeWrites(); // begins an exchange
  void afterWrites();

  // The number of the exchange that begins next.
  size_t next() const { return exchange_ + 1; }
  // Joins the exchanges from number `first` on, whose buffers are read together: keeps one barrier before all writes and one
  // after them.
  void join(size_t first);

  // Removes the barriers before writes in loops that other barriers make unnecessary. Call this when the kernel is complete.
  void dropNeedlessWaits();

private:
  struct Wait {
    Op *barrier;
    size_t exchange;
  };
  bool isNeedless(const Wait &wait, const std::set<const Op *> &waits) const;

  Builder &b_;
  int loops_ = 0;           // nesting depth of loops at the insertion point
  size_t exchange_ = 0;     // number of the exchange that began last
  std::vector<Wait> waits_; // barriers before writes in loops
  std::unordered_map<Op *, size_t> own_; // barriers after the writes of exchanges; its order has no effect
};

} // namespace xt
