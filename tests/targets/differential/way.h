// The ways to run a random kernel, which must agree, and a kernel compiled for one of them.
#pragma once
#include "lang/lower/lower.h"
#include "targets/target.h"

#include <memory>
#include <string>
#include <vector>

namespace xt {

// On which target a kernel runs and what is done to it first: nothing, its subgroups each on their own, all that the
// passes for a GPU do, or these down to its lanes. `races`: the interpreter looks for those. `optimised`: the code, by LLVM
// or the driver.
struct Way {
  std::string_view target;
  bool distributed = false;
  const TargetInfo *gpu = nullptr;
  bool lanes = false;
  bool races = false;
  bool optimised = true;
  DeviceChoice device = DeviceChoice::Any;
  std::string text() const; // "cpu, in blocks of xe-pvc"
};

// Whether there is a device of Level Zero; the software device needs Debian's llvm-spirv-15 and loader.
bool hasXe();
// Whether there is one of OpenCL that takes what is compiled for `spirv`: tests/run installs Intel's for CPUs.
bool hasOpenCl();

// The ways for a kernel with this seed: the interpreter first, others more rarely the longer they take, and where there is
// a device the GPUs: each of them, or one by turns; with `spirv` OpenCL. Code for dumps is not optimised, and of several GPUs' that of one is.
std::vector<Way> waysFor(uint64_t seed, bool races, bool everyGpu);

class CompiledWay {
public:
  CompiledWay(const Way &way, std::string text) : way_(way), text_(std::move(text)) {}
  CompiledWay(const CompiledWay &) = delete;
  CompiledWay &operator=(const CompiledWay &) = delete;

  // Refused: the hardware cannot run it (its limits, f64), as messages() say. Failed: they say why.
  enum class Outcome { Made, Refused, Failed };
  Outcome make();

  const Way &way() const { return way_; }
  const Module &module() const { return *module_; }
  Executable &executable() { return *executable_; }
  const SourceManager &sources() const { return sources_; }
  Diagnostics &diagnostics() { return diagnostics_; }
  const Diagnostics &found() const { return found_; } // by the interpreter's checks
  std::string messages() const;

private:
  std::unique_ptr<Module> passed(const TargetInfo *hardware);

  Way way_;
  std::string text_, error_;
  SourceManager sources_;
  Diagnostics diagnostics_, found_;
  Context context_;
  std::unique_ptr<Module> module_;
  std::unique_ptr<Executable> executable_;
};

} // namespace xt
