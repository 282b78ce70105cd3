#include "targets/prove/launched_sizes.h"

#include <algorithm>

namespace xt {
namespace {

// The spelling of an extent of a test's buffer; "" if it is neither a number nor a name.
std::string extentText(const HostExpr &extent) {
  if (extent.kind == HostExpr::Kind::Int) return std::to_string(extent.integer);
  return extent.kind == HostExpr::Kind::Size ? "$" + extent.text : "";
}

// Whether ranks divide a dimension of a buffer.
bool isDivided(const HostTest &test, const std::string &buffer, size_t dim) {
  return anyStmt(test.body, [&](const HostStmt &shard) {
    return shard.kind == HostStmt::Kind::Shard && shard.name == buffer &&
           std::ranges::find(shard.args, static_cast<int64_t>(dim), &HostExpr::integer) != shard.args.end();
  });
}

} // namespace

std::vector<std::map<SizeAt, std::string>> launchedSizes(const Module &module, const Kernel &kernel,
                                                         const std::vector<SizeAt> &wanted) {
  std::vector<std::map<SizeAt, std::string>> all;
  for (const HostTest &test : module.tests)
    anyStmt(test.body, [&](const HostStmt &launch) {
      if (launch.kind != HostStmt::Kind::Launch || baseName(launch.kernel) != baseName(kernel.name)) return false;
      std::map<SizeAt, std::string> &sizes = all.emplace_back();
      for (const SizeAt &at : wanted) {
        if (at.param >= launch.args.size()) continue;
        if (at.dim == kScalar) {
          sizes[at] = extentText(launch.args[at.param]);
          continue;
        }
        const std::string &name = launch.args[at.param].text;
        if (isDivided(test, name, at.dim)) continue; // a rank's part has another extent
        for (const HostStmt &buffer : test.body)
          if (buffer.kind == HostStmt::Kind::Buffer && buffer.name == name && at.dim < buffer.type.extents.size())
            sizes[at] = extentText(buffer.type.extents[at.dim]);
      }
      return false;
    });
  return all;
}

} // namespace xt
