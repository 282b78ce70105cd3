#include "tests/targets/differential/mutants.h"

#include "ir/base/text.h"
#include "ir/constants.h"
#include "ir/op_kinds.h"
#include "ir/order_dependence.h"
#include "lang/reduce/reduce.h"
#include "tests/targets/differential/child.h"
#include "tests/targets/differential/mutant_memory.h"
#include "tests/targets/differential/way.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <set>

namespace xt {
namespace {

constexpr unsigned kSecondsOfOne = 60;

// Returns the lines that use an address. A mutant must keep the generator's lines with raw addresses, because these stay in
// bounds.
std::multiset<std::string> addressLines(const std::string &text) {
  std::multiset<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    line.erase(0, line.find_first_not_of(' '));
    // The names of results are ignored, because they are numbered.
    if (size_t equals = line.find(" = "); line.starts_with('%') && equals != std::string::npos) line.erase(0, equals);
    bool names = line.find("%D") != std::string::npos || line.find("i64 ->") != std::string::npos ||
                 line.find("u64 ->") != std::string::npos;
    if (names) lines.insert(line);
    begin = end + 1;
  }
  return lines;
}

bool changesAddresses(const std::string &text, const std::string &before) {
  std::multiset<std::string> now = addressLines(text), then = addressLines(before);
  return !std::all_of(now.begin(), now.end(), [&](const std::string &line) { return then.contains(line); });
}

bool dividesByZero(const Op &op) {
  std::optional<int64_t> divisor = constantInt(*op.operand(1));
  return !divisor || *divisor == 0 || *divisor == -1; // the negation of the smallest integer overflows
}

bool shiftsTooFar(const Op &op) {
  std::optional<int64_t> count = constantInt(*op.operand(1));
  return !count || *count < 0 || *count >= elemInfo(op.operand(0)->type().elem()).bits;
}

// Whether the language may leave an op's value unspecified.
bool mayBeOpen(const Op &op) {
  switch (op.kind()) {
  case OpKind::DivSI:
  case OpKind::DivUI:
  case OpKind::RemSI:
  case OpKind::RemUI:
  case OpKind::CeilDivSI:
  case OpKind::CeilDivUI:
  case OpKind::FloorDivSI: return dividesByZero(op);
  case OpKind::ShLI:
  case OpKind::ShRSI:
  case OpKind::ShRUI: return shiftsTooFar(op);
  case OpKind::FPToSI:
  case OpKind::FPToUI: return true;
  default: return op.info().attrs.size() != 0 && op.attr("boundary_check") != nullptr;
  }
}

// Whether the op may turn small differences of floats into large ones.
bool isJump(const Op &op) {
  switch (op.kind()) {
  case OpKind::CmpF:
  case OpKind::RemF:
  case OpKind::Floor:
  case OpKind::Ceil:
  case OpKind::Round:
  case OpKind::RoundEven:
  case OpKind::Trunc:
  case OpKind::Bitcast: return true;
  default: return false;
  }
}

struct Facts {
  bool open = false, jumps = false;
};
Facts factsOf(Kernel &kernel) {
  Facts facts;
  facts.open = dependsOnOrder(kernel);
  auto look = [&](Op &op) { facts.open |= mayBeOpen(op), facts.jumps |= isJump(op); };
  walk(kernel.body, look), walk(kernel.gridBlock, look);
  return facts;
}

using Say = std::function<void(const std::string &)>;

// Runs one mutant in all ways, within the child process.
class Trial {
public:
  Trial(const std::string &text, const std::string &before, std::string kernel, uint64_t seed, bool everyGpu, const Say &say)
      : text_(text), before_(before), kernel_(std::move(kernel)), seed_(seed), everyGpu_(everyGpu), say_(say) {}

