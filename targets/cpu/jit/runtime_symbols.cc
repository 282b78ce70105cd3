#include "targets/cpu/jit/runtime_symbols.h"

#include "targets/cpu/products/nest_plan.h"
#include "targets/cpu/runtime/host_runtime.h"

#include <cmath>
#include <cstring>

namespace xt {
namespace {

template <class R, class... Args> void *addressOf(R (*function)(Args...)) { return reinterpret_cast<void *>(function); }

} // namespace

// All external functions that generated code may call: math functions of elementwise ops, functions that LLVM calls where a
// processor lacks an instruction (rounding before SSE4.1, fma before FMA3), functions of the runtime, memset and memcpy.
std::vector<ExternalSymbol> runtimeSymbols() {
#define XT_MATH1(name) {#name, addressOf<double, double>(&::name)}, {#name "f", addressOf<float, float>(&::name##f)}
#define XT_MATH2(name)                                                                                                         \
  {#name, addressOf<double, double, double>(&::name)}, {#name "f", addressOf<float, float, float>(&::name##f)}
#define XT_FUNCTION(kind, name, ...) XT_MATH1(name),
#define XT_FUNCTION2(kind, name) XT_MATH2(name),
  return {
#include "ir/ops/functions.def"
      XT_MATH1(round),
      XT_MATH1(roundeven),
      XT_MATH1(trunc),
      XT_MATH1(floor),
      XT_MATH1(ceil),
      {"fma", addressOf<double, double, double, double>(&::fma)},
      {"fmaf", addressOf<float, float, float, float>(&::fmaf)},
      {kPrintSymbol, addressOf<void, void *, int64_t, int64_t, int64_t, const void *>(&::xt_print)},
      {kAssertSymbol, addressOf<void, void *, int64_t, int64_t, int64_t>(&::xt_assert_failed)},
      {kBarrierSymbol, addressOf<void, void *, int64_t>(&::xt_barrier)},
      {kNamedAllocSymbol, addressOf<void, void *, int64_t>(&::xt_nbarrier_alloc)},
      {kNamedCountSymbol, addressOf<int64_t, void *>(&::xt_nbarrier_count)},
      {kNamedArriveSymbol, addressOf<void, void *, int64_t, int64_t, int64_t, int64_t>(&::xt_nbarrier_arrive)},
      {kNamedWaitSymbol, addressOf<void, void *, int64_t, int64_t>(&::xt_nbarrier_wait)},
      {kLaneMeetSymbol, addressOf<void, void *, int64_t>(&::xt_lane_meet)},
      {kLaneExchangeSymbol, addressOf<void, void *, int64_t, const void *, int64_t>(&::xt_lane_exchange)},
      {kLaneGivenSymbol, addressOf<const void *, void *, int64_t>(&::xt_lane_given)},
      {kPanelTakeSymbol, addressOf<void *, void *, const void *, int64_t, int64_t, int64_t, int64_t *>(&::xt_panel_take)},
      {kPanelReadySymbol, addressOf<void, void *, void *>(&::xt_panel_ready)},
      {kPlanNestSymbol, addressOf<void, NestCall *>(&::xt_plan_nest)},
      {"memset", addressOf<void *, void *, int, size_t>(&::memset)},
      {"memcpy", addressOf<void *, void *, const void *, size_t>(&::memcpy)}};
#undef XT_FUNCTION
#undef XT_FUNCTION2
#undef XT_MATH1
#undef XT_MATH2
}

} // namespace xt
