#include "lang/lower/vector_contract.h"

#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "lang/lower/expr_lowering.h"

#include <algorithm>
#include <array>

namespace xt {
namespace {

constexpr int64_t kMostProducts = 256; // of one contraction

// The roles of dimensions in a product: of all three matrices, of a and c, of b and c, of a and b.
enum class Role : uint8_t { Batch, Row, Column, Sum };

class Contraction {
public:
  explicit Contraction(const CompositeClause &clause) : clause_(clause), ops_(clause) {}
  Value *lower();

private:
  bool readOperands();
  bool readMaps();
  bool readExtents();
  bool readRoles(const std::vector<std::string> &iterators);
  int64_t extentOf(Role role) const;
  std::vector<int64_t> permutationTo(size_t operand, std::initializer_list<Role> order) const;
  Value *asMatrices(size_t operand, Role first, Role second);
  Value *multiply(Value *a, Value *b, Value *c);
  Value *asWritten(Value *matrices);
  bool wrong(SourceRange range, std::string message) const;

  const CompositeClause &clause_;
  CompositeOps ops_;
  std::array<Value *, 3> operands_{}; // a, b, c
  std::vector<AffineMap> maps_; // for each operand the iteration dimensions of its dimensions
  std::vector<int64_t> extents_; // of the iteration dimensions
  std::vector<Role> roles_; // of the iteration dimensions
};

bool Contraction::wrong(SourceRange range, std::string message) const {
  clause_.diagnostics().report(DiagCode::MmaShapes, range, std::move(message));
  return false;
}

bool Contraction::readOperands() {
  const std::vector<ast::Expr> &exprs = clause_.clause().operands;
  if (exprs.size() != operands_.size()) {
    clause_.diagnostics().report(DiagCode::OperandCount, clause_.range(),
                                 str(clause_.name(), " takes 3 operands, a, b and c, not ", exprs.size()));
    return false;
  }
  for (size_t i = 0; i < operands_.size(); ++i)
    if (!(operands_[i] = clause_.vector(exprs[i], "an operand"))) return false;
  // The signature is `: a, b into c`; the accumulator has the type of the result.
  return clause_.signatureAgrees({operands_[0], operands_[1]});
}

bool Contraction::readMaps() {
  std::optional<std::vector<AffineMap>> maps = clause_.maps("indexing_maps");
  if (!maps) return false;
  if (maps->size() != operands_.size())
    return wrong(clause_.rangeOf("indexing_maps"), str("`indexing_maps` needs 3 maps, for a, b and c, not ", maps->size()));
  maps_ = std::move(*maps);
  for (size_t i = 0; i < operands_.size(); ++i) {
    const AffineMap &map = maps_[i];
    if (map.dims != maps_[0].dims) return wrong(map.range, "all maps must have the same dimensions on their left sides");
    if (map.results.size() != static_cast<size_t>(operands_[i]->type().rank()))
      return wrong(map.range, str("the map has ", counted(static_cast<int64_t>(map.results.size()), "result"),
                                  ", but the operand is ", shapedText(operands_[i]->type())));
    for (int64_t d : map.results)
      if (d == ast::kMapZero || std::ranges::count(map.results, d) > 1)
        return wrong(map.range, "each result of the map must be another dimension");
  }
  return true;
}

bool Contraction::readExtents() {
  extents_.assign(maps_[0].dims, 0);
  for (size_t i = 0; i < operands_.size(); ++i)
    for (size_t k = 0; k < maps_[i].results.size(); ++k) {
      int64_t extent = operands_[i]->type().extent(static_cast<int>(k)),
              &known = extents_[static_cast<size_t>(maps_[i].results[k])];
      if (known != 0 && known != extent)
        return wrong(clause_.clause().operands[i].range,
                     str("dimension ", maps_[i].results[k], " of the iteration is ", known, " in one operand and ", extent,
                         " in ", shapedText(operands_[i]->type())));
      known = extent;
    }
  return true;
}

bool Contraction::readRoles(const std::vector<std::string> &iterators) {
  SourceRange range = clause_.rangeOf("iterator_types");
  if (iterators.size() != extents_.size())
    return wrong(range, str("`iterator_types` has ", iterators.size(), " words, but the maps have ",
                            counted(static_cast<int64_t>(extents_.size()), "dimension")));
  for (size_t d = 0; d < extents_.size(); ++d) {
    std::array<bool, 3> in{};
    for (size_t i = 0; i < in.size(); ++i) in[i] = std::ranges::count(maps_[i].results, static_cast<int64_t>(d)) > 0;
    auto [a, b, c] = in;
    if (iterators[d] != (c ? "parallel" : "reduction"))
      return wrong(clause_.range(),
                   str("dimension ", d, " is ", iterators[d], ", but the result ",
                       c ? "has it, so that it must be parallel" : "lacks it, so that it must be a reduction"));
    if (!a && !b) return wrong(clause_.range(), str("neither a nor b has dimension ", d));
    if (!c && !(a && b))
      return wrong(clause_.range(),
                   str("dimension ", d, " is summed up in one operand only: reduce it with `reduction` before"));
    roles_.push_back(!c ? Role::Sum : a && b ? Role::Batch : a ? Role::Row : Role::Column);
  }
  return true;
}

int64_t Contraction::extentOf(Role role) const {
  int64_t extent = 1;
  for (size_t d = 0; d < roles_.size(); ++d)
    if (roles_[d] == role) extent *= extents_[d];
  return extent;
}

// The dimensions of an operand, those of each role together and in the order of the iteration.
std::vector<int64_t> Contraction::permutationTo(size_t operand, std::initializer_list<Role> order) const {
  const std::vector<int64_t> &dims = maps_[operand].results;
  std::vector<int64_t> permutation;
  for (Role role : order)
    for (size_t d = 0; d < roles_.size(); ++d)
      if (auto at = std::ranges::find(dims, static_cast<int64_t>(d)); roles_[d] == role && at != dims.end())
        permutation.push_back(at - dims.begin());
  return permutation;
}

// An operand as one matrix for each batch: of three dimensions, or of two if there is one batch.
Value *Contraction::asMatrices(size_t operand, Role first, Role second) {
  Value *value = ops_.transpose(operands_[operand], permutationTo(operand, {Role::Batch, first, second}));
  std::vector<int64_t> shape = {extentOf(first), extentOf(second)};
  if (int64_t batches = extentOf(Role::Batch); batches > 1) shape.insert(shape.begin(), batches);
  return ops_.reshape(value, shape);
}

Value *Contraction::multiply(Value *a, Value *b, Value *c) {
  if (!a || !b || !c) return nullptr;
  int64_t batches = extentOf(Role::Batch);
  auto product = [&](Value *x, Value *y, Value *sum) { return ops_.op(OpKind::TileMma, {x, y, sum}, {}, sum->type()); };
  if (batches == 1) return product(a, b, c);
  if (batches > kMostProducts) {
    clause_.diagnostics()
        .report(DiagCode::NotSupported, clause_.range(),
                str(clause_.name(), " would be ", batches, " matrix products; it may be ", kMostProducts))
        .note("put it into a loop over the batches");
    return nullptr;
  }
  auto matrix = [&](Value *all, int64_t batch) {
    std::vector<int64_t> shape(all->type().shape().begin() + 1, all->type().shape().end()), one = shape;
    one.insert(one.begin(), 1);
    return ops_.reshape(ops_.slice(all, {batch, 0, 0}, one), shape);
  };
  Value *result = c;
  for (int64_t batch = 0; batch < batches && result; ++batch) {
    Value *sum = matrix(c, batch), *x = matrix(a, batch), *y = matrix(b, batch);
    Value *one = x && y && sum ? product(x, y, sum) : nullptr;
    result = ops_.insert(ops_.reshape(one, {1, extentOf(Role::Row), extentOf(Role::Column)}), result, {batch, 0, 0});
  }
  return result;
}

// The result with the dimensions of the accumulator.
Value *Contraction::asWritten(Value *matrices) {
  std::vector<int64_t> order = permutationTo(2, {Role::Batch, Role::Row, Role::Column}), shape, back(order.size());
  for (size_t k = 0; k < order.size(); ++k) {
    shape.push_back(operands_[2]->type().extent(static_cast<int>(order[k])));
    back[static_cast<size_t>(order[k])] = static_cast<int64_t>(k);
  }
  return ops_.transpose(ops_.reshape(matrices, shape), back);
}

Value *Contraction::lower() {
  std::optional<std::vector<std::string>> iterators = clause_.words("iterator_types");
  if (!iterators || !readOperands() || !readMaps() || !readExtents() || !readRoles(*iterators)) return nullptr;
  if (clause_.has("kind")) {
    std::optional<std::string> kind = clause_.word("kind");
    if (!kind) return nullptr;
    if (*kind != "add") {
      clause_.diagnostics().report(DiagCode::NotSupported, clause_.rangeOf("kind"),
                                   str(clause_.name(), " adds up products; it has no kind `", *kind, "`"));
      return nullptr;
    }
  }
  return asWritten(multiply(asMatrices(0, Role::Row, Role::Sum), asMatrices(1, Role::Sum, Role::Column),
                            asMatrices(2, Role::Row, Role::Column)));
}

} // namespace

std::optional<std::vector<Value *>> lowerContract(const CompositeClause &clause) {
  Type written = clause.clause().signature ? clause.vectorType() : Type();
  if (clause.clause().signature && !written) return std::nullopt;
  Value *value = Contraction(clause).lower();
  if (!value) return std::nullopt;
  if (!written) return std::vector{value};
  if (!std::ranges::equal(value->type().shape(), written.shape()) || value->type().elem() != written.elem()) {
    clause.diagnostics().report(
        DiagCode::SignatureMismatch, clause.clause().signature->range,
        str("the signature gives ", shapedText(written), ", but the accumulator is ", shapedText(value->type())));
    return std::nullopt;
  }
  setWrittenLayout(clause.state(), clause.clause(), value, written);
  return std::vector{value};
}

} // namespace xt
