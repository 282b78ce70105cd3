#include "passes/block_messages.h"

#include "ir/base/text.h"
#include "ir/constants.h"
#include "ir/context.h"
#include "ir/gpu/block_rules.h"
#include "ir/op_kinds.h"
#include "ir/views/names.h"
#include "ir/views/xegpu.h"
#include "passes/transposed_memref.h"

namespace xt {

void setVc(Op *op) { op->setAttr(attr_names::kMode, std::string(wordText(LoadNdMode::Vc))); }

int memoryBits(Elem elem) { return 8 * elemInfo(elem).storageBytes; }

std::string BlockMessages::whyNoBase(const Op &root) const {
  const Value *base = root.operand(0);
  if (!base->type().isMemRef()) return "its base is an address";
  if (hasOwnShape(root)) { // the kernel asks whether the matrix obeys the rules, and moves elements if it does not
    size_t lastStride = root.operandCount() - (isByColumns(root.result()) ? 2 : 1);
    return constantInt(*root.operand(lastStride)) == 1 ? "" : "its innermost stride is not known to be 1";
  }
  const Value *source = withoutCasts(base);
  bool parameter = source->definingBlock() == &kernel_.body && source->index() < kernel_.paramCount,
       columns = isByColumns(root.result());
  if (!parameter || (columns && source != base)) return "its base is not a parameter of the kernel";
  Type matrix = columns ? transposedMemRef(b_.context(), base->type()) : base->type();
  return whyNoBlockBase(target_.blocks, blockBaseOf(matrix));
}

std::string BlockMessages::whyNot(const Value *tile, bool stores) const {
  const TypeData &data = tile->type().data();
  if (!target_.blocks.any()) return str(target_.name, " has no 2D block messages");
  if (int64_t size = target_.subgroupSizes[0]; classes_.lanes() != size)
    return str("2D block messages need subgroups of ", size, " lanes, and the layouts of this kernel need ", classes_.lanes());
  if (data.space == MemorySpace::Slm) return "2D block messages cannot access shared local memory";
  if (data.scatter) return "each of its elements has its own offset";
  if (data.packed) return "its rows are packed in memory";
  if (stores && isByColumns(tile)) return "its matrix is column-major, and no message transposes what it stores";
  const Op *root = roots_.root(tile);
  if (!root) return "it may refer to different matrices";
  if (std::string reason = whyNoBase(*root); !reason.empty()) return reason;
  int64_t bytes = elemInfo(data.elem).storageBytes, divisor = roots_.columnDivisor(tile);
  if (divisor * bytes % target_.blocks.columnMultiple != 0)
    return str("its first ", isByColumns(tile) ? "row" : "column", " is not known to be a multiple of ",
               target_.blocks.columnMultiple / bytes, " (", target_.blocks.columnMultiple, " bytes), as a block message needs");
  return "";
}

void BlockMessages::remarkOnFallback(const Op &op, const std::string &reason) {
  diagnostics_.report(DiagCode::BlockRemark, op.range(),
                      str("`", op.info().name, "` moves element by element under a mask: ", reason));
}

Value *BlockMessages::descriptor(const Value *tile, const std::vector<int64_t> &origin, const std::vector<int64_t> &shape) {
  TypeData data = tile->type().data();
  data.kind = TypeKind::TensorDesc;
  data.shape = shape;
  data.layout = nullptr;
  data.order = Order::RowMajor;
  Op *op = b_.create(OpKind::CreateNdTdesc, windows_.initOperands(tile, origin, isByColumns(tile)),
                     {b_.context().intern(std::move(data))});
  setVc(op);
  return op->result();
}

} // namespace xt
