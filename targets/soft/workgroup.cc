#include "targets/soft/workgroup.h"

#include "ir/base/text.h"

#include <algorithm>
#include <new>

namespace xt::soft {
namespace {

thread_local Workgroup *runningGroup [[gnu::tls_model("initial-exec")]] = nullptr;

constexpr std::align_val_t kLocalAlignment{4096};
constexpr uint64_t kPausesAfterFailure = 1 << 16; // about a second
constexpr int kLocalPattern = 0xff; // initial content of variables: NaN, -1

std::string tuple(const Dimensions &d) { return str("(", d[0], ", ", d[1], ", ", d[2], ")"); }

} // namespace

bool Meeting::uniform(size_t index, size_t bytes, const char *meaning) {
  for (size_t i = 1; i < count(); ++i)
    if (std::memcmp(argument(i, index), argument(0, index), bytes) != 0) {
      fail(str(meaning, " differs between ", group_.who(first_), " and ", group_.who(first_ + i)));
      return false;
    }
  return true;
}

void Meeting::fail(std::string text) { group_.fail(std::move(text), -1); }

Workgroup *Workgroup::running() { return runningGroup; }

Workgroup::Workgroup(const Launch &launch)
    : launch_(launch), items_(launch.items()), arrivals_(launch.items()),
      subgroups_((launch.items() + launch.subgroupSize - 1) / launch.subgroupSize), ready_(launch.items()) {
  for (size_t i = 0; i < items_.size(); ++i) {
    items_[i].index = i;
    items_[i].stack = takeStack(launch.stackBytes);
  }
  if (launch.localBytes) local_ = static_cast<std::byte *>(::operator new(launch.localBytes, kLocalAlignment));
}

Workgroup::~Workgroup() {
  for (Item &item : items_) giveBack(std::move(item.stack));
  if (local_) ::operator delete(local_, kLocalAlignment);
}

void Workgroup::setIds(Item &item, size_t index, const Dimensions &group) const {
  WorkItemIds &ids = item.ids;
  size_t rest = index;
  int64_t linear = 0, size = 1;
  for (size_t d = 0; d < 3; ++d) {
    ids.localId[d] = static_cast<int64_t>(rest % launch_.groupSize[d]);
    rest /= launch_.groupSize[d];
    ids.groupId[d] = group[d];
    ids.localSize[d] = launch_.groupSize[d];
    ids.groupCount[d] = launch_.groupCount[d];
    ids.globalOffset[d] = launch_.globalOffset[d];
    ids.globalSize[d] = ids.localSize[d] * ids.groupCount[d];
    ids.globalId[d] = ids.globalOffset[d] + ids.groupId[d] * ids.localSize[d] + ids.localId[d];
    linear += (ids.globalId[d] - ids.globalOffset[d]) * size;
    size *= ids.globalSize[d];
  }
  ids.localId[3] = ids.groupId[3] = ids.globalId[3] = ids.globalOffset[3] = 0;
  ids.localSize[3] = ids.groupCount[3] = ids.globalSize[3] = 1;
  ids.localLinear = static_cast<int64_t>(index);
  ids.globalLinear = linear;
  ids.subgroup = static_cast<int64_t>(index / launch_.subgroupSize);
  ids.lane = static_cast<int64_t>(index % launch_.subgroupSize);
  ids.subgroupMaxSize = static_cast<int64_t>(launch_.subgroupSize);
  ids.subgroupSize = static_cast<int64_t>(subgroups_[index / launch_.subgroupSize].members);
  ids.subgroupCount = static_cast<int64_t>(subgroups_.size());
  ids.dimensions = 3;
}

bool Workgroup::prepare(size_t linear) {
  linear_ = linear;
  pausesAfterFailure_ = 0;
  for (unsigned d = 0; d < 3; ++d) {
    group_[d] = static_cast<uint32_t>(linear % launch_.groupCount[d]);
    linear /= launch_.groupCount[d];
  }
  for (size_t s = 0; s < subgroups_.size(); ++s) {
    size_t first = s * launch_.subgroupSize;
    subgroups_[s] = {first, std::min(launch_.subgroupSize, items_.size() - first), 0, 0, nullptr, -1, 0};
  }
  whole_ = {0, items_.size(), 0, 0, nullptr, -1, 0};
  named_.reset();
  failure_.reset();
  readyFirst_ = readyCount_ = finished_ = polling_ = quiet_ = 0;
  if (local_) std::memset(local_, kLocalPattern, launch_.localBytes);
  for (Item &item : items_) {
    if (!item.stack) return false;
    item.state = State::Fresh;
    item.polling = false;
    setIds(item, item.index, group_);
    item.context.start(*item.stack, item.index, &Workgroup::enterItem, this);
    push(item.index);
  }
  return true;
}

std::optional<std::string> Workgroup::run(size_t linear) {
  if (!prepare(linear)) return str("no memory for the stacks of ", items_.size(), " work-items");
  Workgroup *outer = runningGroup;
  runningGroup = this;
  runFrom(*pop());
  runningGroup = outer;
  return failure_;
}

std::optional<std::string> Workgroup::giveUp() {
  runningGroup = nullptr;
  return failure_;
}

void Workgroup::runFrom(Item &item) {
  current_ = &item;
  switchContext(caller_, item.context);
}

void Workgroup::enterItem(void *self) {
  Workgroup &group = *static_cast<Workgroup *>(self);
  group.current_->state = State::Ready;
  group.launch_.entry(group.launch_.arguments.data());
  group.finish();
}

// Does not return: switches to another work-item, or to the caller of run().
void Workgroup::finish() {
  Item &item = *current_;
  item.state = State::Finished;
  beginEpoch();
  ++finished_;
  Gathering &subgroup = subgroups_[subgroupOf(item.index)];
  ++subgroup.finished;
  ++whole_.finished;
  if (subgroup.arrived || whole_.arrived) fail(divergence(), -1);
  leaveForEver(item);
}

void Workgroup::push(size_t item) { ready_[(readyFirst_ + readyCount_++) % ready_.size()] = item; }

Workgroup::Item *Workgroup::pop() {
  if (!readyCount_) return nullptr;
  size_t item = ready_[readyFirst_];
  readyFirst_ = (readyFirst_ + 1) % ready_.size();
  --readyCount_;
  return &items_[item];
}

FiberContext &Workgroup::contextAfter() {
  Item *next = failure_ ? nullptr : pop();
  if (!next && !failure_ && finished_ < items_.size()) fail(divergence(), -1);
  if (!next) return caller_;
  current_ = next;
  return next->context;
}

void Workgroup::leave(Item &item) {
  FiberContext &next = contextAfter();
  if (&next != &item.context) switchContext(item.context, next);
}

void Workgroup::leaveForEver(Item &item) { endContext(item.context, contextAfter()); }

void Workgroup::arrive(const Collective &collective, int32_t site, const Arrival &arrival) {
  Item &item = *current_;
  int32_t scope = collective.scopeArgument == kOfWorkgroup ? kScopeWorkgroup : kScopeSubgroup;
  if (collective.scopeArgument >= 0) std::memcpy(&scope, arrival.arguments[collective.scopeArgument], sizeof scope);
  if (scope == kScopeInvocation) return;
  if (!item.polling) beginEpoch();
  Gathering &gathering = scope == kScopeSubgroup ? subgroups_[subgroupOf(item.index)] : whole_;
  arrivals_[item.index] = arrival;
  item.collective = &collective;
  item.site = site;
  if (!gathering.arrived) gathering.collective = &collective, gathering.site = site, gathering.firstArrived = item.index;
  ++gathering.arrived;
  item.state = State::Waiting;
  bool together = gathering.collective == &collective && gathering.site == site && !gathering.finished;
  if (!together) failHere(divergence(), -1);
  if (gathering.arrived < gathering.members) return leave(item);
  complete(gathering, collective);
  if (failure_) leaveForEver(item);
  if (item.state == State::Waiting) leave(item); // in an operation that goes on
}

void Workgroup::complete(Gathering &gathering, const Collective &collective) {
  Meeting meeting(*this, gathering.first, std::span(arrivals_).subspan(gathering.first, gathering.members));
  gathering.arrived = 0;
  collective.body(meeting);
  if (failure_) return;
  if (meeting.stays()) return;
  release(gathering.first, gathering.members); // those that the body has not released
}

void Workgroup::release(size_t first, size_t count) {
  for (size_t i = first; i < first + count && i < items_.size(); ++i) {
    if (items_[i].state != State::Waiting) continue;
    items_[i].state = State::Ready;
    if (&items_[i] != current_) push(i);
  }
}

// A group that waits for a failed group would wait forever.
bool Workgroup::givenUp() {
  if (launch_.stop && *launch_.stop) return true;
  size_t failed = launch_.firstFailed ? launch_.firstFailed->load() : SIZE_MAX;
  return failed < linear_ || (failed != SIZE_MAX && ++pausesAfterFailure_ > kPausesAfterFailure);
}

void Workgroup::pause() {
  if (givenUp()) {
    if (!failure_) failure_ = std::string();
    leaveForEver(*current_);
  }
  push(current_->index);
  leave(*current_);
}

std::string Workgroup::where(int32_t site) const {
  if (site < 0 || !launch_.sites || static_cast<size_t>(site) >= launch_.sites->size()) return {};
  return (*launch_.sites)[static_cast<size_t>(site)].place;
}

void Workgroup::fail(std::string text, int32_t site) {
  if (failure_) return;
  std::string call;
  if (site < 0 && current_) site = current_->state == State::Waiting ? current_->site : -1;
  if (current_ && current_->state == State::Waiting && current_->collective) call = str(" in ", current_->collective->name);
  failure_ = str("kernel ", launch_.kernel, ", workgroup ", tuple(group_), ", ", current_ ? who(current_->index) : "", call,
                 where(site), ": ", text);
}

void Workgroup::failHere(std::string text, int32_t site) {
  fail(std::move(text), site);
  std::string().swap(text); // this stack is abandoned
  leaveForEver(*current_);
}

std::string Workgroup::who(size_t item) const {
  return str("lane ", item % launch_.subgroupSize, " of subgroup ", item / launch_.subgroupSize);
}

std::string Workgroup::waitsAt(const Item &item) const {
  if (item.state == State::Finished) return "has finished";
  if (item.state != State::Waiting || !item.collective) return "is elsewhere";
  int call = launch_.sites ? (*launch_.sites)[static_cast<size_t>(item.site)].call : 0;
  return str("waits at ", item.collective->name, where(item.site), " (call ", call, ")");
}

// Finds the first waiting work-item, and the first one of its subgroup that is elsewhere.
std::string Workgroup::divergence() const {
  for (const Gathering &gathering : subgroups_)
    if (gathering.arrived)
      for (size_t i = gathering.first; i < gathering.first + gathering.members; ++i) {
        const Item &one = items_[gathering.firstArrived], &other = items_[i];
        bool with = other.state == State::Waiting && other.collective == one.collective && other.site == one.site;
        if (!with && (other.state == State::Finished || other.state == State::Waiting))
          return str("lanes of a subgroup diverge: ", who(one.index), " ", waitsAt(one), ", but ", who(i), " ", waitsAt(other));
      }
  if (whole_.arrived)
    for (size_t i = 0; i < items_.size(); ++i) {
      const Item &one = items_[whole_.firstArrived], &other = items_[i];
      bool with = other.state == State::Waiting && other.collective == one.collective && other.site == one.site;
      if (!with && (other.state == State::Finished || other.state == State::Waiting))
        return str("barrier divergence: ", who(one.index), " ", waitsAt(one), ", but ", who(i), " ", waitsAt(other));
    }
  for (const Item &item : items_)
    if (item.state == State::Waiting) return str("deadlock: ", who(item.index), " ", waitsAt(item), " forever");
  return "deadlock";
}

std::byte *Workgroup::localArgument(size_t argument) const {
  size_t variable = launch_.localArguments[argument];
  return variable ? local_ + launch_.locals[variable - 1].offset : nullptr;
}

bool Workgroup::inLocalMemory(uint64_t address) const {
  auto base = reinterpret_cast<uint64_t>(local_);
  return local_ && address >= base && address - base < launch_.localBytes;
}

const LocalVariable *Workgroup::localVariable(uint64_t address, uint64_t bytes) const {
  if (!inLocalMemory(address)) return nullptr;
  uint64_t offset = address - reinterpret_cast<uint64_t>(local_);
  for (const LocalVariable &each : launch_.locals)
    if (offset >= each.offset && bytes <= each.bytes && offset - each.offset <= each.bytes - bytes) return &each;
  return nullptr;
}

const Allocation *Workgroup::allocationOf(uint64_t address, uint64_t bytes) {
  for (const Allocation &last : lastAllocations_)
    if (last.reaches(address, bytes)) return &last;
  const Allocation *found = findAllocation(*launch_.memory, address);
  if (!found || !found->reaches(address, bytes)) return nullptr;
  lastAllocations_[1] = lastAllocations_[0];
  lastAllocations_[0] = *found;
  return &lastAllocations_[0];
}

} // namespace xt::soft
