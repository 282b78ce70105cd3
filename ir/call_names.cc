#include "ir/call_names.h"

#include "ir/op_info.h"
#include "ir/op_kinds.h"

#include <algorithm>

namespace xt {
namespace {

// Names of expression functions that do not follow from a single row of the op table.
constexpr std::string_view kOwnNames[] = {"dim",          "stride",   "same_shape", "min",         "max",
                                          "mod",          "ceildiv",  "abs",        "subgroup_id", "lane_id",
                                          "workgroup_id", "block_id", "cast",       "index_cast",  "bitcast"};

bool computesElements(const OpInfo &op) { return op.elementwise && op.typeRule == TypeRule::Elementwise; }

} // namespace

bool isFunctionName(std::string_view name) {
  if (std::find(std::begin(kOwnNames), std::end(kOwnNames), name) != std::end(kOwnNames)) return true;
  const OpInfo *op = findOp(name);
  return op && (computesElements(*op) || op->kind == OpKind::Select);
}

std::vector<std::string_view> functionNames() {
  std::vector<std::string_view> names(std::begin(kOwnNames), std::end(kOwnNames));
  for (const OpInfo &op : allOps())
    if (computesElements(op)) names.push_back(op.name);
  return names;
}

} // namespace xt
