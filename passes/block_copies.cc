#include "passes/block_copies.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/context.h"
#include "ir/op_kinds.h"
#include "ir/views/tile.h"
#include "passes/expand_async_copies.h"

namespace xt {

void keepAsyncCopies(Kernel &kernel, Context &context, const TargetInfo &target, int64_t lanes, Diagnostics &diagnostics) {
  const TileRoots roots(kernel);
  bool expands = false;
  walk(kernel.body, [&](const Op &op) {
    if (op.kind() != OpKind::AsyncCopy) return;
    AsyncCopyWidth width = asyncCopyWidth(op, roots, target, lanes);
    if (width.bytes) return;
    expands = true;
    diagnostics.report(DiagCode::BlockRemark, op.range(),
                       str("the asynchronous copies of this kernel are loads and stores: ", width.reason));
  });
  if (expands) expandAsyncCopies(kernel, context);
}

void BlockCopies::asyncCopy(const Op &op) {
  AsyncCopyOp copy(op);
  AsyncCopyWidth width = asyncCopyWidth(op, roots_, target_, classes_.lanes());
  Type tile = copy.from()->type();
  const Layout *lanes = asyncCopyLayout(b_.context(), tile, width.bytes, classes_.lanes());
  XT_CHECK(lanes, "copies that the target cannot perform were replaced");
  auto whole = [&](const Value *window) { return windows_.at(window, {0, 0}, shapeOf(tile), lanes); };
  Value *from = whole(copy.from()), *to = whole(copy.to());
  values_.bind(op.result(), {values_.copy(op, {from, to}, {op.result()->type()})->result()});
}

} // namespace xt
