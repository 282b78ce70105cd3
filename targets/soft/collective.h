// Collective operations: functions that all lanes of a subgroup, or all work-items of a workgroup, must reach. The
// last one to arrive runs the function for all; until then the stacks of the others, and so their arguments, stay in
// place.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>

namespace xt::soft {

class Workgroup;

// The arrival of one work-item: the addresses of its arguments, in order, and of its result.
struct Arrival {
  void *const *arguments = nullptr;
  void *result = nullptr;
};

// One execution of a collective operation, as its function sees it.
class Meeting {
public:
  Meeting(Workgroup &group, size_t first, std::span<const Arrival> arrivals)
      : group_(group), first_(first), arrivals_(arrivals) {}
  Workgroup &group() const { return group_; }
  size_t first() const { return first_; } // number of the first participating work-item in its workgroup
  size_t count() const { return arrivals_.size(); }
  const void *argument(size_t item, size_t index) const { return arrivals_[item].arguments[index]; }
  template <class T> T argument(size_t item, size_t index) const {
    T value;
    std::memcpy(&value, argument(item, index), sizeof(T));
    return value;
  }
  void *result(size_t item) const { return arrivals_[item].result; }
  template <class T> void setResult(size_t item, T value) const { std::memcpy(result(item), &value, sizeof(T)); }
  // Whether all work-items passed the same bytes as this argument. Otherwise fails with a report of `meaning` and of a
  // work-item that passed other bytes than the first one.
  bool uniform(size_t index, size_t bytes, const char *meaning);
  // Ends the launch with a report. Only the first report is kept.
  void fail(std::string text);
  // Keeps the work-items waiting until Workgroup::release().
  void stay() { stays_ = true; }
  bool stays() const { return stays_; }

private:
  Workgroup &group_;
  size_t first_;
  std::span<const Arrival> arrivals_;
  bool stays_ = false;
};

inline constexpr int kOfSubgroup = -1, kOfWorkgroup = -2;

struct Collective {
  std::string name;                // its name in reports
  int scopeArgument = kOfSubgroup; // the scope, or the number of the argument that gives SPIR-V's number of the scope
  std::function<void(Meeting &)> body;
};

} // namespace xt::soft
