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
    bool slm;   // whether it is shared local memory, which is separate for each workgroup
    bool fresh; // whether nothing had been written to it before the launch (shared local memory: before the workgroup)
  };

  CheckedMemory(const Kernel &kernel, const std::vector<LaunchArg> &args, SlmMemory &slm);

  std::vector<Region> &regions() { return regions_; }
  Region *regionOf(const unsigned char *p); // null if `p` is in no buffer
  // The name of the element at `p`: "`%A`[3, 5]".
  std::string elementAt(const unsigned char *p) const;
  // The name of the buffer that begins where `range` begins: "`%A`"; "" if there is none.
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
