// Proves for all sizes what tests show for some: that a kernel stores each element of its outputs exactly once, that no two
// workgroups store the same one, and which loads reach outside.
//
// A claim is about integers: where accesses begin, as linear terms of sizes, workgroups and iterations. Z3 looks for sizes
// that break it; where it finds none, it holds for all sizes up to 2^31. What depends on data, and what is not linear, is
// undecided, with the reason.
#pragma once
#include "ir/module.h"
#include "targets/prove/smt.h"

#include <string>
#include <vector>

namespace xt {

enum class ProofVerdict : uint8_t { Proved, Undecided, Fails };

struct ProofLine {
  ProofVerdict verdict = ProofVerdict::Proved;
  SourceRange range;
  std::string text;
};

struct KernelProof {
  std::string kernel;
  std::vector<std::string> assumptions; // sizes that are equal in all tests which launch the kernel
  std::vector<ProofLine> lines;
  std::string counterexample; // a test block at the smallest sizes that break a claim; "": none
  bool showsRace = false;     // in that test two workgroups meet, which `xtrun --check=race` reports
  ProofVerdict verdict() const; // the worst of its lines
};

std::vector<KernelProof> prove(const Module &module, Smt &smt);

// Text for people; ends in a line break.
std::string proofText(const KernelProof &proof, const SourceManager &sources);

} // namespace xt
