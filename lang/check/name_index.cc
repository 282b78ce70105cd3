#include "lang/check/name_index.h"

#include <algorithm>
#include <tuple>

namespace xt {

void NameIndex::addValue(NameUse use, const Value *value) {
  if (!use.range.file || use.range.begin == use.range.end) return; // the name is not in the text
  if (value) values_.emplace_back(uses_.size(), value);
  uses_.push_back(use);
}

void NameIndex::keepWrittenTypes() {
  for (const auto &[use, value] : values_)
    if (Type type = value->type(); type && !type.isPlain()) uses_[use].written = type;
}

void NameIndex::replaceValues(const std::function<const Value *(const Value *)> &replaced) {
  for (auto &[use, value] : values_)
    if (const Value *now = replaced(value)) value = now;
}

void NameIndex::keepTypes(const std::function<bool(const Value *)> &vanishes) {
  std::erase_if(values_, [&](const auto &entry) {
    if (!vanishes(entry.second)) return false;
    uses_[entry.first].type = entry.second->type();
    return true;
  });
}

void NameIndex::settle() {
  for (const auto &[use, value] : values_) uses_[use].type = value->type();
  values_.clear();
  // Among equal uses those with a type come first, since std::unique keeps the first.
  auto key = [](const NameUse &use) {
    return std::tuple(use.range.file, use.range.begin, use.range.end, use.kind, !use.isDefinition, !use.type);
  };
  std::stable_sort(uses_.begin(), uses_.end(), [&](const NameUse &a, const NameUse &b) { return key(a) < key(b); });
  auto same = [](const NameUse &a, const NameUse &b) { return a.range == b.range && a.kind == b.kind; };
  uses_.erase(std::unique(uses_.begin(), uses_.end(), same), uses_.end());
  auto order = [](const auto &a, const auto &b) {
    return std::tuple(a.first.file, a.first.begin, a.second.begin) < std::tuple(b.first.file, b.first.begin, b.second.begin);
  };
  std::sort(joined_.begin(), joined_.end(), order);
  joined_.erase(std::unique(joined_.begin(), joined_.end()), joined_.end());
}

} // namespace xt
