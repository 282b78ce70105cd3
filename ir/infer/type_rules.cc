#include "ir/elem_kinds.h"
#include "ir/infer/type_rules_internal.h"
#include "ir/op_kinds.h"
#include "ir/views/names.h"

#include "ir/base/check.h"
#include "ir/base/text.h"

#include <algorithm>

namespace xt {
namespace rules {

std::string opName(const TypeRuleInput &in) { return str("`", in.op.name, "`"); }

const Attr *findAttr(const TypeRuleInput &in, std::string_view name) {
  for (const Attr &attr : in.attrs)
    if (attr.name == name) return &attr;
  return nullptr;
}

Type agree(const TypeRuleInput &in, Type derived) {
  if (!in.written) return derived;
  if (sameTypeButLayout(in.written, derived)) return in.written;
  if (writtenAgrees(in.written, derived)) return derived;
  in.diagnostics
      .report(DiagCode::SignatureMismatch, in.writtenRange,
              str("the signature gives ", shapedText(in.written), ", but the operands of ", opName(in), " give ",
                  shapedText(derived)))
      .note("a signature may be left out where the types follow from the operands");
  return {};
}

bool push(const TypeRuleInput &in, Results &results, Type derived) {
  Type type = agree(in, derived);
  if (type) results.push_back(type);
  return static_cast<bool>(type);
}

Type openLayout(const TypeRuleInput &in, Type type) {
  return type.isVector() || type.isTile() ? in.context.withLayout(type, nullptr) : type;
}

bool operandsAlike(const TypeRuleInput &in, size_t first) {
  Type reference = in.operands[first];
  for (size_t i = first + 1; i < in.operands.size(); ++i) {
    if (sameTypeButLayout(reference, in.operands[i])) continue;
    bool shapes = reference.kind() == in.operands[i].kind() && reference.elem() == in.operands[i].elem();
    auto &diagnostic = in.diagnostics.report(shapes ? DiagCode::ShapeMismatch : DiagCode::TypeMismatch, in.operandRange(i),
                                             str("operands of ", opName(in), " have different ", shapes ? "shapes" : "types",
                                                 ": ", shapedText(reference), " and ", shapedText(in.operands[i])));
    diagnostic.withLabel(shapedText(in.operands[i])).at(in.operandRange(first), shapedText(reference));
    if (!shapes && reference.elem() != in.operands[i].elem())
      diagnostic.note("named values never convert implicitly; use a cast such as `extf` or `index_cast`");
    return false;
  }
  return true;
}

std::optional<int> oneDimension(const TypeRuleInput &in, Type type) {
  const Attr *attr = findAttr(in, attr_names::kDims);
  const auto *dims = attr ? std::get_if<std::vector<int64_t>>(&attr->value) : nullptr;
  SourceRange range = attr && attr->range.file ? attr->range : in.range;
  if (!dims || dims->size() != 1) {
    in.diagnostics.report(DiagCode::AttributeValue, range, str(opName(in), " works on one dimension, such as `[0]`"))
        .note(str("for example `", in.op.example, "`"));
    return std::nullopt;
  }
  if (dims->front() >= 0 && dims->front() < type.rank()) return static_cast<int>(dims->front());
  in.diagnostics.report(DiagCode::AttributeValue, range,
                        str(shapedText(type), " has no dimension ", dims->front(), ": they count from 0"));
  return std::nullopt;
}

bool isMatrix(const TypeRuleInput &in, size_t operand) {
  Type type = in.operands[operand];
  if (type.rank() == 2 && type.hasStaticShape()) return true;
  in.diagnostics.report(DiagCode::ShapeMismatch, in.operandRange(operand),
                        str(opName(in), " takes a vector of two dimensions, not ", shapedText(type)));
  return false;
}

bool rankFits(const TypeRuleInput &in, size_t operand) {
  Type type = in.operands[operand];
  if (!in.anyRank || !type.hasStaticShape()) return isMatrix(in, operand);
  if (type.rank() > 0) return true;
  in.diagnostics.report(DiagCode::ShapeMismatch, in.operandRange(operand),
                        str(opName(in), " takes a vector of one dimension or more, not ", shapedText(type)));
  return false;
}

bool vectorWritten(const TypeRuleInput &in) {
  if (in.written && in.written.isVector()) return true;
  in.diagnostics
      .report(DiagCode::ResultTypeNeeded, in.written ? in.writtenRange : in.range,
              str(opName(in), " needs a vector type for its result"))
      .note(str("for example `", in.op.example, "`"));
  return false;
}

namespace {
// Says how to take what MLIR's `vector.extract %v[0]` takes of a vector with more dimensions.
void notePart(const TypeRuleInput &in, Type type, size_t count, Diagnostic &error) {
  std::vector<int64_t> whole(type.shape().begin(), type.shape().end()), part = whole;
  std::fill_n(part.begin(), count, 1);
  std::vector<int64_t> rest(part.begin() + static_cast<ptrdiff_t>(count), part.end());
  auto text = [&](const std::vector<int64_t> &shape) { return typeText(in.context.vector(shape, type.elem())); };
  error.note(str("it takes one element; for a part of the vector write `vector.extract_strided_slice` with the first index of "
                 "the part in each dimension and `: ",
                 text(whole), " -> ", text(part), "`, and then `vector.reshape` with `: ", text(part), " -> ", text(rest),
                 "`"));
}
} // namespace

bool indexCount(const TypeRuleInput &in, Type type, size_t first) {
  size_t count = in.operands.size() - first;
  if (count == static_cast<size_t>(type.rank())) return true;
  Diagnostic &error = in.diagnostics.report(DiagCode::OffsetCount, in.range,
                                            str(opName(in), " has ", count, count == 1 ? " index" : " indices", " for ",
                                                shapedText(type), ", which needs one per dimension"));
  if (in.op.typeRule == TypeRule::Extract && count > 0 && count < static_cast<size_t>(type.rank()))
    notePart(in, type, count, error);
  return false;
}

namespace {
std::string_view className(OperandClass cls) {
  switch (cls) {
  case OperandClass::Index: return "an index";
  case OperandClass::AnyInt: return "an integer, or a vector of integers";
  case OperandClass::AnyFloat: return "a float, or a vector of floats";
  case OperandClass::AnyNumber: return "a number, or a vector of numbers";
  case OperandClass::Bool: return "an i1, or a vector of i1";
  case OperandClass::MemRef: return "a memref";
  case OperandClass::Tile: return "a tile";
  case OperandClass::Vector: return "a vector";
  case OperandClass::Scalar: return "a scalar";
  case OperandClass::Base: return "a memref, or an address (i64 or u64)";
  case OperandClass::Offsets: return "an index, or a vector of indices";
  case OperandClass::TensorDesc: return "a tensor_desc";
  case OperandClass::NBarrier: return "an nbarrier";
  case OperandClass::Token: return "a token";
  case OperandClass::Any: return "any value";
  }
  XT_UNREACHABLE("operand class");
}
} // namespace

bool ruleElementwise(const TypeRuleInput &in, Results &results) {
  return operandsAlike(in, 0) && push(in, results, openLayout(in, in.operands[0]));
}

bool ruleCompare(const TypeRuleInput &in, Results &results) {
  if (!operandsAlike(in, 0)) return false;
  Type derived = in.context.withElem(openLayout(in, in.operands[0]), Elem::I1);
  // The signature of a comparison may give the type of its operands.
  if (in.written && sameTypeButLayout(in.written, in.operands[0])) {
    Type result = derived.isVector() ? in.context.withLayout(derived, in.written.layout()) : derived;
    results.push_back(result);
    return true;
  }
  return push(in, results, derived);
}

bool ruleSelect(const TypeRuleInput &in, Results &results) {
  if (!operandsAlike(in, 1)) return false;
  Type condition = in.operands[0], value = in.operands[1];
  if (condition.isVector() && (!value.isVector() || !std::equal(condition.shape().begin(), condition.shape().end(),
                                                                value.shape().begin(), value.shape().end()))) {
    in.diagnostics
        .report(DiagCode::ShapeMismatch, in.operandRange(0),
                str("the condition of `select` is ", shapedText(condition), ", but it chooses between values of ",
                    shapedText(value)))
        .note("a vector condition needs values of the same shape; a scalar i1 selects one whole value");
    return false;
  }
  return push(in, results, openLayout(in, value));
}

bool ruleConstant(const TypeRuleInput &in, Results &results) {
  if (!in.written) {
    in.diagnostics.report(DiagCode::ResultTypeNeeded, in.range, "a `constant` needs a type")
        .note("write it as `constant 0.0 : vector<8x16xf32>`");
    return false;
  }
  if (!in.written.isScalar() && !in.written.isVector()) {
    in.diagnostics.report(DiagCode::ResultTypeNeeded, in.writtenRange,
                          str("a constant is a scalar or a vector, not ", shapedText(in.written)));
    return false;
  }
  results.push_back(in.written);
  return true;
}

bool ruleSplat(const TypeRuleInput &in, Results &results) {
  if (!in.written || !in.written.isVector()) {
    in.diagnostics
        .report(DiagCode::ResultTypeNeeded, in.written ? in.writtenRange : in.range,
                "`splat` needs a vector type for its result")
        .note("write it as `splat %x : f32 -> vector<8x16xf32>`");
    return false;
  }
  if (!in.operands[0].isScalar(in.written.elem())) {
    in.diagnostics.report(DiagCode::TypeMismatch, in.operandRange(0),
                          str("`splat` of ", shapedText(in.operands[0]), " cannot give ", shapedText(in.written)));
    return false;
  }
  results.push_back(in.written);
  return true;
}

namespace {
bool castAllowed(OpKind kind, Elem from, Elem to) {
  bool ff = isFloat(from) && isFloat(to), ii = isInteger(from) && isInteger(to);
  bool index = from == Elem::Index || to == Elem::Index;
  int fromBits = elemInfo(from).bits, toBits = elemInfo(to).bits;
  if (kind == OpKind::TruncF) return ff && toBits < fromBits;
  if (kind == OpKind::ExtF) return ff && toBits > fromBits && elemInfo(to).maxExponent >= elemInfo(from).maxExponent;
  if (kind == OpKind::TruncI) return ii && toBits < fromBits && !index;
  if (kind == OpKind::ExtSI || kind == OpKind::ExtUI) return ii && toBits > fromBits && !index;
  if (kind == OpKind::SIToFP || kind == OpKind::UIToFP) return isInteger(from) && isFloat(to);
  if (kind == OpKind::FPToSI || kind == OpKind::FPToUI) return isFloat(from) && isInteger(to);
  if (kind == OpKind::IndexCast) return ii && (from == Elem::Index) != (to == Elem::Index);
  return kind == OpKind::Bitcast && !index && fromBits == toBits && elemInfo(from).storageBytes == elemInfo(to).storageBytes;
}

// Checks that an assert's condition lies within the larger vector that it is a part of, as far as that is known.
bool partOfWhole(const TypeRuleInput &in) {
  const Attr *attr = findAttr(in, attr_names::kWhole);
  if (!attr && in.operands.size() == 1) return true;
  Type condition = in.operands[0];
  if (!attr) {
    in.diagnostics
        .report(DiagCode::AttributeValue, in.operandRange(1),
                "the indices of an assert need `whole`, the shape of the vector that they refer to")
        .note("to test one element, use `extract %v[%i, %j]`");
    return false;
  }
  const auto &whole = std::get<std::vector<int64_t>>(attr->value);
  bool fits = condition.isVector() && !condition.layout() && whole.size() == static_cast<size_t>(condition.rank());
  for (size_t d = 0; fits && d < whole.size(); ++d) fits = condition.extent(static_cast<int>(d)) <= whole[d];
  if (!fits) {
    in.diagnostics
        .report(DiagCode::AttributeValue, attr->range,
                "`whole` must be the shape of a vector that contains the condition, which must have no layout")
        .at(in.operandRange(0), shapedText(condition));
    return false;
  }
  return indexCount(in, condition, 1);
}
} // namespace

bool ruleCast(const TypeRuleInput &in, Results &results) {
  if (!in.written) {
    in.diagnostics.report(DiagCode::ResultTypeNeeded, in.range, str(opName(in), " needs a type for its result"))
        .note(str("for example `", in.op.example, "`"));
    return false;
  }
  Type from = in.operands[0];
  Type expected = in.context.withElem(openLayout(in, from), in.written.elem());
  if (!sameTypeButLayout(expected, in.written)) {
    in.diagnostics.report(
        DiagCode::ShapeMismatch, in.writtenRange,
        str(opName(in), " of ", shapedText(from), " cannot give ", shapedText(in.written), ": a cast keeps the shape"));
    return false;
  }
  if (!castAllowed(in.op.kind, from.elem(), in.written.elem())) {
    in.diagnostics
        .report(DiagCode::CastInvalid, in.range,
                str(opName(in), " cannot turn ", elemName(from.elem()), " into ", elemName(in.written.elem())))
        .note(str(opName(in), ": ", in.op.summary));
    return false;
  }
  results.push_back(in.written);
  return true;
}

bool ruleDim(const TypeRuleInput &in, Results &results) { return push(in, results, in.context.index()); }

bool ruleId(const TypeRuleInput &in, Results &results) {
  if (in.op.kind == OpKind::LaneId && !atLaneScope(in)) return false;
  if (const Attr *dimension = findAttr(in, attr_names::kDimension)) {
    const std::string &name = std::get<std::string>(dimension->value);
    if (name != "x" && name != "y" && name != "z") {
      in.diagnostics.report(DiagCode::AttributeValue, dimension->range,
                            str("a grid has the dimensions x, y and z, not `", name, "`"));
      return false;
    }
  }
  return push(in, results, in.context.index());
}

bool ruleNothing(const TypeRuleInput &in, Results &) { return in.op.kind != OpKind::SubgroupBarrier || atLaneScope(in); }
bool rulePrint(const TypeRuleInput &in, Results &) { return in.op.kind != OpKind::Assert || partOfWhole(in); }
bool ruleStated(const TypeRuleInput &, Results &) { return true; }

} // namespace rules

using namespace rules;

bool sameTypeButLayout(Type a, Type b) {
  if (a == b) return true;
  if (!a || !b || a.kind() != b.kind() || !(a.isVector() || a.isTile())) return false;
  TypeData x = a.data(), y = b.data();
  x.layout = y.layout = nullptr;
  // A tile's memory space follows from its base, and is not spelled in its type.
  x.space = y.space = MemorySpace::Global;
  return x == y;
}

// Whether a written vector has the shape of the fragment that `actual` is in each lane.
static bool fragmentAgrees(Type written, Type actual) {
  const std::vector<int64_t> &fragment = actual.data().fragment;
  return !fragment.empty() && written.elem() == actual.elem() && written.data().fragment.empty() &&
         std::ranges::equal(written.shape(), fragment);
}

bool writtenAgrees(Type written, Type actual) {
  if (sameTypeButLayout(written, actual)) return true;
  if (!written || !actual) return false;
  if (written.isTensorDesc() && actual.isTensorDesc()) {
    TypeData plain = actual.data();
    if (!written.layout()) plain.layout = nullptr;
    if (written.data().space == MemorySpace::Global) plain.space = MemorySpace::Global; // memory_scope is optional
    return plain == written.data();
  }
  if (written.isVector() && actual.isVector()) return fragmentAgrees(written, actual);
  if (!written.isTile() || !actual.isTile()) return false;
  const TypeData &data = written.data();
  // A scatter tile of one row may be written with one dimension.
  bool line = data.shape.size() == 1 && actual.data().scatter && actual.extent(0) == 1;
  if (line) return data.elem == actual.elem() && data.shape[0] == actual.extent(1);
  if (data.order != Order::RowMajor || data.scatter || data.packed) return false;
  return data.elem == actual.elem() && data.shape == actual.data().shape;
}

std::optional<Elem> mmaResultElem(Elem a, Elem b) {
  auto byte = [](Elem e) { return e == Elem::I8 || e == Elem::U8; };
  if (byte(a) && byte(b)) return Elem::I32;
  if (a != b || !isFloat(a) || isStorageFloat(a)) return std::nullopt;
  return a == Elem::F64 ? Elem::F64 : Elem::F32;
}

bool acceptsOperand(OperandClass cls, Type type) {
  bool number = type.isScalar() || type.isVector();
  switch (cls) {
  case OperandClass::Index: return type.isIndex();
  case OperandClass::AnyInt: return number && isInteger(type.elem());
  case OperandClass::AnyFloat: return number && isFloat(type.elem());
  case OperandClass::AnyNumber: return number;
  case OperandClass::Bool: return number && type.elem() == Elem::I1;
  case OperandClass::MemRef: return type.isMemRef();
  case OperandClass::Tile: return type.isTile();
  case OperandClass::Vector: return type.isVector();
  case OperandClass::Scalar: return type.isScalar();
  case OperandClass::Base: return type.isMemRef() || type.isAddress();
  case OperandClass::Offsets: return number && type.elem() == Elem::Index;
  case OperandClass::TensorDesc: return type.isTensorDesc();
  case OperandClass::NBarrier: return type.is(TypeKind::NBarrier);
  case OperandClass::Token: return type.is(TypeKind::Token);
  case OperandClass::Any: return true;
  }
  XT_UNREACHABLE("operand class");
}

// Reports an operand of a float type that is only stored and converted, except of a cast.
bool hasArithmetic(const TypeRuleInput &in, size_t operand) {
  Type type = in.operands[operand];
  bool number = type.isScalar() || type.isVector();
  if (!number || !isStorageFloat(type.elem()) || in.op.typeRule == TypeRule::Cast) return true;
  in.diagnostics
      .report(DiagCode::OperandType, in.operandRange(operand),
              str(opName(in), " does not take ", elemName(type.elem()), ", which is a type of stored numbers"))
      .note("convert it first, for example `cast(%x, f32)`");
  return false;
}

// Says how to make a tile, if operand `i` is a memref where the op takes a tile.
void noteTileOfMemref(const TypeRuleInput &in, size_t i, Diagnostic &diagnostic) {
  if (in.op.operands[i].type == OperandClass::Tile && in.operands[i].isMemRef())
    diagnostic.note("`%t = init_tile %A[%i, %j] -> tile<8x16xf32>` makes a tile of a memref");
}

bool checkOperandClasses(const TypeRuleInput &in) {
  size_t least = 0, most = 0;
  for (const OperandSpec &spec : in.op.operands) {
    if (spec.arity == Arity::One) ++least;
    most = spec.arity == Arity::Variadic ? SIZE_MAX : most == SIZE_MAX ? most : most + 1;
  }
  if (in.operands.size() < least || in.operands.size() > most) {
    std::string names;
    for (const OperandSpec &spec : in.op.operands)
      names += str(names.empty() ? "" : ", ", spec.name, spec.arity == Arity::Optional ? "?" : "",
                   spec.arity == Arity::Variadic ? "…" : "");
    auto &diagnostic = in.diagnostics.report(DiagCode::OperandCount, in.range,
                                             str(opName(in), " takes ",
                                                 least == most               ? str(least)
                                                 : in.operands.size() > most ? str("at most ", most)
                                                                             : str("at least ", least),
                                                 " operand", (in.operands.size() > most ? most : least) == 1 ? "" : "s",
                                                 names.empty() ? "" : " (" + names + ")", ", but ", in.operands.size(),
                                                 in.operands.size() == 1 ? " is" : " are", " given"));
    diagnostic.note(str("for example `", in.op.example, "`"));
    for (size_t i = 0; i < std::min(in.operands.size(), in.op.operands.size()); ++i) noteTileOfMemref(in, i, diagnostic);
    return false;
  }
  for (size_t i = 0; i < in.operands.size(); ++i) {
    const OperandSpec &spec = in.op.operands[std::min(i, in.op.operands.size() - 1)];
    if (spec.type == OperandClass::AnyFloat && !hasArithmetic(in, i)) return false;
    if (acceptsOperand(spec.type, in.operands[i])) continue;
    auto &diagnostic = in.diagnostics.report(DiagCode::OperandType, in.operandRange(i),
                                             str("operand ", spec.name, " of ", opName(in), " is ", className(spec.type),
                                                 ", but this is ", shapedText(in.operands[i])));
    if (spec.type == OperandClass::Index && in.operands[i].isScalar() && isInteger(in.operands[i].elem()))
      diagnostic.note("`index_cast` turns an integer into an index");
    if (i < in.op.operands.size()) noteTileOfMemref(in, i, diagnostic);
    bool number = in.operands[i].isScalar() || in.operands[i].isVector();
    if (spec.type == OperandClass::AnyFloat && number)
      diagnostic.note("named values never convert implicitly: convert this one, as `cast(%x, f32)` does");
    return false;
  }
  return true;
}

bool inferTypes(const TypeRuleInput &in, std::vector<Type> &results) {
  if (!checkOperandClasses(in)) return false;
  switch (in.op.typeRule) {
#define XT_TYPE_RULE(rule, function)                                                                                           \
  case TypeRule::rule: return function(in, results);
#include "ir/ops/type_rules.def"
  }
  XT_UNREACHABLE("type rule");
}

} // namespace xt
