#include "ir/elem_kinds.h"
#include "ir/infer/type_rules_internal.h"
#include "ir/op_kinds.h"
#include "ir/views/names.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/combine.h"
#include "ir/nest_rows.h"

#include <algorithm>

namespace xt::rules {
namespace {

bool checkTileShape(const TypeRuleInput &in, Type tile) {
  bool matrix = tile.data().scatter || tile.data().packed || tile.data().order == Order::ColumnMajor;
  if (tile.rank() < 1 || tile.rank() > kMaxRank || (matrix && tile.rank() != 2)) {
    std::string_view kind = tile.data().scatter  ? "a scatter tile"
                            : tile.data().packed ? "a packed tile"
                                                 : "a column-major tile";
    in.diagnostics.report(DiagCode::ShapeMismatch, in.writtenRange,
                          matrix ? str(kind, " has two dimensions, not ", tile.rank(), ": ", shapedText(tile))
                                 : str("a tile has 1 to ", kMaxRank, " dimensions, not ", tile.rank(), ": ", shapedText(tile)));
    return false;
  }
  if (!tile.hasStaticShape()) {
    in.diagnostics.report(DiagCode::BadExtent, in.writtenRange,
                          str("the shape of a tile must be static, not that of ", shapedText(tile)));
    return false;
  }
  return true;
}

bool checkOrder(const TypeRuleInput &in, Type memref, Type tile) {
  StorageOrders orders = storageOrders(memref);
  bool columnMajor = tile.data().order == Order::ColumnMajor;
  if (columnMajor ? orders.columnMajor : orders.rowMajor) return true;
  // Elements that are not adjacent are loaded and stored one by one (lang/lower/general_tiles.h).
  if (!orders.rowMajor && !orders.columnMajor && !columnMajor && !tile.data().packed && !memref.data().memory.swizzle)
    return true;
  if (!orders.rowMajor && !orders.columnMajor) {
    in.diagnostics
        .report(DiagCode::OrderMismatch, in.operandRange(0),
                str("neither of the last two dimensions of ", shapedText(memref), " has stride 1"))
        .note("the base of a packed or column-major tile must be stored row by row or column by column");
    return false;
  }
  in.diagnostics
      .report(DiagCode::OrderMismatch, in.writtenRange,
              str("the tile is ", columnMajor ? "column" : "row", "-major (order = ", columnMajor ? "[0, 1]" : "[1, 0]",
                  "), but its base is ", columnMajor ? "row" : "column", "-major"))
      .at(in.operandRange(0), shapedText(memref))
      .note(columnMajor ? "omit the order, or declare the memref as `affine_map<(d0, d1) -> (d1, d0)>`"
                        : "add `order = [0, 1]` to the tile");
  return false;
}

// Checks the number of operands of an init_tile from an address: the address, and offsets, shape and strides for two
// dimensions.
bool addressForm(const TypeRuleInput &in) {
  if (in.written.rank() != 2) {
    in.diagnostics.report(
        DiagCode::ShapeMismatch, in.writtenRange,
        str("a tile of an address has two dimensions, not ", in.written.rank(), ": ", shapedText(in.written)));
    return false;
  }
  if (in.operands.size() == 7) return true;
  in.diagnostics
      .report(DiagCode::OffsetCount, in.range,
              "a base that is an address needs a shape and strides, each with one number per dimension")
      .note("write it as `init_tile %address[%i, %j], [%rows, %columns], [%pitch, 1] : i64 -> tile<8x16xf16>`");
  return false;
}

bool scatterForm(const TypeRuleInput &in) {
  Type base = in.operands[0];
  if (base.isMemRef() && base.rank() > 1 && in.operands.size() > 2) { // the front flattens one offset per dimension
    in.diagnostics
        .report(DiagCode::OffsetCount, in.range,
                str(shapedText(base), " needs ", base.rank(), " offsets, not ", in.operands.size() - 1))
        .note("each may be a vector that stretches to the tile's shape, or an index");
    return false;
  }
  if (in.operands.size() != 2) {
    in.diagnostics.report(DiagCode::OffsetCount, in.range, "a scatter tile takes a base and one vector of offsets")
        .note("write it as `init_tile %A, %offsets : memref<?xf32>, vector<1x256xindex> -> tile<1x256xf32, #scatter>`");
    return false;
  }
  if (base.isMemRef() && base.rank() != 1) {
    in.diagnostics
        .report(DiagCode::ShapeMismatch, in.operandRange(0),
                str("the base of a scatter tile must be a memref of one dimension, not ", shapedText(base)))
        .note("its offsets count elements from the start of the base");
    return false;
  }
  Type offsets = in.operands[1];
  if (std::equal(offsets.shape().begin(), offsets.shape().end(), in.written.shape().begin(), in.written.shape().end()))
    return true;
  in.diagnostics
      .report(DiagCode::ShapeMismatch, in.operandRange(1),
              str("the offsets are ", shapedText(offsets), ", but the tile is ", shapedText(in.written)))
      .note("a scatter tile has one offset for each element");
  return false;
}

bool blockForm(const TypeRuleInput &in) {
  Type base = in.operands[0];
  if (base.rank() < in.written.rank()) {
    in.diagnostics
        .report(DiagCode::ShapeMismatch, in.operandRange(0),
                str("the base of ", shapedText(in.written), " needs at least ", in.written.rank(), " dimensions, unlike ",
                    shapedText(base)))
        .note("add a dimension of extent 1 with `memref.cast`, or make a tile of fewer dimensions");
    return false;
  }
  auto rank = static_cast<size_t>(base.rank());
  size_t offsets = in.operands.size() - 1;
  bool explicitView = offsets == 3 * rank; // offsets, shape and strides
  if (explicitView && base.hasStaticShape()) {
    in.diagnostics
        .report(DiagCode::ExplicitShape, in.operandRange(1 + rank),
                str("explicit shape and strides for ", shapedText(base), ", whose shape and strides are static"))
        .note("omit them; they are for dynamic memrefs");
    return false;
  }
  if (offsets != rank && !explicitView) {
    in.diagnostics
        .report(
            DiagCode::OffsetCount, in.range,
            str("`init_tile` has ", offsets, " offset", offsets == 1 ? "" : "s", " for a base of ", base.rank(), " dimensions"))
        .at(in.operandRange(0), shapedText(base))
        .note("a base takes one offset per dimension (the leading ones select the matrix); a dynamic base may also take a "
              "shape and strides, with one number per dimension each");
    return false;
  }
  // With explicit strides, the order is compared with the strides if they are literals (the front end does this).
  return explicitView || in.written.rank() != 2 || checkOrder(in, base, in.written);
}

// Checks a packed tile, whose layout in memory is [K/f][N][f]: the elements of f rows in a column fill 32 bits.
bool packedForm(const TypeRuleInput &in) {
  Type tile = in.written, base = in.operands[0];
  int64_t factor = tile.packFactor();
  auto refuse = [&](std::string message) {
    in.diagnostics.report(DiagCode::PackedTile, in.writtenRange, std::move(message))
        .at(in.operandRange(0), shapedText(base))
        .note("the base of a packed tile stores element (k, n) at [k / f][n][k % f], where f elements fill 32 bits");
    return false;
  };
  if (factor == 1) return refuse(str("elements of a packed tile must have 8 or 16 bits, unlike ", elemName(tile.elem())));
  if (tile.data().scatter) return refuse("a scatter tile cannot be packed: each element has its own offset");
  if (tile.data().order == Order::ColumnMajor) return refuse("a packed tile cannot be column-major");
  if (!base.isMemRef() || base.rank() < 2) return true;
  int64_t rows = base.extent(base.rank() - 2);
  if (rows != kDynamic && rows % factor != 0)
    return refuse(str("rows are packed in groups of ", factor, ", but the base has ", rows));
  return true;
}

// Checks that the element type of the base is that of the tile. A base that is an address has no element type.
bool elementsAgree(const TypeRuleInput &in) {
  Type base = in.operands[0];
  if (!base.isMemRef() || base.elem() == in.written.elem()) return true;
  in.diagnostics
      .report(DiagCode::TypeMismatch, in.writtenRange,
              str("the tile holds ", elemName(in.written.elem()), ", but its base holds ", elemName(base.elem())))
      .at(in.operandRange(0), shapedText(base));
  return false;
}

Type vectorOf(const TypeRuleInput &in, Type tile) {
  return in.context.vector({tile.shape().begin(), tile.shape().end()}, tile.elem());
}

bool isBlockTile(const TypeRuleInput &in, size_t operand) {
  if (!in.operands[operand].data().scatter) return true;
  in.diagnostics
      .report(DiagCode::OperandType, in.operandRange(operand),
              str(opName(in), " takes a tile of rows and columns, but this is a scatter tile"))
      .withLabel(shapedText(in.operands[operand]))
      .note("use `load_gather` or `store_scatter` for scatter tiles");
  return false;
}

bool isScatterTile(const TypeRuleInput &in, size_t operand) {
  if (in.operands[operand].data().scatter) return true;
  in.diagnostics
      .report(DiagCode::OperandType, in.operandRange(operand),
              str(opName(in), " takes a scatter tile, but this is a tile of rows and columns"))
      .withLabel(shapedText(in.operands[operand]))
      .note("use `load_tile` or `store_tile`, or make a scatter tile with `init_tile %A, %offsets`");
  return false;
}

// Reports at the operand `blamed` that operand `value` does not fit the tile, and returns false.
bool misfit(const TypeRuleInput &in, std::string_view verb, size_t value, size_t tile, size_t blamed) {
  Type from = in.operands[value], to = in.operands[tile];
  const bool shapes = from.elem() == to.elem();
  const size_t other = blamed == value ? tile : value;
  in.diagnostics
      .report(shapes ? DiagCode::ShapeMismatch : DiagCode::TypeMismatch, in.operandRange(blamed),
              str("cannot ", verb, " ", shapedText(from), " to ", shapedText(to), ": the ", shapes ? "shapes" : "element types",
                  " differ"))
      .withLabel(shapedText(in.operands[blamed]))
      .at(in.operandRange(other), shapedText(in.operands[other]));
  return false;
}

bool valueFitsTile(const TypeRuleInput &in, size_t valueOperand, size_t tileOperand, std::string_view verb) {
  Type value = in.operands[valueOperand], tile = in.operands[tileOperand];
  if (sameTypeButLayout(in.context.withLayout(value, nullptr), vectorOf(in, tile))) return true;
  return misfit(in, verb, valueOperand, tileOperand, valueOperand);
}

bool maskFits(const TypeRuleInput &in, size_t maskOperand, size_t tileOperand, bool transposed = false) {
  Type mask = in.operands[maskOperand], tile = in.operands[tileOperand];
  if (transposed && mask.rank() == 2) mask = in.context.vector({mask.extent(1), mask.extent(0)}, mask.elem());
  if (mask.elem() != Elem::I1) {
    in.diagnostics.report(DiagCode::OperandType, in.operandRange(maskOperand),
                          str("the mask of ", opName(in), " must be a vector of i1, not ", shapedText(mask)));
    return false;
  }
  if (std::equal(mask.shape().begin(), mask.shape().end(), tile.shape().begin(), tile.shape().end())) return true;
  in.diagnostics
      .report(DiagCode::ShapeMismatch, in.operandRange(maskOperand),
              str("the mask is ", shapedText(mask), ", but the tile is ", shapedText(tile)))
      .at(in.operandRange(tileOperand), shapedText(tile))
      .note(tile.rank() > 2 ? "a mask has the shape of the tile" : "each extent of a mask must be 1 or that of the tile");
  return false;
}

bool mmaShapes(const TypeRuleInput &in) {
  Type a = in.operands[0], b = in.operands[1];
  for (size_t i = 0; i < in.operands.size(); ++i)
    if (in.operands[i].rank() != 2 || !in.operands[i].hasStaticShape()) {
      in.diagnostics.report(DiagCode::MmaShapes, in.operandRange(i),
                            str(opName(in), " multiplies matrices; this is ", shapedText(in.operands[i])));
      return false;
    }
  if (a.extent(1) != b.extent(0)) {
    in.diagnostics
        .report(DiagCode::MmaShapes, in.operandRange(1),
                str(opName(in), " cannot multiply ", shapeText(a.shape()), " by ", shapeText(b.shape()),
                    ": a has K = ", a.extent(1), ", b has K = ", b.extent(0)))
        .withLabel(shapedText(b))
        .at(in.operandRange(0), shapedText(a));
    return false;
  }
  if (in.operands.size() < 3) return true;
  Type c = in.operands[2];
  if (c.extent(0) == a.extent(0) && c.extent(1) == b.extent(1)) return true;
  in.diagnostics
      .report(DiagCode::MmaShapes, in.operandRange(2),
              str("the accumulator of ", opName(in), " is ", shapeText(c.shape()), ", but a times b is ", a.extent(0), "x",
                  b.extent(1)))
      .withLabel(shapedText(c))
      .at(in.operandRange(0), shapedText(a))
      .at(in.operandRange(1), shapedText(b));
  return false;
}

} // namespace

bool initTile(const TypeRuleInput &in, Results &results) {
  if (!in.written) {
    in.diagnostics.report(DiagCode::ResultTypeNeeded, in.range, "`init_tile` needs a tile type for its result")
        .note("write it as `init_tile %A[%i, %j] -> tile<256x32xf16>`");
    return false;
  }
  if (!in.written.isTile()) {
    in.diagnostics.report(DiagCode::TypeMismatch, in.writtenRange,
                          str("`init_tile` returns a tile, not ", shapedText(in.written)));
    return false;
  }
  if (!checkTileShape(in, in.written)) return false;
  bool vectorOffsets = std::any_of(in.operands.begin() + 1, in.operands.end(), [](Type t) { return t.isVector(); });
  if (vectorOffsets != in.written.data().scatter) {
    in.diagnostics.report(DiagCode::TypeMismatch, in.writtenRange,
                          vectorOffsets ? "a vector of offsets makes a scatter tile: add `#scatter` to the tile type"
                                        : "a scatter tile takes a vector of offsets, one for each element");
    return false;
  }
  Type base = in.operands[0];
  if (in.written.data().packed && !packedForm(in)) return false;
  bool fits = in.written.data().scatter ? scatterForm(in) : base.isMemRef() ? blockForm(in) : addressForm(in);
  if (!fits || !elementsAgree(in)) return false;
  TypeData data = in.written.data();
  data.space = base.isMemRef() ? base.data().space : MemorySpace::Global;
  results.push_back(in.context.intern(std::move(data)));
  return true;
}

bool loadTile(const TypeRuleInput &in, Results &results) {
  if (!isBlockTile(in, 0)) return false;
  Type vector = vectorOf(in, in.operands[0]);
  if (const Attr *transpose = findAttr(in, attr_names::kTranspose)) {
    if (std::get<std::vector<int64_t>>(transpose->value) != std::vector<int64_t>{1, 0}) {
      in.diagnostics.report(DiagCode::AttributeValue, transpose->range,
                            "the transpose of a tile must be [1, 0]; omit it otherwise");
      return false;
    }
    if (vector.rank() != 2) {
      in.diagnostics.report(
          DiagCode::AttributeValue, transpose->range,
          str("only a tile of two dimensions is transposed as it is loaded, unlike ", shapedText(in.operands[0])));
      return false;
    }
    vector = in.context.vector({vector.extent(1), vector.extent(0)}, vector.elem());
  }
  if (in.operands.size() > 1 && !maskFits(in, 1, 0, findAttr(in, attr_names::kTranspose))) return false;
  return push(in, results, vector);
}

bool storeTile(const TypeRuleInput &in, Results &) {
  return isBlockTile(in, 1) && valueFitsTile(in, 0, 1, "store") && (in.operands.size() < 3 || maskFits(in, 2, 1));
}

// The memory spaces of the tiles are not checked here but where a kernel uses them (ir/async_copies.h): a tile that is a
// parameter of a function has no memory space yet.
bool asyncCopy(const TypeRuleInput &in, Results &results) {
  if (!isBlockTile(in, 0) || !isBlockTile(in, 1)) return false;
  if (!sameTypeButLayout(vectorOf(in, in.operands[0]), vectorOf(in, in.operands[1]))) return misfit(in, "copy", 0, 1, 1);
  results.push_back(in.context.ofKind(TypeKind::Token));
  return true;
}

bool asyncCommit(const TypeRuleInput &in, Results &results) {
  if (in.operands.empty()) {
    in.diagnostics.report(DiagCode::OperandCount, in.range, "`async_commit` needs at least one copy")
        .note(str("for example `", in.op.example, "`"));
    return false;
  }
  results.push_back(in.operands[0]);
  return true;
}

bool prefetchTile(const TypeRuleInput &in, Results &) {
  const Attr *locality = findAttr(in, attr_names::kLocality);
  if (!locality) return true;
  int64_t value = std::get<int64_t>(locality->value);
  if (value >= 0 && value <= 3) return true;
  in.diagnostics.report(DiagCode::AttributeValue, locality->range,
                        str("locality must be from 0 (no locality) to 3 (keep in every cache), not ", value));
  return false;
}

bool updateTileOffset(const TypeRuleInput &in, Results &results) {
  Type tile = in.operands[0];
  bool scatter = tile.data().scatter;
  if (in.operands.size() != (scatter ? 2u : 1u + static_cast<size_t>(tile.rank()))) {
    in.diagnostics.report(DiagCode::OperandCount, in.range,
                          scatter ? "a scatter tile is moved by a vector of deltas, or by one index for all"
                          : tile.rank() == 2
                              ? "a tile is moved by two deltas: rows, then columns"
                              : str("a tile is moved by one delta for each of its dimensions: ", shapedText(tile)));
    return false;
  }
  Type deltas = in.operands[1];
  bool vectors = std::any_of(in.operands.begin() + 1, in.operands.end(), [](Type type) { return type.isVector(); });
  bool fits = scatter ? !deltas.isVector() ||
                            std::equal(deltas.shape().begin(), deltas.shape().end(), tile.shape().begin(), tile.shape().end())
                      : !vectors;
  if (!fits) {
    in.diagnostics
        .report(DiagCode::ShapeMismatch, in.operandRange(1), str(shapedText(deltas), " cannot move ", shapedText(tile)))
        .note("a tile is moved by two indices, a scatter tile by one index or by a vector of the tile's shape");
    return false;
  }
  if (in.written && !writtenAgrees(in.written, tile)) return static_cast<bool>(agree(in, tile));
  if (!tile.layout() && in.written) tile = in.context.withLayout(tile, in.written.layout());
  results.push_back(tile);
  return true;
}

bool atomicCas(const TypeRuleInput &in, Results &results) {
  constexpr size_t kExpected = 0, kValue = 1, kTile = 2, kMask = 3;
  if (!valueFitsTile(in, kExpected, kTile, "compare") || !valueFitsTile(in, kValue, kTile, "apply")) return false;
  if (in.operands.size() > kMask && !maskFits(in, kMask, kTile)) return false;
  Elem elem = in.operands[kTile].elem();
  if (!isInteger(elem) || elem == Elem::I1) {
    in.diagnostics
        .report(DiagCode::OperandType, in.operandRange(kTile),
                str("`atomic_cas` compares integers of 8 to 64 bits, not ", elemName(elem)))
        .note("declare the buffer with integers, and use `bitcast` for the bits of floats");
    return false;
  }
  return push(in, results, vectorOf(in, in.operands[kTile]));
}

bool atomicUpdate(const TypeRuleInput &in, Results &results) {
  if (in.op.kind == OpKind::AtomicCas) return atomicCas(in, results);
  if (!valueFitsTile(in, 0, 1, "apply")) return false;
  if (in.operands.size() > 2 && !maskFits(in, 2, 1)) return false;
  const Attr *kind = findAttr(in, attr_names::kKind);
  const std::string &word = std::get<std::string>(kind->value);
  Elem elem = in.operands[1].elem();
  if (word != "assign" && !combiningOp(word, elem)) {
    in.diagnostics.report(DiagCode::UnknownKind, kind->range.file ? kind->range : in.range,
                          str("`atomic_rmw <", word, ">` is not defined for ", elemName(elem)));
    return false;
  }
  return push(in, results, vectorOf(in, in.operands[1]));
}

bool loadGather(const TypeRuleInput &in, Results &results) {
  return isScatterTile(in, 0) && maskFits(in, 1, 0) && push(in, results, vectorOf(in, in.operands[0]));
}

bool storeScatter(const TypeRuleInput &in, Results &) {
  return isScatterTile(in, 2) && maskFits(in, 1, 2) && valueFitsTile(in, 0, 2, "store");
}

bool tileMma(const TypeRuleInput &in, Results &results) {
  if (!mmaShapes(in)) return false;
  Type a = in.operands[0], b = in.operands[1];
  std::optional<Elem> usual = mmaResultElem(a.elem(), b.elem());
  if (!usual) {
    std::string floats;
    for (int i = 0; i < kElemCount; ++i)
      if (Elem elem{static_cast<uint8_t>(i)}; isFloat(elem) && !isScale(elem)) floats += str(elemName(elem), " ");
    in.diagnostics
        .report(DiagCode::MmaTypes, in.operandRange(1),
                str(opName(in), " has no product of ", elemName(a.elem()), " and ", elemName(b.elem())))
        .at(in.operandRange(0), shapedText(a))
        .note(
            str("a and b have one element type of ", floats, "i8 u8 (i8 and u8 may be mixed, and f8E4M3, f8E5M2 and f4E2M1)"));
    return false;
  }
  Elem result = in.written ? in.written.elem() : in.operands.size() > 2 ? in.operands[2].elem() : *usual;
  bool narrow = (result == Elem::F16 || result == Elem::BF16) && *usual == Elem::F32;
  if (result != *usual && !narrow) {
    in.diagnostics
        .report(DiagCode::MmaTypes, in.written ? in.writtenRange : in.range,
                str(opName(in), " of ", elemName(a.elem()), " gives ", elemName(*usual), ", not ", elemName(result)))
        .note("f16/bf16/tf32/f8/f32 give f32 (or f16, bf16 if the result is declared so), i8/u8 give i32, f64 gives f64");
    return false;
  }
  if (in.operands.size() > 2 && in.operands[2].elem() != result) {
    in.diagnostics.report(DiagCode::MmaTypes, in.operandRange(2),
                          str("the accumulator of ", opName(in), " holds ", elemName(in.operands[2].elem()),
                              ", but the result holds ", elemName(result)));
    return false;
  }
  return push(in, results, in.context.vector({a.extent(0), b.extent(1)}, result));
}

// Whether a `nest` has a step, and rows that are numbers of rows of `a` if it has any.
bool areStepAndRows(const TypeRuleInput &in, Type a) {
  constexpr size_t kRows = kNestRowsOperand;
  if (in.operands.size() < kRows || in.operands.size() > kRows + 1) {
    in.diagnostics.report(DiagCode::OperandCount, in.range,
                          str("`nest` takes 6 or 7 operands, but ", in.operands.size(), " are given"));
    return false;
  }
  if (!in.operands[kRows - 1].isIndex()) {
    in.diagnostics.report(DiagCode::OperandType, in.operandRange(kRows - 1),
                          str("the step of a `nest` is an index, but this is ", shapedText(in.operands[kRows - 1])));
    return false;
  }
  if (in.operands.size() == kRows) return true;
  const bool turned = findAttr(in, attr_names::kTransposeA) || in.operands[0].data().order == Order::ColumnMajor;
  const bool numbers = in.operands[kRows] ==
                       in.context.withLayout(in.context.vector({a.extent(0), 1}, Elem::Index), in.operands[kRows].layout());
  if (numbers && !turned) return true;
  in.diagnostics
      .report(DiagCode::OperandType, in.operandRange(kRows),
              turned ? "the rows of a `nest` whose a is transposed cannot be given"
                     : str("the rows of a `nest` are ", typeText(in.operands[kRows])))
      .note(str("they must be one number of type index for each row of a: vector<", a.extent(0), "x1xindex>"));
  return false;
}

// A `nest` stands for a loop over K: checks the two loads and the tile_mma that this loop would contain.
bool nest(const TypeRuleInput &in, Results &results) {
  if (!isBlockTile(in, 0) || !isBlockTile(in, 1)) return false;
  auto loaded = [&](size_t operand, std::string_view transpose) {
    Type tile = in.operands[operand];
    bool turned = findAttr(in, transpose) != nullptr;
    return in.context.vector({tile.extent(turned ? 1 : 0), tile.extent(turned ? 0 : 1)}, tile.elem());
  };
  const Type operands[] = {loaded(0, attr_names::kTransposeA), loaded(1, attr_names::kTransposeB), in.operands[2]};
  TypeRuleInput product = in;
  product.operands = operands;
  if (!tileMma(product, results) || !areStepAndRows(in, operands[0])) return false;
  Elem sum = results.back().elem();
  if (sum != Elem::F16 && sum != Elem::BF16) return true;
  in.diagnostics.report(DiagCode::MmaTypes, in.operandRange(2), str("the accumulator of `nest` cannot be ", elemName(sum)))
      .note("it would be rounded in each step, and the compiler chooses the steps of a `nest`");
  return false;
}

} // namespace xt::rules
