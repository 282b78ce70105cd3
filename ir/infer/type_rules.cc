#include "ir/infer/type_rules.h"

#include "ir/base/check.h"
#include "ir/base/text.h"

namespace xt {
namespace {

using Results = std::vector<Type>;

std::string opName(const TypeRuleInput &in) { return str("`", in.op.name, "`"); }

const Attr *findAttr(const TypeRuleInput &in, std::string_view name) {
  for (const Attr &attr : in.attrs)
    if (attr.name == name) return &attr;
  return nullptr;
}

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
  case OperandClass::Any: return "any value";
  }
  XT_UNREACHABLE("operand class");
}

bool fits(Type type, OperandClass cls) {
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
  case OperandClass::Any: return true;
  }
  XT_UNREACHABLE("operand class");
}

// The written type where it agrees with what the operands say; reports and gives null otherwise.
Type agree(const TypeRuleInput &in, Type derived) {
  if (!in.written) return derived;
  if (sameTypeButLayout(in.written, derived)) return in.written;
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

// The derived type of an elementwise result: the layout stays open unless it is written.
Type openLayout(const TypeRuleInput &in, Type type) {
  return type.isVector() || type.isTile() ? in.context.withLayout(type, nullptr) : type;
}

bool operandsAlike(const TypeRuleInput &in, size_t first) {
  Type reference = in.operands[first];
  for (size_t i = first + 1; i < in.operands.size(); ++i) {
    if (sameTypeButLayout(reference, in.operands[i])) continue;
    bool shapes = reference.kind() == in.operands[i].kind() && reference.elem() == in.operands[i].elem();
    auto &diagnostic = in.diagnostics.report(
        shapes ? DiagCode::ShapeMismatch : DiagCode::TypeMismatch, in.operandRange(i),
        str("operands of ", opName(in), " have different ", shapes ? "shapes" : "types", ": ", shapedText(reference),
            " and ", shapedText(in.operands[i])));
    diagnostic.withLabel(shapedText(in.operands[i])).at(in.operandRange(first), shapedText(reference));
    if (!shapes && reference.elem() != in.operands[i].elem())
      diagnostic.note("named values never convert implicitly; use a cast such as `extf` or `index_cast`");
    return false;
  }
  return true;
}

bool ruleElementwise(const TypeRuleInput &in, Results &results) {
  return operandsAlike(in, 0) && push(in, results, openLayout(in, in.operands[0]));
}

bool ruleCompare(const TypeRuleInput &in, Results &results) {
  if (!operandsAlike(in, 0)) return false;
  Type derived = in.context.withElem(openLayout(in, in.operands[0]), Elem::I1);
  // The signature of a comparison names its operands' type.
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
  if (condition.isVector() &&
      (!value.isVector() || !std::equal(condition.shape().begin(), condition.shape().end(), value.shape().begin(),
                                        value.shape().end()))) {
    in.diagnostics
        .report(DiagCode::ShapeMismatch, in.operandRange(0),
                str("the condition of `select` is ", shapedText(condition), ", but it chooses between values of ",
                    shapedText(value)))
        .note("a vector condition needs values of its own shape; a scalar i1 chooses one value as a whole");
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
    in.diagnostics.report(DiagCode::ResultTypeNeeded, in.written ? in.writtenRange : in.range,
                          "`splat` needs the vector type that it gives")
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

bool castAllowed(OpKind kind, Elem from, Elem to) {
  bool ff = isFloat(from) && isFloat(to), ii = isInteger(from) && isInteger(to);
  bool index = from == Elem::Index || to == Elem::Index;
  int fromBits = elemInfo(from).bits, toBits = elemInfo(to).bits;
  if (kind == OpKind::TruncF) return ff && toBits < fromBits;
  if (kind == OpKind::ExtF) return ff && toBits > fromBits;
  if (kind == OpKind::TruncI) return ii && toBits < fromBits && !index;
  if (kind == OpKind::ExtSI || kind == OpKind::ExtUI) return ii && toBits > fromBits && !index;
  if (kind == OpKind::SIToFP || kind == OpKind::UIToFP) return isInteger(from) && isFloat(to);
  if (kind == OpKind::FPToSI || kind == OpKind::FPToUI) return isFloat(from) && isInteger(to);
  if (kind == OpKind::IndexCast) return ii && (from == Elem::Index) != (to == Elem::Index);
  return kind == OpKind::Bitcast && fromBits == toBits && elemInfo(from).storageBytes == elemInfo(to).storageBytes;
}

bool ruleCast(const TypeRuleInput &in, Results &results) {
  if (!in.written) {
    in.diagnostics.report(DiagCode::ResultTypeNeeded, in.range, str(opName(in), " needs the type that it gives"))
        .note(str("for example `", in.op.example, "`"));
    return false;
  }
  Type from = in.operands[0];
  Type expected = in.context.withElem(openLayout(in, from), in.written.elem());
  if (!sameTypeButLayout(expected, in.written)) {
    in.diagnostics.report(DiagCode::ShapeMismatch, in.writtenRange,
                          str(opName(in), " of ", shapedText(from), " cannot give ", shapedText(in.written),
                              ": a cast keeps the shape"));
    return false;
  }
  if (!castAllowed(in.op.kind, from.elem(), in.written.elem())) {
    in.diagnostics.report(DiagCode::CastInvalid, in.range,
                          str(opName(in), " cannot turn ", elemName(from.elem()), " into ", elemName(in.written.elem())))
        .note(str(opName(in), ": ", in.op.summary));
    return false;
  }
  results.push_back(in.written);
  return true;
}

bool ruleDim(const TypeRuleInput &in, Results &results) { return push(in, results, in.context.index()); }

bool ruleId(const TypeRuleInput &in, Results &results) {
  if (const Attr *dimension = findAttr(in, "dimension")) {
    const std::string &name = std::get<std::string>(dimension->value);
    if (name != "x" && name != "y" && name != "z") {
      in.diagnostics.report(DiagCode::AttributeValue, dimension->range,
                            str("a grid has the dimensions x, y and z, not `", name, "`"));
      return false;
    }
  }
  return push(in, results, in.context.index());
}

// --- tiles -----------------------------------------------------------------------------------------------------------

bool checkTileShape(const TypeRuleInput &in, Type tile) {
  if (tile.rank() != 2) {
    in.diagnostics.report(DiagCode::ShapeMismatch, in.writtenRange,
                          str("a tile has two dimensions, not ", tile.rank(), ": ", shapedText(tile)));
    return false;
  }
  if (!tile.hasStaticShape()) {
    in.diagnostics.report(DiagCode::BadExtent, in.writtenRange,
                          str("the shape of a tile is static: ", shapedText(tile)));
    return false;
  }
  return true;
}

bool checkOrder(const TypeRuleInput &in, Type memref, Type tile) {
  StorageOrders orders = storageOrders(memref);
  bool columnMajor = tile.data().order == Order::ColumnMajor;
  if (columnMajor ? orders.columnMajor : orders.rowMajor) return true;
  if (!orders.rowMajor && !orders.columnMajor) {
    in.diagnostics.report(DiagCode::OrderMismatch, in.operandRange(0),
                          str("neither of the last two dimensions of ", shapedText(memref), " has stride 1"))
        .note("a tile's base is stored row by row or column by column");
    return false;
  }
  in.diagnostics
      .report(DiagCode::OrderMismatch, in.writtenRange,
              str("the tile is ", columnMajor ? "column" : "row", "-major (order = ", columnMajor ? "[0, 1]" : "[1, 0]",
                  "), but its base is ", columnMajor ? "row" : "column", "-major"))
      .at(in.operandRange(0), shapedText(memref))
      .note(columnMajor ? "leave the order out, or give the memref as `affine_map<(d0, d1) -> (d1, d0)>`"
                        : "add `order = [0, 1]` to the tile");
  return false;
}

bool ruleInitTile(const TypeRuleInput &in, Results &results) {
  Type base = in.operands[0];
  if (!in.written) {
    in.diagnostics.report(DiagCode::ResultTypeNeeded, in.range, "`init_tile` needs the tile type that it gives")
        .note("write it as `init_tile %A[%i, %j] -> tile<256x32xf16>`");
    return false;
  }
  if (!in.written.isTile()) {
    in.diagnostics.report(DiagCode::TypeMismatch, in.writtenRange,
                          str("`init_tile` gives a tile, not ", shapedText(in.written)));
    return false;
  }
  if (!checkTileShape(in, in.written)) return false;
  if (base.rank() < 2) {
    in.diagnostics.report(DiagCode::ShapeMismatch, in.operandRange(0),
                          str("the base of a tile has at least two dimensions: ", shapedText(base)));
    return false;
  }
  auto rank = static_cast<size_t>(base.rank());
  size_t offsets = in.operands.size() - 1;
  bool explicitView = offsets == 3 * rank; // offsets, shape and strides
  if (explicitView && base.hasStaticShape()) {
    in.diagnostics
        .report(DiagCode::ExplicitShape, in.operandRange(1 + rank),
                str("a shape and strides are given for ", shapedText(base), ", whose own are static"))
        .note("leave them out; they replace the sizes and strides of a dynamic memref");
    return false;
  }
  if (offsets != rank && !explicitView) {
    in.diagnostics.report(DiagCode::OffsetCount, in.range,
                          str("`init_tile` has ", offsets, " offset", offsets == 1 ? "" : "s", " for a base of ",
                              base.rank(), " dimensions"))
        .at(in.operandRange(0), shapedText(base))
        .note("one offset a dimension (the leading ones pick the matrix), and, for a dynamic base, optionally a shape and "
              "strides of as many each");
    return false;
  }
  if (base.elem() != in.written.elem()) {
    in.diagnostics.report(DiagCode::TypeMismatch, in.writtenRange,
                          str("the tile holds ", elemName(in.written.elem()), ", but its base holds ",
                              elemName(base.elem())))
        .at(in.operandRange(0), shapedText(base));
    return false;
  }
  // With explicit strides the order is compared with those, where they are literals (the front end does).
  if (!explicitView && !checkOrder(in, base, in.written)) return false;
  TypeData data = in.written.data();
  data.space = base.data().space;
  results.push_back(in.context.intern(std::move(data)));
  return true;
}

Type vectorOf(const TypeRuleInput &in, Type tile) {
  return in.context.vector({tile.shape().begin(), tile.shape().end()}, tile.elem());
}

bool ruleLoadTile(const TypeRuleInput &in, Results &results) { return push(in, results, vectorOf(in, in.operands[0])); }

bool ruleStoreTile(const TypeRuleInput &in, Results &) {
  Type value = in.operands[0], tile = in.operands[1];
  if (sameTypeButLayout(in.context.withLayout(value, nullptr), vectorOf(in, tile))) return true;
  bool shapes = value.elem() == tile.elem();
  in.diagnostics
      .report(shapes ? DiagCode::ShapeMismatch : DiagCode::TypeMismatch, in.operandRange(0),
              str("cannot store ", shapedText(value), " to ", shapedText(tile), ": the ",
                  shapes ? "shapes" : "element types", " differ"))
      .withLabel(shapedText(value))
      .at(in.operandRange(1), shapedText(tile));
  return false;
}

bool rulePrefetchTile(const TypeRuleInput &in, Results &) {
  const Attr *locality = findAttr(in, "locality");
  if (!locality) return true;
  int64_t value = std::get<int64_t>(locality->value);
  if (value >= 0 && value <= 3) return true;
  in.diagnostics.report(DiagCode::AttributeValue, locality->range,
                        str("locality goes from 0 (no locality) to 3 (keep in every cache), not ", value));
  return false;
}

bool ruleUpdateTileOffset(const TypeRuleInput &in, Results &results) {
  if (in.written && !sameTypeButLayout(in.written, in.operands[0])) return static_cast<bool>(agree(in, in.operands[0]));
  Type tile = in.operands[0];
  if (!tile.layout() && in.written) tile = in.context.withLayout(tile, in.written.layout());
  results.push_back(tile);
  return true;
}

bool mmaShapes(const TypeRuleInput &in) {
  Type a = in.operands[0], b = in.operands[1];
  for (size_t i = 0; i < in.operands.size(); ++i)
    if (in.operands[i].rank() != 2 || !in.operands[i].hasStaticShape()) {
      in.diagnostics.report(DiagCode::MmaShapes, in.operandRange(i),
                            str("`tile_mma` multiplies matrices; this is ", shapedText(in.operands[i])));
      return false;
    }
  if (a.extent(1) != b.extent(0)) {
    in.diagnostics
        .report(DiagCode::MmaShapes, in.operandRange(1),
                str("`tile_mma` cannot multiply ", shapeText(a.shape()), " by ", shapeText(b.shape()), ": a has K = ",
                    a.extent(1), ", b has K = ", b.extent(0)))
        .withLabel(shapedText(b))
        .at(in.operandRange(0), shapedText(a));
    return false;
  }
  if (in.operands.size() < 3) return true;
  Type c = in.operands[2];
  if (c.extent(0) == a.extent(0) && c.extent(1) == b.extent(1)) return true;
  in.diagnostics
      .report(DiagCode::MmaShapes, in.operandRange(2),
              str("the accumulator of `tile_mma` is ", shapeText(c.shape()), ", but a times b is ", a.extent(0), "x",
                  b.extent(1)))
      .withLabel(shapedText(c))
      .at(in.operandRange(0), shapedText(a))
      .at(in.operandRange(1), shapedText(b));
  return false;
}

bool ruleTileMma(const TypeRuleInput &in, Results &results) {
  if (!mmaShapes(in)) return false;
  Type a = in.operands[0], b = in.operands[1];
  std::optional<Elem> usual = mmaResultElem(a.elem(), b.elem());
  if (!usual) {
    in.diagnostics
        .report(DiagCode::MmaTypes, in.operandRange(1),
                str("`tile_mma` has no product of ", elemName(a.elem()), " and ", elemName(b.elem())))
        .at(in.operandRange(0), shapedText(a))
        .note("a and b have one element type of f64 f32 tf32 f16 bf16 f8E4M3 f8E5M2 i8 u8 (i8 and u8 may be mixed)");
    return false;
  }
  Elem result = in.written ? in.written.elem() : in.operands.size() > 2 ? in.operands[2].elem() : *usual;
  bool narrow = (result == Elem::F16 || result == Elem::BF16) && *usual == Elem::F32;
  if (result != *usual && !narrow) {
    in.diagnostics.report(DiagCode::MmaTypes, in.written ? in.writtenRange : in.range,
                          str("`tile_mma` of ", elemName(a.elem()), " gives ", elemName(*usual), ", not ",
                              elemName(result)))
        .note("f16/bf16/tf32/f8/f32 give f32 (or f16, bf16 when the result says so), i8/u8 give i32, f64 gives f64");
    return false;
  }
  if (in.operands.size() > 2 && in.operands[2].elem() != result) {
    in.diagnostics.report(DiagCode::MmaTypes, in.operandRange(2),
                          str("the accumulator of `tile_mma` holds ", elemName(in.operands[2].elem()),
                              ", but the result holds ", elemName(result)));
    return false;
  }
  return push(in, results, in.context.vector({a.extent(0), b.extent(1)}, result));
}

} // namespace

bool sameTypeButLayout(Type a, Type b) {
  if (a == b) return true;
  if (!a || !b || a.kind() != b.kind() || a.isScalar() || a.isMemRef()) return false;
  TypeData x = a.data(), y = b.data();
  x.layout = y.layout = nullptr;
  // A tile's memory space follows from its base, not from its spelling.
  x.space = y.space = MemorySpace::Global;
  return x == y;
}

std::optional<Elem> mmaResultElem(Elem a, Elem b) {
  auto byte = [](Elem e) { return e == Elem::I8 || e == Elem::U8; };
  if (byte(a) && byte(b)) return Elem::I32;
  if (a != b) return std::nullopt;
  switch (a) {
  case Elem::F64: return Elem::F64;
  case Elem::F32:
  case Elem::TF32:
  case Elem::F16:
  case Elem::BF16:
  case Elem::F8E4M3:
  case Elem::F8E5M2: return Elem::F32;
  case Elem::I1:
  case Elem::I4:
  case Elem::I8:
  case Elem::I16:
  case Elem::I32:
  case Elem::I64:
  case Elem::U8:
  case Elem::U16:
  case Elem::U32:
  case Elem::U64:
  case Elem::Index: return std::nullopt;
  }
  XT_UNREACHABLE("element type");
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
    in.diagnostics
        .report(DiagCode::OperandCount, in.range,
                str(opName(in), " takes ", least == most ? str(least) : str("at least ", least), " operand",
                    least == 1 && most == 1 ? "" : "s", names.empty() ? "" : " (" + names + ")", ", but ",
                    in.operands.size(), in.operands.size() == 1 ? " is" : " are", " given"))
        .note(str("for example `", in.op.example, "`"));
    return false;
  }
  for (size_t i = 0; i < in.operands.size(); ++i) {
    const OperandSpec &spec = in.op.operands[std::min(i, in.op.operands.size() - 1)];
    if (fits(in.operands[i], spec.type)) continue;
    auto &diagnostic = in.diagnostics.report(
        DiagCode::OperandType, in.operandRange(i),
        str("operand ", spec.name, " of ", opName(in), " is ", className(spec.type), ", but this is ",
            shapedText(in.operands[i])));
    if (spec.type == OperandClass::Index && in.operands[i].isScalar() && isInteger(in.operands[i].elem()))
      diagnostic.note("`index_cast` turns an integer into an index");
    return false;
  }
  return true;
}

bool inferTypes(const TypeRuleInput &in, std::vector<Type> &results) {
  if (!checkOperandClasses(in)) return false;
  switch (in.op.typeRule) {
  case TypeRule::Constant: return ruleConstant(in, results);
  case TypeRule::Elementwise: return ruleElementwise(in, results);
  case TypeRule::Compare: return ruleCompare(in, results);
  case TypeRule::Select: return ruleSelect(in, results);
  case TypeRule::Cast: return ruleCast(in, results);
  case TypeRule::Splat: return ruleSplat(in, results);
  case TypeRule::Dim: return ruleDim(in, results);
  case TypeRule::Id: return ruleId(in, results);
  case TypeRule::InitTile: return ruleInitTile(in, results);
  case TypeRule::LoadTile: return ruleLoadTile(in, results);
  case TypeRule::StoreTile: return ruleStoreTile(in, results);
  case TypeRule::PrefetchTile: return rulePrefetchTile(in, results);
  case TypeRule::UpdateTileOffset: return ruleUpdateTileOffset(in, results);
  case TypeRule::TileMma: return ruleTileMma(in, results);
  case TypeRule::For:
  case TypeRule::If:
  case TypeRule::Yield: return true;
  }
  XT_UNREACHABLE("type rule");
}

} // namespace xt
