#include "lang/format/format.h"

#include "lang/format/lines.h"
#include "lang/parse/parse.h"

#include <algorithm>
#include <set>

namespace xt {
namespace {

using Role = TokenRole;

// Builds the lines of the formatted text. Items whose first token has an index in `kept` are copied unchanged.
class LineMaker {
public:
  LineMaker(const SourceFile &source, const std::vector<SourceToken> &tokens, const std::set<size_t> &kept, uint32_t width)
      : source_(source), tokens_(tokens), kept_(kept), width_(width), maker_(tokens, source.text()) {}
  std::vector<FormatLine> run();

private:
  void take(size_t i);
  void comment(size_t i);
  void endLines(); // turns the pieces collected so far into lines
  size_t keep(size_t begin);
  void setItemsApart();
  uint32_t columnOf(size_t i) const { return source_.lineColumn(tokens_[i].begin).column; }

  const SourceFile &source_;
  const std::vector<SourceToken> &tokens_;
  const std::set<size_t> &kept_;
  uint32_t width_, indent_ = 0;
  PieceMaker maker_;
  std::vector<Piece> pieces_;
  bool blank_ = false;     // a blank line precedes the pieces
  uint32_t commentAt_ = 0; // column of the trailing comment of the last line; 0: none
  std::vector<FormatLine> lines_;
};

void LineMaker::endLines() {
  if (pieces_.empty()) return;
  std::vector<FormatLine> lines = breakLines(pieces_, indent_, width_);
  lines.front().blankBefore = blank_;
  if (lines.back().opensBlock) lines.front().ownsBlock = true;
  lines_.insert(lines_.end(), std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end()));
  pieces_.clear();
  maker_.startStatement();
  commentAt_ = 0;
}

void LineMaker::comment(size_t i) {
  const SourceToken &token = tokens_[i];
  if (!pieces_.empty()) {
    pieces_.push_back(maker_.take(i));
    return;
  }
  std::string text = source_.text().substr(token.begin, token.end - token.begin);
  bool behind = token.newLines == 0 && i != 0 && !lines_.empty() && !lines_.back().verbatim;
  if (behind) {
    lines_.back().comment = std::move(text);
    commentAt_ = columnOf(i);
    return;
  }
  FormatLine line;
  line.indent = indent_;
  line.comment = std::move(text);
  line.blankBefore = token.newLines > 1;
  line.commentContinues = commentAt_ != 0 && token.newLines == 1 && columnOf(i) == commentAt_;
  if (line.commentContinues)
    line.indent = lines_.back().indent;
  else
    commentAt_ = 0;
  lines_.push_back(std::move(line));
}

void LineMaker::take(size_t i) {
  const SourceToken &token = tokens_[i];
  if (token.role == Role::Comment) return comment(i);
  if (token.role == Role::CloseBlock && (i == 0 || tokens_[i - 1].role != Role::OpenBlock)) {
    endLines();
    if (indent_ >= kIndent) indent_ -= kIndent;
  }
  if (pieces_.empty()) blank_ = token.newLines > 1;
  pieces_.push_back(maker_.take(i));
  bool empty = i + 1 < tokens_.size() && tokens_[i + 1].role == Role::CloseBlock;
  if (token.role == Role::OpenBlock && !empty) {
    endLines();
    indent_ += kIndent;
  } else if (token.endsStatement) {
    endLines();
  }
}

// Copies the lines of an item unchanged, without the comments that precede the next item. Returns the index of the token after
// the copied ones.
size_t LineMaker::keep(size_t begin) {
  endLines();
  indent_ = 0;
  size_t end = begin + 1;
  while (end < tokens_.size() && !tokens_[end].startsItem) ++end;
  // Comments on their own lines before the next item belong to the next item.
  size_t next = end;
  while (end < tokens_.size() && end > begin + 1 && tokens_[end - 1].role == Role::Comment && tokens_[end - 1].newLines != 0)
    --end;
  if (next == tokens_.size()) end = next;
  uint32_t at = tokens_[begin].begin, stop = tokens_[end - 1].end;
  bool blank = tokens_[begin].newLines > 1;
  while (at < stop) {
    uint32_t lineEnd =
        std::min<uint32_t>(stop, static_cast<uint32_t>(std::min(source_.text().find('\n', at), source_.text().size())));
    std::string text = source_.text().substr(at, lineEnd - at);
    text.erase(text.find_last_not_of(" \t\r") + 1);
    FormatLine &line = lines_.emplace_back();
    line.text = std::move(text);
    line.blankBefore = blank;
    line.verbatim = true;
    blank = false;
    at = lineEnd + 1;
  }
  return end;
}

// Separates each declaration with a block, together with the comments above it, from its neighbours by blank lines.
void LineMaker::setItemsApart() {
  bool afterBlock = false;
  for (size_t i = 0; i < lines_.size(); ++i) {
    FormatLine &line = lines_[i];
    if (line.verbatim || line.indent != 0 || line.continues) continue;
    if (afterBlock && !line.commentContinues) line.blankBefore = true;
    afterBlock = line.closesBlock && !line.opensBlock;
    if (!line.ownsBlock || line.closesBlock) continue;
    size_t first = i;
    while (first > 0 && !lines_[first].blankBefore && lines_[first - 1].onlyComment() && !lines_[first - 1].commentContinues)
      --first;
    lines_[first].blankBefore = true;
  }
}

std::vector<FormatLine> LineMaker::run() {
  for (size_t i = 0; i < tokens_.size();) {
    if (kept_.count(i))
      i = keep(i);
    else
      take(i++);
  }
  endLines();
  setItemsApart();
  return std::move(lines_);
}

// The index of the first token of the item that contains token i.
size_t itemOf(const std::vector<SourceToken> &tokens, size_t i) {
  while (i > 0 && !tokens[i].startsItem) --i;
  return i;
}

bool sameWord(const SourceToken &a, std::string_view aText, const SourceToken &b, std::string_view bText) {
  return a.role == b.role && a.endsStatement == b.endsStatement &&
         aText.substr(a.begin, a.end - a.begin) == bText.substr(b.begin, b.end - b.begin);
}

struct Formatted {
  std::string text;
  std::vector<SourceToken> before, after; // the words in the old and in the new text; they correspond one to one
};

// Formats the text and scans the result again. An item whose words differ in the result is added to `kept`, and the text is
// formatted again; returns the text unchanged if words differ in a kept item.
Formatted formatWords(const SourceManager &sources, uint32_t index, std::vector<SourceToken> tokens, std::set<size_t> kept,
                      uint32_t width) {
  const SourceFile &source = sources.file(index);
  size_t firstBreak = source.text().find('\n');
  bool crlf = firstBreak != std::string::npos && firstBreak > 0 && source.text()[firstBreak - 1] == '\r';
  for (;;) {
    std::vector<FormatLine> lines = LineMaker(source, tokens, kept, width).run();
    alignLines(lines, width);
    std::string text = joinLines(lines);
    SourceManager again;
    uint32_t file = again.add(source.name(), text);
    Diagnostics ignored;
    std::vector<SourceToken> words = sourceTokens(again, file, ignored);
    size_t i = 0;
    while (i < tokens.size() && i < words.size() && sameWord(tokens[i], source.text(), words[i], text)) ++i;
    bool same = i == tokens.size() && i == words.size();
    bool inserted = same || tokens.empty() || !kept.insert(itemOf(tokens, std::min(i, tokens.size() - 1))).second;
    if (!same && !inserted) continue;
    if (!same) return {source.text(), tokens, tokens};
    if (crlf) {
      std::string withReturns;
      for (char c : text) withReturns += c == '\n' ? "\r\n" : std::string(1, c);
      SourceManager returned;
      words = sourceTokens(returned, returned.add(source.name(), withReturns), ignored);
      text = std::move(withReturns);
    }
    return {std::move(text), std::move(tokens), std::move(words)};
  }
}

Result<Formatted> format(const SourceManager &sources, uint32_t index, Diagnostics &diagnostics, const FormatOptions &options) {
  Diagnostics found;
  parse(sources, index, found);
  if (found.hasErrors() && (!options.keepBroken || findInvalidUtf8(sources.file(index).text()))) {
    for (const Diagnostic &d : found.all()) diagnostics.report(d.code, d.range, d.message) = d;
    return Error::diagnosed();
  }
  Diagnostics ignored;
  std::vector<SourceToken> tokens = sourceTokens(sources, index, ignored);
  std::set<size_t> kept;
  for (const Diagnostic &d : found.all()) {
    if (d.severity != Severity::Error || tokens.empty()) continue;
    auto after = std::upper_bound(tokens.begin(), tokens.end(), d.range.begin,
                                  [](uint32_t at, const SourceToken &t) { return at < t.begin; });
    kept.insert(itemOf(tokens, after == tokens.begin() ? 0 : static_cast<size_t>(after - tokens.begin()) - 1));
  }
  return formatWords(sources, index, std::move(tokens), std::move(kept), options.width);
}

// Widens a range to the statements that it touches: from the end of the preceding statement to the end of the last one
// touched. Ignores blanks at the ends of the range, so that a selection of whole lines does not touch the next line.
SourceRange statementsAround(const std::vector<SourceToken> &tokens, SourceRange range, std::string_view text) {
  SourceRange out{range.file, 0, static_cast<uint32_t>(text.size())};
  range.end = std::min(range.end, out.end);
  auto blank = [&](uint32_t at) { return std::string_view(" \t\r\n").find(text[at]) != std::string_view::npos; };
  while (range.end > range.begin && blank(range.end - 1)) --range.end;
  while (range.begin < range.end && blank(range.begin)) ++range.begin;
  for (const SourceToken &t : tokens) {
    bool parts = t.endsStatement || t.role == Role::OpenBlock;
    if (parts && t.end < range.begin) out.begin = t.end;
    if (parts && t.end >= range.end && t.end < out.end) {
      out.end = t.end;
      break;
    }
  }
  return out;
}

} // namespace

