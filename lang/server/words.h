// What the words of the language mean that are neither ops nor functions of tests: keywords, and functions of kernels that stand
// for several ops.
#pragma once
#include <string_view>

namespace xt::lsp {

struct Word {
  std::string_view name;
  std::string_view example;
  std::string_view summary;
};
// A function of kernel expressions, such as `cast`; null if the name is none, or is that of an op.
const Word *findFunctionWord(std::string_view name);
// A keyword, also one that is a plain name elsewhere, such as `grid`; null if the name is none.
const Word *findKeyword(std::string_view name);
// A key of a mapping attribute, such as `sg_data`; null if the name is none.
const Word *findMappingKey(std::string_view name);

} // namespace xt::lsp
