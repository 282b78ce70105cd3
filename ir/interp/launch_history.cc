#include "ir/interp/launch_history.h"

#include "ir/base/text.h"
#include "ir/interp/worker.h"

#include <algorithm>
#include <cctype>

namespace xt {

namespace {

// The words of a text that may name an op: those without a sigil.
std::vector<std::string_view> wordsOf(std::string_view text) {
  auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
  std::vector<std::string_view> words;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && isPart(text[end])) ++end;
    bool hasSigil = at > 0 && std::string_view("%#$@!").find(text[at - 1]) != std::string_view::npos;
    if (end > at && !hasSigil) words.push_back(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return words;
}

// Ops of the memref dialect are named with it, because plain `load` and `store` would be ambiguous.
std::string ownName(const Op &op) {
  return str("`", op.info().dialect == Dialect::Memref ? fullName(op.kind()) : op.info().name, "`");
}

} // namespace

LaunchHistory::LaunchHistory(const Kernel &kernel, const SourceManager *sources) : kernel_(kernel), sources_(sources) {
  walk(kernel.body, [&](const Op &op) {
    ops_.push_back(&op);
    opNumber_[&op] = static_cast<uint32_t>(ops_.size());
  });
}

std::optional<std::string> LaunchHistory::nameOf(const Op &op) const {
  if (!sources_ || op.range().file == 0) return ownName(op);
  std::optional<std::string> other; // that stands for the op, as composites do
  for (std::string_view word : wordsOf(sources_->file(op.range().file).slice(op.range()))) {
    const OpInfo *info = findOp(word);
    if (info == &op.info()) return ownName(op);
    if (info && !other) other = str("`", word, "`");
  }
  return other;
}

std::string LaunchHistory::workgroupText(const Touch &touch) const {
  const std::vector<int64_t> &id = workgroups_[touch.workgroup];
  return id.empty() ? "" : xt::workgroupText(kernel_, id);
}

std::string LaunchHistory::who(const Touch &touch) const {
  std::string workgroup = workgroupText(touch);
  return str(workerText(kernel_, touch.subgroup), workgroup.empty() ? "" : " of ", workgroup);
}

} // namespace xt
