// What the interpreter watches for beside running a kernel (`xtrun --check`).
#pragma once
#include <span>
#include <string_view>

namespace xt {

struct Checks {
  bool bounds = false;     // accesses outside of a base matrix, which are legal
  bool race = false;       // two that touch one element, one of them writing, without a barrier between them
  bool uninit = false;     // reads of what nothing has written
  bool divergence = false; // subgroups that come to a barrier on different ways
  bool algebra = false;    // runs with elements of a finite field in the place of floats (ir/interp/field.h)
  bool any() const { return bounds || race || uninit || divergence; } // that watch a run
};

// The words of --check, in order. "all" stands for those that watch a run, so not for "algebra".
std::span<const std::string_view> checkWords();
// Turns on what a word says; false for an unknown one.
bool addCheck(Checks &checks, std::string_view word);

} // namespace xt
