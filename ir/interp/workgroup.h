// The subgroups of one workgroup, taking turns. Each runs ahead until it needs what others hold; when all have come to
// the same op, their fragments are exchanged and they go on.
#pragma once
#include "ir/interp/subgroup.h"

#include <optional>
#include <random>

namespace xt {

// Which subgroup that can run goes next (and which workgroup): whatever the choice, a correct program gives the same.
struct Schedule {
  enum class Order : uint8_t {
    Forward,  // 0, 1, 2 …, each until it waits
    Reversed, // … 2, 1, 0
    Seeded    // a random one, for a random number of steps
  } order = Order::Forward;
  uint64_t seed = 0;
};

class Workgroup {
public:
  Workgroup(const WorkgroupEnvironment &environment, Schedule schedule, uint64_t number);
  // Runs to the end. An Error where a subgroup has one, or where subgroups wait at different places or for one that
  // has finished.
  Result<void> run();

private:
  struct Turn {
    size_t subgroup;
    uint64_t budget;
  };
  // Of the subgroups that can run; nullopt: none can.
  std::optional<Turn> nextTurn();
  bool allFinished() const;
  Result<void> meet();
  Error divergence() const;
  // Whether the lanes of some subgroup, all of them, wait at what they do together; then it is done.
  Result<bool> lanesMeet();
  // exchange.cc
  Result<void> exchange(const Step &step);
  void exchangeMma(const Step &step);
  void exchangeVector(const Step &step);
  void extractForAll(const Step &step);
  Result<void> printOrAssert(const Step &step);
  // A whole vector, row-major, from the parts that the subgroups hold; a scalar is one element.
  Fragment gather(const Step &step, size_t operand) const;

  const WorkgroupEnvironment &environment_;
  Schedule schedule_;
  std::mt19937_64 random_;
  std::vector<Subgroup> subgroups_;
  uint64_t orderings_ = 0; // how often lanes have met at what orders their accesses
  std::optional<size_t> last_; // had the last turn since the subgroups met
};

} // namespace xt
