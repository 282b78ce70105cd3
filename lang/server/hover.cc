#include "ir/base/text.h"
#include "ir/drawing/layout_drawing.h"
#include "ir/op_page.h"
#include "lang/lower/instance.h"
#include "lang/server/features.h"
#include "lang/server/words.h"

#include <algorithm>

namespace xt::lsp {
namespace {

constexpr int64_t kMostDrawnDimensions = 3;

std::string byteText(int64_t bytes) {
  if (bytes >= 1024 && bytes % 1024 == 0) return str(bytes / 1024, " KiB");
  return str(bytes, " bytes");
}

// Size of a value in total, per subgroup, and per lane if the layout has a lane axis.
std::string holding(Type type) {
  if (!type.hasStaticShape() || !(type.isVector() || type.isTile())) return {};
  const Layout *layout = type.layout();
  if (!layout) return str(byteText(type.byteCount()), "\n");
  std::string text = byteText(type.byteCount());
  for (Axis axis : {Axis::Subgroup, Axis::Lane}) {
    int64_t size = layout->axisSize(axis);
    if (size <= 1) continue;
    int64_t copies = 1;
    for (const Factor &factor : layout->replication())
      if (factor.axis == axis) copies *= factor.extent;
    int64_t owners = axis == Axis::Lane ? size * layout->axisSize(Axis::Subgroup) : size;
    text += str(", ", byteText(type.byteCount() * copies / owners), axis == Axis::Lane ? " per lane" : " per subgroup");
  }
  return text + "\n";
}

std::string valuePage(std::string_view name, Type type, Type written) {
  if (!type) return codeBlock(name);
  std::string out = codeBlock(str(name, " : ", typeText(written ? written : type, "", false)));
  if (written && !std::ranges::equal(written.shape(), type.shape())) out += str("each lane holds `", typeText(type), "`: ");
  const Layout *layout = type.layout();
  if (type.isVector() || type.isTile() || type.isTensorDesc()) out += holding(type);
  if (!layout) return out;
  out += str("\n`", layout->text(), "`\n");
  if (type.rank() <= kMostDrawnDimensions) out += str("\n```\n", layoutText(*layout, {}), "```\n");
  return out;
}

// The source text of a declaration, with the comment lines above it.
std::string declarationPage(const Query &query, const NameUse &use) {
  Place place = query.workspace.locate(use.target);
  if (!place.document) return {};
  const Text &text = place.document->text();
  uint32_t line = text.lineOf(place.span.begin);
  auto lineText = [&](uint32_t l) { return place.document->slice({text.lineStart(l), text.lineEnd(l)}); };
  std::string comments;
  for (uint32_t above = line; above > 0;) {
    std::string_view comment = lineText(--above);
    if (!comment.starts_with("//")) break;
    comment.remove_prefix(comment.starts_with("// ") ? 3 : 2);
    comments = str(comment, "\n", comments);
  }
  // A kernel's header may span several lines; its body is left out.
  std::string shown;
  constexpr uint32_t kMostLines = 8;
  for (uint32_t l = line; l < text.lineCount() && l < line + kMostLines; ++l) {
    std::string_view part = lineText(l);
    bool ends = use.kind != NameKind::Kernel || part.ends_with("{");
    if (use.kind == NameKind::Kernel && ends) part.remove_suffix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    shown += str(part, "\n");
    if (ends) break;
  }
  return codeBlock(shown) + (comments.empty() ? "" : "\n" + comments);
}

std::string wordPage(const Word &word) { return str("`", word.example, "`: ", word.summary); }
std::string wholeOpPage(const OpInfo &op) { return str("**", fullName(op), "**\n\n", opPage(op)); }

std::string page(const Query &query, const NameUse &use) {
  switch (use.kind) {
  case NameKind::Op: return wholeOpPage(*use.op);
  case NameKind::HostFn: return hostFnPage(*use.fn);
  case NameKind::Value: return valuePage(query.written(use.range), use.type, use.written);
  case NameKind::Alias:
  case NameKind::TypeAlias:
  case NameKind::Param:
  case NameKind::Kernel: return declarationPage(query, use);
  }
  return {};
}

// Describes a word at a place that the checker did not reach, or that is no name.
class WordHover {
public:
  WordHover(const Query &query, const Piece &piece, uint32_t start, size_t token)
      : query_(query), piece_(piece), start_(start), at_(token), token_(piece.tokens[token]), text_(spelled(token)),
        inTest_(testAt(piece, token_.begin) != nullptr) {}

  std::string page() const {
    switch (token_.role) {
    case TokenRole::Symbol:
    case TokenRole::Alias: return parameterPage();
    case TokenRole::Word:
    case TokenRole::SoftWord:
    case TokenRole::Constructor:
    case TokenRole::Keyword:
    case TokenRole::Op:
    case TokenRole::DimsOp:
    case TokenRole::Element: break;
    default: return {};
    }
    if (const RankWord *word = rankWordAt(piece_, at_)) return rankWordPage(*word);
    for (std::string text : {genericPage(), attributePage()})
      if (!text.empty()) return text;
    bool called = spelled(at_ + 1) == "(";
    const Word *word = called && !inTest_ ? findFunctionWord(text_) : nullptr;
    if (!word && token_.role != TokenRole::Word) word = findKeyword(text_);
    if (!word && spelled(at_ + 1) == "=") word = findMappingKey(text_);
    if (word) return wordPage(*word);
    if (std::optional<Elem> elem = elemFromName(text_)) return elemPage(*elem);
    if (inTest_) {
      bool initialises = spelled(at_ - 1) == "=";
      const HostFnInfo *fn = called || initialises ? findHostFn(text_, initialises) : nullptr;
      return fn ? hostFnPage(*fn) : "";
    }
    const OpInfo *op = findOp(text_);
    return op ? wholeOpPage(*op) : "";
  }

private:
  std::string_view spelled(size_t i) const {
    if (i >= piece_.tokens.size()) return {}; // also the token before the first one
    return piece_.text.substr(piece_.tokens[i].begin, piece_.tokens[i].end - piece_.tokens[i].begin);
  }
  bool within(SourceRange range) const { return range.begin <= token_.begin && token_.end <= range.end; }

