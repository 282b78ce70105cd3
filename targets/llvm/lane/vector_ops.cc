#include "targets/llvm/lane/vector_ops.h"

#include "ir/combine.h"
#include "ir/elem_kinds.h"
#include "ir/views/shared.h"

namespace xt {
namespace {

// Calls visit(index, k) for each index of a shape, row-major.
template <class Visit> void forEachIndex(const std::vector<int64_t> &shape, Visit visit) {
  std::vector<int64_t> index(shape.size(), 0);
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  for (int64_t k = 0; k < count; ++k) {
    visit(index, static_cast<size_t>(k));
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
}

size_t placeOf(const std::vector<int64_t> &index, const std::vector<int64_t> &shape) {
  int64_t place = 0;
  for (size_t d = 0; d < shape.size(); ++d) place = place * shape[d] + index[d];
  return static_cast<size_t>(place);
}

} // namespace

void LaneVectorOps::emitIota(const Op &op) {
  Type type = op.result()->type();
  size_t dim = dimensionOf(op);
  Fragment result;
  forEachIndex(shapeOf(type), [&](const std::vector<int64_t> &index, size_t) {
    result.push_back({ops.constant(type.elem(), index[dim], 0)});
  });
  v.setFragment(op.result(), std::move(result));
}

void LaneVectorOps::emitCreateMask(const Op &op) {
  Fragment result;
  forEachIndex(shapeOf(op.result()->type()), [&](const std::vector<int64_t> &index, size_t) {
    LlvmValue *inside = b.getTrue();
    for (size_t d = 0; d < index.size(); ++d) {
      LlvmValue *extent = v.scalar(op.operand(d));
      inside = b.CreateAnd(inside,
                           b.CreateICmpSGT(extent, llvm::ConstantInt::get(extent->getType(), static_cast<uint64_t>(index[d]))));
    }
    result.push_back({inside});
  });
  v.setFragment(op.result(), std::move(result));
}

void LaneVectorOps::emitTranspose(const Op &op) {
  std::vector<int64_t> permutation = permutationOf(op), from = shapeOf(op.operand(0)->type());
  const Fragment &own = v.fragment(op.operand(0));
  Fragment result;
  forEachIndex(shapeOf(op.result()->type()), [&](const std::vector<int64_t> &index, size_t) {
    std::vector<int64_t> source(index.size());
    for (size_t d = 0; d < index.size(); ++d) source[static_cast<size_t>(permutation[d])] = index[d];
    result.push_back(own[placeOf(source, from)]);
  });
  v.setFragment(op.result(), std::move(result));
}

// Halves the number of terms until one is left, with vectors of several results at a time. If the terms of adjacent results are
// adjacent in a vector, that vector is used directly.
void LaneVectorOps::emitReduction(const Op &op) {
  std::vector<int64_t> from = shapeOf(op.operand(0)->type()), to = shapeOf(op.result()->type());
  size_t dim = dimensionOf(op);
  int64_t terms = from[dim] / to[dim];
  Elem elem = op.result()->type().elem();
  OpKind kind = *combiningOp(op);
  const Fragment &own = v.fragment(op.operand(0));
  std::vector<Fragment> columns(static_cast<size_t>(terms)); // the n-th term of each result
  forEachIndex(to, [&](std::vector<int64_t> index, size_t) {
    int64_t first = index[dim] * terms;
    for (int64_t n = 0; n < terms; ++n) {
      index[dim] = first + n;
      columns[static_cast<size_t>(n)].push_back(own[placeOf(index, from)]);
    }
  });
  unsigned bits = ops.type(elem, 0)->getScalarSizeInBits();
  while (columns.size() > 1) {
    std::vector<Fragment> halves;
    size_t half = columns.size() / 2;
    for (size_t n = 0; n < half; ++n) {
      Fragment sum;
      for (size_t k = 0; k < columns[n].size();) {
        size_t length = chunkLength(bits, columns[n].size() - k);
        append(sum, ops.combine(kind, elem, together(b, std::span(columns[n]).subspan(k, length)),
                                together(b, std::span(columns[n + half]).subspan(k, length))));
        k += length;
      }
      halves.push_back(std::move(sum));
    }
    if (columns.size() % 2) halves.push_back(std::move(columns.back()));
    columns = std::move(halves);
  }
  v.setFragment(op.result(), std::move(columns[0]));
}

void LaneVectorOps::emitBroadcast(const Op &op) {
  std::vector<int64_t> from = shapeOf(op.operand(0)->type()), to = shapeOf(op.result()->type());
  size_t dim = dimensionOf(op);
  int64_t copies = to[dim] / from[dim];
  const Fragment &own = v.fragment(op.operand(0));
  Fragment result;
  forEachIndex(to, [&](std::vector<int64_t> index, size_t) {
    index[dim] /= copies;
    result.push_back(own[placeOf(index, from)]);
  });
  v.setFragment(op.result(), std::move(result));
}

void LaneVectorOps::emitSlice(const Op &op) {
  bool inserts = op.info().typeRule == TypeRule::InsertStridedSlice;
  const Value *whole = op.operand(inserts ? 1 : 0);
  std::vector<int64_t> shape = shapeOf(whole->type()), part = shapeOf(inserts ? op.operand(0)->type() : op.result()->type());
  const std::vector<int64_t> &offsets = *SharedAttrs(op).offsets();
  Fragment result = inserts ? v.fragment(whole) : Fragment();
  forEachIndex(part, [&](std::vector<int64_t> index, size_t k) {
    for (size_t d = 0; d < index.size(); ++d) index[d] += offsets[d];
    if (inserts)
      result[placeOf(index, shape)] = v.fragment(op.operand(0))[k];
    else
      result.push_back(v.fragment(whole)[placeOf(index, shape)]);
  });
  v.setFragment(op.result(), std::move(result));
}

namespace {
// The position of the element with these indices, if they are constant; -1: out of bounds; nullopt: not constant.
std::optional<int64_t> knownPlace(llvm::ArrayRef<LlvmValue *> indices, const std::vector<int64_t> &shape) {
  int64_t place = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    auto *known = llvm::dyn_cast<llvm::ConstantInt>(indices[d]);
    if (!known) return std::nullopt;
    int64_t index = known->getSExtValue();
    if (index < 0 || index >= shape[d]) return -1;
    place = place * shape[d] + index;
  }
  return place;
}
} // namespace

// Selects the element with the number `place` by a binary tree, which has about as many selects as there are elements.
LlvmValue *LaneVectorOps::elementAt(const Fragment &fragment, LlvmValue *place) {
  std::vector<LlvmValue *> left;
  for (const FragmentElement &element : fragment) left.push_back(scalarOf(b, element));
  for (uint64_t bit = 1; left.size() > 1; bit *= 2) {
    LlvmValue *odd = b.CreateICmpNE(b.CreateAnd(place, llvm::ConstantInt::get(place->getType(), bit)),
                                    llvm::ConstantInt::get(place->getType(), 0));
    std::vector<LlvmValue *> halves;
    for (size_t k = 0; k < left.size(); k += 2)
      halves.push_back(k + 1 < left.size() ? b.CreateSelect(odd, left[k + 1], left[k]) : left[k]);
    left = std::move(halves);
  }
  return left[0];
}

void LaneVectorOps::emitExtract(const Op &op) {
  const Fragment &own = v.fragment(op.operand(0));
  Type type = op.operand(0)->type();
  std::vector<int64_t> shape = shapeOf(type);
  LaneParts indices;
  for (size_t i = 1; i < op.operandCount(); ++i) indices.push_back(v.scalar(op.operand(i)));
  std::optional<int64_t> known = knownPlace(indices, shape);
  LlvmValue *value = nullptr;
  if (known) {
    value = scalarOf(b, own[static_cast<size_t>(std::max<int64_t>(*known, 0))]); // unspecified if out of bounds
  } else {
    LlvmValue *place = v.number32(0);
    for (size_t d = 0; d < shape.size(); ++d)
      place = b.CreateAdd(b.CreateMul(place, v.number32(shape[d])), v.resize(indices[d], true));
    value = elementAt(own, place);
  }
  if (type.elem() == Elem::Index)
    v.setIndex(op.result(), value);
  else
    v.setParts(op.result(), {value});
}

void LaneVectorOps::emitInsert(const Op &op) {
  Fragment result = v.fragment(op.operand(1));
  std::vector<int64_t> shape = shapeOf(op.result()->type());
  LlvmValue *element = v.scalar(op.operand(0));
  if (op.operand(0)->type().isIndex()) element = v.wide(element);
  LaneParts indices;
  for (size_t i = 2; i < op.operandCount(); ++i) indices.push_back(v.scalar(op.operand(i)));
  if (std::optional<int64_t> known = knownPlace(indices, shape)) {
    if (*known >= 0) result[static_cast<size_t>(*known)] = {element};
  } else {
    forEachIndex(shape, [&](const std::vector<int64_t> &index, size_t k) {
      LlvmValue *here = b.getTrue();
      for (size_t d = 0; d < index.size(); ++d)
        here = b.CreateAnd(
            here, b.CreateICmpEQ(indices[d], llvm::ConstantInt::get(indices[d]->getType(), static_cast<uint64_t>(index[d]))));
      result[k] = {b.CreateSelect(here, element, scalarOf(b, result[k]))};
    });
  }
  v.setFragment(op.result(), std::move(result));
}

} // namespace xt
