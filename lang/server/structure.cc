// Folding ranges, and the nested selection ranges around a position.
#include "lang/server/features.h"
#include "lang/server/tree.h"

#include <algorithm>

namespace xt::lsp {
namespace {

class Folds {
public:
  explicit Folds(const Query &query) : query_(query) {}

  void add(const ast::Block &block) {
    add(block.range);
    eachStmt(block, [&](const ast::Stmt &stmt) {
      if (stmt.body) add(stmt.body->range);
      if (stmt.orElse) add(stmt.orElse->range);
    });
  }
  // Adds the runs of two or more comment lines.
  void addComments() {
    const Text &text = query_.document.text();
    for (uint32_t line = 0; line < text.lineCount(); ++line) {
      uint32_t last = line;
      while (last < text.lineCount() && isComment(last)) ++last;
      if (last > line + 1) list_.push_back({{"startLine", line}, {"endLine", last - 1}, {"kind", "comment"}});
      line = std::max(line, last > line ? last - 1 : line);
    }
  }
  Json take() { return std::move(list_); }

private:
  void add(SourceRange range) {
    Span span = query_.span(range);
    const Text &text = query_.document.text();
    uint32_t first = text.lineOf(span.begin), last = text.lineOf(span.end);
    // Keep the closing brace visible.
    if (last > first && query_.document.slice(span).ends_with("}")) --last;
    if (last > first) list_.push_back({{"startLine", first}, {"endLine", last}});
  }
  bool isComment(uint32_t line) const {
    const Text &text = query_.document.text();
    std::string_view s = query_.document.slice({text.lineStart(line), text.lineEnd(line)});
    size_t at = s.find_first_not_of(" \t");
    return at != std::string_view::npos && s.substr(at).starts_with("//");
  }

  const Query &query_;
  Json list_ = Json::array();
};

} // namespace

Json foldingRanges(const Query &query) {
  Folds folds(query);
  for (size_t p = 0; p < query.document.pieceCount(); ++p) {
    const ast::File &tree = query.document.piece(p).parsed.tree;
    for (const ast::KernelDecl &kernel : tree.kernels) folds.add(kernel.body);
    for (const ast::TestDecl &test : tree.tests) folds.add(test.body);
  }
  folds.addComments();
  return folds.take();
}

Json selectionRange(const Query &query, uint32_t offset) {
  size_t index = query.document.pieceAt(offset);
  Piece &piece = query.document.piece(index);
  uint32_t start = query.document.pieceStart(index), at = offset - start;
  // Ordered from the outermost span to the innermost.
  std::vector<Span> spans = {{0, query.document.text().size()}};
  auto add = [&](SourceRange range) {
    Span span{start + range.begin, start + std::min(range.end, piece.size)};
    if (span.begin <= offset && offset <= span.end && span != spans.back() && span.begin >= spans.back().begin &&
        span.end <= spans.back().end)
      spans.push_back(span);
  };
  const ast::Block *body = nullptr;
  if (const ast::KernelDecl *kernel = kernelAt(piece, at))
    add(kernel->range), body = &kernel->body;
  else if (const ast::TestDecl *test = testAt(piece, at))
    add(test->range), body = &test->body;
  if (body && body->range.begin <= at && at <= body->range.end) {
    add(body->range);
    for (const ast::Stmt *stmt : stmtsAround(*body, at)) {
      add(stmt->range);
      if (stmt->op)
        for (const ast::Expr &operand : stmt->op->operands) add(operand.range);
      for (const ast::Maybe<ast::Block> *block : {&stmt->body, &stmt->orElse})
        if (*block) add((*block)->range);
    }
  }
  for (const RoleToken &token : piece.tokens)
    if (token.begin <= at && at <= token.end && !isPunctuation(token.role)) {
      add({piece.file, token.begin, token.end});
      break;
    }
  Json result;
  for (const Span &span : spans) {
    Json outer = std::move(result);
    result = {{"range", query.range(span)}};
    if (!outer.is_null()) result["parent"] = std::move(outer);
  }
  return result;
}

} // namespace xt::lsp
