#include "targets/run/launch_plan.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/integer_text.h"

namespace xt {

namespace {
// Why a buffer does not match a memref parameter; empty if it does.
std::string memrefMismatch(const BufferPlan &plan, Type type) {
  if (plan.elem != type.elem())
    return str("the buffer holds ", elemName(plan.elem), ", but the kernel takes ", elemName(type.elem()));
  bool fits = plan.sizes.size() == type.shape().size();
  for (size_t d = 0; fits && d < plan.sizes.size(); ++d) fits = type.shape()[d] == kDynamic || type.shape()[d] == plan.sizes[d];
  if (!fits) return str("the buffer is ", shapeText(plan.sizes), ", but the kernel takes ", shapeText(type.shape()));
  std::vector<int64_t> strides = memrefStrides(type);
  for (size_t d = 0; d < strides.size(); ++d)
    if (plan.sizes[d] > 1 && strides[d] != kDynamic && strides[d] != plan.strides[d])
      return str("the buffer's strides are ", indexText(plan.strides), ", but the kernel takes ", shapedText(type),
                 ", whose stride in dimension ", d, " is ", strides[d]);
  return "";
}

class Planner {
public:
  Planner(const Kernel &kernel, const HostStmt &stmt, size_t position, TestState &state)
      : kernel_(kernel), stmt_(stmt), position_(position), state_(state) {}

  Result<LaunchPlan> plan() {
    XT_CHECK(stmt_.args.size() == kernel_.paramCount, "the lowering counts launch arguments");
    plan_.stmt = &stmt_;
    plan_.position = position_;
    plan_.kernel = &kernel_;
    for (size_t i = 0; i < stmt_.args.size(); ++i)
      if (auto added = addArgument(i); !added) return added.error();
    if (auto made = makeGrid(); !made) return made.error();
    return std::move(plan_);
  }

private:
  Error mismatch(const HostExpr &arg, size_t i, std::string message) {
    state_.site()
        .diagnostics.report(DiagCode::HostLaunchMismatch, arg.range, std::move(message))
        .at(kernel_.param(i)->range(), str("parameter ", i + 1, ": ", shapedText(kernel_.param(i)->type())));
    return Error::diagnosed();
  }

  Result<void> addArgument(size_t i) {
    bool addressOf =
        stmt_.args[i].kind == HostExpr::Kind::Call && stmt_.args[i].fn == HostFn::Address && stmt_.args[i].args.size() == 1;
    const HostExpr &arg = addressOf ? stmt_.args[i].args[0] : stmt_.args[i];
    Type type = kernel_.param(i)->type();
    if (addressOf && !type.isAddress())
      return mismatch(arg, i, "this is an address, which only an i64 or u64 parameter can take");
    TestBuffer *buffer = arg.kind == HostExpr::Kind::Buffer ? state_.find(arg.text) : nullptr;
    bool address = buffer && type.isAddress();
    plan_.buffers.push_back(buffer);
    plan_.args.emplace_back();
    LaunchArg &out = plan_.args.back();
    if (address) {
      const BufferPlan &plan = buffer->device->plan();
      out.integer = static_cast<int64_t>(reinterpret_cast<uintptr_t>(buffer->device->data()));
      out.buffer = {buffer->device->data(), plan.elem, plan.sizes, plan.strides};
      return {};
    }
    if (type.isMemRef() != (buffer != nullptr))
      return mismatch(arg, i,
                      buffer ? "this is a buffer, but the kernel takes a scalar here" : "the kernel takes a buffer here");
    if (!buffer) return addScalar(i, arg, type, out);
    const BufferPlan &plan = buffer->device->plan();
    if (std::string why = memrefMismatch(plan, type); !why.empty()) return mismatch(arg, i, why);
    out.kind = LaunchArg::Kind::Buffer;
    out.buffer = {buffer->device->data(), plan.elem, plan.sizes, plan.strides};
    return {};
  }

  Result<void> addScalar(size_t i, const HostExpr &arg, Type type, LaunchArg &out) {
    auto value = state_.evaluate(arg, position_);
    if (!value) return value.error();
    if (!value->shape.empty()) return mismatch(arg, i, str("this is an array of ", shapeText(value->shape)));
    if (isFloat(type.elem())) {
      out.kind = LaunchArg::Kind::Float;
      out.number = roundTo(type.elem(), value->valueAt(0));
      return {};
    }
    if (!value->integer) return mismatch(arg, i, str(floatText(value->values[0]), " is not an integer"));
    // Numbers from 2^63 on fit u64 only; negative numbers do not fit u64.
    bool wide = value->elem == Elem::U64 && value->ints[0] < 0;
    bool fits = type.elem() == Elem::U64 ? wide || value->ints[0] >= 0 : !wide && fitsInteger(type.elem(), value->ints[0]);
    if (!fits)
      return mismatch(
          arg, i, str(elemName(type.elem()), " cannot hold ", integerText(value->elem.value_or(Elem::I64), value->ints[0])));
    out.integer = value->ints[0];
    return {};
  }

  Result<void> makeGrid() {
    auto grid = computeGrid(kernel_, plan_.args);
    if (!grid) return grid.error();
    plan_.grid = std::move(*grid);
    if (stmt_.grid.empty()) return {};
    int64_t total = 1;
    for (const HostExpr &extent : stmt_.grid) {
      auto count = state_.integer(extent, position_);
      if (!count) return count.error();
      bool fits = *count >= 0 && !__builtin_mul_overflow(total, *count, &total) && total <= int64_t{1} << 31;
      if (!fits)
        return state_.siteAt(extent.range)
            .fail(DiagCode::HostBadSize, str("a grid extent must be from 0 to 2^31, not ", *count));
      plan_.grid.insert(plan_.grid.begin(), {0, 1, *count}); // written x first, stored outermost first
    }
    return {};
  }

  const Kernel &kernel_;
  const HostStmt &stmt_;
  size_t position_;
  TestState &state_;
  LaunchPlan plan_;
};
} // namespace

Result<LaunchPlan> planLaunch(const Kernel &kernel, const HostStmt &stmt, size_t position, TestState &state) {
  return Planner(kernel, stmt, position, state).plan();
}

} // namespace xt
