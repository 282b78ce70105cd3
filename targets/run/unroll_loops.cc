#include "targets/run/unroll_loops.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"

#include <map>

namespace xt {
namespace {

class Unroller {
public:
  Unroller(const HostTest &test, bool small, const EvalSite &site, const RankInMesh &ranks) : state_(test, small, site) {
    state_.setRanks(ranks);
  }

  Result<void> add(const std::vector<HostStmt> &body, std::vector<HostStmt> &out) {
    for (const HostStmt &stmt : body) {
      if (stmt.kind == HostStmt::Kind::Loop) {
        if (auto done = iterations(stmt, out); !done) return done;
        continue;
      }
      if (!counters_.empty() && out.size() >= kMostLaunches)
        return state_.siteAt(stmt.range)
            .fail(DiagCode::HostBadSize,
                  str("the loops of this test have more than ", kMostLaunches, " launches and communications"));
      out.push_back(stmt);
      for (HostExpr &arg : out.back().args) substitute(arg);
      for (HostExpr &extent : out.back().grid) substitute(extent);
      for (HostExpr::Named &named : out.back().named) substitute(named.value);
      if (stmt.kind == HostStmt::Kind::Communicate) substitute(out.back().value);
    }
    return {};
  }

private:
  Result<int64_t> bound(HostExpr expr) {
    substitute(expr);
    return state_.integer(expr, 0);
  }

  Result<void> iterations(const HostStmt &loop, std::vector<HostStmt> &out) {
    auto lower = bound(loop.bounds[0]), upper = bound(loop.bounds[1]), step = bound(loop.bounds[2]);
    for (const Result<int64_t> *value : {&lower, &upper, &step})
      if (!*value) return value->error();
    if (*step <= 0)
      return state_.siteAt(loop.bounds[2].range)
          .fail(DiagCode::HostBadSize, str("the step of a loop must be positive, not ", *step));
    if (loop.body.empty()) return {};
    for (int64_t i = *lower; i < *upper;) {
      counters_[loop.name] = i;
      if (auto done = add(loop.body, out); !done) return done;
      if (__builtin_add_overflow(i, *step, &i)) break;
    }
    counters_.erase(loop.name);
    return {};
  }

  void substitute(HostExpr &expr) const {
    if (expr.kind == HostExpr::Kind::Counter) {
      expr.kind = HostExpr::Kind::Int;
      expr.elem = Elem::I64;
      expr.integer = counters_.at(expr.text);
    }
    eachOperand(expr, [&](HostExpr &operand) { substitute(operand); });
  }

  TestState state_;
  std::map<std::string, int64_t> counters_;
};

} // namespace

Result<HostTest> unrollLoops(const HostTest &test, bool small, const EvalSite &site, const RankInMesh &ranks) {
  HostTest unrolled = test;
  unrolled.body.clear();
  if (auto done = Unroller(test, small, site, ranks).add(test.body, unrolled.body); !done) return done.error();
  return unrolled;
}

} // namespace xt
