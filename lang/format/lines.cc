#include "lang/format/lines.h"

#include <algorithm>

namespace xt {
namespace {

using Role = TokenRole;

// The number of code points before the '=' of a binding such as `%a, %b:2 = …` or `#a = …`; 0 if it is not a binding.
uint32_t bindingOf(std::span<const Piece> pieces) {
  uint32_t column = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Piece &piece = pieces[i];
    if (piece.role == Role::Equals) return i ? column : 0;
    bool name = piece.role == Role::Value || piece.role == Role::Comma || piece.role == Role::Alias ||
                piece.role == Role::TypeAlias || (i && pieces[i - 1].role == Role::Splice) || piece.role == Role::Splice;
    if (!name) return 0;
    column += widthOf(piece.text) + (piece.space && i);
  }
  return 0;
}

// The index after the last piece of the line that begins with piece `first`.
size_t lineEnd(std::span<const Piece> pieces, size_t first, uint32_t column, uint32_t width) {
  size_t best = pieces.size();
  uint32_t cost = Piece::kNoBreak;
  for (size_t i = first; i < pieces.size(); ++i) {
    const Piece &piece = pieces[i];
    if (i > first) {
      if (piece.ownLine || pieces[i - 1].role == Role::Comment) return i;
      if (piece.role == Role::Comment) return i + 1; // a trailing comment stays on the line of the text that it follows
      // After a list that was broken across lines, a clause of the header starts a new line.
      if (piece.breakCost == Piece::kHeaderClause && first > 0 && pieces[first].breakCost != Piece::kHeaderClause) return i;
      if (piece.breakCost != Piece::kNoBreak && piece.breakCost <= cost) best = i, cost = piece.breakCost;
      column += piece.space;
    }
    column += widthOf(piece.text);
    if (column > width && cost != Piece::kNoBreak) return best; // if no break position fits, the first one is used
  }
  return pieces.size();
}

// Calls align(begin, end) for each maximal run of consecutive lines that satisfy `has`, have equal indents and are not
// separated by a blank line.
template <class Has> void forRuns(std::vector<FormatLine> &lines, Has has, auto &&align) {
  for (size_t i = 0; i < lines.size();) {
    size_t end = i;
    while (end < lines.size() && has(lines[end]) &&
           (end == i || (!lines[end].blankBefore && lines[end].indent == lines[i].indent)))
      ++end;
    if (end > i) align(i, end);
    i = std::max(end, i + 1);
  }
}

// Maximum padding of names: names whose lengths differ by more are not aligned with each other.
constexpr uint32_t kMostPadding = 5;
constexpr uint32_t kMostCommentPadding = 40, kBeforeComment = 2;

void alignBindings(std::vector<FormatLine> &lines, size_t begin, size_t end, uint32_t width) {
  while (begin < end) {
    uint32_t least = lines[begin].bind, most = least;
    auto fits = [&](size_t i) { return lines[i].indent + widthOf(lines[i].text) + most - lines[i].bind <= width; };
    size_t last = begin + 1;
    for (; last < end; ++last) {
      uint32_t oldMost = most;
      least = std::min(least, lines[last].bind);
      most = std::max(most, lines[last].bind);
      bool all = most - least <= kMostPadding;
      for (size_t i = begin; all && i <= last; ++i) all = fits(i);
      if (!all) {
        most = oldMost;
        break;
      }
    }
    for (size_t i = begin; i < last; ++i) {
      FormatLine &line = lines[i];
      // `bind` counts code points and is no byte offset, because names may contain non-ASCII characters.
      size_t at = line.text.find(" =");
      line.text.insert(at, most - line.bind, ' ');
    }
    begin = last;
  }
}

void alignComments(std::vector<FormatLine> &lines, size_t begin, size_t end, uint32_t width) {
  auto textEnd = [&](size_t i) { return lines[i].onlyComment() ? 0 : lines[i].indent + widthOf(lines[i].text); };
  while (begin < end) {
    uint32_t least = textEnd(begin), most = least;
    size_t last = begin + 1;
    for (; last < end; ++last) {
      if (lines[last].commentContinues) continue;
      uint32_t newLeast = std::min(least, textEnd(last)), newMost = std::max(most, textEnd(last));
      bool fits = newMost - newLeast <= kMostCommentPadding;
      for (size_t i = begin; fits && i <= last; ++i) {
        uint32_t alone = textEnd(i) + kBeforeComment + widthOf(lines[i].comment);
        fits = newMost + kBeforeComment + widthOf(lines[i].comment) <= std::max(width, alone);
      }
      if (!fits) break;
      least = newLeast, most = newMost;
    }
    for (size_t i = begin; i < last; ++i) {
      FormatLine &line = lines[i];
      line.text.append(most + kBeforeComment - (line.onlyComment() ? line.indent : textEnd(i)), ' ');
      line.text += line.comment;
      line.comment.clear();
    }
    begin = last;
  }
}

} // namespace

uint32_t widthOf(std::string_view text) {
  return static_cast<uint32_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::vector<FormatLine> breakLines(std::span<const Piece> pieces, uint32_t indent, uint32_t width) {
  std::vector<FormatLine> lines;
  for (size_t first = 0; first < pieces.size();) {
    FormatLine line;
    line.continues = first != 0;
    bool atBlock = pieces.front().role == Role::CloseBlock; // `else` after a comment gets the indent of its `}`
    line.indent = indent + (line.continues && !atBlock ? kContinuationIndent : 0);
    size_t end = lineEnd(pieces, first, line.indent, width);
    for (size_t i = first; i < end; ++i) {
      const Piece &piece = pieces[i];
      if (piece.role == Role::Comment)
        line.comment = piece.text;
      else
        line.text.append(i > first && piece.space, ' ').append(piece.text);
    }
    line.opensBlock = pieces[end - 1].role == Role::OpenBlock;
    line.closesBlock = pieces[first].role == Role::CloseBlock;
    if (first == 0 && end == pieces.size() && !line.opensBlock) line.bind = bindingOf(pieces);
    first = end;
    lines.push_back(std::move(line));
  }
  return lines;
}

void alignLines(std::vector<FormatLine> &lines, uint32_t width) {
  forRuns(
      lines, [](const FormatLine &line) { return line.bind != 0; },
      [&](size_t begin, size_t end) { alignBindings(lines, begin, end, width); });
  forRuns(
      lines,
      [](const FormatLine &line) {
        return !line.comment.empty() && !line.verbatim && (!line.onlyComment() || line.commentContinues);
      },
      [&](size_t begin, size_t end) { alignComments(lines, begin, end, width); });
}

std::string joinLines(const std::vector<FormatLine> &lines) {
  std::string out;
  for (size_t i = 0; i < lines.size(); ++i) {
    const FormatLine &line = lines[i];
    bool inner = i == 0 || lines[i - 1].opensBlock || line.closesBlock || line.continues;
    if (line.blankBefore && !inner) out += '\n';
    if (!line.verbatim) out.append(line.indent, ' ');
    out.append(line.text).append(line.comment) += '\n';
  }
  return out;
}

} // namespace xt
