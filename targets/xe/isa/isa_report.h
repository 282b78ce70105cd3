// What Intel's compiler made of a kernel: registers, spills, and the instructions of each loop, read from its own listing.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace xt {

// A 2D block message as its payload says: `blocks` blocks side by side of rows x columns elements.
struct BlockPayload {
  int64_t columns, rows, blocks;
  bool operator==(const BlockPayload &) const = default;
};

struct IsaLoop {
  size_t instructions = 0, products = 0; // products: dpas
  std::map<std::string, size_t> mix;     // by name; messages as "load_block2d", a prefetch as "prefetch_block2d"
  std::vector<BlockPayload> blocks;      // of messages whose size stands beside them
};

struct IsaReport {
  std::string kernel;
  int64_t registers = 0, spilledBytes = 0;
  size_t instructions = 0, products = 0;
  size_t unknownCalls = 0; // of functions that the compiler does not have
  std::vector<IsaLoop> loops; // those that jump back, in the listing's order
};

// Of one listing (the .asm file that IGC_ShaderDumpEnable gives).
IsaReport readIsa(std::string_view listing);
// Lines for people, as `xtc --emit=isa --report` prints them.
std::string text(const IsaReport &report);

} // namespace xt
