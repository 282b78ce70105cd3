#include "ir/checks.h"

namespace xt {

std::span<const std::string_view> checkWords() {
  static constexpr std::string_view kWords[] = {"bounds", "race", "uninit", "divergence", "all", "algebra"};
  return kWords;
}

bool addCheck(Checks &checks, std::string_view word) {
  bool all = word == "all", known = all || word == "algebra";
  checks.algebra |= word == "algebra";
  auto turnOn = [&](std::string_view name, bool &check) {
    if (all || word == name) check = known = true;
  };
  if (word == "bounds") checks.bounds = known = true;
  turnOn("race", checks.race);
  turnOn("uninit", checks.uninit);
  turnOn("divergence", checks.divergence);
  return known;
}

} // namespace xt
