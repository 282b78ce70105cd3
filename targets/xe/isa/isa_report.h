// The result of compiling a kernel with Intel's compiler: registers, spills, and the instructions of each loop, read from the
// compiler's listing.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace xt {

// The size of a 2D block message as encoded in its payload: `blocks` blocks of rows x columns elements, side by side.
struct BlockPayload {
  int64_t columns, rows, blocks;
  bool operator==(const BlockPayload &) const = default;
};
struct BlockMessage {
  std::string name;    // the name under which it is counted: load_block2d, prefetch_block2d, store_block2d
  std::string element; // "d16"; "d16v": in VNNI form, "d32t": transposed
  BlockPayload size;
};

// Counts of a sequence of instructions.
struct IsaCounts {
  size_t instructions = 0, products = 0; // products: dpas
  size_t spills = 0;                     // messages that spill registers to memory or fill them again
  std::map<std::string, size_t> mix; // by name; messages as "load_block2d", a prefetch as "prefetch_block2d", spills as "spill"
  std::vector<BlockMessage> blocks; // the block messages whose payload is known
  size_t others() const { return instructions - products; }
  size_t messages() const; // messages to memory, including spills
};
struct IsaLoop : IsaCounts {
  bool innermost = true;
};

struct IsaReport {
  std::string kernel;
  int64_t registers = 0, spilledBytes = 0;
  IsaCounts all;
  size_t unknownCalls = 0; // calls of functions that the compiler does not have
  std::vector<IsaLoop> loops; // in the order of the listing, outer loops before inner ones
};

// Reads one listing (an .asm file written with IGC_ShaderDumpEnable).
IsaReport readIsa(std::string_view listing);

// "32 dpas, 117 others: 94 mov, 16 load_block2d, …", most frequent first.
std::string mixText(const IsaCounts &counts);
// "8 load_block2d d16 of 8x16, …"; "": there are no block messages.
std::string blocksText(const IsaCounts &counts);

} // namespace xt
