// The memory of a launch as the checks see it: its buffers with their names, and a record of the accesses to each element.
#pragma once
#include "ir/interp/shadow.h"
#include "ir/interp/slm_memory.h"
#include "ir/launch.h"

namespace xt {

class CheckedMemory {
public:
  struct Region {
    ShadowRegion shadow;
    bool slm;   // shared local memory, separate for each workgroup
    bool fresh; // not written before the launch, or before the workgroup
  };

  CheckedMemory(const Kernel &kernel, const std::vector<LaunchArg> &args, SlmMemory &slm);

  std::vector<Region> &regions() { return regions_; }
  Region *regionOf(const unsigned char *p); // null if it is in no buffer
  // "`%A`[3, 5]".
  std::string elementAt(const unsigned char *p) const;
  // "`%A`"; "" if the range is not that of a buffer.
  std::string bufferText(const MemoryRange &range) const;

private:
  struct Piece { // the memory of a buffer
    MemoryRange range;
    size_t unit;
    bool fresh;
  };
  void addBuffers(const Kernel &kernel, const std::vector<LaunchArg> &args);
  void addSlm(const Kernel &kernel, SlmMemory &slm);
  void addConnected(std::vector<Piece> pieces, bool slm);

  std::vector<Region> regions_;
  size_t lastRegion_ = 0;
  std::vector<NamedBuffer> buffers_;
};

} // namespace xt
