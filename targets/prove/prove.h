// Proves for all sizes what tests show for some: that a kernel stores each element of its outputs exactly once, that
// no two workgroups store the same element, and which loads are out of bounds.
//
// A claim is a statement on integers: where accesses begin, as linear terms of sizes, workgroups and iterations. Z3
// searches for sizes that violate it; if it finds none, the claim holds for all sizes up to 2^31. Claims that depend
// on data, are not linear or take too long are undecided, with the reason.
#pragma once
#include "ir/module.h"
#include "targets/prove/smt.h"

#include <functional>
#include <string>
#include <vector>

namespace xt {

// In order of severity. A note points out something that the user may not have intended, but that does not contradict a claim.
enum class ProofVerdict : uint8_t { Proved, Note, Undecided, Fails };

struct ProofLine {
  ProofVerdict verdict = ProofVerdict::Proved;
  SourceRange range;
  std::string text;
};

struct KernelProof {
  std::string kernel;
  std::vector<std::string> assumptions; // equalities of sizes, which hold in all tests that launch the kernel
  std::vector<std::string> conditions;  // further conditions on every launch: "`%B`, `%C` do not overlap"
  std::vector<ProofLine> lines;
  std::string counterexample; // a test block at the smallest sizes that violate a claim; "" if there is none
  bool showsRace = false;     // in that test two workgroups store the same element, which `xtrun --check=race` reports
  ProofVerdict verdict() const; // the worst of its lines; notes do not count
};

struct ProveOptions {
  double seconds = 60; // time for the kernel; claims that are not decided by then are undecided
  std::function<void(const std::string &stage)> progress = [](const std::string &) {};
};

// `kernel` is a kernel of the module, whose tests show how it is launched.
KernelProof prove(const Module &module, const Kernel &kernel, Smt &smt, const ProveOptions &options);

// Readable text that ends in a line break.
std::string proofText(const KernelProof &proof, const SourceManager &sources);

} // namespace xt
