// Lowers vector.transfer_read and vector.transfer_write of MLIR to tiles.
#pragma once
#include "lang/lower/composite_clause.h"

namespace xt {

// What a transfer moves: a slice of a memref, and the order of its dimensions in the vector.
struct Transfer {
  IndexedMemRef base;
  Type vector;
  std::vector<int64_t> map; // for each dimension of the vector that of the memref, or kMapZero for a broadcast dimension
  std::vector<bool> inBounds; // for each dimension of the vector

  std::vector<int64_t> dimsInMemory() const; // the dimensions of the memref that the map has, ascending
  std::vector<int64_t> sliceExtents() const; // for each dimension of the memref
  std::vector<int64_t> shapeInMemory() const; // the extents of dimsInMemory()
  std::vector<int64_t> permutation() const; // from dimsInMemory() to the dimensions of the vector that are not broadcast
};

// The values that stand for elements which are not loaded; null if they are not given.
struct PaddingAndMask {
  Value *padding = nullptr, *mask = nullptr;
};

// Reads what a transfer_read or transfer_gather loads. Nullopt if an error was reported.
std::optional<Transfer> readTransfer(const CompositeClause &clause);
// Reads the padding, which is operand `first`, and the mask after it. Nullopt if an error was reported.
std::optional<PaddingAndMask> readPaddingAndMask(const CompositeClause &clause, const Transfer &transfer, size_t first);
// The vector of a slice that was loaded with its padding: applies the mask and the map. Null if an error was reported.
Value *vectorOfSlice(const CompositeClause &clause, const Transfer &transfer, Value *slice, const PaddingAndMask &values);

// These functions return nullopt if an error was reported.
std::optional<std::vector<Value *>> lowerTransferRead(const CompositeClause &clause);
std::optional<std::vector<Value *>> lowerTransferWrite(const CompositeClause &clause);

} // namespace xt
