#include "ir/elem_kinds.h"
#include "ir/infer/type_rules_internal.h"
#include "ir/views/names.h"

#include "ir/base/text.h"
#include "ir/combine.h"

#include <algorithm>
#include <numeric>

namespace xt::rules {
namespace {

// The positive value of a size attribute; nullopt if an error was reported.
std::optional<int64_t> positiveSize(const TypeRuleInput &in, std::string_view name) {
  const Attr *attr = findAttr(in, name);
  int64_t size = std::get<int64_t>(attr->value);
  if (size > 0) return size;
  in.diagnostics.report(DiagCode::AttributeValue, attr->range.file ? attr->range : in.range,
                        str("`", name, "` must be a positive number, not ", size));
  return std::nullopt;
}

bool sameButOneDimension(Type a, Type b, int dim) {
  for (int d = 0; d < a.rank(); ++d)
    if (d != dim && a.extent(d) != b.extent(d)) return false;
  return true;
}

// Whether the kind of a reduction or scan is defined for the operand's elements; otherwise reports an error.
bool kindFits(const TypeRuleInput &in) {
  Elem elem = in.operands[0].elem();
  const Attr *kind = findAttr(in, attr_names::kKind);
  const std::string &word = std::get<std::string>(kind->value);
  if (combiningOp(word, elem)) return true;
  in.diagnostics
      .report(DiagCode::UnknownKind, kind->range.file ? kind->range : in.range,
              str("`", in.op.name, " <", word, ">` is not defined for ", elemName(elem)))
      .note(isStorageFloat(elem) ? "this is a type of stored numbers: convert them first, for example `cast(%x, f32)`"
            : isFloat(elem)      ? "floats have add mul minnumf maxnumf minimumf maximumf"
                                 : "integers have add mul minsi minui maxsi maxui and or xor");
  return false;
}

} // namespace

bool transpose(const TypeRuleInput &in, Results &results) {
  Type v = in.operands[0];
  const Attr *attr = findAttr(in, attr_names::kPermutation);
  if (!attr && !isMatrix(in, 0)) return false;
  std::vector<int64_t> permutation = attr ? std::get<std::vector<int64_t>>(attr->value) : std::vector<int64_t>{1, 0};
  std::vector<int64_t> sorted = permutation, shape;
  std::sort(sorted.begin(), sorted.end());
  bool valid = sorted.size() == static_cast<size_t>(v.rank());
  for (size_t d = 0; valid && d < sorted.size(); ++d) valid = sorted[d] == static_cast<int64_t>(d);
  if (!valid) {
    in.diagnostics
        .report(DiagCode::AttributeValue, attr->range.file ? attr->range : in.range,
                str("[", join(permutation, ", "), "] is not a permutation of ", v.rank() == 2 ? "two" : str(v.rank()),
                    " dimensions"))
        .note(v.rank() == 2 ? "`transpose %v [1, 0]` swaps rows and columns"
                            : "it lists, for each dimension of the result, the dimension of the operand");
    return false;
  }
  for (int64_t d : permutation) shape.push_back(v.extent(static_cast<int>(d)));
  return push(in, results, in.context.vector(std::move(shape), v.elem()));
}

bool reduction(const TypeRuleInput &in, Results &results) {
  Type v = in.operands[0];
  if (!rankFits(in, 0)) return false;
  std::optional<int> dim = oneDimension(in, v);
  if (!dim) return false;
  if (!kindFits(in)) return false;
  std::vector<int64_t> shape = shapeOf(v);
  int64_t &extent = shape[static_cast<size_t>(*dim)];
  if (const Attr *attr = findAttr(in, attr_names::kReductionSize)) {
    std::optional<int64_t> size = positiveSize(in, attr_names::kReductionSize);
    if (!size) return false;
    if (extent % *size != 0) {
      in.diagnostics
          .report(DiagCode::AttributeValue, attr->range.file ? attr->range : in.range,
                  str("reduction_size = ", *size, " does not divide the extent ", extent, " of dimension ", *dim))
          .at(in.operandRange(0), shapedText(v));
      return false;
    }
    extent /= *size;
  } else {
    extent = 1;
  }
  return push(in, results, in.context.vector(std::move(shape), v.elem()));
}

bool scan(const TypeRuleInput &in, Results &results) {
  if (!rankFits(in, 0) || !oneDimension(in, in.operands[0]) || !kindFits(in)) return false;
  return push(in, results, openLayout(in, in.operands[0]));
}

bool broadcast(const TypeRuleInput &in, Results &results) {
  Type v = in.operands[0];
  if (!rankFits(in, 0)) return false;
  std::optional<int> dim = oneDimension(in, v);
  if (!dim) return false;
  std::vector<int64_t> shape = shapeOf(v);
  int64_t &extent = shape[static_cast<size_t>(*dim)];
  if (findAttr(in, attr_names::kBroadcastSize)) {
    std::optional<int64_t> size = positiveSize(in, attr_names::kBroadcastSize);
    if (!size) return false;
    int64_t count = v.elementCount();
    if (__builtin_mul_overflow(count, *size, &count) || count > (int64_t{1} << 31)) {
      in.diagnostics.report(DiagCode::BadExtent, in.range, "the result of `broadcast` has more than 2^31 elements");
      return false;
    }
    extent *= *size;
    return push(in, results, in.context.vector(std::move(shape), v.elem()));
  }
  if (extent != 1) {
    Diagnostic &error = in.diagnostics.report(
        DiagCode::ShapeMismatch, in.operandRange(0),
        str("dimension ", *dim, " of ", shapedText(v), " is ", extent, ", but only an extent of 1 can be broadcast"));
    error.note("`broadcast_size = n` repeats each element n times");
    int other = 1 - *dim;
    const Attr *dims = findAttr(in, attr_names::kDims);
    if (v.rank() == 2 && v.extent(other) == 1 && dims->range.file) {
      error.fix(str("broadcast dimension ", other), dims->range, str("[", other, "]"));
      error.fixits.back().candidate = true; // the written type may be the intended one
    }
    return false;
  }
  if (!vectorWritten(in)) return false;
  Type written = in.written;
  if (written.elem() != v.elem() || written.rank() != v.rank() || !sameButOneDimension(written, v, *dim)) {
    in.diagnostics
        .report(DiagCode::ShapeMismatch, in.writtenRange,
                str("`broadcast` of ", shapedText(v), " along dimension ", *dim, " cannot give ", shapedText(written)))
        .at(in.operandRange(0), shapedText(v))
        .note("the other dimensions and the element type must stay the same");
    return false;
  }
  results.push_back(written);
  return true;
}

bool convertLayout(const TypeRuleInput &in, Results &results) { return push(in, results, openLayout(in, in.operands[0])); }

bool iota(const TypeRuleInput &in, Results &results) {
  if (!vectorWritten(in) || !oneDimension(in, in.written)) return false;
  results.push_back(in.written);
  return true;
}

bool createMask(const TypeRuleInput &in, Results &results) {
  if (!vectorWritten(in)) return false;
  if (in.written.elem() != Elem::I1) {
    in.diagnostics.report(DiagCode::TypeMismatch, in.writtenRange,
                          str("`create_mask` returns a vector of i1, not ", shapedText(in.written)));
    return false;
  }
  if (!indexCount(in, in.written, 0)) return false;
  results.push_back(in.written);
  return true;
}

bool reshape(const TypeRuleInput &in, Results &results) {
  if (!vectorWritten(in)) return false;
  Type v = in.operands[0];
  if (v.elem() != in.written.elem() || v.elementCount() != in.written.elementCount()) {
    in.diagnostics
        .report(DiagCode::ShapeMismatch, in.writtenRange,
                str("`reshape` of ", shapedText(v), " cannot give ", shapedText(in.written)))
        .at(in.operandRange(0), str(shapedText(v), ", ", v.elementCount(), " elements"))
        .note("a reshape keeps the element type and the number of elements");
    return false;
  }
  results.push_back(in.written);
  return true;
}

// Checks the attributes that MLIR prints in addition to the types: `sizes` must be the part's extents, `strides` must be 1.
static bool restatedFits(const TypeRuleInput &in, Type part) {
  auto of = [&](std::string_view name) {
    const Attr *attr = findAttr(in, name);
    return attr ? std::get_if<std::vector<int64_t>>(&attr->value) : nullptr;
  };
  if (const auto *sizes = of(attr_names::kSizes);
      sizes && !std::equal(sizes->begin(), sizes->end(), part.shape().begin(), part.shape().end())) {
    in.diagnostics.report(DiagCode::ShapeMismatch, findAttr(in, attr_names::kSizes)->range,
                          str("sizes are [", join(*sizes, ", "), "], but the part is ", shapedText(part)));
    return false;
  }
  const auto *strides = of(attr_names::kStrides);
  if (!strides || (strides->size() == static_cast<size_t>(part.rank()) &&
                   std::all_of(strides->begin(), strides->end(), [](int64_t s) { return s == 1; })))
    return true;
  in.diagnostics.report(DiagCode::NotSupported, findAttr(in, attr_names::kStrides)->range,
                        str(opName(in), " takes contiguous elements: its strides must be 1 in each dimension"));
  return false;
}

// Checks that `part`, at the offsets in the op's attribute, is a part of the vector `whole`. Reports errors at the attribute.
static bool sliceFits(const TypeRuleInput &in, Type part, Type whole) {
  if (!restatedFits(in, part)) return false;
  const Attr *attr = findAttr(in, attr_names::kOffsets);
  const auto &offsets = std::get<std::vector<int64_t>>(attr->value);
  bool fits = part.elem() == whole.elem() && part.rank() == whole.rank() && offsets.size() == static_cast<size_t>(whole.rank());
  for (size_t d = 0; fits && d < offsets.size(); ++d) {
    int64_t room = whole.extent(static_cast<int>(d)) - part.extent(static_cast<int>(d));
    fits = offsets[d] >= 0 && offsets[d] <= room;
  }
  if (fits) return true;
  in.diagnostics
      .report(DiagCode::ShapeMismatch, attr->range.file ? attr->range : in.range,
              str(shapedText(part), " at [", join(offsets, ", "), "] is not a part of ", shapedText(whole)))
      .note("both must have the same element type and one dimension per offset, and the part must be inside");
  return false;
}

bool extractStridedSlice(const TypeRuleInput &in, Results &results) {
  if (!vectorWritten(in) || !sliceFits(in, in.written, in.operands[0])) return false;
  results.push_back(in.written);
  return true;
}

bool insertStridedSlice(const TypeRuleInput &in, Results &results) {
  return sliceFits(in, in.operands[0], in.operands[1]) && push(in, results, in.operands[1]);
}

bool extract(const TypeRuleInput &in, Results &results) {
  Type v = in.operands[0];
  return indexCount(in, v, 1) && push(in, results, in.context.scalar(v.elem()));
}

bool insert(const TypeRuleInput &in, Results &results) {
  Type x = in.operands[0], v = in.operands[1];
  if (!x.isScalar(v.elem())) {
    in.diagnostics
        .report(DiagCode::TypeMismatch, in.operandRange(0), str("cannot insert ", shapedText(x), " into ", shapedText(v)))
        .at(in.operandRange(1), shapedText(v));
    return false;
  }
  return indexCount(in, v, 2) && push(in, results, openLayout(in, v));
}

} // namespace xt::rules
