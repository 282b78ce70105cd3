#include "ir/interp/interpreter.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/gpu/slm_layout.h"
#include "ir/interp/disjoint_arguments.h"
#include "ir/interp/launch_checks.h"
#include "ir/interp/launch_state.h"

#include <algorithm>

namespace xt {

namespace {
// A float argument as a number in the arithmetic of the launch; nullopt for other parameters.
std::optional<Number> floatArgument(const Value &param, const LaunchArg &arg, Arithmetic &arithmetic) {
  if (!param.type().isScalar() || !isFloat(param.type().elem())) return std::nullopt;
  return arithmetic.constant(param.type().elem(),
                             arg.kind == LaunchArg::Kind::Float ? AttrValue(arg.number) : AttrValue(arg.integer));
}
} // namespace

Result<void> interpret(const Kernel &kernel, const std::vector<LaunchArg> &args, const std::vector<GridRange> &grid,
                       const InterpOptions &options) {
  Result<std::vector<RuntimeValue>> bound = bindArguments(kernel, args);
  if (!bound) return bound.error();
  if (Result<void> disjoint = checkDisjoint(kernel, args); !disjoint) return disjoint;
  Result<GridWalk> walk = GridWalk::make(kernel, grid, options.schedule);
  if (!walk) return walk.error();
  Result<Program> program = Program::of(kernel);
  if (!program) return program.error();
  std::vector<MemoryRange> ranges = bufferRanges(args);
  // Targets refuse such kernels when they compile; others call this function too.
  const int64_t slmBytes = slmLayout(kernel).bytes;
  if (slmBytes > kMostSlmOfHost)
    return Error::kernel(
        str("`@", kernel.name, "` has ", slmBytes, " bytes of shared local memory; the limit is ", kMostSlmOfHost),
        kernel.nameRange);
  SlmMemory slm(kernel);
  NamedBarriers barriers;
  std::optional<LaunchChecks> checks;
  if (options.checks.any()) checks.emplace(kernel, args, slm, options.checks, options.sources);
  Result<void> done;
  for (uint64_t n = 0; done && n < walk->count(); ++n) {
    std::vector<int64_t> blockId = walk->blockId(n);
    options.arithmetic->beginWorkgroup();
    std::vector<RuntimeValue> values = *bound;
    for (size_t i = 0; i < args.size(); ++i)
      if (std::optional<Number> scalar = floatArgument(*kernel.param(i), args[i], *options.arithmetic)) values[i] = *scalar;
    for (RuntimeValue &variable : walk->variables(blockId)) values.push_back(std::move(variable));
    slm.poison();
    barriers.reset();
    if (checks) checks->enter(blockId);
    WorkgroupEnvironment environment{kernel, *program, values, blockId};
    environment.ranges = ranges;
    environment.slm = &slm;
    environment.barriers = &barriers;
    environment.monitor = checks ? &*checks : nullptr;
    environment.print = &options.print;
    environment.arithmetic = options.arithmetic;
    environment.workgroupScope = kernel.scope == Scope::Workgroup;
    done = Workgroup(environment, options.schedule, n).run();
  }
  if (!checks) return done;
  XT_CHECK(options.found, "checks need a place for what they find");
  size_t faults = checks->report(*options.found);
  if (!done || faults == 0) return done;
  return Error::kernel(str("--check found ", faults, faults == 1 ? " fault" : " faults", " in @", kernel.name),
                       kernel.nameRange);
}

} // namespace xt
