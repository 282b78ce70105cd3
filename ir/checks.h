// The checks of the interpreter while it runs a kernel (`xtrun --check`).
#pragma once
#include <span>
#include <string_view>

namespace xt {

struct Checks {
  bool bounds = false;     // accesses outside of a base matrix; these are legal
  bool race = false;       // two accesses to one element, at least one a write, without a barrier between them
  bool uninit = false;     // reads of elements that were never written
  bool divergence = false; // subgroups that reach a barrier on different paths
  bool algebra = false;    // runs with elements of a finite field instead of floats (ir/interp/field.h)
  bool any() const { return bounds || race || uninit || divergence; } // whether a check observes the run
};

// The words of --check, in order. "all" stands for those that find mistakes: not for "bounds", whose finds are legal, and not
// for "algebra".
std::span<const std::string_view> checkWords();
// Enables the check of this name, or all that find mistakes ("all"). Returns false for an unknown name.
bool addCheck(Checks &checks, std::string_view word);

} // namespace xt
