#include "ir/interp/copies_in_flight.h"

#include <algorithm>

namespace xt {

Touch CopiesInFlight::find(const Cell &cell, CopyPhase phase, bool writes, const Touch &now) {
  std::vector<Flight> &flights = flights_[&cell];
  if (phase == CopyPhase::Lands) {
    auto landed = std::ranges::find_if(flights, [&](const Flight &flight) {
      return flight.writes == writes && flight.copy.op == now.op && flight.copy.subgroup == now.subgroup;
    });
    if (landed != flights.end()) flights.erase(landed);
  }
  auto forbids = std::ranges::find_if(flights, [&](const Flight &flight) { return flight.writes || writes; });
  const Touch copy = forbids == flights.end() ? Touch() : forbids->copy;
  if (phase == CopyPhase::Begins) flights.push_back({now, writes});
  if (flights.empty()) flights_.erase(&cell);
  return phase == CopyPhase::Lands ? Touch() : copy;
}

} // namespace xt
