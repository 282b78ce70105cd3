#include "lang/lower/scaled_mma.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/infer/type_rules.h"
#include "ir/op_kinds.h"
#include "lang/lower/cast_calls.h"
#include "lang/lower/written_types.h"

#include <array>

namespace xt {
namespace {

constexpr int64_t kMostBlocks = 64; // along K, of one op

// One of the two factors with its scales. K is dimension `along`.
struct Factor {
  std::string_view name;
  int along;
  Value *elements = nullptr;
  Value *scales = nullptr;
  SourceRange elementsRange{};
  SourceRange scalesRange{};

  int64_t extent() const { return elements->type().extent(along); }
  int64_t blocks() const { return scales->type().extent(along); }
  int64_t block() const { return extent() / blocks(); } // number of elements that share a scale
};

class ScaledMma {
public:
  explicit ScaledMma(const CompositeClause &clause) : clause_(clause), ops_(clause) {}
  std::optional<std::vector<Value *>> lower();

private:
  bool readOperands();
  bool elementsFit(const Factor &factor) const;
  bool scalesFit(const Factor &factor) const;
  bool blocksAgree() const;
  bool sumFits() const;
  Elem common() const;
  Value *part(Value *vector, int along, int64_t first, int64_t count);
  Value *elements(const Factor &factor, int64_t block);
  Value *scales(const Factor &factor, int64_t block);
  Diagnostic &report(DiagCode code, SourceRange range, std::string message) const {
    return clause_.diagnostics().report(code, range, std::move(message));
  }

