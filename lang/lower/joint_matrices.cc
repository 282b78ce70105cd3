#include "lang/lower/joint_matrices.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/infer/type_rules.h"
#include "ir/op_kinds.h"
#include "lang/lower/call_lowering.h"
#include "lang/lower/checked_types.h"
#include "lang/lower/expr_lowering.h"
#include "lang/lower/lane_matrices.h"
#include "lang/lower/matrix_memory.h"
#include "lang/lower/matrix_operands.h"

#include <algorithm>

namespace xt {
namespace {

using Results = std::optional<std::vector<Value *>>;

bool atLaneScope(const CompositeClause &clause) { return clause.state().lanes > 0; }

// The order of the elements in memory: that of the type or, if it is dynamic, the attribute `layout`. Nullopt if an error was
// reported.
std::optional<MatrixMemory> memoryOf(const CompositeClause &clause, const JointMatrix &matrix) {
  bool dynamic = matrix.memory == MatrixMemory::Dynamic;
  if (!clause.has("layout")) {
    if (!dynamic) return matrix.memory;
    clause.diagnostics()
        .report(DiagCode::JointMatrixUse, clause.range(),
                str(clause.name(), " of a matrix with a dynamic layout needs the attribute `layout`"))
        .note("for example `{layout = row_major}`");
    return std::nullopt;
  }
  std::optional<std::string> word = clause.word("layout");
  if (!word) return std::nullopt;
  if (!dynamic && matrixMemoryText(matrix.memory) == *word) return matrix.memory;
  for (MatrixMemory memory : {MatrixMemory::RowMajor, MatrixMemory::ColMajor})
    if (dynamic && matrixMemoryText(memory) == *word) return memory;
  clause.diagnostics().report(
      DiagCode::JointMatrixUse, clause.range(),
      dynamic ? str("the layout of an accumulator is row_major or col_major, not `", *word, "`")
              : str("the type of the matrix says ", matrixMemoryText(matrix.memory), ", not `", *word, "`"));
  return std::nullopt;
}

// Whether rows, columns and K of a product agree; otherwise reports an error.
bool productFits(const CompositeClause &clause, Type a, Type b, Type c) {
  const std::vector<ast::Expr> &operands = clause.clause().operands;
  auto wrong = [&](size_t operand, std::string message) {
    clause.diagnostics().report(DiagCode::MmaShapes, operands[operand].range, std::move(message));
    return false;
  };
  if (a.data().matrix.ofWorkgroup != b.data().matrix.ofWorkgroup || a.data().matrix.ofWorkgroup != c.data().matrix.ofWorkgroup)
    return wrong(a.data().matrix.ofWorkgroup == b.data().matrix.ofWorkgroup ? 2 : 1,
                 "the matrices of a product must have one scope, sub_group or work_group");
  if (a.extent(1) != b.extent(0))
    return wrong(1, str(shapedText(a), " has K = ", a.extent(1), ", but ", shapedText(b), " has K = ", b.extent(0)));
  if (a.extent(0) == c.extent(0) && b.extent(1) == c.extent(1)) return true;
  return wrong(
      2, str("the product has ", a.extent(0), " rows and ", b.extent(1), " columns, but the accumulator is ", shapedText(c)));
}

} // namespace

Results lowerMatrixLoad(const CompositeClause &clause) {
  if (!clause.takesOperands(1, 2)) return std::nullopt;
  Type type = matrixType(clause);
  std::optional<MatrixBase> base = type ? matrixBase(clause, 0) : std::nullopt;
  if (!base || !clause.signatureAgrees({base->memory}) || !clause.memoryHolds(base->memory->type(), type, "matrix"))
    return std::nullopt;
  std::optional<MatrixMemory> memory = memoryOf(clause, type.data().matrix);
  if (!memory) return std::nullopt;
  Value *value =
      atLaneScope(clause) ? LaneMatrix(clause, type).load(*base, *memory) : MatrixMemoryOps(clause, *base, *memory).load(type);
  return writtenMatrix(clause, value, type);
}

Results lowerMatrixStore(const CompositeClause &clause) {
  if (!clause.takesOperands(2, 3)) return std::nullopt;
  Value *value = matrixOperand(clause, 0, MatrixUse::Accumulator);
  std::optional<MatrixBase> base = value ? matrixBase(clause, 1) : std::nullopt;
  if (!base || !clause.signatureAgrees({value, base->memory}) ||
      !clause.memoryHolds(base->memory->type(), value->type(), "matrix"))
    return std::nullopt;
  std::optional<MatrixMemory> memory = memoryOf(clause, value->type().data().matrix);
  if (!memory) return std::nullopt;
  bool stored = atLaneScope(clause) ? LaneMatrix(clause, value->type()).store(value, *base, *memory)
                                    : MatrixMemoryOps(clause, *base, *memory).store(value);
  return stored ? Results(std::vector<Value *>()) : std::nullopt;
}

Results lowerMatrixPrefetch(const CompositeClause &clause) {
  if (!clause.takesOperands(1, 2)) return std::nullopt;
  Type type = matrixType(clause);
  std::optional<MatrixBase> base = type ? matrixBase(clause, 0) : std::nullopt;
  if (!base || !clause.signatureAgrees({base->memory}) || !clause.memoryHolds(base->memory->type(), type, "matrix"))
    return std::nullopt;
  MatrixMemory memory = type.data().matrix.memory;
  bool prefetched = atLaneScope(clause) ? LaneMatrix(clause, type).prefetch(*base, memory)
                                        : MatrixMemoryOps(clause, *base, memory).prefetch(type);
  return prefetched ? Results(std::vector<Value *>()) : std::nullopt;
}

Results lowerMatrixMad(const CompositeClause &clause) {
  if (!clause.takesOperands(3, 3)) return std::nullopt;
  Value *a = matrixOperand(clause, 0, MatrixUse::A), *b = a ? matrixOperand(clause, 1, MatrixUse::B) : nullptr;
  Value *c = b ? matrixOperand(clause, 2, MatrixUse::Accumulator) : nullptr;
  if (!c || !clause.signatureAgrees({a, b, c}) || !productFits(clause, a->type(), b->type(), c->type())) return std::nullopt;
  KernelState &state = clause.state();
  Type sum = state.context.withLayout(c->type(), nullptr);
  CompositeOps ops(clause);
  Value *value = atLaneScope(clause) ? ops.op(OpKind::Dpas, {a, b, c})
                                     : ops.op(OpKind::TileMma, {a, b, c}, {{"joint_matrix", int64_t{1}, clause.range()}},
                                              state.context.plain(sum));
  if (!value) return std::nullopt;
  value->setType(sum);
  if (clause.clause().signature && clause.clause().signature->hasArrow) {
    Type type = matrixType(clause);
    if (!type) return std::nullopt;
    if (state.context.withLayout(type, nullptr) != sum) {
      clause.diagnostics().report(DiagCode::SignatureMismatch, clause.clause().signature->range,
                                  str("the signature gives ", shapedText(type), ", but the accumulator is ", shapedText(sum)));
      return std::nullopt;
    }
    setWrittenLayout(state, clause.clause(), value, type);
  }
  return std::vector{value};
}

Results lowerMatrixFill(const CompositeClause &clause) {
  if (!clause.takesOperands(1, 1)) return std::nullopt;
  Type type = matrixType(clause);
  const ast::Expr &expr = clause.clause().operands[0];
  Value *scalar = type ? lowerExpr(clause.state(), expr, clause.state().context.scalar(type.elem())) : nullptr;
  if (!scalar) return std::nullopt;
  if (!scalar->type().isScalar(type.elem())) {
    clause.diagnostics().report(DiagCode::TypeMismatch, expr.range,
                                str("the matrix holds ", elemName(type.elem()), ", but this is ", shapedText(scalar->type())));
    return std::nullopt;
  }
  if (!clause.signatureAgrees({scalar})) return std::nullopt;
  return writtenMatrix(clause, CompositeOps(clause).op(OpKind::Splat, {scalar}, {}, clause.state().context.plain(type)), type);
}

namespace {

bool isIndex(Elem elem) { return elem == kIndexElem; }

// The op that converts one element type to another; nullopt if they are the same.
std::optional<OpKind> castOf(Elem from, Elem to) {
  const ElemInfo &source = elemInfo(from), &target = elemInfo(to);
  if (from == to) return std::nullopt;
  if (isIndex(from) || isIndex(to)) return OpKind::IndexCast;
  if (source.isFloat && target.isFloat) return target.bits > source.bits ? OpKind::ExtF : OpKind::TruncF;
  if (source.isFloat) return target.isUnsigned ? OpKind::FPToUI : OpKind::FPToSI;
  if (target.isFloat) return source.isUnsigned ? OpKind::UIToFP : OpKind::SIToFP;
  if (target.bits == source.bits) return OpKind::Bitcast;
  if (target.bits < source.bits) return OpKind::TruncI;
  return source.isUnsigned ? OpKind::ExtUI : OpKind::ExtSI;
}

// Whether two types of floats have equally many bits, so that no cast converts one to the other.
bool throughFloat(Elem from, Elem to) {
  return from != to && elemInfo(from).isFloat && elemInfo(to).isFloat && elemInfo(from).bits == elemInfo(to).bits;
}

} // namespace

Results lowerMatrixCopy(const CompositeClause &clause) {
  if (!clause.takesOperands(1, 1)) return std::nullopt;
  Value *from = matrixOperand(clause, 0);
  Type to = from ? matrixType(clause) : Type();
  if (!to || !clause.signatureAgrees({from})) return std::nullopt;
  if (!std::ranges::equal(from->type().shape(), to.shape())) {
    clause.diagnostics().report(
        DiagCode::ShapeMismatch, clause.range(),
        str("a copy keeps rows and columns, but ", shapedText(from->type()), " becomes ", shapedText(to)));
    return std::nullopt;
  }
  if (atLaneScope(clause) && !lanesHoldAlike(clause.state(), from->type(), to, clause.range())) return std::nullopt;
  // At lane scope the part of a lane stays the same.
  Context &context = clause.state().context;
  Type type = context.withLayout(atLaneScope(clause) ? to : context.plain(to), nullptr);
  std::optional<OpKind> cast = castOf(from->type().elem(), to.elem());
  CompositeOps ops(clause);
  clause.state().builder.setRange(clause.range());
  Value *value = clause.state().builder.value(OpKind::Reshape, {from}, context.withElem(type, from->type().elem()));
  if (throughFloat(from->type().elem(), to.elem()))
    value = ops.op(OpKind::ExtF, {value}, {}, context.withElem(type, Elem::F32));
  if (cast) value = ops.op(*cast, {value}, {}, type);
  return writtenMatrix(clause, value, to);
}

namespace {

// The row and the column of each element, as vectors of indices of the matrix's shape, or at lane scope of the shape of the part
// that the lane holds.
std::vector<Value *> coordinates(const CompositeClause &clause, Type matrix) {
  if (atLaneScope(clause)) return LaneMatrix(clause, matrix).coordinates();
  Context &context = clause.state().context;
  Type indices = context.withElem(context.withLayout(context.plain(matrix), nullptr), kIndexElem);
  std::vector<Value *> values;
  for (int64_t dim : {0, 1})
    values.push_back(CompositeOps(clause).op(OpKind::Iota, {}, {{"dims", std::vector<int64_t>{dim}, clause.range()}}, indices));
  return values;
}

} // namespace

Results lowerMatrixCoordinates(const CompositeClause &clause) {
  if (!clause.takesOperands(1, 1)) return std::nullopt;
  Value *matrix = matrixOperand(clause, 0);
  if (!matrix || !clause.signatureAgrees({matrix})) return std::nullopt;
  if (clause.state().lanes == kAnyLanes) clause.state().anyExtents = true; // the shape of a lane's part is not known
  std::vector<Value *> values = coordinates(clause, matrix->type());
  return clause.resultsAgree(values) ? Results(values) : std::nullopt;
}

Results lowerMatrixApply(const CompositeClause &clause) {
  if (!clause.takesOperands(2, 2)) return std::nullopt;
  Value *matrix = matrixOperand(clause, 0);
  if (!matrix || !clause.signatureAgrees({matrix})) return std::nullopt;
  const ast::Expr &function = clause.clause().operands[1];
  if (!function.is(ast::Expr::Kind::Symbol)) {
    clause.diagnostics().report(DiagCode::OperandType, function.range,
                                str("the second operand of ", clause.name(), " is a function, such as `@scale`"));
    return std::nullopt;
  }
  const ast::KernelDecl *decl = clause.state().params.symbols().kernel(function.text);
  std::vector<Value *> arguments = {matrix};
  if (decl && decl->params.size() == 3)
    for (Value *coordinate : coordinates(clause, matrix->type())) arguments.push_back(coordinate);
  Results results = lowerFunctionCall(clause.state(), function, arguments);
  if (!results) return std::nullopt;
  Type type = matrix->type();
  bool one = results->size() == 1 && results->front() && results->front()->type().isVector();
  if (one && std::ranges::equal(results->front()->type().shape(), type.shape()) && results->front()->type().data().matrix)
    return clause.resultsAgree(*results) ? results : std::nullopt;
  clause.diagnostics()
      .report(DiagCode::CallMismatch, function.range,
              str("`@", function.text, "` must return one matrix of the shape ", shapeText(type.shape())))
      .note("it is called with the elements of the matrix, and with their rows and columns if it has three parameters");
  return std::nullopt;
}

bool matricesFitScope(const KernelState &state) {
  bool workgroup = state.kernel->scope == Scope::Workgroup;
  for (const WrittenMatrix &matrix : state.matrices) {
    if (matrix.ofWorkgroup == workgroup) continue;
    state.diagnostics()
        .report(DiagCode::JointMatrixUse, matrix.range,
                workgroup ? "this kernel has layouts, so its matrices belong to the workgroup"
                          : "this kernel has no layouts, so its matrices belong to a subgroup each")
        .note(workgroup ? "write `scope = work_group`" : "leave `work_group` out");
    return false;
  }
  return true;
}

} // namespace xt
