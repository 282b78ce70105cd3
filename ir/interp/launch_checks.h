// The checks of a launch (`--check`). They observe every memory access and every op at which subgroups or lanes wait for each
// other, and report mistakes as diagnostics.
#pragma once
#include "ir/interp/access_checks.h"
#include "ir/interp/meeting_checks.h"

namespace xt {

class LaunchChecks final : public MemoryMonitor {
public:
  // The constructor's arguments must outlive the object. All workgroups use the memory of `slm`, one after the other.
  LaunchChecks(const Kernel &kernel, const std::vector<LaunchArg> &args, SlmMemory &slm, Checks checks,
               const SourceManager *sources);
  LaunchChecks(const LaunchChecks &) = delete;

  void enter(const std::vector<int64_t> &blockId); // must be called before each workgroup
  // Reports each finding as one diagnostic, with its first event and the number of events. Returns the number of errors.
  size_t report(Diagnostics &diagnostics);

  void access(const AccessSite &site, Kind kind, const unsigned char *p, size_t bytes) override;
  void outside(const AccessSite &site, Kind kind, const MemoryRange &buffer, std::span<const int64_t> index) override;
  void writesTwice(const AccessSite &site, const unsigned char *p) override;
  void meeting(const Step &place, std::span<const Subgroup> subgroups) override;
  void takesPart(const Op &op, size_t worker, const NamedBarrierPart &part, uint64_t round) override;
  void arrived(size_t subgroup, size_t barrier, uint64_t round) override;
  void passed(size_t subgroup, size_t barrier, uint64_t round) override;
  void fence(size_t worker, bool device) override;
  void neverMeet(std::span<const Subgroup> subgroups) override;

private:
  Checks checks_;
  LaunchHistory history_;
  BarrierClocks clocks_;
  AccessChecks accesses_;
  MeetingChecks meetings_;
};

} // namespace xt
