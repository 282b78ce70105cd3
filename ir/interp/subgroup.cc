#include "ir/interp/subgroup.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/interp/mma.h"
#include "ir/interp/tile_access.h"

namespace xt {

Subgroup::Subgroup(const WorkgroupEnvironment &environment, size_t id)
    : environment_(environment), id_(id), slots_(environment.program.slotCount()) {
  const BlockPlan &entry = environment.program.block(0);
  XT_CHECK(entry.params.size() == environment.args.size(), "a value for each parameter of the entry block");
  for (size_t i = 0; i < entry.params.size(); ++i) slots_[entry.params[i]] = environment.args[i];
  frames_.push_back({&entry, 0, nullptr});
}

Result<void> Subgroup::run(uint64_t budget) {
  for (; state_ == State::Ready && budget > 0; --budget) {
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
    if (step.exchanges && !tracing()) {
      state_ = State::Waiting;
      waitsAt_ = &step;
      continue;
    }
    if (Result<void> done = execute(step); !done) return done;
  }
  return {};
}

void Subgroup::resume(FragmentRef result) {
  XT_CHECK(state_ == State::Waiting, "only a waiting subgroup resumes");
  slots_[waitsAt_->results[0]] = std::move(result);
  state_ = State::Ready;
  waitsAt_ = nullptr;
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

Result<void> Subgroup::execute(const Step &step) {
  const Op &op = *step.op;
  bool vector = op.resultCount() == 1 && op.result()->type().isVector();
  bool structure = op.regionCount() > 0 || op.kind() == OpKind::Yield;
  if (tracing() && vector && !structure) {
    slots_[step.results[0]] = FragmentRef();
    return {};
  }
  switch (op.kind()) {
  case OpKind::Constant: {
    Number value = numberFromAttr(op.result()->type().elem(), op.attr("value")->value);
    if (vector)
      setVector(step, Fragment(held(step).count, value));
    else
      slots_[step.results[0]] = value;
    return {};
  }
  case OpKind::Splat: setVector(step, Fragment(held(step).count, number(step.operands[0]))); return {};
  case OpKind::Dim: return dim(step);
  case OpKind::BlockId: {
    size_t fromLast = static_cast<size_t>(op.textAttr("dimension")[0] - 'x');
    const std::vector<int64_t> &id = environment_.blockId;
    slots_[step.results[0]] = integerNumber(fromLast < id.size() ? id[id.size() - 1 - fromLast] : 0);
    return {};
  }
  case OpKind::SubgroupId: slots_[step.results[0]] = integerNumber(static_cast<int64_t>(id_)); return {};
  case OpKind::For: return enterFor(step);
  case OpKind::If: enterIf(step); return {};
  case OpKind::Yield: leaveRegion(&step); return {};
  case OpKind::InitTile: return initTile(step);
  case OpKind::LoadTile: loadTile(step); return {};
  case OpKind::StoreTile: storeTile(step); return {};
  case OpKind::PrefetchTile: return {};
  case OpKind::UpdateTileOffset:
    slots_[step.results[0]] = moveTile(std::get<TileValue>(slots_[step.operands[0]]), index(step, 1), index(step, 2));
    return {};
  case OpKind::TileMma: tileMma(step); return {};
  case OpKind::AtomicRmw:
  case OpKind::LoadGather:
  case OpKind::StoreScatter:
  case OpKind::Transpose:
  case OpKind::Reduction:
  case OpKind::Broadcast:
  case OpKind::ConvertLayout:
  case OpKind::AllocSlm:
  case OpKind::Print:
  case OpKind::Assert:
  case OpKind::Cast:
  case OpKind::Load:
  case OpKind::Store:
  case OpKind::Barrier:
  case OpKind::Fence:
  case OpKind::Iota:
  case OpKind::CreateMask:
  case OpKind::Reshape:
  case OpKind::Extract:
  case OpKind::Insert:
  case OpKind::While:
    return Error::environment(str("`", op.info().name, "` is not on the interpreter yet"), op.range());
  case OpKind::AddI:
  case OpKind::SubI:
  case OpKind::MulI:
  case OpKind::DivSI:
  case OpKind::DivUI:
  case OpKind::RemSI:
  case OpKind::RemUI:
  case OpKind::CeilDivSI:
  case OpKind::AndI:
  case OpKind::OrI:
  case OpKind::XorI:
  case OpKind::ShLI:
  case OpKind::ShRSI:
  case OpKind::ShRUI:
  case OpKind::MinSI:
  case OpKind::MaxSI:
  case OpKind::MinUI:
  case OpKind::MaxUI:
  case OpKind::AbsI:
  case OpKind::AddF:
  case OpKind::SubF:
  case OpKind::MulF:
  case OpKind::DivF:
  case OpKind::RemF:
  case OpKind::MinimumF:
  case OpKind::MaximumF:
  case OpKind::MinNumF:
  case OpKind::MaxNumF:
  case OpKind::NegF:
  case OpKind::AbsF:
  case OpKind::Floor:
  case OpKind::Ceil:
  case OpKind::Exp:
  case OpKind::Exp2:
  case OpKind::Log:
  case OpKind::Log2:
  case OpKind::Sqrt:
  case OpKind::Rsqrt:
  case OpKind::Tanh:
  case OpKind::Erf:
  case OpKind::Sin:
  case OpKind::Cos:
  case OpKind::Fma:
  case OpKind::CmpI:
  case OpKind::CmpF:
  case OpKind::Select:
  case OpKind::TruncF:
  case OpKind::ExtF:
  case OpKind::TruncI:
  case OpKind::ExtSI:
  case OpKind::ExtUI:
  case OpKind::SIToFP:
  case OpKind::UIToFP:
  case OpKind::FPToSI:
  case OpKind::FPToUI:
  case OpKind::IndexCast:
  case OpKind::Bitcast: elementwise(step); return {};
  }
  XT_UNREACHABLE("op kind");
}

// --- control flow ----------------------------------------------------------------------------------------------------

Result<void> Subgroup::enterFor(const Step &step) {
  int64_t lower = index(step, 0), upper = index(step, 1), increment = index(step, 2);
  if (increment <= 0)
    return Error::environment(str("the step of a `for` must be positive, it is ", increment), step.op->operandRange(2));
  if (lower >= upper) {
    for (size_t i = 0; i < step.results.size(); ++i) slots_[step.results[i]] = slots_[step.operands[3 + i]];
    return {};
  }
  // Counted up front, as unsigned: neither the distance nor the last increment can overflow.
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

// At a yield, or at the end of a region that has none.
void Subgroup::leaveRegion(const Step *yield) {
  // All are read before any is set: a yield may permute the values that a loop carries.
  std::vector<RuntimeValue> values;
  if (yield)
    for (size_t slot : yield->operands) values.push_back(slots_[slot]);
  Frame &frame = frames_.back();
  if (frame.owner->op->kind() == OpKind::For && frame.remaining > 0) {
    --frame.remaining;
    frame.induction += frame.increment;
    frame.next = 0;
    slots_[frame.block->params[0]] = integerNumber(frame.induction);
    for (size_t i = 0; i < values.size(); ++i) slots_[frame.block->params[1 + i]] = std::move(values[i]);
    return;
  }
  XT_CHECK(values.size() == frame.owner->results.size(), "a region yields one value per result");
  for (size_t i = 0; i < values.size(); ++i) slots_[frame.owner->results[i]] = std::move(values[i]);
  frames_.pop_back();
}

// --- values ----------------------------------------------------------------------------------------------------------

void Subgroup::elementwise(const Step &step) {
  std::array<Numbers, 3> operands{};
  for (size_t i = 0; i < step.operands.size(); ++i) {
    const RuntimeValue &value = slots_[step.operands[i]];
    if (const auto *scalar = std::get_if<Number>(&value))
      operands[i] = {scalar, 0};
    else
      operands[i] = {fragment(step.operands[i])->data(), 1};
  }
  auto used = std::span(operands).first(step.operands.size());
  if (!step.op->result()->type().isVector()) {
    Number result;
    evaluateElementwise(step.elementwise, used, &result, 1);
    slots_[step.results[0]] = result;
    return;
  }
  Fragment result(held(step).count);
  evaluateElementwise(step.elementwise, used, result.data(), result.size());
  setVector(step, std::move(result));
}

Result<void> Subgroup::dim(const Step &step) {
  const auto &memref = std::get<MemRefValue>(slots_[step.operands[0]]);
  int64_t dimension = index(step, 1);
  if (dimension < 0 || static_cast<size_t>(dimension) >= memref.rank)
    return Error::environment(str("`dim` asks for dimension ", dimension, " of a memref that has ", memref.rank),
                              step.op->range());
  slots_[step.results[0]] = integerNumber(memref.sizes[static_cast<size_t>(dimension)]);
  return {};
}

Result<void> Subgroup::initTile(const Step &step) {
  MemRefValue base = std::get<MemRefValue>(slots_[step.operands[0]]);
  std::vector<int64_t> offsets;
  for (size_t i = 1; i <= base.rank; ++i) offsets.push_back(index(step, i));
  if (step.operands.size() > 1 + base.rank) {
    // An explicit shape and strides replace the descriptor's; they may show less of the buffer, never more.
    MemRefValue view = base;
    for (size_t d = 0; d < base.rank; ++d) {
      view.sizes[d] = index(step, 1 + base.rank + d);
      view.strides[d] = index(step, 1 + 2 * base.rank + d);
    }
    if (!withinBuffer(view, base))
      return Error::environment("the explicit shape and strides of `init_tile` reach outside the buffer", step.op->range());
    base = view;
  }
  slots_[step.results[0]] = xt::initTile(base, offsets);
  return {};
}

void Subgroup::loadTile(const Step &step) {
  const auto &tile = std::get<TileValue>(slots_[step.operands[0]]);
  const Attr *attr = step.op->attr("padding");
  Number padding = numberFromAttr(tile.elem, attr ? attr->value : AttrValue(int64_t{0}));
  const Holding::Part &part = held(step);
  Fragment result(part.count);
  xt::loadTile(tile, part.slices[0], part.slices[1], padding, result.data());
  setVector(step, std::move(result));
}

void Subgroup::storeTile(const Step &step) {
  const auto &tile = std::get<TileValue>(slots_[step.operands[1]]);
  const Holding::Part &part = held(step);
  if (tracing())
    environment_.observer->stores(tile, part, id_);
  else
    xt::storeTile(tile, part.slices[0], part.slices[1], fragment(step.operands[0])->data());
}

// The subgroup holds whole rows of a and whole columns of b for all that it holds of the result.
void Subgroup::tileMma(const Step &step) {
  const Holding::Part &part = held(step);
  const Op &op = *step.op;
  Fragment result = step.operands.size() > 2
                        ? *fragment(step.operands[2])
                        : Fragment(part.count, numberFromAttr(op.result()->type().elem(), int64_t{0}));
  MmaShape shape{part.slices[0].size(), part.slices[1].size(), static_cast<size_t>(op.operand(0)->type().extent(1))};
  multiplyAccumulate(op.operand(0)->type().elem(), op.result()->type().elem(), shape,
                     fragment(step.operands[0])->data(), fragment(step.operands[1])->data(), result.data());
  setVector(step, std::move(result));
}

} // namespace xt
