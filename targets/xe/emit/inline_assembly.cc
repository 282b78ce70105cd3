#include "targets/xe/emit/inline_assembly.h"

#include "ir/base/text.h"
#include "targets/xe/library/spirv_numbers.h"

#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace xt {
namespace {

using namespace spirv;
using Words = std::vector<uint32_t>;

constexpr std::string_view kSendName = "_xt_raw_send_", kStepName = "_xt_payload_step_"; // no kernel has such names (entryName)

// What stands in OpAsmINTEL for a function.
struct Assembly {
  std::string text, constraints;
  bool isMessage = false; // has effects beyond its result
};

// The numbers in a name behind its prefix, "5_ffffffd0"; nullopt if there are others.
std::optional<std::vector<uint32_t>> numbersIn(std::string_view name, std::string_view prefix, size_t count) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  std::vector<uint32_t> numbers(count);
  const char *at = name.data(), *const all = name.data() + name.size();
  for (uint32_t &number : numbers) {
    if (&number != numbers.data() && (at == all || *at++ != '_')) return std::nullopt;
    auto [end, error] = std::from_chars(at, all, number, 16);
    if (error != std::errc()) return std::nullopt;
    at = end;
  }
  return at == all ? std::optional(numbers) : std::nullopt;
}

std::optional<Assembly> assemblyNamed(std::string_view name) {
  if (auto send = numbersIn(name, kSendName, 3)) { // the last one only tells functions apart
    RawSend of{(*send)[0], (*send)[1]};
    return Assembly{assemblyOf(of), constraintsOf(of), true};
  }
  if (auto step = numbersIn(name, kStepName, 2))
    return Assembly{assemblyOf(PayloadStep{(*step)[0], static_cast<int32_t>((*step)[1])}), kStepConstraints};
  return std::nullopt;
}

class Writer {
public:
  explicit Writer(Words words) : in_(std::move(words)) {}

  Words write() {
    look();
    if (all_.empty()) return in_;
    Words out(in_.begin(), in_.begin() + kHeaderWords);
    target_ = in_[kBoundWord];
    out[kBoundWord] = target_ + 1;
    eachInstruction(in_, [&](Opcode opcode, std::span<const uint32_t> words) { copy(opcode, words, out); });
    return out;
  }

private:
  struct Function {
    Assembly assembly;
    uint32_t resultType = 0, type = 0;
  };

  void look() {
    eachInstruction(in_, [&](Opcode opcode, std::span<const uint32_t> words) {
      if (opcode == OpDecorate && words[2] == DecorationLinkageAttributes)
        if (std::optional<Assembly> assembly = assemblyNamed(literal(words.subspan(3)))) all_[words[1]].assembly = *assembly;
      if (opcode != OpFunction || !all_.contains(words[2])) return;
      all_[words[2]].resultType = words[1];
      all_[words[2]].type = words[4];
    });
  }

  static void add(Words &out, Opcode opcode, Words operands) {
    out.push_back(firstWord(operands.size() + 1, opcode));
    out.insert(out.end(), operands.begin(), operands.end());
  }
  void copy(Opcode opcode, std::span<const uint32_t> words, Words &out) {
    if (opcode != OpCapability && !declared_) declare(out);
    if (opcode == OpFunction && !defined_) define(out);
    if (opcode == OpFunction) skips_ = all_.contains(words[2]);
    const bool skipped = skips_;
    if (opcode == OpFunctionEnd) skips_ = false;
    if (skipped || (opcode == OpName && all_.contains(words[1]))) return;
    if (opcode == OpDecorate && all_.contains(words[1])) {
      if (words[2] == DecorationLinkageAttributes && all_.at(words[1]).assembly.isMessage)
        add(out, OpDecorate, {words[1], DecorationSideEffectsINTEL});
      return;
    }
    const bool call = opcode == OpFunctionCall && all_.contains(words[3]);
    if (call) out.push_back(firstWord(words.size(), OpAsmCallINTEL));
    out.insert(out.end(), words.begin() + (call ? 1 : 0), words.end());
  }

  void declare(Words &out) {
    declared_ = true;
    add(out, OpCapability, {CapabilityAsmINTEL});
    Words name;
    addLiteral(name, kInlineAssemblyExtension);
    add(out, OpExtension, name);
  }

  void define(Words &out) {
    defined_ = true;
    Words target{target_};
    addLiteral(target, kAssemblyTarget);
    add(out, OpAsmTargetINTEL, target);
    for (const auto &[id, of] : all_) {
      Words operands{of.resultType, id, of.type, target_};
      addLiteral(operands, of.assembly.text);
      addLiteral(operands, of.assembly.constraints);
      add(out, OpAsmINTEL, operands);
    }
  }

  const Words in_;
  std::map<uint32_t, Function> all_; // by the ids of functions
  uint32_t target_ = 0;
  bool declared_ = false, defined_ = false, skips_ = false;
};

} // namespace

std::string functionOf(const RawSend &send, unsigned wordBits) {
  return str(kSendName, std::hex, send.descriptor, "_", send.stored, "_", wordBits);
}
std::string functionOf(const PayloadStep &step) {
  return str(kStepName, std::hex, step.lane, "_", static_cast<uint32_t>(step.amount));
}

std::string withInlineAssembly(const std::string &spirv) {
  Words words(spirv.size() / 4);
  std::memcpy(words.data(), spirv.data(), words.size() * 4);
  if (words.size() <= kHeaderWords) return spirv;
  Words out = Writer(std::move(words)).write();
  return {reinterpret_cast<const char *>(out.data()), out.size() * 4};
}

} // namespace xt
