#include "targets/run/test_communications.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"

#include <algorithm>

namespace xt {
namespace {

Distributed distributionOf(const TestBuffer &buffer) { return {buffer.sizes, buffer.stmt->type.elem, buffer.sharding}; }
std::string sizesText(std::span<const int64_t> sizes) { return sizes.empty() ? "a scalar" : join(sizes, "x"); }

} // namespace

bool usesRanks(const HostTest &test) {
  return anyStmt(test.body, [](const HostStmt &stmt) {
    return stmt.kind == HostStmt::Kind::Mesh || stmt.kind == HostStmt::Kind::Shard || stmt.kind == HostStmt::Kind::Communicate;
  });
}

// --- the ranks and their parts ---------------------------------------------------------------------------------------

Result<Mesh> TestCommunications::mesh() {
  for (size_t p = 0; p < test_.body.size(); ++p) {
    const HostStmt &stmt = test_.body[p];
    if (stmt.kind != HostStmt::Kind::Mesh) continue;
    std::vector<int64_t> extents;
    for (const HostExpr &extent : stmt.args) {
      auto value = state_.integer(extent, p);
      if (!value) return value.error();
      extents.push_back(*value);
    }
    std::string why;
    if (std::optional<Mesh> made = Mesh::make(extents, thread_->count(), why)) return *made;
    return state_.siteAt(stmt.range).fail(DiagCode::HostBadSize, why);
  }
  return Mesh(thread_->count());
}

Result<void> TestCommunications::begin(const std::string &name) {
  if (!thread_) {
    own_ = std::make_unique<CommunicationThread>([] { return Result(singleRank()); });
    thread_ = own_.get();
  }
  state_.setRanks({Mesh(thread_->count()), thread_->rank()}); // for the extents of the mesh
  auto made = mesh();
  if (!made) return made.error();
  state_.setRanks({*made, thread_->rank()});
  return thread_->run([&](Communicator &communicator) { return communicator.begin(name, *made); });
}

Result<void> TestCommunications::divide(TestBuffer &buffer) {
  buffer.part = wholeOf(buffer.sizes);
  for (const HostStmt &stmt : test_.body) {
    if (stmt.kind != HostStmt::Kind::Shard || stmt.name != buffer.stmt->name) continue;
    const Mesh &mesh = state_.ranks().mesh;
    if (std::ssize(stmt.args) > mesh.axes())
      return state_.siteAt(stmt.range)
          .fail(DiagCode::HostBadArgument,
                str("`shard` divides along ", stmt.args.size(), " axes of a mesh that has ", mesh.axes()));
    for (const HostExpr &dim : stmt.args) buffer.sharding.dims.push_back(static_cast<int>(dim.integer));
    if (std::string why = unevenShards(buffer.sizes, buffer.sharding, mesh); !why.empty())
      return state_.siteAt(stmt.range).fail(DiagCode::HostBadSize, str("`%", stmt.name, "`: ", why));
    buffer.part = partOf(buffer.sizes, buffer.sharding, mesh, state_.ranks().rank);
  }
  if (!buffer.isDivided() || !buffer.initial) return {};
  auto part =
      RawArray::make(state_.site().budget, buffer.part.extent, buffer.initial->elem, "the part of %" + buffer.stmt->name);
  if (!part) return part.error();
  copyBox(buffer.part, wholeOf(buffer.sizes), buffer.initial->bytes.data(), buffer.part, part->bytes.data(), part->elemBytes());
  buffer.initialPart = std::move(*part);
  return {};
}

// --- plans -----------------------------------------------------------------------------------------------------------

Result<CommunicationPlan> TestCommunications::plan(const HostStmt &stmt, size_t position) {
  CommunicationPlan plan = {.stmt = &stmt, .position = position};
  const HostExpr &read = stmt.value.kind == HostExpr::Kind::Slice ? stmt.value.args[0] : stmt.value;
  plan.source = state_.find(read.text);
  plan.destination = state_.find(stmt.name);
  XT_CHECK(plan.source && plan.destination, "a communication of unknown buffers: the lowering resolves names");
  RankExchange &exchange = plan.exchange;
  exchange.kind = stmt.communication;
  exchange.text = str("`", communicationInfo(stmt.communication).name, " %", plan.source->stmt->name,
                      plan.source == plan.destination ? "" : " -> %" + stmt.name, "`");
  exchange.source = distributionOf(*plan.source);
  exchange.destination = distributionOf(*plan.destination);
  if (auto planned = planSlice(stmt, plan); !planned) return planned.error();
  if (auto planned = planArguments(stmt, plan); !planned) return planned.error();
  if (sends(plan) && plan.source->isOut && !plan.source->written())
    return state_.siteAt(stmt.value.range)
        .fail(DiagCode::HostNoContent,
              str("`%", plan.source->stmt->name, "` is an `out` buffer that nothing above this line writes"));
  return plan;
}

// Whether this rank gives something to others.
bool TestCommunications::sends(const CommunicationPlan &plan) const {
  const RankExchange &exchange = plan.exchange;
  if (exchange.kind == Communication::Recv) return false;
  if (exchange.kind != Communication::Broadcast || !exchange.peer) return true;
  return *exchange.peer == (exchange.axis ? state_.ranks().mesh.position(rank(), *exchange.axis) : rank());
}

// The part of the source that is sent must have the shape of the destination.
Result<void> TestCommunications::planSlice(const HostStmt &stmt, CommunicationPlan &plan) {
  RankExchange &exchange = plan.exchange;
  exchange.slice = wholeOf(exchange.source.shape);
  if (stmt.value.kind == HostExpr::Kind::Slice) {
    auto view =
        state_.at(plan.position, [&] { return Evaluator(state_.site(), state_).sliceView(stmt.value, exchange.source.shape); });
    if (!view) return view.error();
    const std::vector<int64_t> strides = denseStrides(exchange.source.shape);
    XT_CHECK(view->strides == strides, "a slice with steps or single indices: the lowering refuses it");
    const bool empty = std::ranges::find(view->shape, 0) != view->shape.end();
    exchange.slice = {empty ? std::vector<int64_t>(strides.size()) : indexOf(view->offset, exchange.source.shape), view->shape};
  }
  if (plan.source == plan.destination || exchange.slice.extent == exchange.destination.shape) return {};
  return state_.siteAt(stmt.range)
      .fail(DiagCode::HostShapeMismatch, str("`%", stmt.name, "` is ", sizesText(exchange.destination.shape), ", but ",
                                             sizesText(exchange.slice.extent), " is sent"));
}

Result<void> TestCommunications::planArguments(const HostStmt &stmt, CommunicationPlan &plan) {
  RankExchange &exchange = plan.exchange;
  const Mesh &mesh = state_.ranks().mesh;
  for (const HostExpr::Named &argument : stmt.named) {
    if (argument.name == "kind") {
      exchange.combine = argument.value.text;
      continue;
    }
    auto value = state_.integer(argument.value, plan.position);
    if (!value) return value.error();
    if (argument.name != "axis") {
      exchange.peer = *value;
      continue;
    }
    if (*value < 0 || *value >= mesh.axes())
      return state_.siteAt(argument.value.range)
          .fail(DiagCode::HostBadArgument,
                str("axis ", *value, " of a mesh that has ", mesh.axes(), mesh.axes() == 1 ? " axis" : " axes"));
    exchange.axis = static_cast<int>(*value);
  }
  // A shift of a divided buffer goes along the axis that divides it.
  const std::vector<int> axes = exchange.source.sharding.axes();
  if (exchange.kind != Communication::Shift || exchange.axis || axes.empty()) return {};
  if (axes.size() > 1)
    return state_.siteAt(stmt.range)
        .fail(DiagCode::HostBadArgument,
              str("`%", stmt.name, "` is divided along ", axes.size(), " axes of the mesh: give `axis`"));
  exchange.axis = axes[0];
  return {};
}

// --- runs ------------------------------------------------------------------------------------------------------------

Result<void> TestCommunications::run(CommunicationThread::Task task) { return thread_->run(std::move(task)); }

Result<RawArray> TestCommunications::contentOfPart(TestBuffer &buffer) {
  auto content =
      RawArray::make(state_.site().budget, buffer.part.extent, buffer.stmt->type.elem, "the content of %" + buffer.stmt->name);
  if (content) buffer.device->read(*content, state_.site().threads);
  return content;
}

Result<std::unique_ptr<TestCommunications::Running>> TestCommunications::begin(const CommunicationPlan &plan, bool counted) {
  auto running = std::make_unique<Running>();
  running->plan = &plan;
  auto sent = contentOfPart(*plan.source), received = contentOfPart(*plan.destination);
  if (!sent) return sent.error();
  if (!received) return received.error();
  running->sent = std::move(*sent);
  running->received = std::move(*received);
  RankExchange exchange = plan.exchange;
  exchange.from = running->sent.bytes.data();
  exchange.into = running->received.bytes.data();
  running->task =
      thread_->start([exchange, counted](Communicator &communicator) { return communicator.run(exchange, counted); });
  return running;
}

Result<void> TestCommunications::run(const CommunicationPlan &plan, bool counted) {
  auto running = begin(plan, counted);
  return running ? end(**running) : running.error();
}

Result<void> TestCommunications::start(const CommunicationPlan &plan, bool counted) {
  auto running = begin(plan, counted);
  if (!running) return running.error();
  running_[plan.stmt->name].push_back(std::move(*running));
  return {};
}

Result<void> TestCommunications::end(Running &running) {
  if (auto done = thread_->wait(running.task); !done) {
    Error error = done.error();
    error.range = running.plan->stmt->range;
    return error;
  }
  if (running.plan->writes()) running.plan->destination->device->write(running.received, state_.site().threads);
  return {};
}

Result<void> TestCommunications::wait(const HostStmt &stmt) {
  auto found = running_.find(stmt.name);
  if (found == running_.end()) return Error::kernel(str("no communication of `%", stmt.name, "` has been started"), stmt.range);
  const std::vector<std::unique_ptr<Running>> all = std::move(found->second);
  running_.erase(found);
  Result<void> ended;
  for (const std::unique_ptr<Running> &running : all) // all of them, because their memory goes
    if (auto done = end(*running); !done && ended) ended = done;
  return ended;
}

std::string TestCommunications::unfinished() {
  std::vector<std::string> names;
  for (auto &[name, all] : running_) {
    names.push_back("`%" + name + "`");
    for (auto &running : all) (void)thread_->wait(running->task).ok();
  }
  running_.clear();
  return join(names, ", ");
}

Result<RawArray> TestCommunications::wholeContent(TestBuffer &buffer) {
  auto part = contentOfPart(buffer);
  if (!part || !buffer.isDivided()) return part;
  auto whole =
      RawArray::make(state_.site().budget, buffer.sizes, buffer.stmt->type.elem, "the content of %" + buffer.stmt->name);
  if (!whole) return whole;
  RankExchange exchange = {.kind = Communication::AllGather, .text = str("the comparison of `%", buffer.stmt->name, "`")};
  exchange.source = distributionOf(buffer);
  exchange.destination = {buffer.sizes, exchange.source.elem};
  exchange.from = part->bytes.data();
  exchange.into = whole->bytes.data();
  if (auto done = run([&](Communicator &communicator) { return communicator.run(exchange, false); }); !done)
    return done.error();
  return whole;
}

Result<double> TestCommunications::largest(double value) {
  RankExchange exchange = {.kind = Communication::AllReduce, .text = "the agreement of the ranks", .combine = "max"};
  exchange.source = exchange.destination = {{}, Elem::F64};
  exchange.from = exchange.into = reinterpret_cast<std::byte *>(&value);
  if (auto done = run([&](Communicator &communicator) { return communicator.run(exchange, false); }); !done)
    return done.error();
  return value;
}

Result<void> TestCommunications::finish() {
  return run([](Communicator &communicator) { return communicator.finish(); });
}

void TestCommunications::stop(const std::string &why, bool isDiagnosed) {
  unfinished();
  if (thread_)
    (void)run([&](Communicator &communicator) -> Result<void> {
      communicator.stop(why, isDiagnosed);
      return {};
    }).ok();
}

Traffic TestCommunications::traffic() {
  Traffic traffic;
  (void)run([&](Communicator &communicator) -> Result<void> {
    traffic = communicator.traffic();
    return {};
  }).ok();
  return traffic;
}

} // namespace xt
