#include "targets/soft/workgroup.h"

#include "ir/base/text.h"
#include "targets/xe/library/spirv_numbers.h"

namespace xt::soft {
namespace {

thread_local Workgroup *runningGroup [[gnu::tls_model("initial-exec")]] = nullptr;

constexpr uint64_t kPausesAfterFailure = 1 << 16; // maximum number of pauses; takes about a second

using State = WorkItem::State;

} // namespace

bool Meeting::uniform(size_t index, size_t bytes, const char *meaning) {
  for (size_t i = 1; i < count(); ++i)
    if (std::memcmp(argument(i, index), argument(0, index), bytes) != 0) {
      fail(str(meaning, " differs between ", group_.who(first_), " and ", group_.who(first_ + i)));
      return false;
    }
  return true;
}

void Meeting::fail(std::string text) { group_.fail(text, -1); }

Workgroup *Workgroup::running() { return runningGroup; }

bool Workgroup::prepare(size_t linear) {
  linear_ = linear;
  pausesAfterFailure_ = 0;
  failure_.reset();
  gatherings_.reset();
  named_.reset();
  counting_ = {};
  polls_.reset();
  memory_.reset();
  if (watch_) watch_->begin();
  for (AsyncCopyQueue &copies : copies_) copies.reset();
  return items_.start(launch_.groupAt(linear), &Workgroup::enterItem, this);
}

std::optional<std::string> Workgroup::run(size_t linear) {
  if (!prepare(linear)) return str("no memory for the stacks of ", items_.size(), " work-items");
  Workgroup *outer = runningGroup;
  runningGroup = this;
  items_.run();
  runningGroup = outer;
  if (banks_) banks_->finish();
  return failure_;
}

std::optional<std::string> Workgroup::giveUp() {
  runningGroup = nullptr;
  return failure_;
}

void Workgroup::enterItem(void *self) {
  Workgroup &group = *static_cast<Workgroup *>(self);
  group.items_.current()->state = State::Ready;
  group.launch_.entry(group.launch_.arguments.data());
  group.finish();
}

// Ends the current work-item, and switches to another one or to the caller of run().
void Workgroup::finish() {
  WorkItem &item = *items_.current();
  item.state = State::Finished;
  polls_.beginEpoch();
  if (gatherings_.finish(item.index)) fail(report().divergence(), -1);
  leaveForEver();
}

void Workgroup::reportDeadlock() {
  if (!failure_ && !items_.anyReady() && gatherings_.whole().finished < items_.size()) fail(report().divergence(), -1);
}

void Workgroup::leave() {
  reportDeadlock();
  items_.leave();
}

void Workgroup::leaveForEver() {
  reportDeadlock();
  items_.leaveForEver();
}

void Workgroup::arrive(const Collective &collective, int32_t site, const Arrival &arrival) {
  WorkItem &item = *items_.current();
  uint32_t scope = collective.scopeArgument == kOfWorkgroup ? spirv::kScopeWorkgroup : spirv::kScopeSubgroup;
  if (collective.scopeArgument >= 0) std::memcpy(&scope, arrival.arguments[collective.scopeArgument], sizeof scope);
  if (scope == spirv::kScopeInvocation) return;
  if (!item.polling) polls_.beginEpoch();
  Gathering &gathering = scope == spirv::kScopeSubgroup ? gatherings_.ofSubgroup(item.index) : gatherings_.whole();
  gatherings_.setArrival(item.index, arrival);
  item.collective = &collective;
  item.site = site;
  item.state = State::Waiting;
  if (!gathering.arrive(item.index, collective, site)) failHere(report().divergence(), -1);
  if (!gathering.complete()) return leave();
  complete(gathering, collective);
  if (failure_) leaveForEver();
  if (item.state == State::Waiting) leave(); // the operation has not ended for this work-item
}

void Workgroup::complete(Gathering &gathering, const Collective &collective) {
  if (banks_) banks_->meet(gathering.first, gathering.members);
  Meeting meeting(*this, gathering.first, gatherings_.arrivals(gathering));
  gathering.arrived = 0;
  collective.body(meeting);
  if (failure_) return;
  if (meeting.stays()) return;
  release(gathering.first, gathering.members); // releases the work-items that the body has not released
}

void Workgroup::release(size_t first, size_t count) {
  for (size_t i = first; i < first + count && i < items_.size(); ++i) {
    if (items_[i].state != State::Waiting) continue;
    items_[i].state = State::Ready;
    if (&items_[i] != items_.current()) items_.makeReady(i);
  }
}

// Whether this group has to give up: the launch is stopped, an earlier group has failed, or a later one failed some time ago.
// This group might wait for the failed one, which would take forever.
bool Workgroup::givenUp() {
  if (launch_.stop && *launch_.stop) return true;
  size_t failed = launch_.firstFailed ? launch_.firstFailed->load() : SIZE_MAX;
  return failed < linear_ || (failed != SIZE_MAX && ++pausesAfterFailure_ > kPausesAfterFailure);
}

void Workgroup::pause() {
  if (givenUp()) {
    if (!failure_) failure_ = std::string();
    items_.abandon();
    leaveForEver();
  }
  items_.makeReady(items_.current()->index);
  leave();
}

void Workgroup::poll(const void *address, uint64_t bytes, int32_t site) {
  bool quiet = polls_.poll(*items_.current(), reinterpret_cast<uint64_t>(address), bytes);
  if (quiet && report().allStuck()) failHere(report().stuck(), site);
  pause();
}

void Workgroup::fail(std::string_view text, int32_t site) {
  if (failure_) return;
  failure_ = report().failure(text, linear_, site);
  items_.abandon();
}

void Workgroup::failHere(std::string text, int32_t site) {
  fail(text, site);
  std::string().swap(text); // frees the text, because this stack is abandoned
  leaveForEver();
}

} // namespace xt::soft
