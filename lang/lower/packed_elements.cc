#include "lang/lower/packed_elements.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "lang/lower/written_types.h"

#include <bit>

namespace xt {
namespace {

constexpr int kByte = 8;

class PackedElements {
public:
  explicit PackedElements(const CompositeClause &clause) : clause_(clause), ops_(clause) {}

  std::optional<std::vector<Value *>> unpack();
  std::optional<std::vector<Value *>> pack();

private:
  bool readOperand();
  bool isPacked(Elem elem, SourceRange range) const;
  Value *shifts(const std::vector<int64_t> &shape);
  Value *constant(int64_t value, const std::vector<int64_t> &shape);
  Value *shifted(OpKind shift, Value *bytes);
  Type bytes(const std::vector<int64_t> &shape) const { return context().vector(shape, Elem::U8); }
  int perByte() const { return kByte / bits_; }
  Attr dims() const { return {"dims", std::vector<int64_t>{dim_}, clause_.range()}; }
  Context &context() const { return clause_.state().context; }

  const CompositeClause &clause_;
  CompositeOps ops_;
  Value *operand_ = nullptr;
  int64_t dim_ = 0;
  int bits_ = kByte; // of an element
};

bool PackedElements::readOperand() {
  if (!clause_.takesOperands(1, 1)) return false;
  operand_ = clause_.plainVector(clause_.clause().operands[0]);
  if (!operand_) return false;
  std::optional<int64_t> dim = clause_.dimension(operand_->type());
  if (!dim) return false;
  dim_ = *dim;
  return true;
}

// Whether a byte holds several elements of this type; otherwise reports an error.
bool PackedElements::isPacked(Elem elem, SourceRange range) const {
  if (elemInfo(elem).bits < kByte) return true;
  clause_.diagnostics()
      .report(DiagCode::OperandType, range, str("a byte does not hold several elements of ", elemName(elem)))
      .note(str(clause_.name(), " works on elements of i1, i4, u4 and f4E2M1"));
  return false;
}

Value *PackedElements::constant(int64_t value, const std::vector<int64_t> &shape) {
  clause_.state().builder.setRange(clause_.range());
  return clause_.state().builder.constantInt(bytes(shape), value);
}

// The position of each element's lowest bit in its byte.
Value *PackedElements::shifts(const std::vector<int64_t> &shape) {
  Value *position = ops_.op(OpKind::Iota, {}, {dims()}, bytes(shape));
  Value *inByte = ops_.op(OpKind::AndI, {position, constant(perByte() - 1, shape)});
  return bits_ == 1 ? inByte : ops_.op(OpKind::ShLI, {inByte, constant(std::countr_zero(unsigned(bits_)), shape)});
}

Value *PackedElements::shifted(OpKind shift, Value *bytes) {
  return bytes ? ops_.op(shift, {bytes, shifts(shapeOf(bytes->type()))}) : nullptr;
}

// Each byte is repeated once for each element, whose bits are shifted to the lowest ones.
std::optional<std::vector<Value *>> PackedElements::unpack() {
  if (!readOperand()) return std::nullopt;
  Type result = clause_.vectorType();
  if (!result || !isPacked(result.elem(), clause_.range())) return std::nullopt;
  Type type = operand_->type();
  if (elemInfo(type.elem()).bits != kByte || isFloat(type.elem())) {
    clause_.diagnostics().report(DiagCode::OperandType, clause_.clause().operands[0].range,
                                 str(clause_.name(), " takes bytes, elements of u8 or i8, not ", shapedText(type)));
    return std::nullopt;
  }
  bits_ = elemInfo(result.elem()).bits;
  std::vector<int64_t> shape = shapeOf(type);
  shape[static_cast<size_t>(dim_)] *= perByte();
  Value *operand = type.elem() == Elem::U8 ? operand_ : ops_.op(OpKind::Bitcast, {operand_}, {}, bytes(shapeOf(type)));
  Value *repeated =
      ops_.op(OpKind::Broadcast, {operand}, {dims(), {"broadcast_size", int64_t{perByte()}, clause_.range()}}, bytes(shape));
  Elem whole = isFloat(result.elem()) ? Elem::U4 : result.elem();
  Value *elements = ops_.op(OpKind::TruncI, {shifted(OpKind::ShRUI, repeated)}, {}, context().vector(shape, whole));
  if (whole != result.elem()) elements = ops_.op(OpKind::Bitcast, {elements}, {}, context().vector(shape, result.elem()));
  return clause_.agreed({operand_}, {elements});
}

// The bits of each element are shifted to their place in the byte, and those of one byte are joined by `or`.
std::optional<std::vector<Value *>> PackedElements::pack() {
  if (!readOperand()) return std::nullopt;
  Type type = operand_->type();
  SourceRange range = clause_.clause().operands[0].range;
  if (!isPacked(type.elem(), range)) return std::nullopt;
  bits_ = elemInfo(type.elem()).bits;
  std::vector<int64_t> shape = shapeOf(type);
  if (shape[static_cast<size_t>(dim_)] % perByte() != 0) {
    clause_.diagnostics().report(DiagCode::ShapeMismatch, range,
                                 str("elements of ", shapedText(type), " do not fill whole bytes along dimension ", dim_,
                                     ": a byte holds ", perByte(), " of them"));
    return std::nullopt;
  }
  Value *whole = isFloat(type.elem()) ? ops_.op(OpKind::Bitcast, {operand_}, {}, context().vector(shape, Elem::U4)) : operand_;
  Value *placed = shifted(OpKind::ShLI, ops_.op(OpKind::ExtUI, {whole}, {}, bytes(shape)));
  Value *packed =
      ops_.op(OpKind::Reduction, {placed},
              {{"kind", std::string("or"), clause_.range()}, dims(), {"reduction_size", int64_t{perByte()}, clause_.range()}});
  return clause_.agreed({operand_}, {packed});
}

} // namespace

std::optional<std::vector<Value *>> lowerUnpack(const CompositeClause &clause) { return PackedElements(clause).unpack(); }
std::optional<std::vector<Value *>> lowerPack(const CompositeClause &clause) { return PackedElements(clause).pack(); }

} // namespace xt
