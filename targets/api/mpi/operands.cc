#include "targets/api/mpi/operands.h"

#include "ir/base/text.h"
#include "targets/api/boundary/array_argument.h"
#include "targets/api/mpi/dense_copy.h"
#include "targets/ranks/combine_parts.h"

#include <algorithm>

namespace xt {
namespace {

Failure wrong(const char *name, std::string_view what) { return {XT_INVALID_ARGUMENT, str("`", name, "`: ", what), name}; }

} // namespace

std::string typeText(std::span<const int64_t> shape, Elem elem) {
  return shape.empty() ? std::string(elemName(elem)) : str(join(shape, "x"), "x", elemName(elem));
}

Failure readOperand(const xt_argument *given, const char *name, bool written, BufferView &out, bool needsData) {
  if (!given) return invalid(name, "is NULL");
  xt_argument argument = XT_INIT(xt_argument);
  if (Failure bad = readVersioned(given, argument, name)) return bad;
  if (argument.kind != XT_ARRAY) return invalid(name, "is not an array: its kind is not XT_ARRAY");
  if (std::string why = readArray(argument, out); !why.empty()) return wrong(name, why);
  int64_t bytes = 0;
  for (int64_t stride : out.strides)
    if (stride < 0) return wrong(name, str("its strides ", join(out.strides, ", "), " have a negative one"));
  if (!spanOf(out, bytes)) return wrong(name, "it is too large");
  if (needsData && bytes > 0 && !out.data) return wrong(name, "its address is NULL");
  if (std::string why = whyUnusable(argument, out, written, "the operation"); !why.empty()) return wrong(name, why);
  return {};
}

Failure checkElements(const BufferView &from, const BufferView &into) {
  if (from.elem == into.elem) return {};
  return wrong("into", str("its elements are ", elemName(into.elem), ", but those of `from` are ", elemName(from.elem)));
}

Failure readArrays(const xt_argument *from, const xt_argument *into, Operation &out) {
  if (Failure bad = readOperand(from, "from", false, out.from.emplace())) return bad;
  if (Failure bad = readOperand(into, "into", true, out.into.emplace())) return bad;
  return checkElements(*out.from, *out.into);
}

Failure readPair(const xt_argument *from, const xt_argument *into, Operation &out) {
  if (Failure bad = readArrays(from, into, out)) return bad;
  if (out.from->sizes != out.into->sizes)
    return wrong("into", str("it is ", typeText(out.into->sizes, out.into->elem), ", but `from` is ",
                             typeText(out.from->sizes, out.from->elem)));
  out.exchange.source = out.exchange.destination = {out.from->sizes, out.from->elem};
  return {};
}

Failure readDims(const int32_t *dims, int32_t count, const char *name, bool optional, const Mesh &mesh, size_t rank,
                 Sharding &out) {
  if (count < 0 || count > mesh.axes())
    return invalid("dim_count", str("is ", count, ", but the mesh has ", mesh.axes(), mesh.axes() == 1 ? " axis" : " axes"));
  if (!dims && !optional && count > 0) return invalid(name, "is NULL");
  out.dims.clear();
  for (int32_t axis = 0; dims && axis < count; ++axis) {
    const int32_t dim = dims[axis];
    if (dim == XT_NOT_DIVIDED) {
      out.dims.push_back(-1);
      continue;
    }
    if (dim < 0 || static_cast<size_t>(dim) >= rank)
      return invalid(name, str("divides dimension ", dim, " of an array that has ", rank));
    if (std::ranges::find(out.dims, dim) != out.dims.end()) return invalid(name, str("divides dimension ", dim, " twice"));
    out.dims.push_back(dim);
  }
  return {};
}

Failure wholeShape(const BufferView &part, const Sharding &sharding, const Mesh &mesh, const char *name,
                   std::vector<int64_t> &out) {
  out = part.sizes;
  for (int axis : sharding.axes()) {
    int64_t &extent = out[static_cast<size_t>(sharding.dims[static_cast<size_t>(axis)])];
    if (__builtin_mul_overflow(extent, mesh.extent(axis), &extent)) return wrong(name, "the whole array is too large");
  }
  int64_t bytes = elemInfo(part.elem).storageBytes;
  for (int64_t extent : out)
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(extent, 1), &bytes)) return wrong(name, "the whole array is too large");
  return {};
}

Failure checkParts(const Distributed &whole, const Mesh &mesh, const char *dims) {
  std::string why = unevenShards(whole.shape, whole.sharding, mesh);
  return why.empty() ? Failure{} : wrong(dims, why);
}

Failure checkPart(const Distributed &whole, const Mesh &mesh, int rank, const BufferView &part, const char *name) {
  const Box box = whole.part(mesh, rank);
  if (box.extent == part.sizes) return {};
  return wrong(name, str("it is ", typeText(part.sizes, part.elem), ", but this rank's part of ",
                         typeText(whole.shape, whole.elem), " is ", typeText(box.extent, whole.elem)));
}

Failure readAxis(int32_t given, const Mesh &mesh, std::optional<int> &out) {
  if (given == XT_ALL_RANKS) return {};
  if (given < 0 || given >= mesh.axes())
    return invalid("axis", str("is ", given, ", but the mesh has ", mesh.axes(), mesh.axes() == 1 ? " axis" : " axes"));
  out = given;
  return {};
}

Failure readKind(xt_combine given, Elem elem, std::string &out) {
  switch (given) {
  case XT_COMBINE_ADD: out = "add"; break;
  case XT_COMBINE_MUL: out = "mul"; break;
  case XT_COMBINE_MAX: out = "max"; break;
  case XT_COMBINE_MIN: out = "min"; break;
  default: return invalid("kind", str(static_cast<int>(given), " does not exist"));
  }
  if (canCombine(out, elem)) return {};
  return invalid("kind", str("cannot be `", out, "` for elements of the type ", elemName(elem)));
}

} // namespace xt
