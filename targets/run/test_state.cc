#include "targets/run/test_state.h"

#include "ir/base/check.h"
#include "ir/base/text.h"

#include <algorithm>

namespace xt {

int64_t TestState::size(const std::string &name) const {
  for (const HostSize &size : test_.sizes)
    if (size.name == name) return small_ && size.small ? *size.small : size.full;
  XT_UNREACHABLE("unknown size: the lowering resolves names");
}

std::string TestState::sizesText() const {
  std::vector<std::string> parts;
  for (const HostSize &size : test_.sizes) parts.push_back(str(size.name, " = ", this->size(size.name)));
  return join(parts, ", ");
}

TestBuffer &TestState::addBuffer(const HostStmt &stmt, size_t position) {
  buffers_.push_back(std::make_unique<TestBuffer>());
  TestBuffer &buffer = *buffers_.back();
  buffer.stmt = &stmt;
  buffer.position = position;
  buffer.isOut = stmt.value.fn == HostFn::Out;
  return buffer;
}

TestBuffer *TestState::find(const std::string &name) {
  for (auto &buffer : buffers_)
    if (buffer->stmt->name == name) return buffer.get();
  return nullptr;
}

const std::vector<int64_t> *TestState::shape(const std::string &name) const {
  for (const auto &buffer : buffers_)
    if (buffer->stmt->name == name) return &buffer->sizes;
  return nullptr;
}

EvalSite TestState::siteAt(SourceRange range) const {
  EvalSite site = site_;
  site.range = range;
  return site;
}

std::optional<size_t> TestState::writerBefore(const TestBuffer &buffer, size_t position) {
  std::optional<size_t> last;
  for (size_t launch : buffer.writers)
    if (launch < position) last = launch;
  return last;
}

Result<const RawArray *> TestState::content(const HostExpr &name, bool before) {
  TestBuffer *buffer = find(name.text);
  XT_CHECK(buffer, "unknown buffer: the lowering resolves names");
  std::optional<size_t> writer = before || allBefore_ ? std::nullopt : writerBefore(*buffer, position_);
  if (writer) {
    auto found = buffer->contents.find(*writer);
    if (found != buffer->contents.end()) return &found->second;
    return siteAt(name.range)
        .fail(DiagCode::HostNoContent,
              str("`%", name.text, "` is used before the launches run, but a launch above this line writes it"));
  }
  if (buffer->initial) return &*buffer->initial;
  return siteAt(name.range)
      .fail(DiagCode::HostNoContent,
            str("`%", name.text, "` is an `out` buffer: it holds nothing before a launch has written it"));
}

Result<HostArray> TestState::binding(const HostExpr &name) {
  size_t position = 0;
  while (position < test_.body.size() &&
         !(test_.body[position].kind == HostStmt::Kind::Let && test_.body[position].name == name.text))
    ++position;
  XT_CHECK(position < test_.body.size(), "unknown name: the lowering resolves names");
  bool cacheable = site_.trackErrors && !allBefore_;
  auto cached = cacheable ? bindings_.find(name.text) : bindings_.end();
  if (cached == bindings_.end()) {
    Result<Evaluated> made = evaluateApart(test_.body[position].value, position);
    if (!made) return made.error();
    if (!cacheable) return std::move(made->value);
    cached = bindings_.emplace(name.text, std::move(*made)).first;
  }
  if (site_.weak) site_.weak->insert(site_.weak->end(), cached->second.weak.begin(), cached->second.weak.end());
  const HostArray &value = cached->second.value;
  return copyView(value, {value.shape, denseStrides(value.shape), 0}, site_.budget, site_.threads);
}

Result<HostArray> TestState::evaluate(const HostExpr &expr, size_t position, std::span<const int64_t> indexShape) {
  return at(position, [&] { return Evaluator(site_, *this, indexShape).evaluate(expr); });
}

Result<TestState::Evaluated> TestState::evaluateApart(const HostExpr &expr, size_t position) {
  Evaluated made;
  std::vector<WeakBound> *outer = std::exchange(site_.weak, &made.weak);
  auto value = evaluate(expr, position);
  site_.weak = outer;
  if (!value) return value.error();
  made.value = std::move(*value);
  return made;
}

Result<int64_t> TestState::integer(const HostExpr &expr, size_t position) {
  return at(position, [&] { return Evaluator(site_, *this).integer(expr); });
}

namespace {
// Calls f on each expression of a tree, including those inside `before(...)` only if `intoBefore` is set.
template <class F> void eachExpr(const HostExpr &expr, bool intoBefore, F &&f) {
  std::vector<const HostExpr *> todo = {&expr};
  while (!todo.empty()) {
    const HostExpr *e = todo.back();
    todo.pop_back();
    f(*e);
    if (!intoBefore && e->kind == HostExpr::Kind::Call && e->fn == HostFn::Before) continue;
    eachOperand(*e, [&](const HostExpr &operand) { todo.push_back(&operand); });
  }
}
} // namespace

std::vector<std::string> TestState::buffersIn(const HostExpr &expr, bool intoBefore) const {
  std::vector<std::string> names, lets;
  std::vector<const HostExpr *> todo = {&expr};
  while (!todo.empty()) {
    const HostExpr *next = todo.back();
    todo.pop_back();
    eachExpr(*next, intoBefore, [&](const HostExpr &e) {
      if (e.kind != HostExpr::Kind::Buffer) return;
      std::vector<std::string> &seen = shape(e.text) ? names : lets;
      if (std::find(seen.begin(), seen.end(), e.text) != seen.end()) return;
      seen.push_back(e.text);
      if (shape(e.text)) return;
      for (const HostStmt &stmt : test_.body)
        if (stmt.kind == HostStmt::Kind::Let && stmt.name == e.text) todo.push_back(&stmt.value);
    });
  }
  return names;
}

bool TestState::usesUnwritten(const HostExpr &expr) {
  std::vector<std::string> names = buffersIn(expr, true);
  return std::any_of(names.begin(), names.end(), [&](const std::string &name) {
    const TestBuffer &buffer = *find(name);
    return buffer.isOut && !buffer.written();
  });
}

bool TestState::needed(const TestBuffer &buffer, size_t launch) const {
  for (size_t p = launch + 1; p < test_.body.size(); ++p) {
    const HostStmt &stmt = test_.body[p];
    if (writerBefore(buffer, p) != launch) continue;
    bool reads = false;
    auto look = [&](const HostExpr &expr) {
      eachExpr(expr, true,
               [&](const HostExpr &e) { reads |= e.kind == HostExpr::Kind::Buffer && e.text == buffer.stmt->name; });
    };
    if (stmt.kind == HostStmt::Kind::Check) look(stmt.left), look(stmt.right);
    if (stmt.kind == HostStmt::Kind::Let || stmt.kind == HostStmt::Kind::Save) look(stmt.value);
    if (reads) return true;
  }
  // The content after the last launch is compared with that of the other round.
  return launch == buffer.writers.back();
}

} // namespace xt
