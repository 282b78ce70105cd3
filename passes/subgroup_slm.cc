// Buffers in shared local memory through which subgroups exchange parts, and the barriers around them.
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "ir/views/tile.h"
#include "passes/distribution.h"

#include <set>

namespace xt {

Value *Distribution::slmBuffer(std::vector<int64_t> shape, Elem elem) {
  topEnd_ = atTop().create(OpKind::AllocSlm, {}, {context_.memref(std::move(shape), elem, MemorySpace::Slm)});
  return topEnd_->result();
}

// In a loop, other subgroups may still read the data of the previous iteration.
void Distribution::waitForReaders() {
  ++exchange_;
  if (loops_ > 0) waits_.push_back({create(OpKind::Barrier, {}, {}), exchange_});
}

void Distribution::published() { ownBarriers_[create(OpKind::Barrier, {}, {})] = exchange_; }

// Exchanges from number `first` on are read together: keeps one barrier before all writes and one after them.
void Distribution::joinExchanges(size_t first) {
  auto drop = [](Op *barrier) { barrier->block()->erase(barrier); };
  std::erase_if(waits_, [&](const Wait &wait) { return wait.exchange > first && (drop(wait.barrier), true); });
  std::erase_if(ownBarriers_,
                [&](const auto &own) { return own.second >= first && own.second < exchange_ && (drop(own.first), true); });
  for (auto &[barrier, exchange] : ownBarriers_) exchange = std::min(exchange, first);
}

// A subgroup that reads the result of an exchange and writes the same buffer in a later iteration passes every
// barrier of the loop body in between. Any other barrier in that body therefore makes the wait unnecessary.
void Distribution::dropNeedlessWaits() {
  std::set<const Op *> waits; // for lookup only
  for (const Wait &wait : waits_) waits.insert(wait.barrier);
  auto keepsApart = [&](const Block &block, size_t exchange) {
    for (Op &op : block) {
      auto own = ownBarriers_.find(&op);
      if (op.kind() == OpKind::Barrier && !waits.count(&op) && (own == ownBarriers_.end() || own->second != exchange))
        return true;
    }
    return false;
  };
  for (const Wait &wait : waits_) {
    const Block *block = wait.barrier->block();
    bool needless = keepsApart(*block, wait.exchange);
    while (!needless && block->parentOp() && !carriedAt(*block->parentOp()).loops) {
      block = block->parentOp()->block();
      needless = keepsApart(*block, wait.exchange);
    }
    if (needless) wait.barrier->block()->erase(wait.barrier);
  }
}

void Distribution::onlyWhere(const std::vector<SubgroupDigit> &zero, const std::function<void()> &body) {
  Value *place = placeOf(zero);
  if (!place) return body();
  Op *compare = create(OpKind::CmpI, {place, index(0)}, {context_.scalar(Elem::I1)});
  CmpIOp(*compare).setKind(CmpIKind::Eq);
  Op *branch = b.create(OpKind::If, {compare->result()}, {}, 2);
  Block &outer = b.block();
  b.setEnd(*branch->region(0));
  body();
  create(OpKind::Yield, {}, {});
  b.setEnd(*branch->region(1));
  create(OpKind::Yield, {}, {});
  b.setEnd(outer);
}

Value *Distribution::publish(const Value *value) {
  Type type = value->type();
  Pieces pieces = piecesOf(type);
  Value *buffer = slmBuffer({type.shape().begin(), type.shape().end()}, type.elem());
  waitForReaders();
  // One of the subgroups that hold a copy writes it.
  onlyWhere(copyDigits(*type.layout()), [&] {
    for (size_t k = 0; k < pieces.count(); ++k) {
      std::vector<size_t> at = pieces.at(k);
      Type tile = context_.tile(pieces.lengths(), type.elem(), nullptr, Order::RowMajor, MemorySpace::Slm);
      Value *rows = indexOf(pieces.dims[0], at[0]), *columns = indexOf(pieces.dims[1], at[1]);
      Value *part = make(OpKind::InitTile, {buffer, rows ? rows : index(0), columns ? columns : index(0)}, tile);
      create(OpKind::StoreTile, {of(value)[k], part}, {});
    }
  });
  published();
  return buffer;
}

Value *Distribution::region(Value *buffer, Value *row, Value *column, std::vector<int64_t> shape, bool transposed) {
  Elem elem = buffer->type().elem();
  std::vector<int64_t> inMemory = shape;
  if (transposed) std::swap(inMemory[0], inMemory[1]);
  Type tile = context_.tile(inMemory, elem, nullptr, Order::RowMajor, MemorySpace::Slm);
  Value *part = make(OpKind::InitTile, {buffer, row ? row : index(0), column ? column : index(0)}, tile);
  Op *load = create(OpKind::LoadTile, {part}, {context_.vector(std::move(shape), elem)});
  if (transposed) LoadTileOp(*load).setTranspose({1, 0});
  return load->result();
}

} // namespace xt
