// Parses a changed kernel incrementally. Each statement can be parsed separately, because shaping balances its brackets and
// ends it in an NL even if it has errors (shape_tokens.h). So the lines between a kernel's braces whose text and tokens are
// unchanged keep their statements, moved to the new position. The changed lines are parsed as a separate kernel: the header,
// one unchanged line before and after the change, and the end. If the result for these two unchanged lines differs from the
// old one, the whole text is parsed.
#include "lang/parse/reparse.h"

#include "ir/base/text.h"
#include "lang/ast_ranges.h"
#include "lang/parse/ast_builder.h"
#include "lang/parse/edge_cache.h"
#include "lang/parse/error_strategy.h"
#include "lang/parse/shape_tokens.h"

#include "XtLexer.h"

#include <algorithm>

namespace xt {
namespace {

using L = xtg::XtLexer;

// Parses all tokens of `shaped`, or those of `distinct` if it is not null. Returns nullopt if the parser reports an error in
// the tokens of `distinct`.
std::optional<ast::File> parseTokens(const SourceFile &source, uint32_t index, const ShapedTokens &shaped,
                                     const DistinctLines *distinct, Diagnostics &diagnostics) {
  RepairTokenStream stream(distinct ? distinct->tokens : shaped.tokens);
  xtg::XtParser parser(&stream);
  parser.removeErrorListeners();
  keepEdges(parser);
  // The grammar is SLL, so prediction with full context would only take time.
  parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(antlr4::atn::PredictionMode::SLL);
  Diagnostics unused;
  parser.setErrorHandler(std::make_shared<ErrorStrategy>(source, index, shaped, distinct ? unused : diagnostics));
  xtg::XtParser::FileContext *tree = parser.file();
  if (!unused.all().empty()) return std::nullopt;
  static const std::vector<LikeLine> kNone;
  TreeText text(source, index, diagnostics);
  SyntaxLosses losses(text, tree);
  return AstBuilder(text, losses, stream, distinct ? distinct->like : kNone).file(tree);
}

ast::File parseTokens(const SourceFile &source, uint32_t index, const ShapedTokens &shaped, Diagnostics &diagnostics) {
  if (shaped.reported.empty()) {
    DistinctLines distinct = distinctLines(shaped.tokens);
    if (!distinct.like.empty())
      if (std::optional<ast::File> file = parseTokens(source, index, shaped, &distinct, diagnostics)) return std::move(*file);
  }
  return std::move(*parseTokens(source, index, shaped, nullptr, diagnostics));
}

// The tokens of a kernel: its opening brace, the starts of the lines in its body, and its closing brace. A line starts with
// the first statement on a line of the text.
struct Lines {
  const std::vector<SyntaxToken> &tokens;
  std::string_view text;
  const std::vector<uint32_t> &reported;
  size_t open = 0, end = 0;
  std::vector<size_t> starts;

