// The words that begin statements about the ranks of a test, beside the communications of ir/ops/communications.def. They are plain
// names elsewhere. Does not include ANTLR.
#pragma once
#include <span>
#include <string_view>
#include <vector>

namespace xt {

struct RankWord {
  std::string_view name;
  std::string_view summary;
  std::string_view example;
};
// mesh, shard, start, wait.
std::span<const RankWord> rankWords();
// A word of rankWords(), or a communication as such a word; null if the name is neither.
const RankWord *findRankWord(std::string_view name);
// The names of the communications, after those of rankWords() where `all` is set.
std::vector<std::string_view> rankWordNames(bool all);

} // namespace xt
