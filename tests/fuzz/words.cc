#include "tests/fuzz/words.h"

#include "ir/elem.h"
#include "ir/elem_kinds.h"
#include "ir/host.h"
#include "ir/module.h"
#include "ir/op_info.h"
#include "lang/parse/rank_words.h"

#include <algorithm>
#include <sstream>

namespace xt::fuzz {
namespace {

void addEach(std::vector<std::string> &out, std::string_view words) {
  std::istringstream in{std::string(words)};
  for (std::string word; in >> word;) {
    while (!word.empty() && word.back() == ',') word.pop_back();
    if (!word.empty()) out.push_back(word);
  }
}

std::vector<std::string> sorted(std::vector<std::string> words) {
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::erase(words, "");
  return words;
}

} // namespace

std::vector<std::string> grammarWords(std::string_view grammar) {
  std::vector<std::string> out;
  std::istringstream lines{std::string(grammar)};
  for (std::string line; std::getline(lines, line);) {
    // Uses token rules only, whose names begin with a capital letter: the rules of fragments describe single characters.
    if (line.empty() || !(line[0] >= 'A' && line[0] <= 'Z')) continue;
    line.resize(std::min(line.find("//"), line.size()));
    for (size_t begin = 0; (begin = line.find('\'', begin)) != std::string::npos;) {
      size_t end = line.find('\'', begin + 1);
      if (end == std::string::npos) break;
      std::string word = line.substr(begin + 1, end - begin - 1);
      if (word.find('\\') == std::string::npos) out.push_back(word);
      begin = end + 1;
    }
  }
  return sorted(std::move(out));
}

std::vector<const OpInfo *> writtenOps() {
  std::vector<const OpInfo *> ops;
  for (std::span<const OpInfo> table : {allOps(), allComposites()})
    for (const OpInfo &op : table) ops.push_back(&op);
  return ops;
}

std::vector<std::string> tableWords() {
  std::vector<std::string> out;
  for (const OpInfo *op : writtenOps()) {
    out.emplace_back(op->name);
    out.emplace_back(fullName(*op));
    for (std::string_view spelling : op->spellings) out.emplace_back(spelling);
    for (const AttrSpec &attr : op->attrs) {
      out.emplace_back(attr.name), out.emplace_back(attr.spelling);
      if (attr.kind == AttrKind::Kind || attr.kind == AttrKind::Word) addEach(out, attr.doc);
    }
  }
  for (int e = 0; e < kElemCount; ++e) out.emplace_back(elemName(static_cast<Elem>(e)));
  for (size_t form = 0; form < kFormCount; ++form) out.emplace_back(formText(static_cast<Form>(form)));
  for (const HostFnInfo &fn : allHostFns()) {
    out.emplace_back(fn.name), out.emplace_back(fn.op);
    addEach(out, fn.named);
  }
  for (const RankWord &word : rankWords()) out.emplace_back(word.name);
  for (const CommunicationInfo &info : allCommunications()) out.emplace_back(info.name), addEach(out, info.named);
  for (std::string_view kind : combineKinds()) out.emplace_back(kind);
  for (const char *word :
       {"#wg_map<sg_layout = [2, 2], sg_data = [8, 16]>", "#sg_map<wi_layout = [1, 16], wi_data = [1, 1]>",
        "#layout<[8:sg*4, 32], [2, 16:lane*1]>", "sg_layout", "sg_data", "wi_layout", "wi_data", "#scatter", "order = [0, 1]",
        "strided<[?, 1]>", "swizzle<3, 4, 3>", "token", "slm", "2147483648", "9223372036854775807"})
    out.emplace_back(word);
  return sorted(std::move(out));
}

std::string dictionaryText(const std::vector<std::string> &words) {
  std::string out;
  for (const std::string &word : words) {
    out += '"';
    for (char c : word) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += "\"\n";
  }
  return out;
}

} // namespace xt::fuzz
