#include "ir/written_name.h"

#include "ir/base/source.h"
#include "ir/op_info.h"

#include <cctype>

namespace xt {

std::string_view writtenName(const Op &op, const SourceManager &sources) {
  if (op.range().file == 0) return op.info().name;
  std::string_view text = sources.file(op.range().file).slice(op.range());
  size_t end = 0;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_' || text[end] == '.'))
    ++end;
  const OpInfo *row = findOp(text.substr(0, end));
  // An expression such as `exp(%a) + %b` begins with another op's name.
  bool call = end < text.size() && text[end] == '(' && row && row->composite == Composite::None;
  return row && !call ? row->name : op.info().name;
}

} // namespace xt
