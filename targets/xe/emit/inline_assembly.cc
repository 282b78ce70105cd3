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

constexpr std::string_view kFunctionName = "_xt_raw_send_"; // no kernel has such a name (entryName)

std::optional<RawSend> sendNamed(std::string_view name) {
  if (!name.starts_with(kFunctionName)) return std::nullopt;
  name.remove_prefix(kFunctionName.size());
  RawSend send{};
  auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), send.descriptor, 16);
  return error == std::errc() && end == name.data() + name.size() ? std::optional(send) : std::nullopt;
}

class Writer {
public:
  explicit Writer(Words words) : in_(std::move(words)) {}

  Words write() {
    look();
    if (sends_.empty()) return in_;
    Words out(in_.begin(), in_.begin() + kHeaderWords);
    target_ = in_[kBoundWord];
    out[kBoundWord] = target_ + 1;
    eachInstruction(in_, [&](Opcode opcode, std::span<const uint32_t> words) { copy(opcode, words, out); });
    return out;
  }

private:
  struct Send {
    RawSend send;
    uint32_t resultType = 0, type = 0; // of the function
  };

  void look() {
    eachInstruction(in_, [&](Opcode opcode, std::span<const uint32_t> words) {
      if (opcode == OpDecorate && words[2] == DecorationLinkageAttributes)
        if (std::optional<RawSend> send = sendNamed(literal(words.subspan(3)))) sends_[words[1]].send = *send;
      if (opcode != OpFunction || !sends_.contains(words[2])) return;
      sends_[words[2]].resultType = words[1];
      sends_[words[2]].type = words[4];
    });
  }

  static void add(Words &out, Opcode opcode, Words operands) {
    out.push_back(firstWord(operands.size() + 1, opcode));
    out.insert(out.end(), operands.begin(), operands.end());
  }
  void copy(Opcode opcode, std::span<const uint32_t> words, Words &out) {
    if (opcode != OpCapability && !declared_) declare(out);
    if (opcode == OpFunction && !defined_) define(out);
    if (opcode == OpFunction) skips_ = sends_.contains(words[2]);
    const bool skipped = skips_;
    if (opcode == OpFunctionEnd) skips_ = false;
    if (skipped || (opcode == OpName && sends_.contains(words[1]))) return;
    if (opcode == OpDecorate && sends_.contains(words[1])) {
      if (words[2] == DecorationLinkageAttributes) add(out, OpDecorate, {words[1], DecorationSideEffectsINTEL});
      return;
    }
    const bool call = opcode == OpFunctionCall && sends_.contains(words[3]);
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
    for (const auto &[id, of] : sends_) {
      Words operands{of.resultType, id, of.type, target_};
      addLiteral(operands, assemblyOf(of.send));
      addLiteral(operands, constraintsOf(of.send));
      add(out, OpAsmINTEL, operands);
    }
  }

  const Words in_;
  std::map<uint32_t, Send> sends_; // by the ids of functions
  uint32_t target_ = 0;
  bool declared_ = false, defined_ = false, skips_ = false;
};

} // namespace

std::string functionOf(const RawSend &send) { return str(kFunctionName, std::hex, send.descriptor); }

std::string withInlineAssembly(const std::string &spirv) {
  Words words(spirv.size() / 4);
  std::memcpy(words.data(), spirv.data(), words.size() * 4);
  if (words.size() <= kHeaderWords) return spirv;
  Words out = Writer(std::move(words)).write();
  return {reinterpret_cast<const char *>(out.data()), out.size() * 4};
}

} // namespace xt
