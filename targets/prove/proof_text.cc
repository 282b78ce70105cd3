#include "ir/base/text.h"
#include "targets/prove/prove.h"

#include <algorithm>

namespace xt {
namespace {

std::string_view verdictText(ProofVerdict verdict) {
  switch (verdict) {
  case ProofVerdict::Proved: return "proved";
  case ProofVerdict::Note: return "note";
  case ProofVerdict::Undecided: return "undecided";
  case ProofVerdict::Fails: return "fails";
  }
  return "";
}

} // namespace

ProofVerdict KernelProof::verdict() const {
  ProofVerdict worst = ProofVerdict::Proved;
  for (const ProofLine &line : lines) worst = std::max(worst, line.verdict);
  return worst == ProofVerdict::Note ? ProofVerdict::Proved : worst;
}

std::string proofText(const KernelProof &proof, const SourceManager &sources) {
  std::string out = str(verdictText(proof.verdict()), "  @", proof.kernel, "\n");
  if (!proof.assumptions.empty()) out += str("  where ", join(proof.assumptions, ", "), ", as in all tests\n");
  for (const std::string &condition : proof.conditions) out += str("  if ", condition, "\n");
  for (const ProofLine &line : proof.lines)
    out += str("  line ", sources.file(line.range.file).lineColumn(line.range.begin).line, ": ",
               line.verdict == ProofVerdict::Proved ? "" : str(verdictText(line.verdict), ": "), line.text, "\n");
  if (!proof.counterexample.empty() && proof.assumptions.empty())
    out += "  note: all sizes are tried; two sizes are assumed equal only if tests give them the same name (`$M`), or if "
           "`requires` or an assert compares them\n";
  if (!proof.counterexample.empty())
    out += str("  a test that shows the failure", proof.showsRace ? " when run with --check=race" : "", ":\n\n",
               proof.counterexample, "\n");
  return out;
}

} // namespace xt