  size_t count() const { return starts.size(); }
  size_t first(size_t line) const { return line < count() ? starts[line] : end; }
  uint32_t begin(size_t line) const { return tokens[first(line)].begin; }
};

bool findLines(Lines &lines) {
  const std::vector<SyntaxToken> &tokens = lines.tokens;
  while (lines.open < tokens.size() && tokens[lines.open].type != L::LBLOCK) ++lines.open;
  size_t depth = 0;
  for (size_t i = lines.open; i < tokens.size(); ++i) {
    if (tokens[i].type == L::KW_FORM) return false; // a `form` statement belongs to the kernel
    bool first = i > lines.open && depth == 1 && (i == lines.open + 1 || tokens[i - 1].type == L::NL);
    if (tokens[i].type == L::RBLOCK && --depth == 0) {
      lines.end = i;
      // If the brace is on the last line, an error in this line may be reported at the brace.
      return lines.starts.empty() || tokens[i].line != tokens[i - 1].line;
    }
    depth += tokens[i].type == L::LBLOCK;
    if (first && (lines.starts.empty() || tokens[i].line != tokens[i - 1].line)) lines.starts.push_back(i);
  }
  return false;
}

// Whether line `a` of one text has the same tokens and the same reported errors as line `b` of the other, which begins `shift`
// bytes later.
bool sameLine(const Lines &one, size_t a, const Lines &other, size_t b, uint32_t shift) {
  size_t n = one.first(a + 1) - one.first(a);
  if (n != other.first(b + 1) - other.first(b)) return false;
  for (size_t k = 0; k < n; ++k) {
    const SyntaxToken &x = one.tokens[one.first(a) + k], &y = other.tokens[other.first(b) + k];
    if (x.type != y.type || x.begin + shift != y.begin || x.end + shift != y.end || x.column != y.column) return false;
  }
  auto reports = [](const Lines &lines, size_t line) {
    auto from = std::lower_bound(lines.reported.begin(), lines.reported.end(), lines.begin(line));
    return std::pair(from, std::lower_bound(from, lines.reported.end(), lines.begin(line + 1)));
  };
  auto [x, xEnd] = reports(one, a);
  auto [y, yEnd] = reports(other, b);
  return std::equal(x, xEnd, y, yEnd, [&](uint32_t p, uint32_t q) { return p + shift == q; });
}

// Returns a function that moves ranges from one file to another, `shift` bytes further. Empty ranges at 0 stay there.
auto mover(uint32_t from, uint32_t to, uint32_t shift) {
  return [=](SourceRange &range) {
    if (range.file != from) return;
    range.file = to;
    if (range.begin == 0 && range.end == 0) return;
    range.begin += shift;
    range.end += shift;
  };
}

class Reparse {
public:
  Reparse(const SourceFile &source, uint32_t index, const ShapedTokens &shaped, const std::vector<uint32_t> &reported,
          const ParsedText &before)
      : source_(source), index_(index), shaped_(shaped), before_(before),
        old_{before.shaped, before.text, before.reported, 0, 0, {}}, now_{shaped.tokens, source.text(), reported, 0, 0, {}} {}

  // Returns false if the whole text must be parsed.
  bool run(ParsedText &out) {
    if (!findLines(old_) || !findLines(now_) || before_.tree.kernels.size() != 1) return false;
    findChange();
    if (2 * (to_ - from_) > now_.count()) return false;
    shift_ = now_.tokens[now_.end].begin - old_.tokens[old_.end].begin;
    ast::File tree = parseChange(out.diagnostics);
    if (tree.kernels.size() != 1 || !tree.tests.empty()) return false;
    if (!joinStatements(tree.kernels[0].body) || !joinMessages(out.diagnostics)) return false;
    out.tree = std::move(tree);
    out.kept = kept_;
    return true;
  }

private:
  using Stmts = std::vector<ast::Stmt>;

