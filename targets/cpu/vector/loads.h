// Emits loads of tiles, which are read in place if the tile turns out to be in bounds and is not overwritten
// (in_place_load.cc), and prefetches of the data that later workgroups and iterations load (load_ahead.cc).
#pragma once
#include "targets/cpu/vector/kernel_context.h"
#include "targets/cpu/vector/tile_memory.h"

namespace xt {

class KernelEmitter;

class Loads {
public:
  Loads(KernelEmitter &emitter, KernelContext &context) : k_(emitter), c_(context), b(context.b), ops_(context.ops) {}

  struct Lines { // the rows of a load, in place or in its buffer
    LlvmValue *address, *pitch;
  };
  void emitLoad(const Op &op); // emits a load that has its own loop

  // The rows of a load that may be read in place; null: the load is read from its buffer.
  const Lines *inPlace(const Value *load) const {
    auto found = inPlace_.find(load);
    return found == inPlace_.end() ? nullptr : &found->second;
  }

  // The distance in bytes from the data that is loaded now to the data that a later workgroup, or the next iteration of a loop,
  // will load. Null: not known.
  LlvmValue *bytesAhead(const Value *tile, const TileAccess &access);
  // The distance at which the loading loop prefetches; null: it does not. If a later loop reads the buffer, that loop
  // prefetches instead (takeAhead).
  LlvmValue *aheadNowOrLater(const Op &load, const TileAccess &access);
  std::optional<TileAccess> takeAhead(const Value *load); // the data that the current loop prefetches for `load`; nullopt: none
  void prefetchAhead(const TileAccess &access, const RowAccess &row, LlvmValue *column);

private:
  LlvmValue *bytesToLaterWorkgroup(const Op &init, const TileAccess &access, int64_t bytes);
  LlvmValue *bytesToNextStep(const Value &tile, const TileAccess &access);
  bool isReadAgain(const Op &load) const; // whether a later loop reads the buffer of the load

  KernelEmitter &k_;
  KernelContext &c_;
  llvm::IRBuilder<> &b;
  RegisterOps &ops_;
  std::unordered_map<const Value *, Lines> inPlace_; // loads that may be read in place
  std::unordered_map<const Value *, TileAccess> ahead_; // by load; takeAhead() removes the entries
};

} // namespace xt
