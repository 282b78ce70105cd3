// The buffers of one run of a test: their content before the launches, on the device, and after each launch whose
// result a later statement uses.
#pragma once
#include "ir/order_dependence.h"
#include "targets/run/buffer.h"
#include "targets/run/eval.h"

#include <map>
#include <memory>

namespace xt {

struct TestBuffer {
  const HostStmt *stmt = nullptr;
  size_t position = 0; // the position of the statement
  std::vector<int64_t> sizes; // of the whole array
  Sharding sharding;          // how the ranks divide it
  Box part;                   // what this rank holds, which is what launches get
  bool isOut = false;
  std::optional<RawArray> initial;     // of the whole array; empty for `out` buffers
  std::optional<RawArray> initialPart; // of this rank's part, if that is not the whole
  std::optional<DeviceBuffer> device;
  OrderCause order = OrderCause::None; // why its final content may depend on the order of workgroups
  std::vector<size_t> writers;         // positions of the launches and communications that may write it, ascending
  std::map<size_t, RawArray> contents; // whole content after a launch, by the launch's position
  std::optional<RawArray> firstRun;    // content after the first round, where a launch writes it
  bool written() const { return !writers.empty(); }
  bool isDivided() const { return part.extent != sizes; }
  const RawArray &initialOfPart() const { return initialPart ? *initialPart : *initial; }
};

// The values of names at the statement that is evaluated: a buffer has its content after the preceding launches.
class TestState : public ValueSource {
public:
  TestState(const HostTest &test, bool small, const EvalSite &site) : test_(test), small_(small), site_(site) {}

  int64_t size(const std::string &name) const override;
  const std::vector<int64_t> *shape(const std::string &name) const override;
  Result<const RawArray *> content(const HostExpr &buffer, bool before) override;
  Result<HostArray> binding(const HostExpr &name) override;
  const RankInMesh &ranks() const override { return ranks_; }

  TestBuffer &addBuffer(const HostStmt &stmt, size_t position);
  TestBuffer *find(const std::string &name);
  std::vector<std::unique_ptr<TestBuffer>> &buffers() { return buffers_; }
  std::string sizesText() const;

  // The value of an expression, and the sums in it whose bounds are weak.
  struct Evaluated {
    HostArray value;
    std::vector<WeakBound> weak;
  };
  // As evaluate(), with its weak bounds apart from those that are collected elsewhere.
  Result<Evaluated> evaluateApart(const HostExpr &expr, size_t position);
  // Evaluates `expr` as part of the statement at `position`.
  Result<HostArray> evaluate(const HostExpr &expr, size_t position, std::span<const int64_t> indexShape = {});
  Result<int64_t> integer(const HostExpr &expr, size_t position);
  // Calls f, in which buffers have their content at the statement at `position`.
  template <class F> auto at(size_t position, F &&f) {
    size_t outer = std::exchange(position_, position);
    auto result = f();
    position_ = outer;
    return result;
  }
  void setRanks(RankInMesh ranks) { ranks_ = std::move(ranks); }
  void setTrackErrors(bool track) { site_.trackErrors = track; }
  // While set, every buffer has its content from before the launches.
  void setAllBefore(bool before) { allBefore_ = before; }
  // Names of buffers that an expression uses, directly or through named expressions; `intoBefore` includes those
  // inside `before(...)`.
  std::vector<std::string> buffersIn(const HostExpr &expr, bool intoBefore) const;
  // Whether an expression uses an `out` buffer that no launch writes: it holds poison, which is reported for the buffer.
  bool usesUnwritten(const HostExpr &expr);
  const EvalSite &site() const { return site_; }
  EvalSite siteAt(SourceRange range) const;

  // Whether a later statement needs the content of a buffer after the launch at a position.
  bool needed(const TestBuffer &buffer, size_t launch) const;
  // The last launch before a position that may write the buffer.
  static std::optional<size_t> writerBefore(const TestBuffer &buffer, size_t position);

private:
  const HostTest &test_;
  bool small_;
  EvalSite site_;
  RankInMesh ranks_;
  std::vector<std::unique_ptr<TestBuffer>> buffers_;
  size_t position_ = 0;
  bool allBefore_ = false;
  std::map<std::string, Evaluated> bindings_;
};

} // namespace xt
