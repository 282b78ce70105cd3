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
  return row ? row->name : op.info().name;
}

} // namespace xt