  // A parameter that is a function or a layout.
  std::string parameterPage() const {
    const ast::KernelDecl *kernel = kernelAt(piece_, token_.begin);
    if (!kernel) return {};
    for (const ast::Param &param : kernel->params)
      if (!param.isValue() && text_.substr(1) == param.name.text && text_[0] == (param.isFunction ? '@' : '#'))
        return str(codeBlock(text_), "a ", param.isFunction ? "function" : "layout", ", which each call of `@",
                   kernel->name.text, "` gives\n");
    return {};
  }

  // A generic name, or its constraint.
  std::string genericPage() const {
    const ast::KernelDecl *kernel = kernelAt(piece_, token_.begin);
    if (!kernel) return {};
    for (const ast::Generic &generic : kernel->generics) {
      std::string_view what = constraintText(generic.constraint.text);
      if (generic.constraint && within(generic.constraint.range)) return what.empty() ? "" : str("`", text_, "`: ", what);
      if (generic.name.text != text_ || spelled(at_ + 1) == "(") continue;
      std::string declared = generic.constraint ? str(text_, ": ", generic.constraint.text) : std::string(text_);
      return str(codeBlock(declared), what.empty() ? "an element type or an extent" : what,
                 ", which the arguments of each call decide\n");
    }
    return {};
  }

  // The bracket around the token, or before the first token.
  size_t enclosing(size_t i) const {
    size_t depth = 0;
    while (i-- > 0) {
      std::string_view text = spelled(i);
      if (text == ")" || text == "]" || text == "}" || text == ">") ++depth;
      if (text == "(" || text == "[" || text == "{" || text == "<") {
        if (depth == 0) return i;
        --depth;
      }
    }
    return piece_.tokens.size();
  }

  // The rows that the op of the statement before token `i` can mean: the one that the checker chose, if it reached the op.
  std::vector<const OpInfo *> opsBefore(size_t i) const {
    while (i-- > 0) {
      const RoleToken &token = piece_.tokens[i];
      OpMatches matches = token.firstOnLine || spelled(i - 1) == "=" ? findOps(spelled(i)) : OpMatches();
      if (matches.count > 0) {
        const NameUse *use = query_.useAt(start_ + token.begin);
        if (use && use->kind == NameKind::Op) return {use->op};
        return {matches.items.begin(), matches.items.begin() + static_cast<ptrdiff_t>(matches.count)};
      }
      bool goesOn = isPunctuation(token.role); // such as `{` or `:` at the start of a line
      if (token.firstOnLine && !goesOn) break;
    }
    return {};
  }

  // The key, the value or the kind of an attribute of an op.
  std::string attributePage() const {
    size_t open = enclosing(at_);
    std::string_view key = spelled(at_ - 1) == "=" ? spelled(at_ - 2) : text_;
    if (spelled(open) == "[" && spelled(open - 1) == "=") { // a value in a list
      key = spelled(open - 2);
      open = enclosing(open);
    }
    bool kind = spelled(open) == "<";
    if (!kind && spelled(open) != "{") return {};
    if (kind && piece_.tokens[open - 1].role != TokenRole::Word) return {}; // a type, or a mapping such as #wg_map<…>
    for (const OpInfo *op : opsBefore(open))
      for (const AttrSpec &attr : op->attrs) {
        bool named = attr.name == key || (!attr.spelling.empty() && attr.spelling == key);
        if (kind ? attr.kind == AttrKind::Kind && op->clause == Clause::Kind : named)
          return str("**", fullName(*op), "**: ", attrItem(attr));
      }
    return {};
  }

  const Query &query_;
  const Piece &piece_;
  uint32_t start_;
  size_t at_;
  const RoleToken &token_;
  std::string_view text_;
  bool inTest_;
};

Json hoverOfWord(const Query &query, uint32_t offset) {
  size_t index = query.document.pieceAt(offset);
  const Piece &piece = query.document.piece(index);
  uint32_t start = query.document.pieceStart(index), at = offset - start;
  for (size_t i = 0; i < piece.tokens.size(); ++i) {
    const RoleToken &token = piece.tokens[i];
    if (token.begin > at || at > token.end) continue;
    std::string text = WordHover(query, piece, start, i).page();
    if (!text.empty())
      return {{"contents", {{"kind", "markdown"}, {"value", text}}},
              {"range", query.range({start + token.begin, start + token.end})}};
  }
  return nullptr;
}

} // namespace

Json hover(const Query &query, uint32_t offset) {
  const NameUse *use = query.useAt(offset);
  if (!use) return hoverOfWord(query, offset);
  std::string text = page(query, *use);
  if (text.empty()) return nullptr;
  return {{"contents", {{"kind", "markdown"}, {"value", text}}}, {"range", query.range(query.span(use->range))}};
}

} // namespace xt::lsp