Result<std::string> formatSource(const SourceManager &sources, uint32_t index, Diagnostics &diagnostics,
                                 const FormatOptions &options) {
  Result<Formatted> formatted = format(sources, index, diagnostics, options);
  if (!formatted) return formatted.error();
  return std::move(formatted->text);
}

Result<std::vector<TextEdit>> formatEdits(const SourceManager &sources, uint32_t index, Diagnostics &diagnostics,
                                          std::optional<SourceRange> range, const FormatOptions &options) {
  Result<Formatted> formatted = format(sources, index, diagnostics, options);
  if (!formatted) return formatted.error();
  const std::string &before = sources.file(index).text();
  auto size = static_cast<uint32_t>(before.size());
  SourceRange within = range ? statementsAround(formatted->before, *range, before) : SourceRange{index, 0, size};
  std::vector<TextEdit> edits;
  uint32_t at = 0, newAt = 0;
  for (size_t i = 0; i <= formatted->before.size(); ++i) {
    bool end = i == formatted->before.size();
    uint32_t next = end ? size : formatted->before[i].begin;
    uint32_t newNext = end ? static_cast<uint32_t>(formatted->text.size()) : formatted->after[i].begin;
    std::string gap = formatted->text.substr(newAt, newNext - newAt);
    if (at >= within.begin && next <= std::max(within.end, at) && at <= within.end && before.compare(at, next - at, gap) != 0)
      edits.push_back({{index, at, next}, std::move(gap)});
    if (!end) at = formatted->before[i].end, newAt = formatted->after[i].end;
  }
  return edits;
}

} // namespace xt
