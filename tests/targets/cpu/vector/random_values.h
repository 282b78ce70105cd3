// What the ops of a random kernel work on: arrays of many types, memory orders and gaps, and the values that are in scope.
#pragma once
#include "tests/targets/cpu/compare.h"

#include <memory>
#include <vector>

namespace xt {

class RandomValues {
protected:
  static constexpr int64_t kMostElements = 1200; // of a vector

  // A parameter with two dimensions or more. `leading` are the offsets of tiles in the dimensions before the last two.
  struct Matrix {
    Value *memref;
    std::vector<Value *> leading;
    Order order;
  };

  // Adds arrays of four random element types, of indices and of truth values, and fills them.
  explicit RandomValues(uint64_t seed);

  // Returns a tile at a random offset; parts of it may be out of bounds.
  Value *tileOf(const Matrix &matrix, std::vector<int64_t> wanted);

  Value *any(const std::vector<Value *> &list) {
    return list[static_cast<size_t>(random_.between(0, static_cast<int64_t>(list.size()) - 1))];
  }
  Value *vector() { return any(vectors_); }
  Value *matrixVector(); // of rank 2
  // Returns a vector of this type: an existing one if ten random choices find one, otherwise an iota.
  Value *valueLike(Type type);
  // Returns a mask of the shape of `x`.
  Value *maskLike(Value *x);

  Value *index() { return random_.chance(60) ? m_.index(random_.between(-2, 8)) : any(scalars_); }
  Value *offset() { return m_.index(random_.between(-6, 30)); }
  Value *offsets(); // a vector of offsets for a scatter tile
  Value *scatterTile(size_t slot); // of the line with this index

  // Returns the index of the element type in `elems_`; their number if it is not among them.
  size_t slotOf(Elem elem) const;
  std::vector<int64_t> shape();
  static std::vector<int64_t> shapeOf(const Value *x) { return {x->type().shape().begin(), x->type().shape().end()}; }
  Type valueType(Value *tile) { return m_.context.vector(shapeOf(tile), tile->type().elem()); }

  RandomNumbers random_;
  KernelMaker m_;
  std::vector<Elem> elems_;
  std::vector<std::unique_ptr<Array>> arrays_;
  std::vector<Matrix> matrices_; // one for each of `elems_`, as are the lines
  std::vector<Value *> lines_; // parameters with one dimension
  std::vector<Value *> vectors_, scalars_; // the values in scope

private:
  Value *add(std::unique_ptr<Array> array, Type type);
  // Adds a matrix of any storage, of rank 2 to 4, and a line whose elements may have gaps.
  void addArrays(Elem elem);
};

} // namespace xt
