#include "lang/reduce/reduce.h"

#include "lang/format/format.h"
#include "lang/parse/parse.h"
#include "lang/parse/source_tokens.h"
#include "lang/reduce/replacements.h"

#include <algorithm>
#include <unordered_set>

namespace xt {
namespace {

// Limits for removing single words and bytes, because this tries far more texts than removing parts of the syntax.
constexpr size_t kMostWords = 400, kMostBytes = 2048, kWidestWindow = 10;

class Reducer {
public:
  Reducer(std::string text, const ReduceHooks &hooks) : best_(std::move(text)), hooks_(hooks) {}

  std::string run() {
    for (std::string before; before != best_ && !stopped();) {
      before = best_;
      round();
      if (before == best_) finish();
    }
    tidy();
    return std::move(best_);
  }

private:
  using Changes = std::vector<Change> (*)(std::string_view text, std::span<const SourcePart> parts);

  // Removes or simplifies parts of the text, from the coarsest to the finest.
  void round() {
    cut("lines", [this] { return linesOf(best_); });
    cut("items", [this] { return cutsOf({PartKind::Item}); });
    cut("statements", [this] { return cutsOf({PartKind::Statement}); });
    change("blocks and expressions", replacementsByInside);
    change("constants", replacementsByConstants);
    change("literals", replacementsByLiterals);
    cut("attributes", [this] { return cutsOf({PartKind::Attributes, PartKind::Attribute, PartKind::Mapping}); });
    cut("operands", [this] { return cutsOf({PartKind::Operand}); });
    cut("types", [this] { return cutsOf({PartKind::Signature, PartKind::Type, PartKind::Extent}); });
    change("element types", simplerElements);
    change("numbers", smallerNumbers);
  }

  void finish() {
    cut("comments and blanks", [this] { return comments(); });
    for (size_t width = kWidestWindow; width > 0; --width) windows(width);
    if (parts().empty() && best_.size() <= kMostBytes) cut("bytes", [this] { return bytes(); });
  }

  // Tries the canonical format, which need not be smaller but is easier to read.
  void tidy() {
    pass_ = "format";
    SourceManager sources;
    Diagnostics diagnostics;
    if (findInvalidUtf8(best_)) return;
    Result<std::string> formatted = formatSource(sources, sources.add("reduced.xt", best_), diagnostics);
    if (formatted) attempt(std::move(*formatted));
  }

  bool stopped() const { return hooks_.isStopped && hooks_.isStopped(); }

  // Tries a text that was not tried before, and makes it the best one if it is interesting. Returns whether it is the best one
  // now.
  bool attempt(std::string text) {
    if (stopped() || text == best_ || !seen_.insert(std::hash<std::string>()(text)).second) return false;
    ++tried_;
    bool interesting = hooks_.isInteresting(text);
    if (interesting) best_ = std::move(text);
    if (hooks_.progress) hooks_.progress({pass_, best_.size(), tried_});
    return interesting;
  }

  // Delta debugging: removes ranges in chunks whose size is halved step by step. Starts with the last ranges, since later
  // statements use the results of earlier ones.
  template <class Collect> void cut(std::string_view pass, Collect &&collect) {
    pass_ = pass;
    std::vector<TextRange> ranges = collect();
    for (size_t chunk = std::max<size_t>(ranges.size() / 2, 1); !ranges.empty(); chunk = std::max<size_t>(chunk / 2, 1)) {
      bool some = false;
      for (size_t end = ranges.size(); end > 0 && !stopped();) {
        size_t begin = end > chunk ? end - chunk : 0;
        if (attempt(withoutRanges(best_, {ranges.begin() + static_cast<std::ptrdiff_t>(begin),
                                          ranges.begin() + static_cast<std::ptrdiff_t>(end)}))) {
          ranges = collect();
          some = true;
        }
        end = std::min(begin, ranges.size());
      }
      if (stopped() || (chunk == 1 && !some)) return;
    }
  }

  // Tries one change after the other, the last ones first. After a success, collects the changes of the new text.
  void change(std::string_view pass, Changes collect) {
    pass_ = pass;
    for (bool some = true; some && !stopped();) {
      some = false;
      std::vector<Change> changes = collect(best_, parts());
      for (size_t i = changes.size(); i-- > 0 && !stopped();) {
        std::string text = withReplacements(best_, changes[i]);
        if (!attempt(std::move(text))) continue;
        some = true;
        changes = collect(best_, parts());
        i = std::min(i, changes.size());
      }
    }
  }

  void windows(size_t width) {
    pass_ = "words";
    std::vector<TextRange> all = words();
    if (all.size() > kMostWords) return;
    for (size_t at = all.size(); at-- > 0 && !stopped();) {
      if (at + width > all.size()) continue;
      if (attempt(withoutRanges(best_, {{all[at].begin, all[at + width - 1].end}}))) all = words();
    }
  }

  std::vector<SourcePart> parts() const {
    SourceManager sources;
    Diagnostics diagnostics;
    return sourceParts(parse(sources, sources.add("reduced.xt", best_), diagnostics));
  }

  std::vector<TextRange> cutsOf(std::initializer_list<PartKind> kinds) const {
    std::vector<TextRange> cuts;
    for (const SourcePart &part : parts())
      if (std::find(kinds.begin(), kinds.end(), part.kind) != kinds.end()) cuts.push_back(cutOf(best_, part));
    return cuts;
  }

  std::vector<SourceToken> tokens() const {
    if (findInvalidUtf8(best_)) return {};
    SourceManager sources;
    Diagnostics diagnostics;
    return sourceTokens(sources, sources.add("reduced.xt", best_), diagnostics);
  }

  std::vector<TextRange> words() const {
    std::vector<TextRange> ranges;
    for (const SourceToken &token : tokens())
      if (token.role != TokenRole::Comment) ranges.push_back({token.begin, token.end});
    return ranges;
  }

  std::vector<TextRange> comments() const {
    std::vector<TextRange> ranges;
    for (const SourceToken &token : tokens())
      if (token.role == TokenRole::Comment) ranges.push_back({token.begin, token.end});
    for (TextRange line : linesOf(best_))
      if (best_.find_first_not_of(" \t\r\n", line.begin) >= line.end) ranges.push_back(line);
    return ranges;
  }

  std::vector<TextRange> bytes() const {
    std::vector<TextRange> ranges;
    for (size_t i = 0; i < best_.size(); ++i) ranges.push_back({i, i + 1});
    return ranges;
  }

  std::string best_;
  const ReduceHooks &hooks_;
  std::unordered_set<size_t> seen_; // hashes of the texts tried
  std::string_view pass_;
  size_t tried_ = 0;
};

} // namespace

std::string reduceText(std::string text, const ReduceHooks &hooks) { return Reducer(std::move(text), hooks).run(); }

} // namespace xt
