#include "ir/interp/standings.h"

#include "ir/base/text.h"

#include <algorithm>

namespace xt {
namespace {
// Lists ids with ranges: "subgroups 0–3, 6", "lane 5". `minus` is subtracted from each id.
std::string listed(std::string_view what, std::span<const size_t> ids, size_t minus = 0) {
  std::string text;
  for (size_t i = 0, end; i < ids.size(); i = end) {
    for (end = i + 1; end < ids.size() && ids[end] == ids[end - 1] + 1;) ++end;
    text += str(text.empty() ? "" : ", ", ids[i] - minus);
    if (end - i > 1) text += str(end - i > 2 ? "–" : ", ", ids[end - 1] - minus);
  }
  return str(what, ids.size() == 1 ? " " : "s ", text);
}
} // namespace

std::string Standing::text(size_t lanes) const {
  bool one = subgroups.size() == 1;
  std::string who;
  for (size_t i = 0, end; lanes && i < subgroups.size(); i = end) {
    size_t subgroup = subgroups[i] / lanes;
    for (end = i + 1; end < subgroups.size() && subgroups[end] / lanes == subgroup;) ++end;
    who += str(who.empty() ? "" : ", ", listed("lane", std::span(subgroups).subspan(i, end - i), subgroup * lanes),
               " of subgroup ", subgroup);
  }
  if (!lanes) who = listed("subgroup", subgroups);
  if (!place) return who + (one ? " has finished" : " have finished");
  return str(who, one ? " waits at `" : " wait at `", place->op->info().name, "`");
}

std::vector<Standing> standingsOf(std::span<const Subgroup> subgroups) {
  std::vector<Standing> standings;
  for (const Subgroup &subgroup : subgroups) {
    auto known = std::find_if(standings.begin(), standings.end(),
                              [&](const Standing &standing) { return standing.place == subgroup.waitsAt(); });
    if (known == standings.end()) known = standings.insert(known, Standing{subgroup.waitsAt(), {}});
    known->subgroups.push_back(subgroup.worker().id());
  }
  return standings;
}

} // namespace xt
