// What differs among GPUs for the lane emitter: how a lane gets its ids, exchanges values with other lanes, and orders memory, and
// the instructions that only some GPUs have. A new GPU target implements this class; everything else about a lane's code is the
// same for all.
#pragma once
#include "ir/base/check.h"
#include "ir/gpu/target_info.h"
#include "ir/op.h"
#include "targets/llvm/lane/fragment.h"
#include "targets/llvm/lane/index_ranges.h"
#include "targets/llvm/register_ops.h"

#include <llvm/IR/CallingConv.h>
#include <llvm/IR/Function.h>

namespace xt {

struct LaneContext;

// The invocations that a barrier, a fence or an atomic access concerns.
enum class LaneScope : uint8_t { Device, Workgroup, Subgroup };
// The memory that a fence orders.
enum class LaneMemory : uint8_t { Slm, Global, Both };

// Made for one kernel. The functions that take a builder, or a context, add code where its builder stands.
class LaneDevice {
public:
  virtual ~LaneDevice() = default;

  // --- the function
  virtual RegisterTraits traits() const = 0;
  virtual llvm::CallingConv::ID kernelConvention() const = 0;
  virtual unsigned addressSpace(MemorySpace space) const = 0;
  virtual void annotate(llvm::Function &function, const Kernel &kernel) = 0; // with the size of subgroups and workgroups

  // --- ids: dimension 0 is x
  virtual LlvmValue *groupId(llvm::IRBuilderBase &b, int dim) = 0; // 64 bits
  virtual LlvmValue *groupCount(llvm::IRBuilderBase &b, int dim) = 0; // 64 bits
  virtual LlvmValue *subgroupId(llvm::IRBuilderBase &b) = 0; // 32 bits
  virtual LlvmValue *laneId(llvm::IRBuilderBase &b) = 0; // 32 bits, in the subgroup

  // --- what lanes do together
  // The integer of 8, 16, 32 or 64 bits that another lane has: an existing one, `lane`, or this lane's number xor `lane`.
  virtual LlvmValue *shuffle(llvm::IRBuilderBase &b, LlvmValue *bits, LlvmValue *lane, bool exclusiveOr) = 0;
  virtual void barrier(llvm::IRBuilderBase &b, LaneScope scope) = 0; // orders all memory too
  virtual void fence(llvm::IRBuilderBase &b, LaneScope scope, LaneMemory memory) = 0;
  virtual llvm::StringRef scopeName(LaneScope scope) const = 0; // of LLVM's atomic accesses
  virtual bool addsFloats() const { return false; } // atomically: an f32 in memory

  // --- what some devices have in addition
  // Called before the code of each op.
  virtual void beginOp(LaneContext &, const Op &) {}
  // The pointer through which the current op accesses the memory at an address.
  virtual LlvmValue *accessed(LaneContext &, LlvmValue *address) { return address; }
  // Whether the device's compiler must not know how often a loop runs.
  virtual bool hidesLength(const Op & /*loop*/) const { return false; }
  // Blocks of tensor_descs (load_nd, store_nd, prefetch_nd) that one instruction of the whole subgroup moves. The elements of
  // other blocks are accessed one by one. What is loaded is row-major in the lane's part of the block.
  virtual bool takesBlock(const Op &) const { return false; }
  virtual Fragment loadBlock(LaneContext &, const Op &) { XT_UNREACHABLE("the device takes blocks, and must load them"); }
  virtual void storeBlock(LaneContext &, const Op &, const Fragment &) {
    XT_UNREACHABLE("the device takes blocks, and must store them");
  }
  virtual void prefetchBlock(LaneContext &, const Op &) {}
  // Whether such instructions take the sizes and strides of a parameter, which are then read from the arguments even if they are
  // constant.
  virtual bool sendsExtents(size_t /*param*/) const { return false; }
  // Ranges of extents of parameters that follow from the rules of such instructions.
  virtual std::vector<ExtentFacts> extentFacts() const { return {}; }
  // A product of the target's table. The operands are in the registers of the instruction (MmaInstruction), and so is the result.
  virtual Fragment product(LaneContext &, const MmaInstruction &, const Fragment & /*a*/, const Fragment & /*b*/,
                           const Fragment & /*c*/) {
    XT_UNREACHABLE("the target's table has products, and the device must multiply");
  }
};

} // namespace xt
