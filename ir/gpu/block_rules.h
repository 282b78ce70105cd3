// Checks whether the block messages of a target accept a matrix, by the rules for its base, and a block, by its size. Shared
// by the passes that create messages and by the check of messages that users write.
#pragma once
#include "ir/gpu/target_info.h"
#include "ir/type.h"

#include <string>
#include <vector>

namespace xt {

inline constexpr int64_t kMostMessageBytes = 2048; // the most that one block message moves, on every target

// A matrix in memory, as far as it is known at compile time: kDynamic for values known only at launch.
struct BlockBase {
  Elem elem = kF32Elem;
  int64_t width = kDynamic, height = kDynamic; // columns and rows
  int64_t pitch = kDynamic;                    // elements from one row to the next
  int64_t step = 1;                            // elements from one column to the next
  std::vector<int64_t> apart;                  // elements between matrices, for each dimension before the rows
};
// Describes the last two dimensions of a memref of rank 2 or more.
BlockBase blockBaseOf(Type memref);
// The smallest pitch, in bytes, that messages accept for rows of `width` bytes. A matrix of one row can be described with this
// pitch, because nothing beyond its row is read.
int64_t shortestPitch(const BlockRules &rules, int64_t width);
// Describes the first rule that the base is known to break; "" if there is none. Unknown values are assumed to obey the rules.
std::string whyNoBlockBase(const BlockRules &rules, const BlockBase &base);

// Whether messages of a shape take a block of rows x columns elements of `bits` bits, as one block or as several side by side.
bool takesBlock(const BlockShape &shape, BlockUse use, int bits, int64_t rows, int64_t columns);
// The first message that moves a block of rows x columns elements of `bits` bits, as one block or as several side by side;
// null if there is none. Sizes are those in memory, also for blocks that the message transposes.
const BlockShape *blockMessage(const TargetInfo &target, BlockUse use, int bits, int64_t rows, int64_t columns);

// The alignment, in bytes, that a 1D block message of `bytes` contiguous bytes needs in global or shared local memory: the
// size of its words, which is 4 if `bytes` is an allowed number of 32-bit words, else 8. Narrower elements are moved as parts
// of words. 0 if there is no such message.
int64_t lineAlignment(const TargetInfo &target, int64_t bytes);

} // namespace xt
