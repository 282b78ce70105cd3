#include "targets/run/bench.h"

#include "ir/elem_kinds.h"
#include "ir/interp/scalar_eval.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <unordered_map>

namespace xt {

BenchTimes benchTimes(std::vector<double> seconds) {
  BenchTimes times;
  times.count = seconds.size();
  times.first = seconds[0];
  std::sort(seconds.begin(), seconds.end());
  size_t n = seconds.size();
  times.median = n % 2 ? seconds[n / 2] : (seconds[n / 2 - 1] + seconds[n / 2]) / 2;
  // The number of times below the median is binomial with p = 1/2; this is its normal approximation.
  double half = 0.98 * std::sqrt(static_cast<double>(n));
  auto low = static_cast<size_t>(std::max(0.0, std::floor(static_cast<double>(n) / 2 - half)));
  auto high = static_cast<size_t>(std::min(static_cast<double>(n - 1), std::ceil(static_cast<double>(n) / 2 + half)));
  times.low = seconds[low];
  times.high = seconds[high];
  return times;
}

Result<BenchTimes> measure(const std::function<Result<double>()> &once, const BenchOptions &options) {
  using Clock = std::chrono::steady_clock;
  constexpr int kWarmUp = 2;
  constexpr size_t kFewest = 7; // with fewer times, the interval is from the smallest to the largest
  Clock::time_point start = Clock::now();
  auto elapsed = [&] {
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return options.agreed ? options.agreed(seconds) : seconds;
  };
  double first = 0;
  std::vector<double> all;
  for (int i = 0; i < kWarmUp; ++i) {
    Result<double> seconds = once();
    if (!seconds) return seconds.error();
    if (i == 0) first = *seconds;
    all.push_back(*seconds);
  }
  const double fastest = *std::min_element(all.begin(), all.end());
  if (options.hopeless > 0 && fastest > options.hopeless) return benchTimes({fastest});
  all.clear();
  BenchTimes times;
  size_t next = kFewest; // sorting after each of many short runs would take longer than the runs
  do {
    Result<double> seconds = once();
    if (!seconds) return seconds.error();
    all.push_back(*seconds);
    if (all.size() < next) continue;
    times = benchTimes(all);
    if (times.spread() < options.precision) break;
    next = all.size() + all.size() / 4 + 1;
  } while (elapsed() < options.seconds);
  times = benchTimes(std::move(all));
  times.first = first;
  return times;
}

namespace {

// Computes numbers that follow from a launch's arguments.
class LaunchNumbers {
public:
  LaunchNumbers(const Kernel &kernel, const std::vector<LaunchArg> &args) : kernel_(kernel), args_(args) {}

  std::optional<int64_t> of(const Value *value, int depth = 0) {
    constexpr int kDeepest = 64;
    if (depth > kDeepest) return std::nullopt;
    const Op *op = value->definingOp();
    if (!op) return parameter(value);
    if (op->kind() == OpKind::Dim) return size(*op, depth);
    if (op->kind() == OpKind::Constant) {
      const auto *number = std::get_if<int64_t>(&ConstantOp(*op).value());
      return number && op->result()->type().isScalar() ? std::optional(*number) : std::nullopt;
    }
    if (!op->info().elementwise || !op->result()->type().isScalar() || isFloat(op->result()->type().elem()))
      return std::nullopt;
    std::vector<Number> operands;
    for (const Value *operand : op->operands()) {
      if (!operand->type().isScalar() || isFloat(operand->type().elem())) return std::nullopt;
      std::optional<int64_t> number = of(operand, depth + 1);
      if (!number) return std::nullopt;
      operands.push_back(integerNumber(*number));
    }
    std::optional<Number> result = evaluateScalar(elementwiseOp(*op), operands);
    return result ? std::optional(result->i) : std::nullopt;
  }

private:
  std::optional<int64_t> parameter(const Value *value) const {
    bool own = value->definingBlock() == &kernel_.body || value->definingBlock() == &kernel_.gridBlock;
    if (!own || value->index() >= kernel_.paramCount) return std::nullopt;
    const LaunchArg &arg = args_[value->index()];
    return arg.kind == LaunchArg::Kind::Int ? std::optional(arg.integer) : std::nullopt;
  }

  std::optional<int64_t> size(const Op &dim, int depth) {
    const Value *memref = dim.operand(0);
    std::optional<int64_t> d = of(dim.operand(1), depth + 1);
    bool own = !memref->definingOp() && memref->index() < kernel_.paramCount;
    if (!d || !own) return std::nullopt;
    const std::vector<int64_t> &sizes = args_[memref->index()].buffer.sizes;
    if (*d < 0 || static_cast<size_t>(*d) >= sizes.size()) return std::nullopt;
    return sizes[static_cast<size_t>(*d)];
  }

  const Kernel &kernel_;
  const std::vector<LaunchArg> &args_;
};

// Number of iterations of a loop, with a partial last iteration counted as a fraction.
std::optional<double> rounds(LaunchNumbers &numbers, const Op &loop) {
  size_t first = loop.kind() == OpKind::Nest ? 3 : 0;
  if (loop.kind() != OpKind::For && loop.kind() != OpKind::Nest) return std::nullopt;
  std::optional<int64_t> lower = numbers.of(loop.operand(first)), upper = numbers.of(loop.operand(first + 1)),
                         step = numbers.of(loop.operand(first + 2));
  if (!lower || !upper || !step || *step <= 0) return std::nullopt;
  return std::max(0.0, static_cast<double>(*upper) - static_cast<double>(*lower)) / static_cast<double>(*step);
}

bool addLoops(LaunchNumbers &numbers, const std::vector<LoopCost> &loops, double times, BenchWork &work) {
  for (const LoopCost &loop : loops) {
    std::optional<double> count = rounds(numbers, *loop.loop);
    if (!count) return false;
    double all = times * loop.entered * *count;
    work.operations += all * loop.step.operations();
    work.bytes += all * (loop.step.bytesRead + loop.step.bytesWritten);
    if (!addLoops(numbers, loop.inner, all, work)) return false;
  }
  return true;
}

} // namespace

Elem multipliedElem(const Kernel &kernel) {
  std::optional<Elem> found;
  walk(kernel.body, [&](const Op &op) {
    bool product = op.kind() == OpKind::TileMma || op.kind() == OpKind::Nest || op.kind() == OpKind::Dpas;
    if (product && !found) found = op.operand(0)->type().elem();
  });
  return found.value_or(Elem::F32);
}

std::optional<BenchWork> workOf(const Kernel &kernel, const std::vector<LaunchArg> &args, const std::vector<GridRange> &grid) {
  LaunchNumbers numbers(kernel, args);
  double workgroups = 1;
  for (size_t d = 0; d < grid.size(); ++d) {
    double count = static_cast<double>(grid[d].count);
    if (d < kernel.grid.size()) { // only a part of the last workgroup is inside the grid
      std::optional<int64_t> upper = numbers.of(kernel.grid[d].upper);
      if (!upper) return std::nullopt;
      count = std::min(count,
                       (static_cast<double>(*upper) - static_cast<double>(grid[d].lower)) / static_cast<double>(grid[d].step));
    }
    workgroups *= count;
  }
  KernelCost cost = kernelCost(kernel);
  BenchWork work{workgroups * cost.known.operations(), workgroups * (cost.known.bytesRead + cost.known.bytesWritten)};
  if (!addLoops(numbers, cost.loops, workgroups, work)) return std::nullopt;
  return work;
}

} // namespace xt
