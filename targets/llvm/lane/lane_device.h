// The differences among GPUs for the lane emitter: how a lane gets its ids, exchanges values with other lanes and orders
// memory, and the instructions that only some GPUs have. A new GPU target implements this class; everything else about a lane's
// code is the same for all GPUs.
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

// An object is made for one kernel. Functions that take a builder or a context add code at the builder's insertion point.
class LaneDevice {
public:
  virtual ~LaneDevice() = default;

  // --- the function
  virtual RegisterTraits traits() const = 0;
  virtual llvm::CallingConv::ID kernelConvention() const = 0;
  virtual unsigned addressSpace(MemorySpace space) const = 0;
  virtual void annotate(llvm::Function &function, const Kernel &kernel) = 0; // adds the sizes of subgroups and workgroups

  // --- ids: dimension 0 is x
  virtual LlvmValue *groupId(llvm::IRBuilderBase &b, int dim) = 0; // 64 bits
  virtual LlvmValue *groupCount(llvm::IRBuilderBase &b, int dim) = 0; // 64 bits
  virtual LlvmValue *subgroupId(llvm::IRBuilderBase &b) = 0; // 32 bits
  virtual LlvmValue *laneId(llvm::IRBuilderBase &b) = 0; // 32 bits, in the subgroup

  // --- what lanes do together
  // Returns the integer of 8, 16, 32 or 64 bits that another lane passes as `bits`. Its number is `lane`, or with `exclusiveOr`
  // this lane's number xor `lane`; it must be that of an existing lane.
  virtual LlvmValue *shuffle(llvm::IRBuilderBase &b, LlvmValue *bits, LlvmValue *lane, bool exclusiveOr) = 0;
  virtual void barrier(llvm::IRBuilderBase &b, LaneScope scope) = 0; // also orders all memory
  virtual void fence(llvm::IRBuilderBase &b, LaneScope scope, LaneMemory memory) = 0;
  // Whether the target's named barriers only count the subgroups that come; and the code that comes to one of them, with how
  // many come in all. It orders what all lanes of these subgroups did before with what those that wait do behind it. All lanes
  // of the subgroup must run it together.
  virtual bool countsAtBarriers() const { return false; }
  virtual void countingBarrier(llvm::IRBuilderBase &, LlvmValue * /*number*/, int64_t /*subgroups*/, bool /*waits*/) {
    XT_UNREACHABLE("the device has barriers that count");
  }
  virtual llvm::StringRef scopeName(LaneScope scope) const = 0; // LLVM's name of the scope, for atomic accesses
  // Whether an atomic access that releases orders all that the lane knows of, also from other lanes, so that lanes that acquire
  // need no fence beside it.
  virtual bool atomicsOrderAll() const { return false; }
  virtual bool addsFloats() const { return false; } // whether f32 in memory can be added to atomically

  // --- what some devices have in addition
  // Called before the code of each op.
  virtual void beginOp(LaneContext &, const Op &) {}
  // The pointer through which the current op accesses the memory at an address.
  virtual LlvmValue *accessed(LaneContext &, LlvmValue *address) { return address; }
  // Whether the device's compiler must not know how often a loop runs.
  virtual bool hidesLength(const Op & /*loop*/) const { return false; }
  // Whether one instruction of the whole subgroup performs a load_nd, store_nd or prefetch_nd. Otherwise the block's elements
  // are loaded and stored one by one. loadBlock() returns the lane's part of the block in row-major order. `byLanes` is code
  // that moves the block element by element, for blocks that the instruction may turn out not to take when the kernel runs.
  virtual bool takesBlock(const Op &) const { return false; }
  virtual Fragment loadBlock(LaneContext &, const Op &, llvm::function_ref<Fragment()> /*byLanes*/) {
    XT_UNREACHABLE("the device takes blocks, and must load them");
  }
  virtual void storeBlock(LaneContext &, const Op &, const Fragment &, llvm::function_ref<void()> /*byLanes*/) {
    XT_UNREACHABLE("the device takes blocks, and must store them");
  }
  virtual void prefetchBlock(LaneContext &, const Op &) {}
  // Whether instructions of the whole subgroup load contiguous memory. loadLine() returns for each lane `words` words of 1, 2
  // or 4 bytes, at most 8 and a power of two, as integers: lane l of L gets the words l, l + L, l + 2 L, … from an address on,
  // which is the same in all lanes and a multiple of 4 bytes.
  virtual bool loadsLines() const { return false; }
  virtual LlvmValue *loadLine(LaneContext &, LlvmValue * /*address*/, int64_t /*wordBytes*/, int64_t /*words*/) {
    XT_UNREACHABLE("the device loads lines");
  }
  // Whether elements of less than 32 bits that branches load for operand b of products should leave them in words of 32 bits,
  // because the device's compiler gives each value that leaves a branch a register of its own.
  virtual bool joinsBehindBranches() const { return false; }
  // Whether the branches that all lanes of a subgroup take alike are marked (uniform_branch.h).
  virtual bool marksUniformBranches() const { return false; }
  // Whether the device moves the block of a load_nd or store_nd, an operand of products, between memory and a matrix that no
  // lane needs to know. It gets code that moves the block by lanes, for blocks that are partly out of bounds. loadMatrix()
  // returns the lane's elements of the matrix in the form of the op's result.
  virtual bool takesMatrix(LaneContext &, const Op &) { return false; }
  virtual Fragment loadMatrix(LaneContext &, const Op &, llvm::function_ref<Fragment()> /*byLanes*/) {
    XT_UNREACHABLE("the device takes matrices, and must load them");
  }
  virtual void storeMatrix(LaneContext &, const Op &, const Fragment &,
                           llvm::function_ref<void(const Fragment &)> /*byLanes*/) {
    XT_UNREACHABLE("the device takes matrices, and must store them");
  }
  // Whether block instructions take the sizes and strides of a parameter. These are then read from the arguments even if they
  // are constant.
  virtual bool sendsExtents(size_t /*param*/) const { return false; }
  // Ranges of extents of parameters that follow from the rules of block instructions.
  virtual std::vector<ExtentFacts> extentFacts() const { return {}; }
  // Whether buffers in shared local memory are stored as their swizzle says (ir/gpu/swizzled_buffer.h), because that saves
  // time.
  virtual bool swizzles() const { return false; }
  // Whether the device copies to shared local memory asynchronously (TargetInfo::asyncCopyBytes). copyAsync() begins to copy
  // these bytes, of which the first `present` (null: all) come from memory and the others are 0; nothing is read if there are
  // none. commitAsync() makes a group of the copies since the last one. waitAsync() waits for all but the last `later` groups.
  virtual bool copiesAsync() const { return false; }
  virtual void copyAsync(llvm::IRBuilderBase &, LlvmValue * /*to*/, LlvmValue * /*from*/, int64_t /*bytes*/,
                         LlvmValue * /*present*/) {
    XT_UNREACHABLE("the device copies asynchronously");
  }
  virtual void commitAsync(llvm::IRBuilderBase &) { XT_UNREACHABLE("the device copies asynchronously"); }
  virtual void waitAsync(llvm::IRBuilderBase &, int64_t /*later*/) { XT_UNREACHABLE("the device copies asynchronously"); }
  // Emits a product of the target's table. The elements of the operands and of the result are in the order of the registers of
  // the instruction (MmaInstruction).
  virtual Fragment product(LaneContext &, const MmaInstruction &, const Fragment & /*a*/, const Fragment & /*b*/,
                           const Fragment & /*c*/) {
    XT_UNREACHABLE("the target's table has products, and the device must multiply");
  }
};

} // namespace xt
