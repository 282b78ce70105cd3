// What the checks have found about accesses to memory: for each place the first event, and the number of events.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/interp/launch_history.h"
#include "ir/interp/monitor.h"

#include <map>
#include <tuple>

namespace xt {

class AccessFindings {
public:
  using Kind = MemoryMonitor::Kind;
  struct Access {
    Touch touch;
    Kind kind = Kind::Read;
  };

  explicit AccessFindings(const LaunchHistory &history) : history_(history) {}

  // Each function calls `element`, which gives the text of the element, for the first event at a place.
  template <class Text> void addOutside(const Access &access, Text element) {
    note(outside_[access.touch.op], access, false, element);
  }
  template <class Text> void addUnwritten(const Touch &read, bool slm, Text element) {
    note(unwritten_[read.op], {read, Kind::Read}, slm, element);
  }
  // An access to what an asynchronous copy moves, before it has landed.
  template <class Text> void addEarly(const Access &access, const Touch &copy, bool slm, Text element) {
    Early &early = early_[{access.touch.op, copy.op}];
    if (note(early.found, access, slm, element)) early.copy = copy;
  }
  // Two accesses that conflict, in any order.
  template <class Text> void addRace(Access one, Access other, Text element) {
    if (one.touch.op < other.touch.op) std::swap(one, other);
    bool across = one.touch.workgroup != other.touch.workgroup;
    Race &race = races_[{one.touch.op, other.touch.op, across}];
    if (note(race.found, one, false, element)) race.other = other;
  }

  void report(Diagnostics &diagnostics) const;

private:
  struct Found {
    Access first;
    std::string element;
    bool slm = false;
    uint64_t count = 0;
  };
  struct Race { // between an op, and an earlier one in the program or the same op
    Found found;
    Access other;
  };
  struct Early {
    Found found;
    Touch copy;
  };

  // Returns whether it is the first event.
  template <class Text> static bool note(Found &found, const Access &access, bool slm, Text element) {
    if (found.count++ > 0) return false;
    found = {access, element(), slm, 1};
    return true;
  }
  void reportRaces(Diagnostics &diagnostics) const;
  void reportOutside(const Found &found, Diagnostics &diagnostics) const;
  void reportUnwritten(const Found &found, Diagnostics &diagnostics) const;
  void reportRace(const Race &race, Diagnostics &diagnostics) const;
  void reportEarly(const Early &early, Diagnostics &diagnostics) const;

  const LaunchHistory &history_;
  // By the numbers of their ops:
  std::map<uint32_t, Found> outside_, unwritten_;
  std::map<std::tuple<uint32_t, uint32_t, bool>, Race> races_;
  std::map<std::pair<uint32_t, uint32_t>, Early> early_; // and of the copy
};

} // namespace xt
