// What work-items do together: a function that all lanes of a subgroup, or all work-items of a workgroup, must come to.
// The last one to come runs it for all; until then the others' stacks, and so their arguments, stay where they are.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>

namespace xt::soft {

class Workgroup;

// What one work-item brought: where its arguments lie, in order, and where its result goes.
struct Arrival {
  void *const *arguments = nullptr;
  void *result = nullptr;
};

// One coming together, as the function sees it.
class Meeting {
public:
  Meeting(Workgroup &group, size_t first, std::span<const Arrival> arrivals)
      : group_(group), first_(first), arrivals_(arrivals) {}
  Workgroup &group() const { return group_; }
  size_t first() const { return first_; } // the first work-item of these in its workgroup
  size_t count() const { return arrivals_.size(); }
  const void *argument(size_t item, size_t index) const { return arrivals_[item].arguments[index]; }
  template <class T> T argument(size_t item, size_t index) const {
    T value;
    std::memcpy(&value, argument(item, index), sizeof(T));
    return value;
  }
  void *result(size_t item) const { return arrivals_[item].result; }
  template <class T> void setResult(size_t item, T value) const { std::memcpy(result(item), &value, sizeof(T)); }
  // Whether all gave the same bytes; else reports who did not, and what the argument means.
  bool uniform(size_t index, size_t bytes, const char *meaning);
  // Ends the launch; the first report stays.
  void fail(std::string text);
  // The work-items wait on, until Workgroup::release().
  void stay() { stays_ = true; }
  bool stays() const { return stays_; }

private:
  Workgroup &group_;
  size_t first_;
  std::span<const Arrival> arrivals_;
  bool stays_ = false;
};

// Scopes as SPIR-V numbers them.
inline constexpr int32_t kScopeWorkgroup = 2, kScopeSubgroup = 3, kScopeInvocation = 4;

inline constexpr int kOfSubgroup = -1, kOfWorkgroup = -2;

struct Collective {
  std::string name;                // as a report names it
  int scopeArgument = kOfSubgroup; // whose meeting it is, or the argument that says so
  std::function<void(Meeting &)> body;
};

} // namespace xt::soft
