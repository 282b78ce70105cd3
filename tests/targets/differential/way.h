// The ways to run a random kernel, whose results must agree, and a kernel compiled for one way.
#pragma once
#include "lang/lower/lower.h"
#include "targets/target.h"

#include <memory>
#include <string>
#include <vector>

namespace xt {

// The target that runs a kernel, and the passes that run before: none, distribution to subgroups, the passes that cut the
// kernel into blocks of a GPU, or those that lower it to lanes. `races`: the interpreter checks for races, and before
// distribution for reads of unwritten memory. `optimised`: LLVM or the driver optimises the code.
struct Way {
  std::string_view target;
  bool distributed = false;
  const TargetInfo *gpu = nullptr;
  bool lanes = false;
  bool races = false;
  bool optimised = true;
  DeviceChoice device = DeviceChoice::Any;
  SpirvExtensions extensions = SpirvExtensions::None;
  std::string text() const; // returns a description such as "cpu, in blocks of xe-pvc"
};

// Whether there is a Level Zero device. The software device needs Debian's llvm-spirv-15 and loader.
bool hasXe();
// Whether there is an OpenCL device that accepts code compiled for `spirv`, such as Intel's runtime for CPUs, which tests/run
// installs.
bool hasOpenCl();

// Returns the ways to run the kernel of a seed; the interpreter is first. With `everyGpu`, they include the passes of each GPU,
// otherwise those of one GPU in rotation. If there is a Level Zero device, they run the code of these GPUs, and if there is an
// OpenCL device, the code of `spirv`. Slower ways are used for fewer seeds. CPU code in blocks or lanes of a GPU is not
// optimised. If there are several GPUs, the code of only one is optimised.
std::vector<Way> waysFor(uint64_t seed, bool races, bool everyGpu);

class CompiledWay {
public:
  CompiledWay(const Way &way, std::string text) : way_(way), text_(std::move(text)) {}
  CompiledWay(const CompiledWay &) = delete;
  CompiledWay &operator=(const CompiledWay &) = delete;

  // Refused: the hardware cannot run the kernel (limits, f64). Failed: another error. messages() has the reason.
  enum class Outcome { Made, Refused, Failed };
  Outcome make();

  const Way &way() const { return way_; }
  const Module &module() const { return *module_; }
  Executable &executable() { return *executable_; }
  const SourceManager &sources() const { return sources_; }
  Diagnostics &diagnostics() { return diagnostics_; }
  const Diagnostics &found() const { return found_; } // messages of the interpreter's checks
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
