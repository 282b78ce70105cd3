// What block messages of a target can take: matrices by the rules of their base, and blocks by their size. One answer for
// passes that make messages and for the check of those that users write.
#pragma once
#include "ir/target_info.h"
#include "ir/type.h"

#include <string>
#include <vector>

namespace xt {

// A matrix in memory, as far as it is known: kDynamic where only the launch tells.
struct BlockBase {
  Elem elem = Elem::F32;
  int64_t width = kDynamic, height = kDynamic; // columns and rows
  int64_t pitch = kDynamic;                    // elements from one row to the next
  int64_t step = 1;                            // elements from one column to the next
  std::vector<int64_t> apart;                  // elements between matrices, for each dimension in front of the rows
};
// Of the last two dimensions of a memref of rank 2 or more.
BlockBase blockBaseOf(Type memref);
// The least pitch that messages take for rows of so many bytes. A matrix of one row may be given it, as nothing is read behind.
int64_t shortestPitch(const BlockRules &rules, int64_t width);
// Which rule a base breaks for certain; "" if none. What is not known is taken to keep the rules.
std::string whyNoBlockBase(const BlockRules &rules, const BlockBase &base);

// Whether messages of a shape take a block of so many rows and columns, as one block or as several side by side.
bool takesBlock(const BlockShape &shape, BlockUse use, int bits, int64_t rows, int64_t columns);
// The first message that moves a block of rows x columns elements of `bits`, alone or as several blocks side by side; null: none.
// Sizes are those in memory, also of blocks that are turned on the way.
const BlockShape *blockMessage(const TargetInfo &target, BlockUse use, int bits, int64_t rows, int64_t columns);

// At which multiple of bytes a 1D block message of so many bytes that lie side by side begins, in global or shared local
// memory: that of its words, of 32 bits where they will do, else of 64; narrower elements go as parts of words. 0: there is
// no such message.
int64_t lineAlignment(const TargetInfo &target, int64_t bytes);

} // namespace xt
