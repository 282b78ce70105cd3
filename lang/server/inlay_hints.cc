#include "lang/server/features.h"
#include "lang/server/spell.h"
#include "lang/server/tree.h"

namespace xt::lsp {
namespace {

class Hints {
public:
  Hints(const Query &query, Span span) : query_(query), span_(span), speller_(query) {}

  void add(const ast::KernelDecl &kernel) {
    eachStmt(kernel.body, [&](const ast::Stmt &stmt) { add(stmt); });
  }
  Json take() { return std::move(list_); }

private:
  // Adds a hint with the type of each result that has no type in the text. If the written type has no layout, the hint is only
  // the layout.
  void add(const ast::Stmt &stmt) {
    const ast::TypeExpr *written = writtenType(stmt);
    bool saysLayout = written && (query_.written(written->range).find('#') != std::string_view::npos ||
                                  written->kind == ast::TypeExpr::Kind::Alias);
    if (saysLayout) return;
    for (const ast::Binding &binding : stmt.results) {
      Span name = query_.span(binding.name.range);
      if (name.end <= span_.begin || name.begin >= span_.end) continue;
      const NameUse *use = query_.definitionAt(binding.name.range);
      if (!use || !use->type || binding.count != 1) continue;
      const std::string &layout = speller_.layout(use->type);
      if (written && layout.empty()) continue;
      hint(name.end, written ? " " + layout : ": " + speller_.type(use->type));
    }
  }

  void hint(uint32_t at, const std::string &label) {
    constexpr int kType = 1;
    list_.push_back({{"position", query_.position(at)}, {"label", label}, {"kind", kType}, {"paddingLeft", false}});
  }

  const Query &query_;
  Span span_;
  TypeSpeller speller_;
  Json list_ = Json::array();
};

} // namespace

Json inlayHints(const Query &query, Span span) {
  Hints hints(query, span);
  for (size_t p = query.document.pieceAt(span.begin);
       p < query.document.pieceCount() && query.document.pieceStart(p) < span.end; ++p)
    for (const ast::KernelDecl &kernel : query.document.piece(p).parsed.tree.kernels) hints.add(kernel);
  return hints.take();
}

} // namespace xt::lsp
