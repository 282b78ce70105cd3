#include "lang/parse/rank_words.h"

#include "ir/host.h"

#include <algorithm>

namespace xt {
namespace {

constexpr RankWord kWords[] = {
    {"mesh", "arranges the ranks in a grid of these extents, rows first; 0: the ranks that are left", "mesh (2, 0)"},
    {"shard", "gives each rank a part of a buffer: for each axis of the mesh the dimension that it divides, or `none`",
     "shard %A (0, none)"},
    {"start", "begins a communication, which goes on while launches run; `wait` ends it", "start all_reduce %C"},
    {"wait", "waits for the end of a started communication, whose result the buffer then holds", "wait %C"},
};

// All words, in the order of rankWordNames(true).
std::vector<RankWord> allWords() {
  std::vector<RankWord> words(std::begin(kWords), std::end(kWords));
  for (const CommunicationInfo &info : allCommunications()) words.push_back({info.name, info.summary, info.example});
  return words;
}

} // namespace

std::span<const RankWord> rankWords() { return kWords; }

const RankWord *findRankWord(std::string_view name) {
  static const std::vector<RankWord> words = allWords();
  auto found = std::ranges::find(words, name, &RankWord::name);
  return found == words.end() ? nullptr : &*found;
}

std::vector<std::string_view> rankWordNames(bool all) {
  std::vector<std::string_view> names;
  if (all)
    for (const RankWord &word : kWords) names.push_back(word.name);
  for (const CommunicationInfo &info : allCommunications()) names.push_back(info.name);
  return names;
}

} // namespace xt
