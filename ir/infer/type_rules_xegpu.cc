// The type rules of XeGPU ops (RFC for XeTile and XeGPU Dialect), which work on whole vectors or lane by lane
// (type_rules_lanes.cc).
#include "ir/elem_kinds.h"
#include "ir/infer/type_rules_internal.h"
#include "ir/views/names.h"

#include "ir/base/text.h"
#include "ir/combine.h"
#include "ir/gpu/lane_fragments.h"
#include "ir/gpu/subgroup_size.h"

#include <algorithm>

namespace xt::rules {
namespace {

bool wantDesc(const TypeRuleInput &in, std::string_view example) {
  if (in.written && in.written.isTensorDesc()) return true;
  in.diagnostics
      .report(in.written ? DiagCode::TypeMismatch : DiagCode::ResultTypeNeeded, in.written ? in.writtenRange : in.range,
              str(opName(in), " needs a tensor_desc type for its result"))
      .note(str("for example `", example, "`"));
  return false;
}

const std::string *wordAttr(const TypeRuleInput &in, std::string_view name) {
  const Attr *attr = findAttr(in, name);
  return attr ? &std::get<std::string>(attr->value) : nullptr;
}

// Applies the op's attributes for memory space and boundary check to `data`, the type of its result. Reports an error and
// returns false if one of these attributes, or the chunk size, contradicts the type.
bool takeAttributes(const TypeRuleInput &in, TypeData &data) {
  auto contradiction = [&](std::string_view name) {
    in.diagnostics.report(DiagCode::TypeMismatch, findAttr(in, name)->range, str("`", name, "` disagrees with the type"))
        .at(in.writtenRange, shapedText(in.written));
    return false;
  };
  if (const std::string *scope = wordAttr(in, attr_names::kMemoryScope)) {
    MemorySpace space = *scope == "slm" ? MemorySpace::Slm : MemorySpace::Global;
    if (data.space == MemorySpace::Slm && space != data.space) return contradiction(attr_names::kMemoryScope);
    data.space = space;
  }
  if (const Attr *check = findAttr(in, attr_names::kBoundaryCheck)) {
    bool checks = std::get<int64_t>(check->value) != 0;
    if (!data.boundaryCheck && checks) return contradiction(attr_names::kBoundaryCheck);
    data.boundaryCheck = checks;
  }
  if (const Attr *chunk = findAttr(in, attr_names::kChunkSizePerLane); chunk && std::get<int64_t>(chunk->value) != data.chunk)
    return contradiction(attr_names::kChunkSizePerLane);
  return true;
}

// Checks that the base has the descriptor's element type and memory space; an address has neither.
bool baseFits(const TypeRuleInput &in, const TypeData &data) {
  Type base = in.operands[0];
  if (!base.isMemRef()) {
    if (data.space == MemorySpace::Global) return true;
    in.diagnostics.report(DiagCode::NotSupported, in.operandRange(0),
                          "shared local memory has no address: use the memref of `alloc_slm`");
    return false;
  }
  if (base.elem() != data.elem) {
    in.diagnostics
        .report(DiagCode::TypeMismatch, in.writtenRange,
                str("the tensor_desc holds ", elemName(data.elem), ", but its base holds ", elemName(base.elem())))
        .at(in.operandRange(0), shapedText(base));
    return false;
  }
  if (base.data().space == data.space) return true;
  in.diagnostics
      .report(DiagCode::TypeMismatch, in.operandRange(0),
              str("the base is in ", base.data().space == MemorySpace::Slm ? "shared local" : "global",
                  " memory, but `memory_scope` is ", data.space == MemorySpace::Slm ? "slm" : "global"))
      .withLabel(shapedText(base));
  return false;
}

bool isBlock(const TypeRuleInput &in, size_t operand, bool block) {
  Type type = in.operands[operand];
  if (type.data().scatter != block) return true;
  in.diagnostics
      .report(DiagCode::OperandType, in.operandRange(operand),
              str(opName(in),
                  block ? " takes a block (create_nd_tdesc), but this tensor_desc has one offset per lane (create_tdesc)"
                        : " takes one offset per lane (create_tdesc), but this tensor_desc is a block (create_nd_tdesc)"))
      .withLabel(shapedText(type));
  return false;
}

bool swaps(const TypeRuleInput &in, bool &swapped) {
  const Attr *attr = findAttr(in, attr_names::kTranspose);
  swapped = false;
  if (!attr) return true;
  const auto &permutation = std::get<std::vector<int64_t>>(attr->value);
  swapped = permutation == std::vector<int64_t>{1, 0};
  if (swapped || permutation == std::vector<int64_t>{0, 1}) return true;
  in.diagnostics.report(DiagCode::AttributeValue, attr->range, "transpose must be [1, 0], or [0, 1] for no transposition");
  return false;
}

// The number of elements that fill 32 bits; 0 after reporting an error if the elements have neither 8 nor 16 bits.
int64_t vnniFactor(const TypeRuleInput &in, Elem elem, SourceRange range) {
  int bits = elemInfo(elem).bits;
  if (bits == 8 || bits == 16) return 32 / bits;
  in.diagnostics.report(DiagCode::VnniForm, range,
                        str("the VNNI form packs elements of 8 or 16 bits into 32; ", elemName(elem), " has ", bits));
  return 0;
}

// The shape of the VNNI form that the op's `vnni_axis` selects: [R, C] becomes [R/f, C, f] (axis 0) or [R, C/f, f] (axis 1),
// and stays as it is without the attribute. Nullopt after reporting an error.
std::optional<std::vector<int64_t>> vnniShape(const TypeRuleInput &in, std::vector<int64_t> shape, bool swapped, Mode mode) {
  Elem elem = in.operands[0].elem();
  const Attr *attr = findAttr(in, attr_names::kVnniAxis);
  if (!attr) return shape;
  int64_t axis = std::get<int64_t>(attr->value);
  if (axis != 0 && axis != 1) {
    in.diagnostics.report(DiagCode::AttributeValue, attr->range, str("vnni_axis must be 0 or 1, not ", axis));
    return std::nullopt;
  }
  int64_t factor = vnniFactor(in, elem, attr->range);
  if (!factor) return std::nullopt;
  int dim = static_cast<int>(swapped ? 1 - axis : axis);
  if (mode == Mode::Lanes && shape.size() == 2 && !packsInLanes(in, in.operands[0], dim, factor)) return std::nullopt;
  if (shape.size() != 2) {
    in.diagnostics.report(DiagCode::VnniForm, attr->range, "only a block of two dimensions has a VNNI form");
    return std::nullopt;
  }
  int64_t &extent = shape[static_cast<size_t>(axis)];
  if (extent % factor != 0) {
    in.diagnostics.report(DiagCode::VnniForm, attr->range,
                          str("dimension ", axis, " has ", extent, " elements, which is not a multiple of ", factor));
    return std::nullopt;
  }
  extent /= factor;
  return std::vector<int64_t>{shape[0], shape[1], factor};
}

bool valueIs(const TypeRuleInput &in, size_t operand, std::span<const int64_t> shape, Elem elem, size_t desc) {
  Type value = in.operands[operand];
  bool shapes = std::equal(shape.begin(), shape.end(), value.shape().begin(), value.shape().end());
  if (shapes && value.elem() == elem && value.isVector()) return true;
  in.diagnostics
      .report(shapes ? DiagCode::TypeMismatch : DiagCode::ShapeMismatch, in.operandRange(operand),
              str(opName(in), " takes a vector<", shapeText(shape), "x", elemName(elem), "> here, not ", shapedText(value)))
      .withLabel(shapedText(value))
      .at(in.operandRange(desc), shapedText(in.operands[desc]));
  return false;
}

// Checks that the operand is a scalar of the type `elem`: one value per lane.
bool scalarIs(const TypeRuleInput &in, size_t operand, Elem elem) {
  if (in.operands[operand].isScalar(elem)) return true;
  in.diagnostics.report(DiagCode::OperandType, in.operandRange(operand),
                        str("each lane must have one ", elemName(elem), " here, not ", shapedText(in.operands[operand])));
  return false;
}

// Checks that a mask has an i1 for each lane.
bool maskFits(const TypeRuleInput &in, size_t operand, size_t desc, Mode mode) {
  if (mode == Mode::Lanes) return scalarIs(in, operand, Elem::I1);
  return valueIs(in, operand, in.operands[desc].shape().first(1), Elem::I1, desc);
}

// The type of the data that an access through a descriptor with offsets moves: a vector of [lanes] or [lanes, chunk], or its
// transpose; in Mode::Lanes a scalar or the chunk of one lane. Null if an error was reported.
Type gathered(const TypeRuleInput &in, Type desc, Mode mode) {
  bool swapped;
  if (!swaps(in, swapped)) return {};
  if (mode == Mode::Lanes && desc.rank() == 1) return in.context.scalar(desc.elem());
  if (mode == Mode::Lanes) return in.context.vector({desc.extent(1)}, desc.elem());
  std::vector<int64_t> shape(desc.shape().begin(), desc.shape().end());
  if (swapped && shape.size() == 2) std::swap(shape[0], shape[1]);
  return in.context.vector(std::move(shape), desc.elem());
}

bool valueIs(const TypeRuleInput &in, size_t operand, Type wanted, size_t desc) {
  return wanted.isScalar() ? scalarIs(in, operand, wanted.elem()) : valueIs(in, operand, wanted.shape(), wanted.elem(), desc);
}

bool offsetsFit(const TypeRuleInput &in, Type desc, Mode mode) {
  Type offsets = in.operands[1];
  if (mode == Mode::Lanes) {
    if (offsets.isScalar()) return true;
    in.diagnostics.report(DiagCode::ShapeMismatch, in.operandRange(1),
                          str("each lane must have one integer offset, not ", shapedText(offsets)));
    return false;
  }
  if (offsets.isVector() && offsets.rank() == 1 && offsets.extent(0) == desc.extent(0)) return true;
  in.diagnostics.report(DiagCode::ShapeMismatch, in.operandRange(1),
                        str("expected one offset for each of the ", desc.extent(0), " lanes, not ", shapedText(offsets)));
  return false;
}

// The size of a matrix operand of dpas. The operand has two dimensions, or a third one for packed neighbours along K.
struct DpasShape {
  int64_t rows, columns;
};
std::optional<DpasShape> dpasOperand(const TypeRuleInput &in, size_t operand) {
  Type type = in.operands[operand];
  if (type.rank() == 2) return DpasShape{type.extent(0), type.extent(1)};
  if (type.rank() == 3 && operand < 2) {
    int64_t factor = vnniFactor(in, type.elem(), in.operandRange(operand));
    if (factor == type.extent(2))
      return operand == 0 ? DpasShape{type.extent(0), type.extent(1) * factor}
                          : DpasShape{type.extent(0) * factor, type.extent(1)};
    if (!factor) return std::nullopt;
  }
  in.diagnostics
      .report(DiagCode::MmaShapes, in.operandRange(operand),
              str("operand ", "abc"[operand], " of `dpas` must be ",
                  operand == 0   ? "[M, K] or [M, K/f, f]"
                  : operand == 1 ? "[K, N] or [K/f, N, f]"
                                 : "[M, N]",
                  ", not ", shapedText(type)))
      .note("f elements fill 32 bits");
  return std::nullopt;
}

} // namespace

bool createNdTdesc(const TypeRuleInput &in, Results &results) {
  Mode mode = wantDesc(in, in.op.example) ? modeOf(in) : Mode::Wrong;
  if (mode == Mode::Wrong) return false;
  TypeData data = in.written.data();
  if (data.scatter) {
    in.diagnostics.report(DiagCode::TypeMismatch, in.writtenRange,
                          "`create_nd_tdesc` returns a block; use `create_tdesc` for one offset per lane");
    return false;
  }
  const bool ofSlm = in.operands[0].isMemRef() && in.operands[0].data().space == MemorySpace::Slm;
  if (ofSlm && !findAttr(in, attr_names::kMemoryScope)) data.space = MemorySpace::Slm;
  if (!takeAttributes(in, data) || !baseFits(in, data) || !sgMapFits(in, data, mode)) return false;
  Type base = in.operands[0];
  size_t rank = base.isMemRef() ? static_cast<size_t>(base.rank()) : data.shape.size(), given = in.operands.size() - 1;
  bool matrix = data.shape.size() == 2;
  bool fits = base.isMemRef() ? rank >= data.shape.size() && (given == rank || (given == 3 * rank && !base.hasStaticShape()))
                              : given == (matrix ? 6 : 1) || given == 3 * rank;
  if (!fits) {
    in.diagnostics
        .report(DiagCode::OffsetCount, in.range,
                str("`create_nd_tdesc` has ", given, " offsets, sizes and strides for ", shapedText(base)))
        .note("a memref takes one offset per dimension, and if it is dynamic, may take a shape and strides of the same length; "
              "an address takes two offsets, a shape and strides, or one offset for a tensor_desc of one dimension");
    return false;
  }
  if (base.isMemRef() && base.data().memory.swizzle && !data.layout) { // with a layout, each lane finds its own elements
    in.diagnostics
        .report(DiagCode::OrderMismatch, in.operandRange(0),
                str("the base of `create_nd_tdesc` must not be swizzled, unlike ", shapedText(base)))
        .note("a block message reads rows as they are; use ops on tiles, which know the swizzle");
    return false;
  }
  // Explicit strides replace those of the type, which are then not checked.
  const bool isContiguous =
      !base.isMemRef() || given != rank || (rank == 1 ? memrefStrides(base)[0] == 1 : storageOrders(base).rowMajor);
  if (!isContiguous) {
    in.diagnostics
        .report(DiagCode::OrderMismatch, in.operandRange(0),
                str("the base of `create_nd_tdesc` must ", rank == 1 ? "have stride 1" : "be contiguous along its rows",
                    ", unlike ", shapedText(base)))
        .note(rank == 1
                  ? "use a scatter tile, which has an offset for each element"
                  : "take the transposed block of the base's transpose (`memref.cast`), or use ops on tiles, which may be "
                    "column-major");
    return false;
  }
  if (!matrix && data.boundaryCheck) {
    in.diagnostics
        .report(DiagCode::AttributeValue, in.writtenRange, "a tensor_desc of one dimension cannot have a boundary check")
        .note("write `{boundary_check = false}`, and keep all accesses inside the base");
    return false;
  }
  results.push_back(in.context.intern(std::move(data)));
  return true;
}

static bool usedFits(const TypeRuleInput &in, Type desc) {
  const Attr *attr = findAttr(in, attr_names::kUsed);
  if (!attr) return true;
  const auto &used = std::get<std::vector<int64_t>>(attr->value);
  bool fits = used.size() == static_cast<size_t>(desc.rank());
  for (size_t d = 0; fits && d < used.size(); ++d) fits = used[d] > 0 && used[d] <= desc.extent(static_cast<int>(d));
  if (!fits)
    in.diagnostics.report(DiagCode::AttributeValue, attr->range,
                          str("used must list the number of used elements in each dimension of ", shapedText(desc)));
  return fits;
}

bool loadNd(const TypeRuleInput &in, Results &results) {
  Mode mode = modeOf(in);
  if (mode == Mode::Wrong || !isBlock(in, 0, true)) return false;
  Type desc = in.operands[0];
  if (!usedFits(in, desc)) return false;
  std::vector<int64_t> shape = ownShape(desc, mode);
  bool swapped;
  if (!swaps(in, swapped)) return false;
  if (swapped && shape.size() == 2) std::swap(shape[0], shape[1]);
  auto result = vnniShape(in, std::move(shape), swapped, mode);
  return result && push(in, results, in.context.vector(std::move(*result), desc.elem()));
}

bool storeNd(const TypeRuleInput &in, Results &) {
  Mode mode = modeOf(in);
  return mode != Mode::Wrong && isBlock(in, 1, true) &&
         valueIs(in, 0, ownShape(in.operands[1], mode), in.operands[1].elem(), 1);
}

bool prefetchNd(const TypeRuleInput &in, Results &) { return modeOf(in) != Mode::Wrong && isBlock(in, 0, true); }

bool updateNdOffset(const TypeRuleInput &in, Results &results) {
  if (modeOf(in) == Mode::Wrong || !isBlock(in, 0, true)) return false;
  Type desc = in.operands[0];
  if (in.operands.size() - 1 != static_cast<size_t>(desc.rank())) {
    in.diagnostics.report(
        DiagCode::OffsetCount, in.range,
        str(opName(in), " has ", in.operands.size() - 1, " deltas for a tensor_desc of ", desc.rank(), " dimensions"));
    return false;
  }
  return push(in, results, desc);
}

namespace {

bool dpasOfWholes(const TypeRuleInput &in, Elem result, Results &results) {
  std::optional<DpasShape> a = dpasOperand(in, 0), b = a ? dpasOperand(in, 1) : std::nullopt;
  if (!b) return false;
  if (a->columns != b->rows) {
    in.diagnostics
        .report(DiagCode::MmaShapes, in.operandRange(1),
                str("`dpas` multiplies K = ", a->columns, " of a with K = ", b->rows, " of b"))
        .withLabel(shapedText(in.operands[1]))
        .at(in.operandRange(0), shapedText(in.operands[0]));
    return false;
  }
  if (in.operands.size() > 2) {
    std::optional<DpasShape> c = dpasOperand(in, 2);
    if (!c) return false;
    if (c->rows != a->rows || c->columns != b->columns) {
      in.diagnostics.report(DiagCode::MmaShapes, in.operandRange(2),
                            str("the accumulator of `dpas` is ", shapeText(in.operands[2].shape()), ", but a times b is ",
                                a->rows, "x", b->columns));
      return false;
    }
  }
  return push(in, results, in.context.vector({a->rows, b->columns}, result));
}

} // namespace

bool dpas(const TypeRuleInput &in, Results &results) {
  Mode mode = modeOf(in);
  if (mode == Mode::Wrong) return false;
  std::optional<Elem> usual = mmaResultElem(in.operands[0].elem(), in.operands[1].elem());
  if (!usual) {
    in.diagnostics.report(
        DiagCode::MmaTypes, in.operandRange(1),
        str("`dpas` has no product of ", elemName(in.operands[0].elem()), " and ", elemName(in.operands[1].elem())));
    return false;
  }
  Elem result = in.operands.size() > 2 ? in.operands[2].elem() : in.written ? in.written.elem() : *usual;
  bool narrow = (result == Elem::F16 || result == Elem::BF16) && *usual == Elem::F32;
  if (result != *usual && !narrow) {
    in.diagnostics.report(
        DiagCode::MmaTypes, in.operands.size() > 2 ? in.operandRange(2) : in.writtenRange,
        str("`dpas` of ", elemName(in.operands[0].elem()), " gives ", elemName(*usual), ", not ", elemName(result)));
    return false;
  }
  return mode == Mode::Lanes ? dpasOfLanes(in, result, results) : dpasOfWholes(in, result, results);
}

bool createTdesc(const TypeRuleInput &in, Results &results) {
  Mode mode = wantDesc(in, in.op.example) ? modeOf(in) : Mode::Wrong;
  if (mode == Mode::Wrong) return false;
  TypeData data = in.written.data();
  if (!data.scatter) {
    in.diagnostics.report(DiagCode::TypeMismatch, in.writtenRange,
                          "`create_tdesc` returns a scattered tensor_desc: add `#scatter` to the type");
    return false;
  }
  Type base = in.operands[0];
  if (base.isMemRef() && base.rank() != 1) {
    in.diagnostics.report(
        DiagCode::ShapeMismatch, in.operandRange(0),
        str("the base of `create_tdesc` must be an address or a memref of one dimension, not ", shapedText(base)));
    return false;
  }
  if (base.isMemRef() && base.data().space == MemorySpace::Slm && !findAttr(in, attr_names::kMemoryScope))
    data.space = MemorySpace::Slm;
  if (!takeAttributes(in, data) || !baseFits(in, data) || !sgMapFits(in, data, mode)) return false;
  Type desc = in.context.intern(std::move(data));
  if (!offsetsFit(in, desc, mode)) return false;
  results.push_back(desc);
  return true;
}

bool gatherTdesc(const TypeRuleInput &in, Results &results) {
  Mode mode = modeOf(in);
  if (mode == Mode::Wrong || !isBlock(in, 0, false) || !maskFits(in, 1, 0, mode)) return false;
  Type value = gathered(in, in.operands[0], mode);
  return value && push(in, results, value);
}

bool scatterTdesc(const TypeRuleInput &in, Results &) {
  Mode mode = modeOf(in);
  if (mode == Mode::Wrong || !isBlock(in, 1, false) || !maskFits(in, 2, 1, mode)) return false;
  Type value = gathered(in, in.operands[1], mode);
  return value && valueIs(in, 0, value, 1);
}

bool prefetchTdesc(const TypeRuleInput &in, Results &) { return modeOf(in) != Mode::Wrong && isBlock(in, 0, false); }

bool updateTdesc(const TypeRuleInput &in, Results &results) {
  Mode mode = modeOf(in);
  return mode != Mode::Wrong && isBlock(in, 0, false) && offsetsFit(in, in.operands[0], mode) &&
         push(in, results, in.operands[0]);
}

bool atomicTdesc(const TypeRuleInput &in, Results &results) {
  Mode mode = modeOf(in);
  if (mode == Mode::Wrong || !isBlock(in, 1, false) || !maskFits(in, 2, 1, mode)) return false;
  Type desc = in.operands[1], value = gathered(in, desc, mode);
  if (!value || !valueIs(in, 0, value, 1)) return false;
  const Attr *kind = findAttr(in, attr_names::kKind);
  const std::string &word = std::get<std::string>(kind->value);
  if (word != "assign" && !combiningOp(word, desc.elem())) {
    in.diagnostics.report(DiagCode::UnknownKind, kind->range.file ? kind->range : in.range,
                          str("`atomic_rmw <", word, ">` is not defined for ", elemName(desc.elem())));
    return false;
  }
  return push(in, results, value);
}

bool allocNbarrier(const TypeRuleInput &in, Results &) {
  if (in.operands[0].isScalar()) return true;
  in.diagnostics.report(DiagCode::OperandType, in.operandRange(0),
                        str("the number of barriers must be a scalar, not ", shapedText(in.operands[0])));
  return false;
}

bool createNbarrier(const TypeRuleInput &in, Results &results) {
  for (size_t i = 0; i < 2; ++i)
    if (!in.operands[i].isScalar()) {
      in.diagnostics.report(
          DiagCode::OperandType, in.operandRange(i),
          str(i ? "the role" : "the id", " of a named barrier must be a scalar, not ", shapedText(in.operands[i])));
      return false;
    }
  for (std::string_view name : {attr_names::kNumProducers, attr_names::kNumConsumers})
    if (const Attr *attr = findAttr(in, name);
        std::get<int64_t>(attr->value) < 0 || std::get<int64_t>(attr->value) > kMostSubgroups) {
      in.diagnostics.report(DiagCode::AttributeValue, attr->range,
                            str(name, " must be a number of subgroups from 0 to ", kMostSubgroups));
      return false;
    }
  results.push_back(in.context.ofKind(TypeKind::NBarrier));
  return true;
}

} // namespace xt::rules