  const CompositeClause &clause_;
  CompositeOps ops_;
  Factor a_{"a", 1}, b_{"b", 0};
  Value *sum_ = nullptr; // c, or null
  SourceRange sumRange_{};
};

bool ScaledMma::readOperands() {
  if (!clause_.takesOperands(4, 5)) return false;
  const std::vector<ast::Expr> &exprs = clause_.clause().operands;
  std::array<Value *, 5> values{};
  for (size_t i = 0; i < exprs.size(); ++i)
    if (!(values[i] = clause_.plainMatrix(exprs[i]))) return false;
  a_.elements = values[0], a_.scales = values[1], b_.elements = values[2], b_.scales = values[3], sum_ = values[4];
  a_.elementsRange = exprs[0].range, a_.scalesRange = exprs[1].range;
  b_.elementsRange = exprs[2].range, b_.scalesRange = exprs[3].range;
  if (sum_) sumRange_ = exprs[4].range;
  return true;
}

bool ScaledMma::elementsFit(const Factor &factor) const {
  Elem elem = factor.elements->type().elem();
  if (isByteFloat(elem) || elem == Elem::F16 || elem == Elem::BF16) return true;
  report(DiagCode::MmaTypes, factor.elementsRange, str(clause_.name(), " has no product of ", elemName(elem)))
      .note("a and b are of f4E2M1, f8E4M3, f8E5M2, f16 or bf16");
  return false;
}

bool ScaledMma::scalesFit(const Factor &factor) const {
  Type scales = factor.scales->type(), elements = factor.elements->type();
  if (!isScale(scales.elem())) {
    report(DiagCode::MmaTypes, factor.scalesRange,
           str("the scales of ", factor.name, " are of f8E8M0, not ", elemName(scales.elem())));
    return false;
  }
  bool alike = scales.extent(1 - factor.along) == elements.extent(1 - factor.along);
  if (alike && factor.extent() % factor.blocks() == 0) return true;
  report(DiagCode::MmaShapes, factor.scalesRange,
         str(shapedText(scales), " does not hold a scale for each block of ", factor.name, " along K"))
      .at(factor.elementsRange, shapedText(elements));
  return false;
}

// Whether both factors have blocks of one size, and are of one type or of types that one of them holds.
bool ScaledMma::blocksAgree() const {
  Type a = a_.elements->type(), b = b_.elements->type();
  if (a_.extent() != b_.extent()) {
    report(DiagCode::MmaShapes, b_.elementsRange,
           str("the extents of K differ: ", a_.extent(), " of a, ", b_.extent(), " of b"))
        .at(a_.elementsRange, shapedText(a));
    return false;
  }
  if (a_.blocks() != b_.blocks()) {
    report(DiagCode::MmaShapes, b_.scalesRange,
           str("scales are for blocks of ", b_.block(), " elements of b, but of ", a_.block(), " of a"))
        .at(a_.scalesRange, shapedText(a_.scales->type()));
    return false;
  }
  if (a.elem() == b.elem() || isByteFloat(a.elem()) || isByteFloat(b.elem())) return true;
  report(DiagCode::MmaTypes, b_.elementsRange,
         str(clause_.name(), " has no product of ", elemName(a.elem()), " and ", elemName(b.elem())))
      .at(a_.elementsRange, shapedText(a));
  return false;
}

// Whether c, if there is one, has the type of the result, and there are not too many blocks.
bool ScaledMma::sumFits() const {
  if (a_.blocks() > kMostBlocks) {
    report(DiagCode::MmaShapes, a_.scalesRange,
           str(clause_.name(), " has at most ", kMostBlocks, " blocks along K, each of which is a product, not ", a_.blocks()));
    return false;
  }
  int64_t m = a_.elements->type().extent(0), n = b_.elements->type().extent(1);
  Type result = clause_.state().context.vector({m, n}, Elem::F32);
  if (!sum_ || sameTypeButLayout(sum_->type(), result)) return true;
  bool shape = shapeOf(sum_->type()) == shapeOf(result);
  report(shape ? DiagCode::MmaTypes : DiagCode::MmaShapes, sumRange_,
         str("the accumulator of ", clause_.name(), " is ", shapedText(result), ", not ", shapedText(sum_->type())));
  return false;
}

// The type in which both factors are multiplied.
Elem ScaledMma::common() const {
  Elem a = a_.elements->type().elem(), b = b_.elements->type().elem();
  if (a == b || (isByteFloat(a) && isByteFloat(b))) return a; // `tile_mma` takes these
  return isByteFloat(a) ? b : a;
}

// One block of a vector along K.
Value *ScaledMma::part(Value *vector, int along, int64_t first, int64_t count) {
  std::vector<int64_t> shape = shapeOf(vector->type()), at(2, 0);
  auto d = static_cast<size_t>(along);
  if (shape[d] == count) return vector;
  at[d] = first;
  shape[d] = count;
  return ops_.slice(vector, at, shape);
}

// The elements of one block, in a type that `tile_mma` takes with those of the other factor.
Value *ScaledMma::elements(const Factor &factor, int64_t block) {
  Value *own = part(factor.elements, factor.along, block * factor.block(), factor.block());
  bool asTheyAre = !own || isByteFloat(common()) || own->type().elem() == common();
  return asTheyAre ? own : castTo(clause_.state(), own, common(), factor.elementsRange);
}

// The scales of one block as f32, repeated to the shape of the product.
Value *ScaledMma::scales(const Factor &factor, int64_t block) {
  Value *own = part(factor.scales, factor.along, block, 1);
  Value *wide = own ? castTo(clause_.state(), own, Elem::F32, factor.scalesRange) : nullptr;
  return ops_.op(OpKind::Broadcast, {wide}, {{"dims", std::vector<int64_t>{factor.along}, clause_.range()}},
                 clause_.state().context.vector({a_.elements->type().extent(0), b_.elements->type().extent(1)}, Elem::F32));
}

// c plus, for each block, the sum of its products times the product of its scales.
std::optional<std::vector<Value *>> ScaledMma::lower() {
  if (!readOperands()) return std::nullopt;
  for (const Factor *factor : {&a_, &b_})
    if (!elementsFit(*factor) || !scalesFit(*factor)) return std::nullopt;
  if (!blocksAgree() || !sumFits()) return std::nullopt;
  Value *sum = sum_;
  for (int64_t block = 0; block < a_.blocks(); ++block) {
    Value *product = ops_.op(OpKind::TileMma, {elements(a_, block), elements(b_, block)});
    Value *scaled = ops_.op(OpKind::MulF, {product, ops_.op(OpKind::MulF, {scales(a_, block), scales(b_, block)})});
    sum = sum || block > 0 ? ops_.op(OpKind::AddF, {sum, scaled}) : scaled;
  }
  std::vector<Value *> written = {a_.elements, a_.scales, b_.elements, b_.scales};
  if (sum_) written.push_back(sum_);
  return clause_.agreed(written, {sum});
}

} // namespace

std::optional<std::vector<Value *>> lowerScaledMma(const CompositeClause &clause) { return ScaledMma(clause).lower(); }

} // namespace xt
