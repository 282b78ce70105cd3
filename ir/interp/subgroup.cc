#include "ir/interp/subgroup.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/gpu/slm_layout.h"
#include "ir/op_kinds.h"

#include <algorithm>

namespace xt {

SlmMemory::SlmMemory(const Kernel &kernel) {
  SlmLayout layout = slmLayout(kernel);
  memory_.assign(static_cast<size_t>(layout.bytes), kSlmPoison);
  for (const SlmBuffer &buffer : layout.buffers)
    places_[buffer.alloc] = {static_cast<size_t>(buffer.offset), static_cast<size_t>(buffer.bytes)};
}

void SlmMemory::poison() { std::fill(memory_.begin(), memory_.end(), kSlmPoison); }

MemRefValue SlmMemory::at(const Op &alloc) {
  Type type = alloc.result()->type();
  MemRefValue value;
  auto [offset, bytes] = places_.at(&alloc);
  value.data = memory_.data() + offset;
  value.memory = {value.data, value.data + bytes};
  value.elem = type.elem();
  value.swizzle = type.data().memory.swizzle;
  value.rank = static_cast<size_t>(type.rank());
  std::vector<int64_t> strides = memrefStrides(type);
  for (size_t d = 0; d < value.rank; ++d) {
    value.sizes[d] = type.extent(static_cast<int>(d));
    value.strides[d] = strides[d];
  }
  return value;
}

Subgroup::Subgroup(const WorkgroupEnvironment &environment, size_t id)
    : environment_(environment), id_(id), slots_(environment.program.slotCount()) {
  const BlockPlan &entry = environment.program.block(0);
  XT_CHECK(entry.params.size() == environment.args.size(), "a value for each parameter of the entry block");
  for (size_t i = 0; i < entry.params.size(); ++i) slots_[entry.params[i]] = environment.args[i];
  frames_.push_back({&entry, 0, nullptr});
}

Result<void> Subgroup::run(uint64_t budget) {
  for (; state_ == State::Ready && budget > 0 && !arithmetic().wantsToFree(); --budget) {
    Frame &frame = frames_.back();
    if (frame.next == frame.block->steps.size()) {
      // A region without values need not end in a yield.
      if (frame.owner)
        leaveRegion(nullptr);
      else
        state_ = State::Finished;
      continue;
    }
    const Step &step = frame.block->steps[frame.next++];
    // A yield is always executed: it only passes values on, including those that were not computed.
    if (tracing() && step.op->kind() != OpKind::Yield && !environment_.slice->has(step.op)) continue;
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
  if (!waitsAt_->results.empty()) slots_[waitsAt_->results[0]] = std::move(result);
  state_ = State::Ready;
  waitsAt_ = nullptr;
}

void Subgroup::resumeWith(std::vector<RuntimeValue> results) {
  XT_CHECK(state_ == State::Waiting && results.size() == waitsAt_->results.size(), "a value for each result");
  for (size_t i = 0; i < results.size(); ++i) slots_[waitsAt_->results[i]] = std::move(results[i]);
  state_ = State::Ready;
  waitsAt_ = nullptr;
}

std::vector<Subgroup::Iteration> Subgroup::iterations() const {
  std::vector<Iteration> loops;
  for (const Frame &frame : frames_)
    if (frame.owner && frame.owner->op->kind() != OpKind::If) loops.push_back({frame.owner->op, frame.iteration});
  return loops;
}

Number Subgroup::number(size_t slot) const {
  const auto *value = std::get_if<Number>(&slots_[slot]);
  XT_CHECK(value, "a scalar that was not computed");
  return *value;
}

const FragmentRef &Subgroup::fragment(size_t slot) const {
  const auto *value = std::get_if<FragmentRef>(&slots_[slot]);
  XT_CHECK(value, "a vector that was not computed");
  return *value;
}

void Subgroup::setVector(const Step &step, Fragment fragment) {
  slots_[step.results[0]] = std::make_shared<const Fragment>(std::move(fragment));
}

void Subgroup::setResult(const Step &step, Fragment values) {
  if (!step.op->result()->type().isScalar()) return setVector(step, std::move(values));
  slots_[step.results[0]] = values[0];
}

Fragment Subgroup::elements(size_t slot) const {
  if (const auto *scalar = std::get_if<Number>(&slots_[slot])) return {*scalar};
  return *fragment(slot);
}

Result<void> Subgroup::execute(const Step &step) {
  const Op &op = *step.op;
  switch (op.info().typeRule) {
  case TypeRule::Constant: constant(step); return {};
  case TypeRule::Splat: setVector(step, Fragment(held(step).count, number(step.operands[0]))); return {};
  case TypeRule::Elementwise:
  case TypeRule::Compare:
  case TypeRule::Select:
  case TypeRule::Cast: elementwise(step); return {};
  case TypeRule::Dim: return dim(step);
  case TypeRule::Id: blockOrSubgroupId(step); return {};
  case TypeRule::InitTile: return initTile(step);
  case TypeRule::LoadTile: return loadTile(step);
  case TypeRule::StoreTile: return storeTile(step);
  case TypeRule::AsyncCopy: return beginCopy(step);
  case TypeRule::AsyncCommit: commitCopies(step); return {};
  case TypeRule::AsyncWait: waitForCopies(step); return {};
  case TypeRule::PrefetchTile: return {};
  case TypeRule::UpdateTileOffset: moveTile(step); return {};
  case TypeRule::TileMma: tileMma(step); return {};
  case TypeRule::Nest: return nest(step);
  case TypeRule::AtomicRmw: return atomic(step);
  case TypeRule::LoadGather: loadGather(step); return {};
  case TypeRule::StoreScatter: storeScatter(step); return {};
  case TypeRule::Transpose:
  case TypeRule::Reduction:
  case TypeRule::Broadcast:
  case TypeRule::ConvertLayout:
  case TypeRule::ExtractStridedSlice:
  case TypeRule::Reshape: vectorOp(step); return {};
  case TypeRule::InsertStridedSlice: insertSlice(step); return {};
  case TypeRule::AllocSlm: slots_[step.results[0]] = environment_.slm->at(op); return {};
  case TypeRule::MemRefCast:
    slots_[step.results[0]] =
        castMemRef(std::get<MemRefValue>(slots_[step.operands[0]]), op.operand(0)->type(), op.result()->type());
    return {};
  case TypeRule::MemRefLoad: loadElement(step); return {};
  case TypeRule::MemRefStore: storeElement(step); return {};
  case TypeRule::Shuffle:
  case TypeRule::SubgroupReduce: break; // lanes meet at these
  case TypeRule::Iota: iota(step); return {};
  case TypeRule::CreateMask: createMask(step); return {};
  case TypeRule::Extract: extract(step); return {};
  case TypeRule::Insert: insert(step); return {};
  case TypeRule::Print:
    if (op.kind() == OpKind::Assert) return assertion(step);
    print(step);
    return {};
  case TypeRule::Nothing: return {}; // a fence or a hint; barriers are handled before
  case TypeRule::CreateNdTdesc: createNdTdesc(step); return {};
  case TypeRule::LoadNd: return loadNd(step);
  case TypeRule::StoreNd: return storeNd(step);
  case TypeRule::PrefetchNd:
  case TypeRule::PrefetchTdesc: return {};
  case TypeRule::UpdateNdOffset: updateNdOffset(step); return {};
  case TypeRule::Dpas: dpas(step); return {};
  case TypeRule::CreateTdesc: createTdesc(step); return {};
  case TypeRule::UpdateTdesc: updateTdesc(step); return {};
  case TypeRule::GatherTdesc: return gatherTdesc(step);
  case TypeRule::ScatterTdesc: return scatterTdesc(step);
  case TypeRule::AtomicTdesc: return atomicTdesc(step);
  case TypeRule::AllocNbarrier: return allocNbarrier(step);
  case TypeRule::CreateNbarrier: return createNbarrier(step);
  case TypeRule::Nbarrier: arriveNbarrier(step); return {}; // a wait is handled before
  case TypeRule::For: return enterFor(step);
  case TypeRule::While: enterWhile(step); return {};
  case TypeRule::If: enterIf(step); return {};
  case TypeRule::Yield: leaveRegion(&step); return {};
  }
  XT_UNREACHABLE("type rule");
}

// --- control flow ----------------------------------------------------------------------------------------------------

Result<void> Subgroup::enterFor(const Step &step) {
  int64_t lower = index(step, 0), upper = index(step, 1), increment = index(step, 2);
  if (increment <= 0)
    return Error::kernel(str("the step of a `for` must be positive, it is ", increment), step.op->operandRange(2));
  if (lower >= upper) {
    for (size_t i = 0; i < step.results.size(); ++i) slots_[step.results[i]] = slots_[step.operands[3 + i]];
    return {};
  }
  // Iterations are counted up front, in unsigned arithmetic: neither the distance nor the last increment can overflow.
  uint64_t distance = static_cast<uint64_t>(upper) - static_cast<uint64_t>(lower);
  const BlockPlan &body = environment_.program.block(step.regions[0]);
  slots_[body.params[0]] = integerNumber(lower);
  for (size_t i = 1; i < body.params.size(); ++i) slots_[body.params[i]] = slots_[step.operands[2 + i]];
  frames_.push_back({&body, 0, &step, lower, increment, (distance - 1) / static_cast<uint64_t>(increment)});
  return {};
}

void Subgroup::enterIf(const Step &step) {
  size_t branch = number(step.operands[0]).i ? 0 : 1;
  if (branch < step.regions.size()) frames_.push_back({&environment_.program.block(step.regions[branch]), 0, &step});
}

void Subgroup::enterWhile(const Step &step) {
  if (number(step.operands[0]).i == 0) {
    for (size_t i = 0; i < step.results.size(); ++i) slots_[step.results[i]] = slots_[step.operands[1 + i]];
    return;
  }
  const BlockPlan &body = environment_.program.block(step.regions[0]);
  for (size_t i = 0; i < body.params.size(); ++i) slots_[body.params[i]] = slots_[step.operands[1 + i]];
  frames_.push_back({&body, 0, &step});
}

// Handles a yield, or the end of a region without one.
void Subgroup::leaveRegion(const Step *yield) {
  // All values are read before any is set: a yield may permute the values that a loop carries.
  std::vector<RuntimeValue> values;
  if (yield)
    for (size_t slot : yield->operands) values.push_back(slots_[slot]);
  Frame &frame = frames_.back();
  if (frame.owner->op->kind() == OpKind::For && frame.remaining > 0) {
    --frame.remaining;
    ++frame.iteration;
    frame.induction += frame.increment;
    frame.next = 0;
    slots_[frame.block->params[0]] = integerNumber(frame.induction);
    for (size_t i = 0; i < values.size(); ++i) slots_[frame.block->params[1 + i]] = std::move(values[i]);
    return;
  }
  if (frame.owner->op->kind() == OpKind::While) {
    bool again = std::get<Number>(values[0]).i != 0;
    values.erase(values.begin());
    if (again) {
      frame.next = 0;
      ++frame.iteration;
      for (size_t i = 0; i < values.size(); ++i) slots_[frame.block->params[i]] = std::move(values[i]);
      return;
    }
  }
  XT_CHECK(values.size() == frame.owner->results.size(), "a region yields one value per result");
  for (size_t i = 0; i < values.size(); ++i) slots_[frame.owner->results[i]] = std::move(values[i]);
  frames_.pop_back();
}

} // namespace xt
