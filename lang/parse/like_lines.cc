#include "lang/parse/like_lines.h"

#include "XtLexer.h"

#include <string>
#include <unordered_map>

namespace xt {
namespace {

using L = xtg::XtLexer;

} // namespace

DistinctLines distinctLines(const std::vector<SyntaxToken> &tokens) {
  DistinctLines out;
  out.tokens.reserve(tokens.size());
  std::unordered_map<std::u16string, uint32_t> seen; // used for lookup only; iteration order would not be deterministic
  size_t depth = 0;
  bool test = false;
  for (size_t at = 0; at < tokens.size();) {
    if (depth == 0) test = tokens[at].type == L::KW_TEST || tokens[at].type == L::HOST_FUNC;
    // Find the end of the line, or the brace in it that opens or closes a block.
    size_t end = at;
    std::u16string types;
    auto goesOn = [&](size_t type) {
      return type != L::NL && type != L::LBLOCK && type != L::RBLOCK && type != antlr4::Token::EOF;
    };
    for (; goesOn(tokens[end].type); ++end) types += static_cast<char16_t>(tokens[end].type);
    size_t stop = tokens[end].type;
    if (stop == L::LBLOCK) ++depth;
    if (stop == L::RBLOCK) --depth;
    bool starts = at > 0 && (tokens[at - 1].type == L::NL || tokens[at - 1].type == L::LBLOCK);
    bool statement =
        tokens[at].type != L::KW_FORM && tokens[at].type != L::LABEL; // `form` belongs to the kernel, a label to its block
    if (depth > 0 && !test && starts && stop == L::NL && end > at && statement) {
      auto [model, distinct] = seen.emplace(std::move(types), tokens[at].begin);
      if (!distinct) {
        out.like.push_back({&tokens[at], end - at, model->second});
        at = end + 1;
        continue;
      }
    }
    auto from = tokens.begin();
    out.tokens.insert(out.tokens.end(), from + static_cast<ptrdiff_t>(at), from + static_cast<ptrdiff_t>(end) + 1);
    at = end + 1;
  }
  return out;
}

} // namespace xt