  Fate run() {
    for (const Way &way : waysFor(seed_, true, everyGpu_)) {
      say_(str("@", way.text(), "\n"));
      Fate fate = first_ ? compare(way) : begin(way);
      if (fate != Fate::Agreed) return fate;
    }
    say_(str("#", ran_, " ", refused_, " ", loose_ ? 1 : 0, "\n"));
    return Fate::Agreed;
  }

  Fate check() {
    CompiledWay made({.target = "interp"}, text_);
    say_("@checking\n");
    if (made.make() == CompiledWay::Outcome::Made) return Fate::Agreed;
    return made.diagnostics().hasErrors() ? Fate::Refused : failed(made.messages());
  }

private:
  // Runs the mutant on the interpreter, which detects invalid programs.
  Fate begin(const Way &way) {
    CompiledWay made(way, text_);
    CompiledWay::Outcome outcome = made.make();
    if (outcome != CompiledWay::Outcome::Made) return made.diagnostics().hasErrors() ? Fate::Refused : failed(made.messages());
    if (made.module().kernels.empty()) return Fate::Refused;
    Kernel *chosen = kernel_.empty() ? chosenOf(made.module()) : made.module().findKernel(kernel_);
    if (!chosen) return Fate::Refused;
    Kernel &kernel = *chosen;
    kernel_ = kernel.name;
    say_(str("=", kernel_, "\n"));
    facts_ = factsOf(kernel);
    if (facts_.open) return Fate::Unspecified;
    first_ = MutantMemory::make(kernel);
    if (!first_) return Fate::Oversized;
    std::vector<LaunchArg> args = first_->args();
    auto grid = computeGrid(kernel, args);
    if (!grid) return Fate::Stopped;
    constexpr int64_t kMostWorkgroups = 256;
    int64_t workgroups = 1;
    for (const GridRange &range : *grid) workgroups *= std::min(range.count, kMostWorkgroups + 1);
    if (workgroups > kMostWorkgroups) return Fate::Late;
    if (!made.executable().launch(kernel, args, *grid) || made.found().errorCount()) return Fate::Stopped;
    result_.emplace(*first_);
    ++ran_;
    return Fate::Agreed;
  }

  Kernel *chosenOf(const Module &module) const {
    std::vector<Kernel *> changed, all;
    for (const auto &kernel : module.kernels) {
      std::string_view own = std::string_view(text_).substr(kernel->nameRange.begin);
      own = own.substr(0, own.find("\nkernel "));
      all.push_back(kernel.get());
      if (before_.find(own) == std::string::npos) changed.push_back(kernel.get());
    }
    const std::vector<Kernel *> &from = changed.empty() ? all : changed;
    return from[seed_ % from.size()];
  }

  Fate compare(const Way &way) {
    CompiledWay made(way, text_);
    CompiledWay::Outcome outcome = made.make();
    bool said = outcome == CompiledWay::Outcome::Refused || made.diagnostics().hasErrors();
    if (outcome != CompiledWay::Outcome::Made) {
      ++refused_;
      return said ? Fate::Agreed : failed(made.messages());
    }
    const Kernel &kernel = *made.module().findKernel(kernel_);
    std::vector<LaunchArg> args = first_->args(); // the same memory, refilled
    auto grid = computeGrid(kernel, args);
    Result<void> done = grid ? made.executable().launch(kernel, args, *grid) : grid.error();
    if (!done) return failed(done.error().message);
    ++ran_;
    bool loose = false;
    std::string difference = differenceOf(*result_, *first_, loose);
    loose_ |= loose;
    if (difference.empty() || (loose && facts_.jumps)) return Fate::Agreed;
    return failed("differs from interp: " + difference);
  }

  Fate failed(const std::string &why) {
    say_(str("!", why, "\n"));
    return Fate::Failed;
  }

