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
struct BlockMessage {
  std::string name;    // as counted: load_block2d, prefetch_block2d, store_block2d
  std::string element; // "d16"; "d16v": in VNNI form, "d32t": transposed
  BlockPayload size;
};

// Of a stretch of instructions.
struct IsaCounts {
  size_t instructions = 0, products = 0; // products: dpas
  size_t spills = 0;                     // messages that save registers to memory, or bring them back
  std::map<std::string, size_t> mix;     // by name; messages as "load_block2d", a prefetch as "prefetch_block2d", spills as "spill"
  std::vector<BlockMessage> blocks;      // of messages whose size stands beside them
  size_t others() const { return instructions - products; }
  size_t messages() const; // to memory, spills among them
};
struct IsaLoop : IsaCounts {
  bool innermost = true;
};

struct IsaReport {
  std::string kernel;
  int64_t registers = 0, spilledBytes = 0;
  IsaCounts all;
  size_t unknownCalls = 0;    // of functions that the compiler does not have
  std::vector<IsaLoop> loops; // those that jump back, in the listing's order, outer ones before those in them
};

// Of one listing (the .asm file that IGC_ShaderDumpEnable gives).
IsaReport readIsa(std::string_view listing);

// "32 dpas, 117 others: 94 mov, 16 load_block2d, …", the most first.
std::string mixText(const IsaCounts &counts);
// "8 load_block2d d16 of 8x16, …"; "" where there are none.
std::string blocksText(const IsaCounts &counts);

} // namespace xt
