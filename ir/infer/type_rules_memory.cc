#include "ir/infer/type_rules_internal.h"
#include "ir/views/names.h"

#include "ir/base/text.h"

namespace xt::rules {
namespace {

// The maximum offset of a buffer in shared local memory: more bytes than any device provides.
constexpr int64_t kMostSlmBytes = int64_t{1} << 30;

} // namespace

bool allocSlm(const TypeRuleInput &in, Results &results) {
  if (!in.written || !in.written.isMemRef()) {
    in.diagnostics
        .report(DiagCode::ResultTypeNeeded, in.written ? in.writtenRange : in.range,
                "`alloc_slm` needs a memref type for its result")
        .note(str("for example `", in.op.example, "`"));
    return false;
  }
  if (in.written.data().space != MemorySpace::Slm) {
    in.diagnostics.report(DiagCode::TypeMismatch, in.writtenRange,
                          str("`alloc_slm` allocates shared local memory; write `slm` in ", shapedText(in.written)));
    return false;
  }
  std::vector<int64_t> strides = memrefStrides(in.written);
  bool known = in.written.hasStaticShape();
  for (int64_t stride : strides) known &= stride != kDynamic;
  if (!known) {
    in.diagnostics.report(DiagCode::BadExtent, in.writtenRange,
                          str("shared local memory must have a static size, not ", shapedText(in.written)));
    return false;
  }
  if (const Swizzle &swizzle = in.written.data().memory.swizzle; in.written.byteCount() % swizzle.blockBytes() != 0) {
    in.diagnostics.report(DiagCode::BadExtent, in.writtenRange,
                          str(shapedText(in.written), " has ", in.written.byteCount(),
                              " bytes, which is not a multiple of the ", swizzle.blockBytes(),
                              " bytes within which the swizzle moves elements"));
    return false;
  }
  if (const Attr *offset = findAttr(in, attr_names::kOffset)) {
    int64_t bytes = std::get<int64_t>(offset->value), size = elemInfo(in.written.elem()).storageBytes;
    if (bytes < 0 || bytes % size != 0 || bytes > kMostSlmBytes) {
      in.diagnostics
          .report(DiagCode::AttributeValue, offset->range,
                  str("invalid offset of a buffer of ", elemName(in.written.elem()), " in shared local memory: ", bytes))
          .note(str("`offset` must be a multiple of the element's size (", size, "), from 0 to ", kMostSlmBytes));
      return false;
    }
  }
  results.push_back(in.written);
  return true;
}

bool memRefCast(const TypeRuleInput &in, Results &results) {
  Type from = in.operands[0];
  if (!in.written || !in.written.isMemRef()) {
    in.diagnostics
        .report(DiagCode::ResultTypeNeeded, in.written ? in.writtenRange : in.range,
                "`memref.cast` needs a memref type for its result")
        .note(str("for example `", in.op.example, "`"));
    return false;
  }
  bool alike = from.elem() == in.written.elem() && from.data().space == in.written.data().space;
  if (alike && memrefCastDims(from, in.written)) {
    results.push_back(in.written);
    return true;
  }
  in.diagnostics
      .report(DiagCode::CastInvalid, in.writtenRange,
              str("`memref.cast` of ", shapedText(from), " cannot give ", shapedText(in.written)))
      .at(in.operandRange(0), shapedText(from))
      .note("a cast adds or drops dimensions of extent 1 if the match is unique, turns a column-major memref into its "
            "row-major transpose, and may replace a static extent or stride by `?`");
  return false;
}

bool view(const TypeRuleInput &in, Results &results) {
  Type from = in.operands[0];
  if (!in.written || !in.written.isMemRef()) {
    in.diagnostics
        .report(DiagCode::ResultTypeNeeded, in.written ? in.writtenRange : in.range,
                "`view` needs a memref type for its result")
        .note(str("for example `", in.op.example, "`"));
    return false;
  }
  const TypeData &source = from.data(), &result = in.written.data();
  bool strided = result.memory.kind == MemoryLayout::Kind::Strided && result.memory.swizzle == source.memory.swizzle;
  if (source.elem != result.elem || source.space != result.space || !strided) {
    in.diagnostics
        .report(DiagCode::CastInvalid, in.writtenRange,
                str("`view` of ", typeText(from), " cannot give ", typeText(in.written)))
        .note("it keeps the element type and the memory, and its result states strides: `strided<[?, 1]>`");
    return false;
  }
  size_t wanted = 2 + 2 * static_cast<size_t>(in.written.rank());
  if (in.operands.size() != wanted) {
    in.diagnostics
        .report(DiagCode::OffsetCount, in.range,
                str("`view` to ", shapedText(in.written),
                    " takes an offset, and a size and a stride for each "
                    "dimension, which are ",
                    wanted - 1, " indices, not ", in.operands.size() - 1))
        .note(str("for example `", in.op.example, "`"));
    return false;
  }
  results.push_back(in.written);
  return true;
}

bool memRefLoad(const TypeRuleInput &in, Results &results) {
  Type source = in.operands[0];
  return indexCount(in, source, 1) && push(in, results, in.context.scalar(source.elem()));
}

bool memRefStore(const TypeRuleInput &in, Results &) {
  Type value = in.operands[0], target = in.operands[1];
  if (!value.isScalar(target.elem())) {
    in.diagnostics
        .report(DiagCode::TypeMismatch, in.operandRange(0), str("cannot store ", shapedText(value), " to ", shapedText(target)))
        .at(in.operandRange(1), shapedText(target));
    return false;
  }
  return indexCount(in, target, 2);
}

} // namespace xt::rules
