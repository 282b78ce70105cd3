#include "ir/base/text.h"
#include "ir/drawing/layout_drawing.h"
#include "ir/op_page.h"
#include "lang/server/features.h"

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

std::string page(const Query &query, const NameUse &use) {
  switch (use.kind) {
  case NameKind::Op: return str("**", fullName(*use.op), "**\n\n", opPage(*use.op));
  case NameKind::HostFn: return hostFnPage(*use.fn);
  case NameKind::Value: return valuePage(query.written(use.range), use.type, use.written);
  case NameKind::Alias:
  case NameKind::TypeAlias:
  case NameKind::Param:
  case NameKind::Kernel: return declarationPage(query, use);
  }
  return {};
}

// Finds a word of a statement about ranks, or an op by its name at a place that the checker did not reach.
Json hoverOfWord(const Query &query, uint32_t offset) {
  size_t index = query.document.pieceAt(offset);
  Piece &piece = query.document.piece(index);
  uint32_t at = offset - query.document.pieceStart(index);
  for (size_t i = 0; i < piece.tokens.size(); ++i) {
    const RoleToken &token = piece.tokens[i];
    if (token.begin > at || at > token.end || (token.role != TokenRole::Word && token.role != TokenRole::Element)) continue;
    const RankWord *word = rankWordAt(piece, i);
    const OpInfo *op = findOp(piece.text.substr(token.begin, token.end - token.begin));
    if (!op && !word) continue;
    uint32_t start = query.document.pieceStart(index);
    return {{"contents",
             {{"kind", "markdown"}, {"value", word ? rankWordPage(*word) : str("**", fullName(*op), "**\n\n", opPage(*op))}}},
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
