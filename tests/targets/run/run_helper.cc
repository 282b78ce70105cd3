#include "run_helper.h"

#include "targets/run/init.h"

namespace xt {

void Expression::addBuffer(const HostStmt &stmt, size_t position) {
  if (stmt.kind != HostStmt::Kind::Buffer) return;
  TestBuffer &buffer = state->addBuffer(stmt, position);
  for (const HostExpr &extent : stmt.type.extents) {
    auto size = state->integer(extent, position);
    ASSERT_TRUE(size.ok()) << messages();
    buffer.sizes.push_back(*size);
  }
  if (buffer.isOut) return;
  InitContext context{state->siteAt(stmt.value.range), *state, [](const std::string &p) { return p; }, position + 1};
  auto content = initialContent(stmt.value, buffer.sizes, stmt.type.elem, context);
  if (content) buffer.initial = std::move(*content);
}

} // namespace xt
