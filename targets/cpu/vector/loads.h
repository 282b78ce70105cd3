// Loads of tiles: read in place if the tile turns out to be in bounds and is not overwritten (in_place_load.cc), and prefetches of
// what later workgroups and iterations load (load_ahead.cc).
#pragma once
#include "targets/cpu/vector/kernel_context.h"
#include "targets/cpu/vector/tile_memory.h"

namespace xt {

class KernelEmitter;

class Loads {
public:
  Loads(KernelEmitter &emitter, KernelContext &context) : k_(emitter), c_(context), b(context.b), ops_(context.ops) {}

  struct Lines { // the rows of a load: in memory, or in its buffer
    LlvmValue *address, *pitch;
  };
  void emitLoad(const Op &op); // for a load with its own loop

  // Where a load is read that may be in place; null: in its buffer.
  const Lines *inPlace(const Value *load) const {
    auto found = inPlace_.find(load);
    return found == inPlace_.end() ? nullptr : &found->second;
  }

  // The distance from the data that is loaded now to the data that a workgroup soon after this one, or the next iteration of a
  // loop, loads. Null: not known.
  LlvmValue *bytesAhead(const Value *tile, const TileAccess &access);
  // The distance at which the loading loop prefetches; null: it does not. If a later loop reads the buffer, that loop
  // prefetches instead (takeAhead).
  LlvmValue *aheadNowOrLater(const Op &load, const TileAccess &access);
  std::optional<TileAccess> takeAhead(const Value *load); // the data that this later loop prefetches; nullopt: none
  void prefetchAhead(const TileAccess &access, const RowAccess &row, LlvmValue *column);

private:
  LlvmValue *bytesToLaterWorkgroup(const Op &init, const TileAccess &access, int64_t bytes);
  LlvmValue *bytesToNextStep(const Value &tile, const TileAccess &access);
  bool isReadAgain(const Op &load) const; // whether a later loop reads its buffer

  KernelEmitter &k_;
  KernelContext &c_;
  llvm::IRBuilder<> &b;
  RegisterOps &ops_;
  std::unordered_map<const Value *, Lines> inPlace_; // loads that may be read in place
  std::unordered_map<const Value *, TileAccess> ahead_; // by load, for takeAhead
};

} // namespace xt
