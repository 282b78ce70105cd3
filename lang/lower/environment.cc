#include "lang/lower/environment.h"

#include <algorithm>

namespace xt {

void Environment::pop() {
  auto ended = std::move(scopes_.back());
  scopes_.pop_back();
  if (scopes_.empty()) return; // no look-ups follow
  for (auto &[name, bound] : ended)
    if (!find(name)) lost_[name] = bound.range;
}

void Environment::bind(const std::string &name, BoundName bound) {
  if (index_) {
    const BoundName *before = find(name);
    if (before && before->range != bound.range) index_->join(before->range, bound.range);
    index_->define(bound.range, bound.value);
  }
  scopes_.back()[name] = bound;
}

const BoundName *Environment::find(const std::string &name) const {
  for (size_t k = scopes_.size(); k-- > 0;)
    if (auto it = scopes_[k].find(name); it != scopes_[k].end()) return &it->second;
  return nullptr;
}

const SourceRange *Environment::lost(const std::string &name) const {
  auto it = lost_.find(name);
  return it == lost_.end() ? nullptr : &it->second;
}

std::vector<std::string_view> Environment::names() const {
  std::vector<std::string_view> list;
  for (const auto &scope : scopes_)
    for (const auto &[name, bound] : scope)
      if (name.find('#') == std::string::npos) list.push_back(name); // skip x#0, x#1 of %x:2, which cannot be written as names
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

} // namespace xt
