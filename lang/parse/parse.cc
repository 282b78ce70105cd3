#include "lang/parse/parse.h"

#include "ir/base/text.h"
#include "lang/parse/ast_builder.h"
#include "lang/parse/error_strategy.h"
#include "lang/parse/shape_tokens.h"
#include "lang/parse/token_stream.h"

namespace xt {

ast::File parse(const SourceManager &sources, uint32_t index, Diagnostics &diagnostics) {
  return parse(sources, index, diagnostics, static_cast<uint32_t>(sources.file(index).text().size()));
}

ast::File parse(const SourceManager &sources, uint32_t index, Diagnostics &diagnostics, uint32_t limit) {
  const SourceFile &source = sources.file(index);
  ast::File out;
  out.file = index;
  if (auto bad = findInvalidUtf8(source.text())) {
    auto begin = static_cast<uint32_t>(*bad);
    diagnostics.report(DiagCode::NotUtf8, {index, begin, begin + 1}, "this byte is not UTF-8")
        .note("xt text is UTF-8; convert the file with your editor or with iconv");
    return out;
  }
  ShapedTokens shaped = shapeTokens(lex(source), source, index, limit, diagnostics);
  SyntaxTokenSource tokenSource(shaped.tokens);
  RepairTokenStream stream(&tokenSource);
  stream.fill();
  xtg::XtParser parser(&stream);
  parser.removeErrorListeners();
  // The grammar is SLL: a second look with full context could only cost time.
  parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(antlr4::atn::PredictionMode::SLL);
  parser.setErrorHandler(std::make_shared<ErrorStrategy>(source, index, shaped, diagnostics));
  return AstBuilder(source, index, diagnostics).file(parser.file());
}

} // namespace xt
