#include "targets/tools/prove_files.h"

#include "targets/prove/prove.h"
#include "targets/run/report.h"
#include "targets/tools/progress.h"
#include "targets/tools/session.h"

#include <algorithm>
#include <cstdio>

namespace xt {

namespace {
ExitStatus statusOf(ProofVerdict verdict) {
  switch (verdict) {
  case ProofVerdict::Proved:
  case ProofVerdict::Note: return ExitStatus::Passed;
  case ProofVerdict::Undecided: return ExitStatus::EnvironmentFailed;
  case ProofVerdict::Fails: return ExitStatus::CheckFailed;
  }
  return ExitStatus::CompilerBug;
}
// Returns the worse status. From the worst on: a file does not compile, a claim fails, a claim is undecided.
ExitStatus worse(ExitStatus a, ExitStatus b) {
  for (ExitStatus status : {ExitStatus::DoesNotCompile, ExitStatus::CheckFailed, ExitStatus::EnvironmentFailed})
    if (a == status || b == status) return status;
  return ExitStatus::Passed;
}
} // namespace

int proveFiles(const XtcOptions &options) {
  Result<std::unique_ptr<Smt>> smt = Smt::open();
  if (!smt) {
    std::fprintf(stderr, "xtc: %s\n", smt.error().message.c_str());
    return static_cast<int>(ExitStatus::EnvironmentFailed);
  }
  ExitStatus status = ExitStatus::Passed;
  StageLine stage("xtc", false);
  ProveOptions proving;
  if (options.timeLimit > 0) proving.seconds = options.timeLimit;
  proving.progress = [&](const std::string &text) { stage.at(text); };
  for (const std::string &path : options.files) {
    Session session(options);
    if (const Target *target = findTarget(options.target)) session.setTarget(*target);
    Result<std::unique_ptr<Module>> module = session.load(path);
    session.printDiagnostics();
    if (!module) {
      bool environment = module.error().kind == Error::Kind::Environment;
      if (environment) std::fprintf(stderr, "xtc: %s\n", module.error().message.c_str());
      status = worse(status, environment ? ExitStatus::EnvironmentFailed : ExitStatus::DoesNotCompile);
      continue;
    }
    for (const auto &kernel : (*module)->kernels) {
      KernelProof proof = prove(**module, *kernel, **smt, proving);
      stage.at("");
      std::fputs(proofText(proof, session.sources()).c_str(), stdout);
      status = worse(status, statusOf(proof.verdict()));
    }
  }
  return static_cast<int>(status);
}

} // namespace xt
