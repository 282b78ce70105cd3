// The findings of the checks of memory accesses: for each op, or pair of ops, the first event and the number of events.
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

  // Each of these functions adds an event. It calls `element`, which returns the text of the accessed element, only for the
  // first event of an op or pair of ops.
  template <class Text> void addOutside(const Access &access, Text element) {
    note(outside_[access.touch.op], access, false, element);
  }
  template <class Text> void addUnwritten(const Touch &read, bool slm, Text element) {
    note(unwritten_[read.op], {read, Kind::Read}, slm, element);
  }
  // Adds an access to memory that the asynchronous copy `copy` reads or writes, made before the copy has landed. `slm`:
  // whether the memory is shared local memory, and so the target of the copy.
  template <class Text> void addEarly(const Access &access, const Touch &copy, bool slm, Text element) {
    Early &early = early_[{access.touch.op, copy.op}];
    if (note(early.found, access, slm, element)) early.copy = copy;
  }
  // Adds a store two elements of which have the same place.
  template <class Text> void addTwice(const Access &access, Text element) {
    note(twice_[access.touch.op], access, false, element);
  }
  // Adds two accesses that conflict; their order does not matter.
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
  struct Race { // between an op (`found`) and the same op or one that is earlier in the program (`other`)
    Found found;
    Access other;
  };
  struct Early {
    Found found;
    Touch copy;
  };

  // Counts an event, and records it if it is the first one. Returns whether it is.
  template <class Text> static bool note(Found &found, const Access &access, bool slm, Text element) {
    if (found.count++ > 0) return false;
    found = {access, element(), slm, 1};
    return true;
  }
  void reportRaces(Diagnostics &diagnostics) const;
  void reportOutside(const Found &found, Diagnostics &diagnostics) const;
  void reportUnwritten(const Found &found, Diagnostics &diagnostics) const;
  void reportTwice(const Found &found, Diagnostics &diagnostics) const;
  void reportRace(const Race &race, Diagnostics &diagnostics) const;
  void reportEarly(const Early &early, Diagnostics &diagnostics) const;

  const LaunchHistory &history_;
  // The keys contain the numbers of the ops (LaunchHistory).
  std::map<uint32_t, Found> outside_, unwritten_, twice_;
  std::map<std::tuple<uint32_t, uint32_t, bool>, Race> races_;
  std::map<std::pair<uint32_t, uint32_t>, Early> early_; // the accessing op, and the copy
};

} // namespace xt
