#include "passes/expand_scans.h"

#include "ir/builder.h"
#include "ir/combine.h"
#include "ir/context.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "ir/views/tile.h"

namespace xt {
namespace {

class ScanExpansion {
public:
  ScanExpansion(Context &context, Op &op) : b_(context, *op.block()), op_(op), type_(op.result()->type()) {
    b_.setRange(op.range());
    b_.setBefore(&op);
  }

  void expand() {
    OpKind kind = *combiningOp(op_);
    Value *value = op_.operand(0), *identity = constant(combiningIdentity(kind, type_.elem()));
    int64_t extent = type_.extent(static_cast<int>(dimensionOf(op_)));
    for (int64_t by = 1; by < extent; by *= 2) value = b_.value(kind, {value, moved(value, by, identity)}, type_);
    if (ScanOp(op_).exclusive()) value = moved(value, 1, identity);
    op_.result()->replaceAllUsesWith(value);
    op_.block()->erase(&op_);
  }

private:
  Value *constant(const AttrValue &value) {
    Op *made = b_.create(OpKind::Constant, {}, {type_});
    ConstantOp(*made).setValue(value, op_.range());
    return made->result();
  }

  // The vector moved by `by` elements in the order of the scan, with the elements of `filler` before it.
  Value *moved(Value *vector, int64_t by, Value *filler) {
    size_t dim = dimensionOf(op_);
    int64_t extent = type_.extent(static_cast<int>(dim));
    if (by >= extent) return filler;
    bool reverse = ScanOp(op_).reverse();
    std::vector<int64_t> shape(type_.shape().begin(), type_.shape().end()), from(shape.size(), 0), to(shape.size(), 0);
    shape[dim] = extent - by;
    (reverse ? from : to)[dim] = by;
    Op *part = b_.create(OpKind::ExtractStridedSlice, {vector}, {b_.context().vector(std::move(shape), type_.elem())});
    ExtractStridedSliceOp(*part).setOffsets(from);
    Op *whole = b_.create(OpKind::InsertStridedSlice, {part->result(), filler}, {type_});
    InsertStridedSliceOp(*whole).setOffsets(to);
    return whole->result();
  }

  Builder b_;
  Op &op_;
  Type type_;
};

} // namespace

Result<void> expandScans(Module &module, Diagnostics &) {
  for (const auto &kernel : module.kernels) {
    std::vector<Op *> scans;
    walk(kernel->body, [&](Op &op) {
      if (op.kind() == OpKind::Scan) scans.push_back(&op);
    });
    for (Op *op : scans) ScanExpansion(module.context(), *op).expand();
  }
  return {};
}

} // namespace xt
