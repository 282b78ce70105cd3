// Arguments of operations between ranks, checked before anything is sent. Each function fails with the name of the argument.
#pragma once
#include "targets/api/boundary/failure.h"
#include "targets/api/mpi/rank_group.h"

namespace xt {

// Reads an array. `written`: whether the operation writes it. `needsData`: whether its address is used.
Failure readOperand(const xt_argument *given, const char *name, bool written, BufferView &out, bool needsData = true);

// Reads the arrays `from` and `into` of an operation, which have the same element type.
Failure readArrays(const xt_argument *from, const xt_argument *into, Operation &out);
// The same for arrays of one shape that are not divided, which become those of the exchange.
Failure readPair(const xt_argument *from, const xt_argument *into, Operation &out);

// Reads how an array of this rank is divided. `dims` may only be NULL if `optional`: the array is then not divided.
Failure readDims(const int32_t *dims, int32_t count, const char *name, bool optional, const Mesh &mesh, size_t rank,
                 Sharding &out);
// The shape of the array of which each rank holds a part of this shape.
Failure wholeShape(const BufferView &part, const Sharding &sharding, const Mesh &mesh, const char *name,
                   std::vector<int64_t> &out);
// Fails if the array cannot be divided as `dims`, the name of an argument, says; or if `part`, the argument `name`, is not a part of it.
Failure checkParts(const Distributed &whole, const Mesh &mesh, const char *dims);
Failure checkPart(const Distributed &whole, const Mesh &mesh, int rank, const BufferView &part, const char *name);

Failure readAxis(int32_t given, const Mesh &mesh, std::optional<int> &out);
Failure readKind(xt_combine given, Elem elem, std::string &out);

// "4x5xf32", for messages.
std::string typeText(std::span<const int64_t> shape, Elem elem);

} // namespace xt
