// Internal to the pass distribute-to-subgroups: the pieces of a vector or tile that its layout gives to one subgroup.
#pragma once
#include "ir/context.h"
#include "ir/layout/layout_pieces.h"

namespace xt {

// Whether each subgroup has its own pieces of values of this type.
inline bool hasPieces(Type type) { return (type.isVector() || type.isTile()) && type.layout(); }

struct Pieces {
  std::vector<DimPieces> dims;

  explicit Pieces(Type type) {
    for (int d = 0; d < type.layout()->rank(); ++d) dims.push_back(dimPieces(*type.layout(), d));
  }
  size_t count() const {
    size_t n = 1;
    for (const DimPieces &dim : dims) n *= dim.starts.size();
    return n;
  }
  std::vector<int64_t> lengths() const {
    std::vector<int64_t> shape;
    for (const DimPieces &dim : dims) shape.push_back(dim.length);
    return shape;
  }
  // Pieces are numbered row-major over the starts of the dimensions. Converts a piece number to the number of its start
  // in each dimension, and back.
  std::vector<size_t> at(size_t k) const {
    std::vector<size_t> place(dims.size());
    for (size_t d = dims.size(); d-- > 0; k /= dims[d].starts.size()) place[d] = k % dims[d].starts.size();
    return place;
  }
  size_t number(const std::vector<size_t> &place) const {
    size_t k = 0;
    for (size_t d = 0; d < dims.size(); ++d) k = k * dims[d].starts.size() + place[d];
    return k;
  }
  bool operator==(const Pieces &) const = default;
};

// The type of one piece of a value of this type. The piece of a vector keeps the layout of its lanes.
inline Type pieceType(Context &context, Type type, const Pieces &pieces) {
  TypeData data = type.data();
  data.layout = type.isVector() ? lanesOfPiece(context, *type.layout()) : nullptr;
  data.shape = pieces.lengths();
  return context.intern(std::move(data));
}

} // namespace xt
