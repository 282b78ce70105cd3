// Keeps the address payloads of block messages in registers through a loop.
//
// The hardware's message (LSC load_block2d, "Intel Data Center GPU Max" PRM, volume 8) takes its arguments in one register, the
// payload: 16 words, one in each lane, of which lanes 0 to 7 hold the base address (2 words), width - 1, height - 1 and pitch - 1 in bytes,
// column, row, and the block's shape. A driver that compiles a call of a block function builds the payload anew for each message, four to
// seven moves. Here a payload is built before the loop, is stepped by one addition, and is sent by inline assembly
// (SPV_INTEL_inline_assembly).
//
// Where a loop has many messages, or computes with what it loads, those of one matrix and shape share a payload, if each turn of the loop
// reaches all of them in one block: column and row are stepped in place behind each message. Calls stay where the payloads would take too
// many registers (more than 24 in a nest of loops; 8 in such a loop if none is shared), or a turn computes much for each message.
#pragma once
#include "ir/gpu/target_info.h"

#include <llvm/IR/Module.h>

namespace xt {

// Replaces calls of functions that load blocks in loops by messages, where all but the position is the same in each turn and the
// position changes by a constant. The kernels have subgroups of 16 lanes, and the loop a preheader. Returns whether a call
// was replaced.
bool keepAddressPayloads(llvm::Module &module, const TargetInfo &target);

} // namespace xt