  // Finds the unchanged lines at the start and at the end.
  void findChange() {
    std::string_view a = old_.text, b = now_.text;
    size_t most = std::min(a.size(), b.size()), head = 0, tail = 0;
    while (head < most && a[head] == b[head]) ++head;
    while (tail < most && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
    size_t lines = std::min(old_.count(), now_.count());
    while (same_ < lines && now_.begin(same_ + 1) <= head && old_.begin(same_ + 1) <= head &&
           sameLine(old_, same_, now_, same_, 0))
      ++same_;
    auto shift = static_cast<uint32_t>(b.size() - a.size());
    while (moved_ < lines - same_) {
      size_t x = old_.count() - 1 - moved_, y = now_.count() - 1 - moved_;
      if (a.size() - old_.begin(x) > tail || b.size() - now_.begin(y) > tail || !sameLine(old_, x, now_, y, shift)) break;
      ++moved_;
    }
    if (old_.begin(old_.count()) + shift != now_.begin(now_.count())) moved_ = 0; // the ends differ
    from_ = same_ > 0 ? same_ - 1 : 0;
    to_ = now_.count() - moved_ + (moved_ > 0);
  }
  size_t changeEnd() const { return now_.count() - moved_; }
  size_t oldEnd() const { return old_.count() - moved_; }

  ast::File parseChange(Diagnostics &diagnostics) {
    ShapedTokens part;
    part.reported = shaped_.reported;
    part.items = shaped_.items;
    auto add = [&](size_t first, size_t last) {
      part.tokens.insert(part.tokens.end(), now_.tokens.begin() + static_cast<ptrdiff_t>(first),
                         now_.tokens.begin() + static_cast<ptrdiff_t>(last));
    };
    add(0, now_.open + 1);
    add(now_.first(from_), now_.first(to_));
    add(now_.end, now_.tokens.size());
    known_ = diagnostics.all().size();
    return parseTokens(source_, index_, part, diagnostics);
  }

  bool joinStatements(ast::Block &body) {
    const Stmts &old = before_.tree.kernels[0].body.stmts;
    Stmts part = std::move(body.stmts);
    auto begins = [](const ast::Stmt &a, const ast::Stmt &b) { return a.range.begin < b.range.begin; };
    if (!std::is_sorted(part.begin(), part.end(), begins) || !std::is_sorted(old.begin(), old.end(), begins)) return false;
    if (!part.empty() && part.front().range.begin < now_.begin(from_)) return false;
    if (!old.empty() && old.front().range.begin < old_.begin(0)) return false;
    auto from = [](auto &list, uint32_t place) {
      return std::lower_bound(list.begin(), list.end(), place,
                              [](const ast::Stmt &s, uint32_t at) { return s.range.begin < at; });
    };
    auto change = from(part, now_.begin(same_)), end = from(part, now_.begin(changeEnd()));
    auto oldChange = from(old, old_.begin(same_)), oldRest = from(old, old_.begin(oldEnd()));
    auto tail = from(part, now_.begin(now_.count()));
    auto oldTail = from(old, old_.begin(old_.count()));
    auto alike = [](auto a, auto aEnd, auto b, auto bEnd, uint32_t shift) {
      return std::equal(a, aEnd, b, bEnd, [&](const ast::Stmt &x, const ast::Stmt &y) {
        return x.kind == y.kind && x.range.begin + shift == y.range.begin && x.range.end + shift == y.range.end;
      });
    };
    if (!alike(from(old, old_.begin(from_)), oldChange, part.begin(), change, 0)) return false;
    if (!alike(oldRest, from(old, old_.begin(oldEnd() + (moved_ > 0))), end, tail, shift_)) return false;
    body.stmts.reserve(old.size() + part.size());
    copyTo(body.stmts, old.begin(), oldChange, 0);
    body.stmts.insert(body.stmts.end(), std::make_move_iterator(change), std::make_move_iterator(end));
    copyTo(body.stmts, oldRest, oldTail, shift_);
    body.stmts.insert(body.stmts.end(), std::make_move_iterator(tail), std::make_move_iterator(part.end()));
    return true;
  }
  void copyTo(Stmts &out, Stmts::const_iterator begin, Stmts::const_iterator end, uint32_t shift) {
    kept_ += static_cast<size_t>(end - begin);
    ast::RangeVisitor visitor(mover(before_.tree.file, index_, shift));
    for (; begin != end; ++begin) visitor.visit(out.emplace_back(*begin));
  }

  // The parser's messages that begin in [from, to).
  static std::vector<const Diagnostic *> between(const std::vector<Diagnostic> &all, size_t known, uint32_t from, uint32_t to) {
    std::vector<const Diagnostic *> found;
    for (size_t i = known; i < all.size(); ++i)
      if (all[i].range.begin >= from && all[i].range.begin < to) found.push_back(&all[i]);
    return found;
  }
  // Whether all ranges of a message are in [from, to).
  static bool staysIn(const Diagnostic &d, uint32_t from, uint32_t to) {
    auto in = [&](SourceRange r) { return r.begin >= from && r.begin < to; };
    auto fixIn = [&](const FixIt &fix) {
      return std::all_of(fix.edits.begin(), fix.edits.end(), [&](const TextEdit &e) { return in(e.range); });
    };
    return in(d.range) && std::all_of(d.labels.begin(), d.labels.end(), [&](const Label &l) { return in(l.range); }) &&
           std::all_of(d.fixits.begin(), d.fixits.end(), fixIn);
  }

  bool joinMessages(Diagnostics &diagnostics) {
    Diagnostics part = std::move(diagnostics);
    const std::vector<Diagnostic> &made = part.all(), &old = before_.diagnostics.all();
    size_t oldKnown = before_.shapingMistakes;
    auto sameCodes = [](const auto &a, const auto &b, uint32_t shift) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const Diagnostic *x, const Diagnostic *y) {
        return x->code == y->code && x->range.begin + shift == y->range.begin && x->range.end + shift == y->range.end;
      });
    };
    // Compare the messages of the two unchanged lines that were parsed again. There must be none between the opening brace and
    // the first of them, since in the full text other lines follow the brace.
    if (!sameCodes(between(old, oldKnown, old_.begin(from_), old_.begin(same_)),
                   between(made, known_, now_.begin(from_), now_.begin(same_)), 0) ||
        !sameCodes(between(old, oldKnown, old_.begin(oldEnd()), old_.begin(oldEnd() + (moved_ > 0))),
                   between(made, known_, now_.begin(changeEnd()), now_.begin(to_)), shift_) ||
        (from_ > 0 && !between(made, known_, now_.tokens[now_.open].begin, now_.begin(from_)).empty()))
      return false;
    diagnostics = Diagnostics();
    auto add = [&](const Diagnostic &d) -> Diagnostic & { return diagnostics.report(d.code, d.range, d.message) = d; };
    for (size_t i = 0; i < known_; ++i) add(made[i]);
    auto kept = [&](size_t first, size_t last, uint32_t shift) {
      for (const Diagnostic *d : between(old, oldKnown, old_.begin(first), old_.begin(last))) {
        if (!staysIn(*d, old_.begin(first), old_.begin(last))) return false;
        Diagnostic moved = *d;
        auto move = mover(before_.tree.file, index_, shift);
        move(moved.range);
        for (Label &label : moved.labels) move(label.range);
        for (FixIt &fix : moved.fixits)
          for (TextEdit &edit : fix.edits) move(edit.range);
        add(moved);
      }
      return true;
    };
    auto fresh = [&](uint32_t from, uint32_t to) {
      for (const Diagnostic *d : between(made, known_, from, to)) add(*d);
    };
    fresh(0, now_.begin(from_));
    if (!kept(0, same_, 0)) return false;
    fresh(now_.begin(same_), now_.begin(changeEnd()));
    if (!kept(oldEnd(), old_.count(), shift_)) return false;
    fresh(now_.begin(now_.count()), UINT32_MAX);
    return true;
  }