  const std::string &text_, &before_;
  std::string kernel_; // the kernel to launch; "" until it is chosen
  uint64_t seed_;
  bool everyGpu_;
  const Say &say_;
  Facts facts_;
  std::optional<MutantMemory> first_, result_; // first_: memory of all launches; result_: copy of the interpreter's result
  size_t ran_ = 0, refused_ = 0;
  bool loose_ = false;
};

// Returns the last line that begins with `sign`, without the sign, or "".
std::string lastLine(const std::string &said, char sign) {
  size_t at = said.rfind(str('\n', sign));
  if (at == std::string::npos && !said.starts_with(sign)) return "";
  size_t begin = at == std::string::npos ? 1 : at + 2;
  return said.substr(begin, said.find('\n', begin) - begin);
}

} // namespace

std::string_view fateText(Fate fate) {
  switch (fate) {
  case Fate::Agreed: return "agreed on all ways";
  case Fate::Refused: return "refused with a message";
  case Fate::Late: return "took too long";
  case Fate::Stopped: return "stopped by the interpreter's checks";
  case Fate::Unspecified: return "compute what the language leaves open";
  case Fate::Addresses: return "do something else with a raw address";
  case Fate::Oversized: return "ask for other memory than the test gives";
  case Fate::Failed: return "failed";
  }
  return "";
}

namespace {

MutantEnd endedAs(Fate fate, std::string said = "") {
  MutantEnd end;
  end.fate = fate;
  end.said = std::move(said);
  return end;
}

MutantEnd tellEnd(const ChildEnd &end) {
  MutantEnd out;
  std::string where = str("on ", lastLine(end.said, '@'), ": ");
  switch (end.how) {
  case ChildEnd::How::Returned: out.fate = static_cast<Fate>(end.value); break;
  case ChildEnd::How::Late: out.fate = Fate::Late; break;
  case ChildEnd::How::Signal:
    out = endedAs(Fate::Failed, str(where, "signal ", end.value, " (", strsignal(end.value), ")\n", end.said));
    break;
  case ChildEnd::How::Exited:
    out = endedAs(Fate::Failed, str(where, "the process ended with status ", end.value, "\n", end.said));
    break;
  }
  out.kernel = lastLine(end.said, '=');
  if (end.how == ChildEnd::How::Returned && out.fate == Fate::Failed)
    out.said = where + lastLine(end.said, '!') + "\n" + end.said;
  if (out.fate == Fate::Agreed) {
    int loose = 0;
    std::sscanf(lastLine(end.said, '#').c_str(), "%zu %zu %d", &out.ran, &out.refused, &loose);
    out.loose = loose != 0;
  }
  return out;
}

} // namespace

MutantEnd runMutant(const std::string &text, const std::string &before, uint64_t seed, bool everyGpu,
                    const std::string &kernel) {
  if (changesAddresses(text, before)) return endedAs(Fate::Addresses);
  return tellEnd(inChild(
      [&](const Say &say) { return static_cast<int>(Trial(text, before, kernel, seed, everyGpu, say).run()); }, kSecondsOfOne));
}

MutantEnd checkMutant(const std::string &text, const std::string &before) {
  if (changesAddresses(text, before)) return endedAs(Fate::Addresses);
  return tellEnd(
      inChild([&](const Say &say) { return static_cast<int>(Trial(text, before, "", 0, false, say).check()); }, kSecondsOfOne));
}

std::string reduceMutant(const std::string &text, const std::string &kernel, uint64_t seed, bool everyGpu, unsigned seconds) {
  auto over = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  auto kindOf = [](const std::string &said) { return said.substr(0, said.find('\n')).substr(0, said.find(": ")); }; // the way
  std::string kind = kindOf(runMutant(text, text, seed, everyGpu, kernel).said);
  ReduceHooks hooks;
  hooks.isInteresting = [&](const std::string &candidate) {
    MutantEnd end = runMutant(candidate, text, seed, everyGpu, kernel);
    return end.fate == Fate::Failed && kindOf(end.said) == kind;
  };
  hooks.isStopped = [&] { return std::chrono::steady_clock::now() > over; };
  return reduceText(text, hooks);
}

} // namespace xt
