// The table of passes, and lookups in it.
#pragma once
#include "ir/base/result.h"
#include "passes/block_tiles.h"
#include "passes/canonicalize.h"
#include "passes/cse.h"
#include "passes/dead_code.h"
#include "passes/distribute_to_lanes.h"
#include "passes/distribute_to_subgroups.h"
#include "passes/expand_async_copies.h"
#include "passes/expand_scans.h"
#include "passes/form_nests.h"
#include "passes/hoist_invariants.h"
#include "passes/infer_layouts.h"
#include "passes/pass.h"
#include "passes/plan_slm.h"
#include "passes/sink_to_uses.h"
#include "passes/stage_products.h"
#include "passes/widen_reductions.h"
#include "passes/xegpu_to_tiles.h"

#include <span>
#include <vector>

namespace xt {

enum class PassKind : uint8_t {
#define XT_PASS(kind, ...) kind,
#include "passes/passes.def"
#undef XT_PASS
};

inline constexpr PassInfo kPasses[] = {
#define XT_PASS(kind, ...) PassInfo{__VA_ARGS__},
#include "passes/passes.def"
#undef XT_PASS
};

constexpr const PassInfo &passInfo(PassKind kind) { return kPasses[static_cast<size_t>(kind)]; }
// Null for an unknown name.
const PassInfo *findPass(std::string_view name);
// The passes of these names, in this order. An unknown name is an Error (environment) that suggests the nearest one.
Result<std::vector<const PassInfo *>> passesNamed(std::span<const std::string_view> names);

} // namespace xt
