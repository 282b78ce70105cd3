// The checks of a launch (`--check`): they follow every access and meeting, and report mistakes as diagnostics.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/checks.h"
#include "ir/interp/monitor.h"
#include "ir/interp/shadow.h"
#include "ir/interp/standings.h"

#include <map>
#include <tuple>
#include <unordered_map>

namespace xt {

// Two accesses conflict if they share a byte, one of them writes, they are not both atomic, and either
//   - two subgroups of a workgroup make them without a barrier between them, or
//   - two workgroups make them, unless the kernel has both fences and atomics, which may order them.
// Whether an element has conflicting accesses does not depend on the order in which the interpreter runs subgroups and
// workgroups. Which two of several conflicts are reported may depend on it.
class LaunchChecks final : public MemoryMonitor {
public:
  // The constructor's arguments must outlive the object. All workgroups use the memory of `slm`, one after the other.
  LaunchChecks(const Kernel &kernel, const std::vector<LaunchArg> &args, SlmMemory &slm, Checks checks);

  void enter(const std::vector<int64_t> &blockId); // before each workgroup
  // Reports each finding as one diagnostic: the first place, and a count. Returns the number of errors among them.
  size_t report(Diagnostics &diagnostics);

  void access(const AccessSite &site, Kind kind, const unsigned char *p, size_t bytes) override;
  void outside(const AccessSite &site, Kind kind, const MemoryRange &buffer, std::span<const int64_t> index) override;
  void meeting(const Step &place, std::span<const Subgroup> subgroups) override;
  void takesPart(const Op &op, size_t worker, const NamedBarrierPart &part, uint64_t round) override;
  void arrived(size_t subgroup, size_t barrier, uint64_t round) override;
  void passed(size_t subgroup, size_t barrier, uint64_t round) override;
  void neverMeet(std::span<const Subgroup> subgroups) override;

private:
  struct Region {
    ShadowRegion shadow;
    bool slm;   // shared local memory, separate for each workgroup
    bool fresh; // not written before the launch, or before the workgroup
  };
  // A place with the first event there, and the number of events.
  struct Found {
    const Op *op = nullptr;
    Kind kind = Kind::Read;
    std::string element;
    bool slm = false;
    Touch first;
    uint64_t count = 0;
  };
  struct Race { // between an op, and an earlier one in the program or the same op
    Found found;
    Kind otherKind = Kind::Read;
    Touch other;
  };
  // An asynchronous copy that reads or writes an element and has not landed.
  struct Flight {
    Touch copy;
    bool writes;
  };
  // An access to what an asynchronous copy moves, before it has landed.
  struct Early {
    Found found;
    Touch copy;
  };
  struct Way { // of subgroups that meet in different iterations
    const Op *place = nullptr, *loop = nullptr;
    uint64_t iterations[2] = {};
    size_t subgroups[2] = {};
    std::vector<int64_t> workgroup;
    uint64_t count = 0;
  };

  void addBuffers(const Kernel &kernel, const std::vector<LaunchArg> &args);
  void addSlm(const Kernel &kernel, SlmMemory &slm);
  struct Piece { // the memory of a buffer
    MemoryRange range;
    size_t unit;
    bool fresh;
  };
  void addConnected(std::vector<Piece> pieces, bool slm);
  void addRegion(MemoryRange range, size_t unit, bool slm, bool fresh);
  Region *regionOf(const unsigned char *p);
  std::string elementAt(const unsigned char *p) const;
  Touch touch(const AccessSite &site);
  // The earlier access that an access conflicts with, and its kind.
  struct Conflict {
    Touch touch;
    Kind kind = Kind::Read;
  };
  Conflict conflict(const Cell &cell, Kind kind, const Touch &now, bool slm) const;
  static void remember(Cell &cell, Kind kind, const Touch &now);
  // Whether an asynchronous copy that has not landed forbids the access, which may be one of a copy itself.
  bool isEarly(const Cell &cell, const AccessSite &site, Kind kind, const Touch &now, const unsigned char *p, bool slm);
  void addRace(Conflict one, Conflict other, const unsigned char *p);
  // Adds the remaining reads of unwritten elements in a region to the findings.
  void collectUnwritten(const Region &region);

  // check_report.cc
  std::string who(const Touch &touch) const;
  std::string workgroupText(const Touch &touch) const;
  void reportOutside(const Found &found, Diagnostics &diagnostics) const;
  void reportUnwritten(const Found &found, Diagnostics &diagnostics) const;
  void reportRace(const Race &race, Diagnostics &diagnostics) const;
  void reportEarly(const Early &early, Diagnostics &diagnostics) const;
  void reportWay(const Way &way, Diagnostics &diagnostics) const;

  const Kernel &kernel_;
  Checks checks_;
  bool fencesOrder_ = false;
  std::vector<Region> regions_;
  size_t lastRegion_ = 0;
  std::vector<NamedBuffer> buffers_;
  std::vector<std::vector<int64_t>> workgroups_; // ids of the workgroups that have run
  uint32_t epoch_ = 0;
  // Named barriers order some subgroups, tracked by vector clocks. known_[a][b] is the latest time of subgroup b that a is
  // ordered after.
  using Clock = std::vector<uint32_t>;
  static void learn(Clock &into, const Clock &other);
  std::vector<Clock> known_;
  struct Side { // the first participant in a round of a named barrier
    const Op *op;
    size_t worker;
    NamedBarrierPart part;
  };
  std::map<std::pair<size_t, uint64_t>, Side> sides_; // by barrier and round
  std::map<uint32_t, Diagnostic> disagreements_; // participants that state different counts at a named barrier, by the later op
  std::map<std::pair<size_t, uint64_t>, Clock> rounds_; // the clock at the end of a barrier's round
  std::vector<const Op *> ops_; // in program order; the number of an op is its index plus 1
  std::unordered_map<const Op *, uint32_t> opNumber_; // used for lookup only
  // By the numbers of their ops:
  std::map<uint32_t, Found> outside_, unwritten_;
  std::map<std::tuple<uint32_t, uint32_t, bool>, Race> races_;
  std::map<std::pair<uint32_t, uint32_t>, Early> early_; // and of the copy
  std::unordered_map<const Cell *, std::vector<Flight>>
      flights_; // in the order in which the copies began; used for lookup only
  std::map<uint32_t, Way> ways_;
  Diagnostics stuck_; // reports of neverMeet
};

} // namespace xt