  const SourceFile &source_;
  uint32_t index_;
  const ShapedTokens &shaped_;
  const ParsedText &before_;
  Lines old_, now_;
  size_t same_ = 0, moved_ = 0; // number of unchanged lines at the start and at the end
  size_t from_ = 0, to_ = 0; // range of lines that are parsed
  uint32_t shift_ = 0;
  size_t kept_ = 0; // number of statements kept
  size_t known_ = 0; // number of messages before those of the parser
};

} // namespace

ParsedText parseText(const SourceManager &sources, uint32_t index, uint32_t limit, const ParsedText *before) {
  const SourceFile &source = sources.file(index);
  ParsedText out;
  out.tree.file = index;
  if (auto bad = findInvalidUtf8(source.text())) {
    auto begin = static_cast<uint32_t>(*bad);
    out.diagnostics.report(DiagCode::NotUtf8, {index, begin, begin + 1}, "this byte is not UTF-8")
        .note("xt text is UTF-8; convert the file with your editor or with iconv");
    return out;
  }
  out.lexed = lex(source);
  ShapedTokens shaped = shapeTokens(out.lexed, source, index, limit, out.diagnostics);
  size_t known = out.diagnostics.all().size();
  std::vector<uint32_t> reported = shaped.reported;
  std::sort(reported.begin(), reported.end());
  bool done = false;
  if (before && !before->shaped.empty()) {
    ParsedText part;
    part.diagnostics = out.diagnostics;
    done = Reparse(source, index, shaped, reported, *before).run(part);
    if (done) {
      out.tree = std::move(part.tree);
      out.diagnostics = std::move(part.diagnostics);
      out.kept = part.kept;
    }
  }
  if (!done) out.tree = parseTokens(source, index, shaped, out.diagnostics);
  out.shapingMistakes = known;
  out.text = source.text();
  out.reported = std::move(reported);
  out.shaped = std::move(shaped.tokens);
  return out;
}

} // namespace xt
