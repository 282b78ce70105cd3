#include "ir/interp/launch_checks.h"

#include "ir/op_kinds.h"

namespace xt {

LaunchChecks::LaunchChecks(const Kernel &kernel, const std::vector<LaunchArg> &args, SlmMemory &slm, Checks checks,
                           const SourceManager *sources)
    : checks_(checks), history_(kernel, sources), clocks_(workerCount(kernel)),
      accesses_(checks, history_, clocks_, CheckedMemory(kernel, args, slm)), meetings_(history_) {}

void LaunchChecks::enter(const std::vector<int64_t> &blockId) {
  history_.enter(blockId);
  clocks_.reset();
  accesses_.enter();
  meetings_.enter();
}

size_t LaunchChecks::report(Diagnostics &diagnostics) {
  size_t before = diagnostics.errorCount();
  meetings_.report(diagnostics);
  accesses_.report(diagnostics);
  return diagnostics.errorCount() - before;
}

void LaunchChecks::access(const AccessSite &site, Kind kind, const unsigned char *p, size_t bytes) {
  accesses_.access(site, kind, p, bytes);
}

void LaunchChecks::outside(const AccessSite &site, Kind kind, const MemoryRange &buffer, std::span<const int64_t> index) {
  accesses_.outside(site, kind, buffer, index);
}

void LaunchChecks::meeting(const Step &place, std::span<const Subgroup> subgroups) {
  if (place.op->kind() == OpKind::Barrier) accesses_.passBarrier();
  if (checks_.divergence) meetings_.meeting(place, subgroups);
}

void LaunchChecks::writesTwice(const AccessSite &site, const unsigned char *p) { accesses_.writesTwice(site, p); }

void LaunchChecks::takesPart(const Op &op, size_t worker, const NamedBarrierPart &part, uint64_t round) {
  if (checks_.divergence) meetings_.takesPart(op, worker, part, round);
}

void LaunchChecks::arrived(size_t subgroup, size_t barrier, uint64_t round) {
  accesses_.arrived(subgroup, barrier, round);
  clocks_.arrived(subgroup, barrier, round);
}

void LaunchChecks::passed(size_t subgroup, size_t barrier, uint64_t round) {
  accesses_.passed(subgroup, barrier, round);
  clocks_.passed(subgroup, barrier, round);
}

void LaunchChecks::fence(size_t worker, bool device) { accesses_.fence(worker, device); }

void LaunchChecks::neverMeet(std::span<const Subgroup> subgroups) {
  if (checks_.divergence) meetings_.neverMeet(subgroups);
}

} // namespace xt
