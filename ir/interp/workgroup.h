// The subgroups of one workgroup, which run in turns. Each runs ahead until it needs elements that others hold; when all have
// reached the same op, their fragments are exchanged and they continue.
#pragma once
#include "ir/interp/subgroup.h"

#include <optional>
#include <random>

namespace xt {

// Which ready subgroup runs next (and which workgroup). A correct program gives the same results under every schedule.
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
  // Runs to the end. Returns an Error if a subgroup has one, or if subgroups wait at different places or for one that has
  // finished.
  Result<void> run();

private:
  struct Turn {
    size_t subgroup;
    uint64_t budget;
  };
  // Chooses among the subgroups that can run; nullopt if none can.
  std::optional<Turn> nextTurn();
  bool allFinished() const;
  void freeUnusedNumbers();
  Result<void> meet();
  Error divergence() const;
  // Executes a collective op if all lanes of some subgroup wait at it; returns whether there was one.
  Result<bool> lanesMeet();
  // exchange.cc
  Result<void> exchange(const Step &step);
  void exchangeMma(const Step &step);
  void exchangeVector(const Step &step);
  void extractForAll(const Step &step);
  Result<void> printOrAssert(const Step &step);
  // Assembles a whole vector, row-major, from the parts that the subgroups hold; a scalar is one element.
  Fragment gather(const Step &step, size_t operand) const;

  const WorkgroupEnvironment &environment_;
  Schedule schedule_;
  std::mt19937_64 random_;
  std::vector<Subgroup> subgroups_;
  uint64_t orderings_ = 0; // the number of meetings of lanes that ordered their accesses
  std::optional<size_t> last_; // the subgroup that had the last turn since the subgroups met
};

} // namespace xt
