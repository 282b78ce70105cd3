// The subgroups of one workgroup, which run in turns. Each runs ahead until it comes to a barrier or needs elements that
// others hold. When all have reached the same op, their fragments are exchanged if necessary, and they continue.
#pragma once
#include "ir/interp/subgroup.h"

#include <optional>
#include <random>

namespace xt {

// The order in which subgroups and workgroups run. A correct program gives the same results under every schedule.
struct Schedule {
  enum class Order : uint8_t {
    Forward,  // 0, 1, 2 …, each until it waits
    Reversed, // … 2, 1, 0
    Seeded    // a random subgroup, for a random number of steps
  } order = Order::Forward;
  uint64_t seed = 0;
};

class Workgroup {
public:
  Workgroup(const WorkgroupEnvironment &environment, Schedule schedule, uint64_t number);
  // Runs all subgroups to their end. Returns an Error if a subgroup returns one, or if subgroups wait at different ops or for
  // a subgroup that has finished.
  Result<void> run();

private:
  struct Turn {
    size_t subgroup;
    uint64_t budget;
  };
  // Chooses the next subgroup to run; nullopt if none can run.
  std::optional<Turn> nextTurn();
  bool allFinished() const;
  void freeUnusedNumbers();
  Result<void> meet();
  Error divergence() const;
  // For each subgroup whose lanes all wait at the same collective op, executes this op. Returns whether there was such a
  // subgroup.
  Result<bool> lanesMeet();
  // Defined in exchange.cc:
  Result<void> exchange(const Step &step);
  void exchangeMma(const Step &step);
  void exchangeVector(const Step &step);
  void giveParts(const Step &step, const Fragment &whole);
  void extractForAll(const Step &step);
  Result<void> updateOnce(const Step &step);
  Result<void> printOrAssert(const Step &step);
  // Assembles a whole vector, row-major, from the parts that the subgroups hold. A scalar gives one element.
  Fragment gather(const Step &step, size_t operand) const;

  const WorkgroupEnvironment &environment_;
  Schedule schedule_;
  std::mt19937_64 random_;
  std::vector<Subgroup> subgroups_;
  uint64_t orderings_ = 0; // the number of times that LaneMeeting has ordered accesses of lanes
  std::optional<size_t> last_; // the subgroup that had the last turn; nullopt after the subgroups have waited for each other
};

} // namespace xt
