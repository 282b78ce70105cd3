#include "ir/interp/subgroup.h"

#include "ir/atomic_update.h"
#include "ir/base/check.h"
#include "ir/interp/async_copy_executor.h"
#include "ir/interp/block_executor.h"
#include "ir/interp/memref_executor.h"
#include "ir/interp/named_barrier_executor.h"
#include "ir/interp/offsets_executor.h"
#include "ir/interp/print_executor.h"
#include "ir/interp/tile_executor.h"
#include "ir/interp/vector_executor.h"
#include "ir/op_kinds.h"

namespace xt {

Subgroup::Subgroup(const WorkgroupEnvironment &environment, size_t id)
    : worker_(environment, id), values_(environment.program.slotCount()), regions_(environment.program) {
  const BlockPlan &entry = environment.program.block(0);
  XT_CHECK(entry.params.size() == environment.args.size(), "a value for each parameter of the entry block");
  for (size_t i = 0; i < entry.params.size(); ++i) values_.set(entry.params[i], environment.args[i]);
}

Result<void> Subgroup::run(uint64_t budget) {
  for (; state_ == State::Ready && budget > 0 && !worker_.arithmetic().wantsToFree(); --budget) {
    const Step *next = regions_.next();
    if (!next) {
      // A region that yields no values need not end in a yield.
      if (regions_.inEntry())
        state_ = State::Finished;
      else
        regions_.leave(nullptr, values_);
      continue;
    }
    const Step &step = *next;
    // A yield is always executed: it only passes values on, including those that were not computed.
    if (worker_.tracing() && step.op->kind() != OpKind::Yield && !worker_.environment().slice->has(step.op)) continue;
    if (step.meets) {
      state_ = State::Waiting;
      waitsAt_ = &step;
      continue;
    }
    if (Result<void> done = execute(step); !done) return done;
  }
  return {};
}

void Subgroup::resume(RuntimeValue result) {
  XT_CHECK(state_ == State::Waiting, "only a waiting subgroup resumes");
  if (!waitsAt_->results.empty()) values_.set(waitsAt_->results[0], std::move(result));
  state_ = State::Ready;
  waitsAt_ = nullptr;
}

void Subgroup::resumeWith(std::vector<RuntimeValue> results) {
  XT_CHECK(state_ == State::Waiting && results.size() == waitsAt_->results.size(), "a value for each result");
  for (size_t i = 0; i < results.size(); ++i) values_.set(waitsAt_->results[i], std::move(results[i]));
  state_ = State::Ready;
  waitsAt_ = nullptr;
}

bool Subgroup::waitsAtNamedBarrier() const { return state_ == State::Waiting && waitsAt_->op->kind() == OpKind::NbarrierWait; }

bool Subgroup::passesNamedBarrier() { return NamedBarrierExecutor(worker_, values_).passes(*waitsAt_); }

Result<void> Subgroup::execute(const Step &step) {
  const Op &op = *step.op;
  switch (op.info().typeRule) {
  case TypeRule::Constant: VectorExecutor(worker_, values_).constant(step); return {};
  case TypeRule::Splat: VectorExecutor(worker_, values_).splat(step); return {};
  case TypeRule::Elementwise:
  case TypeRule::Compare:
  case TypeRule::Select:
  case TypeRule::Cast: VectorExecutor(worker_, values_).elementwise(step); return {};
  case TypeRule::Dim: return MemRefExecutor(worker_, values_).dim(step);
  case TypeRule::Id: VectorExecutor(worker_, values_).id(step); return {};
  case TypeRule::InitTile: return TileExecutor(worker_, values_).init(step);
  case TypeRule::LoadTile: return TileExecutor(worker_, values_).load(step);
  case TypeRule::StoreTile: return TileExecutor(worker_, values_).store(step);
  case TypeRule::AsyncCopy: return AsyncCopyExecutor(worker_, values_).begin(step);
  case TypeRule::AsyncCommit: AsyncCopyExecutor(worker_, values_).commit(step); return {};
  case TypeRule::AsyncWait: AsyncCopyExecutor(worker_, values_).wait(step); return {};
  case TypeRule::PrefetchTile: return {};
  case TypeRule::UpdateTileOffset: TileExecutor(worker_, values_).move(step); return {};
  case TypeRule::TileMma: VectorExecutor(worker_, values_).tileMma(step); return {};
  case TypeRule::Nest: return TileExecutor(worker_, values_).nest(step);
  case TypeRule::AtomicUpdate: return TileExecutor(worker_, values_).atomic(step);
  case TypeRule::LoadGather: TileExecutor(worker_, values_).gather(step); return {};
  case TypeRule::StoreScatter: TileExecutor(worker_, values_).scatter(step); return {};
  case TypeRule::Transpose:
  case TypeRule::Reduction:
  case TypeRule::Scan:
  case TypeRule::Broadcast:
  case TypeRule::ConvertLayout:
  case TypeRule::ExtractStridedSlice:
  case TypeRule::Reshape: VectorExecutor(worker_, values_).rearrange(step); return {};
  case TypeRule::InsertStridedSlice: VectorExecutor(worker_, values_).insertSlice(step); return {};
  case TypeRule::AllocSlm: MemRefExecutor(worker_, values_).allocSlm(step); return {};
  case TypeRule::MemRefCast: MemRefExecutor(worker_, values_).cast(step); return {};
  case TypeRule::View: return MemRefExecutor(worker_, values_).view(step);
  case TypeRule::MemRefLoad: MemRefExecutor(worker_, values_).load(step); return {};
  case TypeRule::MemRefStore: MemRefExecutor(worker_, values_).store(step); return {};
  case TypeRule::Shuffle:
  case TypeRule::SubgroupReduce: break; // LaneMeeting executes these
  case TypeRule::Iota: VectorExecutor(worker_, values_).iota(step); return {};
  case TypeRule::CreateMask: VectorExecutor(worker_, values_).createMask(step); return {};
  case TypeRule::Extract: VectorExecutor(worker_, values_).extract(step); return {};
  case TypeRule::Insert: VectorExecutor(worker_, values_).insert(step); return {};
  case TypeRule::Print:
    if (op.kind() == OpKind::Assert) return PrintExecutor(worker_, values_).assertion(step);
    PrintExecutor(worker_, values_).print(step);
    return {};
  case TypeRule::Nothing: // a fence or a hint; run() waits at barriers
    if (MemoryMonitor *monitor = worker_.environment().monitor; monitor && isFence(op))
      monitor->fence(worker_.id(), isDeviceFence(op));
    return {};
  case TypeRule::CreateNdTdesc: BlockExecutor(worker_, values_).createDesc(step); return {};
  case TypeRule::LoadNd: return BlockExecutor(worker_, values_).load(step);
  case TypeRule::StoreNd: return BlockExecutor(worker_, values_).store(step);
  case TypeRule::PrefetchNd:
  case TypeRule::PrefetchTdesc: return {};
  case TypeRule::UpdateNdOffset: BlockExecutor(worker_, values_).moveDesc(step); return {};
  case TypeRule::Dpas: BlockExecutor(worker_, values_).multiply(step); return {};
  case TypeRule::CreateTdesc: OffsetsExecutor(worker_, values_).createDesc(step); return {};
  case TypeRule::UpdateTdesc: OffsetsExecutor(worker_, values_).moveDesc(step); return {};
  case TypeRule::GatherTdesc: return OffsetsExecutor(worker_, values_).load(step);
  case TypeRule::ScatterTdesc: return OffsetsExecutor(worker_, values_).store(step);
  case TypeRule::AtomicTdesc: return OffsetsExecutor(worker_, values_).atomic(step);
  case TypeRule::AllocNbarrier: return NamedBarrierExecutor(worker_, values_).alloc(step);
  case TypeRule::CreateNbarrier: return NamedBarrierExecutor(worker_, values_).create(step);
  case TypeRule::Nbarrier: NamedBarrierExecutor(worker_, values_).arrive(step); return {}; // run() waits at nbarrier_wait
  case TypeRule::For: return regions_.enterFor(step, values_);
  case TypeRule::While: regions_.enterWhile(step, values_); return {};
  case TypeRule::If: regions_.enterIf(step, values_); return {};
  case TypeRule::Yield: regions_.leave(&step, values_); return {};
  }
  XT_UNREACHABLE("type rule");
}

} // namespace xt
