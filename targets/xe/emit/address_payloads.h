// Keeps the address payloads of block messages in registers through a loop.
//
// The hardware's message (LSC load_block2d, "Intel Data Center GPU Max" PRM, volume 8) takes its arguments in one register, the
// payload: 16 words, one in each lane, of which lanes 0 to 7 hold the base address (2 words), width - 1, height - 1 and pitch -
// 1 in bytes, column, row, and the block's shape. A driver that compiles a call of a block function builds the payload anew for
// each message, four to seven moves. Here a payload is built before the loop, is stepped by one addition, and is sent by inline
// assembly (SPV_INTEL_inline_assembly).
//
// Where a loop has many messages, or computes with what it loads, those of one matrix and shape share a payload, if each turn
// of the loop reaches all of them in one block: column and row are stepped in place behind each message. A nest of loops has at
// most 24 payloads (8 in such a loop if none is shared), for the messages that run most. Where a turn computes much for each
// message, and outside of loops, eight or more stores to one matrix in a block of code share a payload that is made there, as
// those of the result of a product.
#pragma once
#include "ir/gpu/target_info.h"

#include <llvm/IR/Module.h>

namespace xt {

// Replaces calls of functions that load, store or prefetch blocks by messages: in loops with a preheader where all but the
// position is the same in each turn and the position changes by a constant, and where several share a payload. The kernels have
// subgroups of 16 lanes. Returns whether a call was replaced.
bool keepAddressPayloads(llvm::Module &module, const TargetInfo &target);

} // namespace xt
