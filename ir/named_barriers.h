// Named barriers of a workgroup, as the interpreter and the CPU target execute them.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

namespace xt {

// One subgroup's participation in a named barrier. Roles (RFC for XeTile and XeGPU Dialect): 0 producer and consumer, 1
// producer, 2 consumer.
struct NamedBarrierPart {
  size_t id = 0;
  int64_t role = 0, producers = 0, consumers = 0;
};

// A barrier is complete when as many producers and consumers have arrived as its participants declare; then the next round
// begins.
class NamedBarriers {
public:
  static constexpr int64_t kMost = 32;
  int64_t allocated = 0;
  void reset(); // restores the state at the start of a workgroup
  void arrive(const NamedBarrierPart &part, size_t subgroup);
  // Whether the round in which the subgroup arrived last is over. False if it has not arrived.
  bool complete(const NamedBarrierPart &part, size_t subgroup) const;
  // The round in which the subgroup arrived last.
  uint64_t roundOf(const NamedBarrierPart &part, size_t subgroup) const { return states_[part.id].arrivedIn.at(subgroup); }

private:
  struct State {
    int64_t producers = 0, consumers = 0;
    uint64_t round = 0;
    std::map<size_t, uint64_t> arrivedIn; // the round in which each subgroup arrived last
  };
  std::array<State, kMost> states_;
};

} // namespace xt
