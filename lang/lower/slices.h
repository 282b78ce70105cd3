// Loads and stores of contiguous slices of memrefs, as tiles.
#pragma once
#include "lang/lower/composite_clause.h"

#include <functional>

namespace xt {

// A box of elements of a memref, with one extent for each of its dimensions. Each of its tiles spans the last `tileDims`
// dimensions, 0 to 2. There is a tile for each position in the leading dimensions.
class Slice {
public:
  // The first index in each dimension of the tile at a position. Returns false if an error was reported.
  using IndicesOf = std::function<bool(const std::vector<int64_t> &position, std::vector<Value *> &indices)>;

  // `what`: the name of the op, for messages.
  Slice(KernelState &state, SourceRange range, std::string what, Value *memref, std::vector<int64_t> extents,
        size_t tileDims = 2);
  Slice(const CompositeClause &clause, Value *memref, std::vector<int64_t> extents, size_t tileDims = 2)
      : Slice(clause.state(), clause.range(), clause.name(), memref, std::move(extents), tileDims) {}

  // Loads the slice, with elements out of bounds as the attributes of load_tile say. The result has the shape extents(). Returns
  // null if an error was reported.
  // `mask`: which elements are loaded, of the shape extents(); null: all.
  Value *load(const IndicesOf &indicesOf, const std::vector<Attr> &padding, Value *mask = nullptr);
  // Stores a value of the shape extents(); elements out of bounds are not written. Returns false if an error was reported.
  // `mask`: which elements are written, of the shape extents(); null: all.
  bool store(Value *value, const IndicesOf &indicesOf, Value *mask = nullptr);
  // Updates the slice by an atomic (ir/atomic_update.h) that takes `values`, each of the shape extents(). The old values have this
  // shape. Returns null if an error was reported.
  Value *update(OpKind atomic, const std::vector<Value *> &values, const IndicesOf &indicesOf, const std::vector<Attr> &attrs,
                Value *mask = nullptr);
  bool prefetch(const IndicesOf &indicesOf, const std::vector<Attr> &locality);

  // The shape of each tile.
  std::vector<int64_t> tileShape() const;
  // Gives the tiles a layout for their shape.
  void setLayout(const Layout *layout) { layout_ = layout; }

  // The extents as they were given, after leading ones if the memref has one dimension: tiles have two.
  const std::vector<int64_t> &extents() const { return extents_; }

private:
  bool countTiles() const; // adds the tiles to those of the kernel; returns false if an error about their number was reported
  std::vector<int64_t> leading() const; // extents of the leading dimensions; 1 for the dimensions of tiles
  Value *tileAt(const std::vector<int64_t> &position, const IndicesOf &indicesOf);
  Value *partOf(Value *whole, const std::vector<int64_t> &position); // what belongs to the tile at the position
  // Puts together what `valueAt` returns for the tile at each position.
  Value *assembled(const std::function<Value *(const std::vector<int64_t> &position)> &valueAt);

  KernelState &state_;
  SourceRange range_;
  std::string what_;
  CompositeOps ops_;
  Value *memref_; // of at least two dimensions
  bool addedDimension_; // a leading dimension of extent 1 was added to the memref
  size_t tileDims_;
  std::vector<int64_t> extents_;
  const Layout *layout_ = nullptr;
};

} // namespace xt
