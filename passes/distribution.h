// Internal to the pass distribute-to-subgroups.
#pragma once
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/layout/layout_pieces.h"

#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

namespace xt {

// A subgroup's values for one value of the workgroup: one value per piece, row-major over the starts of the
// dimensions. A scalar or memref has one value.
using Values = std::vector<Value *>;

// The pieces that a layout gives to one subgroup.
struct Pieces {
  std::vector<DimPieces> dims;

  explicit Pieces(const Layout &layout) {
    for (int d = 0; d < layout.rank(); ++d) dims.push_back(dimPieces(layout, d));
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
  // Converts a piece number to the number of its start in each dimension, and back.
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

class Distribution {
public:
  // `slmLimit`: the most bytes of shared local memory that one exchange may use; 0: unlimited.
  Distribution(Kernel &kernel, Context &context, int64_t slmLimit)
      : kernel_(kernel), context_(context), slmLimit_(slmLimit), b(context, kernel.body) {}
  void run();

private:
  // distribute_to_subgroups.cc: structure, and ops whose parts need no data of other subgroups
  void block(const Block &from);
  void op(const Op &op);
  void plain(const Op &op);
  void eachPiece(const Op &op);
  void initTile(const Op &op);
  void iota(const Op &op);
  void createMask(const Op &op);
  void insert(const Op &op);
  void memoryStore(const Op &op);
  void loop(const Op &op);
  void branch(const Op &op);
  void yield(const Op &op);
  Values expanded(std::span<Value *const> values) const;
  std::vector<Type> expandedTypes(std::span<const Type> types) const;
  // Binds each old value, in order, to as many new values as it has pieces.
  void bindAll(std::span<Value *const> olds, const Values &news);

  // subgroup_movement.cc: ops that may need data of other subgroups
  void loadTransposed(const Op &op);
  void tileMma(const Op &op);
  void transpose(const Op &op);
  void convert(const Op &op);
  struct Bands {
    size_t dim;
    int64_t count;
  };
  std::optional<Bands> bandsOf(Type type, const Pieces &source, const Pieces &target) const;
  void convertInRegisters(const Op &op, const SubgroupChoice &choice);
  void convertInBands(const Op &op, const Bands &bands);
  Value *inBand(Value *first, int64_t band, int64_t length);
  Value *where(Value *condition, Value *otherwise, const std::function<Value *()> &body);
  void reduction(const Op &op);
  void broadcast(const Op &op);
  void reshape(const Op &op);
  void extract(const Op &op);
  void print(const Op &op);
  void asserted(const Op &op);
  Value *reducePiece(const Op &op, Value *piece, std::vector<int64_t> shape, int64_t size);
  void reduceAcross(const Op &op, const Pieces &from);

  // subgroup_slm.cc: buffers for exchanges in shared local memory, and the barriers around them
  // Stores the operand's pieces to a buffer in shared local memory of the vector's shape, from which other subgroups
  // can read.
  Value *publish(const Value *value);
  // Loads a region of a matrix from such a buffer.
  Value *region(Value *buffer, Value *row, Value *column, std::vector<int64_t> shape, bool transposed = false);
  Value *slmBuffer(std::vector<int64_t> shape, Elem elem);
  void waitForReaders(); // begins an exchange: a barrier before the buffer is written again
  void published();      // a barrier after the writes of an exchange, so that they may be read
  void joinExchanges(size_t first);
  void dropNeedlessWaits();
  void onlyWhere(const std::vector<SubgroupDigit> &zero, const std::function<void()> &body);

  // subgroup_exchange.cc: data of other subgroups, element by element
  void exchangeElements(const Op &op);
  Value *publishElements(const Value *value);
  void gatherPieces(const Op &op, Value *buffer, const std::vector<int64_t> &strides);
  Value *wholeByElements(const Value *value, Value *buffer);
  Value *elementOffsets(const Pieces &pieces, size_t k, const std::vector<int64_t> &strides);
  Value *scattered(Value *buffer, Value *offsets);
  Value *rows(Value *vector);
  Value *allTrue(Type like);

  // Values that depend only on the subgroup's id, computed at the start of the kernel.
  Value *subgroupId();
  Value *digit(const SubgroupDigit &digit);
  Value *placeOf(const std::vector<SubgroupDigit> &digits); // null: 0 for every subgroup
  Builder atTop();

  Value *index(int64_t value) { return b.index(value); }
  Value *add(Value *x, Value *y); // a null operand is 0
  Value *plus(Value *x, int64_t constant);
  // The first index along `dim` of the piece at `start`.
  Value *indexOf(const DimPieces &dim, size_t start) { return plus(placeOf(dim.digits), dim.starts[start]); }
  Type pieceType(Type type, const Pieces &pieces) const;
  Pieces piecesOf(Type type) const { return Pieces(*type.layout()); }
  Op *create(OpKind kind, Values operands, std::vector<Type> results) { return b.create(kind, std::move(operands), results); }
  Value *make(OpKind kind, Values operands, Type result) { return b.value(kind, std::move(operands), result); }
  const Values &of(const Value *value) const { return values_.at(value); }
  Value *one(const Value *value) const { return values_.at(value)[0]; }
  void bind(const Value *old, Values values);

  Kernel &kernel_;
  Context &context_;
  int64_t slmLimit_;
  Builder b;
  std::unordered_map<const Value *, Values> values_; // for lookup only; iteration order would not be deterministic
  Op *topEnd_ = nullptr;                             // the last op at the start of the kernel
  Value *subgroupId_ = nullptr;
  std::map<std::array<int64_t, 3>, Value *> digits_;
  std::map<std::vector<std::array<int64_t, 3>>, Value *> places_;
  int loops_ = 0; // nesting depth of loops at the insertion point
  struct Wait {
    Op *barrier;
    size_t exchange;
  };
  std::vector<Wait> waits_; // for earlier readers, in loops
  size_t exchange_ = 0;     // number of the exchange that began last
  std::unordered_map<Op *, size_t> ownBarriers_; // barriers of exchanges that are not in waits_; its order has no effect
};

} // namespace xt
