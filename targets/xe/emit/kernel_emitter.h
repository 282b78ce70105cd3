// Emits one kernel at lane scope as an LLVM function that a GPU runs for each lane.
//
// IR values become: scalars, an LLVM value in the form of RegisterOps (an index has 32 bits if its range fits, otherwise 64);
// vectors, Fragments (with 64 bits per index); memrefs, tiles, tensor_descs and named barriers, parts.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/gpu/lane_fragments.h"
#include "ir/gpu/slm_layout.h"
#include "ir/gpu/target_info.h"
#include "ir/module.h"
#include "targets/llvm/register_ops.h"
#include "targets/xe/emit/block_plan.h"
#include "targets/xe/emit/device_calls.h"
#include "targets/xe/emit/emit.h"
#include "targets/xe/emit/fragment.h"
#include "targets/xe/emit/source_lines.h"

#include <llvm/Analysis/InstSimplifyFolder.h>

#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace xt {

class XeKernelEmitter {
public:
  XeKernelEmitter(llvm::Module &module, Context &context, const Kernel &kernel, const TargetInfo &target,
                  const XeEmitOptions &options, SourceLines &lines, Diagnostics &diagnostics);
  // Adds the function to the module. An Error names an op that the target does not support.
  Result<XeKernel> emit(std::string entry);

private:
  using Parts = LlvmValues;
  enum WindowPart : size_t { kBase, kRows, kColumns, kRowStride, kColumnStride, kY, kX, kWindowParts };
  // The parts of a scatter tile; its offsets are a fragment.
  enum ScatterPart : size_t { kScatterBase, kScatterSize, kScatterStride, kScatterParts };

  // kernel_emitter.cc: the function around the body, and the dispatch on ops
  llvm::Function *makeFunction(const std::string &entry);
  void makeSlmVariables(const std::string &entry);
  void loadParameters(llvm::Function *function);
  void computeIds(llvm::Function *function);
  void emitBlock(const Block &block);
  void emitOp(const Op &op);
  void emitMemoryOp(const Op &op);
  void annotate(llvm::Function *function);
  void chooseRegisterFile();
  llvm::Function *withoutOutcome(llvm::Function *function);

  // values.cc: LLVM values of IR values
  LlvmValue *scalar(const Value *value) const { return parts_.at(value)[0]; }
  const Fragment &fragment(const Value *value) const { return fragments_.at(value); }
  void setIndex(const Value *value, LlvmValue *index);
  bool narrow(const Value *index) const { return ranges_.of(index).fits32(); }
  LlvmValue *number(int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); }
  LlvmValue *number32(int64_t value) { return b.getInt32(static_cast<uint32_t>(value)); }
  LlvmValue *wide(LlvmValue *index) { return b.CreateSExt(index, b.getInt64Ty()); }
  LlvmValue *resize(LlvmValue *index, bool narrow);
  void match(LlvmValue *&x, LlvmValue *&y); // sign-extends the narrower value
  LlvmValue *add(LlvmValue *x, LlvmValue *y);
  LlvmValue *below(LlvmValue *index, LlvmValue *size); // 0 <= index < size
  LlvmValue *asIndex(const Value *integer);            // from any integer type, to 64 bits
  // All LLVM values of a list of IR values in order, and the reverse.
  Parts flatten(llvm::ArrayRef<Value *> values);
  void unflatten(llvm::ArrayRef<Value *> values, llvm::ArrayRef<LlvmValue *> parts);
  Parts chunksOf(const Fragment &fragment, Elem elem);
  Fragment splat(LlvmValue *scalar, size_t count) { return Fragment(count, FragmentElement{scalar}); }

  // control_flow.cc
  void emitFor(const Op &op);
  LlvmValue *hidden(LlvmValue *number);
  void emitWhile(const Op &op);
  void emitIf(const Op &op);
  enum class Carry : uint8_t {
    Phi,
    Same,    // no iteration changes it
    Counted, // it moves like the loop's variable
  };
  struct Carried {
    std::vector<Value *> inits, params, yielded, results;
    std::vector<Carry> how; // one per part
    Parts initial, inside;
  };
  void chooseCarries(Carried &carried, std::optional<int64_t> step);
  // `variable` and its initial value `lower`; null if no part is Counted.
  void enterLoop(Carried &carried, llvm::BasicBlock *before, LlvmValue *variable, LlvmValue *lower);
  // openPhi: a phi with the value from `before` and a placeholder. closePhi: replaces the placeholder by the value from the end
  // of the loop.
  llvm::PHINode *openPhi(LlvmValue *initial, llvm::BasicBlock *before, const llvm::Twine &name = "");
  void closePhi(LlvmValue *phi, LlvmValue *next);
  void leaveLoop(Carried &carried, LlvmValue *again, llvm::BasicBlock *body, llvm::BasicBlock *before, bool guarded);
  // Reports a failure to the host if `condition` holds. The code after it runs anyway.
  void failIf(LlvmValue *condition, const Op &op, std::string message);
  int64_t numberOf(XeFailure failure);
  void tell(LlvmValue *failed, LlvmValue *number);
  LlvmValue *placeInWhole(const Op &op, llvm::ArrayRef<int64_t> whole);
  void emitAssert(const Op &op);
  LlvmValue *workgroupNumber();

  // elementwise.cc
  void emitElementwise(const Op &op);
  Interval rangeOfElements(const Value *vector) const;
  std::optional<bool> decidedAlready(const Op &compare) const;
  bool emitIndexOp(const Op &op);
  void emitConstant(const Op &op);

  // vector_ops.cc: ops that rearrange elements, and reductions within a fragment
  void emitIota(const Op &op);
  void emitCreateMask(const Op &op);
  void emitTranspose(const Op &op);
  void emitReduction(const Op &op);
  void emitBroadcast(const Op &op);
  void emitExtract(const Op &op);
  void emitInsert(const Op &op);
  void emitSlice(const Op &op);
  LlvmValue *elementAt(const Fragment &fragment, LlvmValue *place, Elem elem);

  // memory.cc: memrefs and single elements
  unsigned addressSpace(MemorySpace space) const { return space == MemorySpace::Slm ? 3 : 1; }
  LlvmValue *pointer(LlvmValue *address) { return b.CreateIntToPtr(address, b.getPtrTy(1)); }
  LlvmValue *loadAt(LlvmValue *address, Elem elem);
  void storeAt(LlvmValue *address, Elem elem, LlvmValue *value);
  // The result of `load` if `condition` holds, otherwise `otherwise`.
  LlvmValue *guarded(LlvmValue *condition, llvm::function_ref<LlvmValue *()> load, LlvmValue *otherwise);
  void guardedDo(LlvmValue *condition, llvm::function_ref<void()> work);
  void emitDim(const Op &op);
  void castMemRef(const Op &op);
  void allocSlm(const Op &op);
  struct Element {
    LlvmValue *inside, *address;
  };
  Element elementOfMemRef(const Op &op, size_t memref);
  void emitLoad(const Op &op);
  void emitStore(const Op &op);

  // windows.cc: tiles, and blocks that are moved element by element
  Parts makeWindow(const Op &op);
  Parts viewOf(const Op &op, size_t rank);
  void moveWindow(const Op &op);
  // The elements of a window that belong to this lane: a lattice of rows x columns, each at an index in the window.
  struct Lattice {
    LlvmValue *row = nullptr, *column = nullptr; // the lane's contribution to every index; null: none
    std::vector<int64_t> rows, columns; // ascending
    size_t count() const { return rows.size() * columns.size(); }
  };
  Lattice latticeOf(Type window);
  LlvmValue *lanePart(const Layout &layout, int dim);
  struct Reach {
    std::vector<LlvmValue *> rowRoom, columnRoom; // room() of each row and column; empty: no check is needed
    std::vector<LlvmValue *> rowBytes, columnBytes; // from the base
    LlvmValue *base = nullptr;
  };
  Reach reach(const Value *window, const Lattice &lattice);
  LlvmValue *room(LlvmValue *index, LlvmValue *size);
  LlvmValue *insideAll(const LlvmValues &rooms); // i1: none of them is negative
  LlvmValue *address(const Reach &reach, size_t row, size_t column);
  LlvmValue *inside(const Reach &reach, size_t row, size_t column);
  LlvmValue *allInside(const Reach &reach);
  struct Guarded { // a rectangle of a lattice; ends are exclusive
    size_t row, column, rowEnd, columnEnd;
    size_t count() const { return (rowEnd - row) * (columnEnd - column); }
  };
  std::vector<Guarded> guardedGroups(const Reach &reach, const Lattice &lattice) const;
  Fragment loadElements(const Value *window, const Lattice &lattice, LlvmValue *padding);
  void storeElements(const Value *window, const Lattice &lattice, const Fragment &value);
  void emitLoadTile(const Op &op);
  void emitStoreTile(const Op &op);

  // gathers.cc: scatter tiles and descriptors, and atomics
  void initScatter(const Op &op);
  void moveScatter(const Op &op);
  Element scatterElement(const Value *tile, size_t k, LlvmValue *mask);
  void emitGather(const Op &op);
  void emitScatter(const Op &op);
  void emitAtomic(const Op &op);
  LlvmValue *updateAtomically(const Op &op, Elem elem, LlvmValue *address, LlvmValue *value);
  LlvmValue *swapUntilDone(OpKind kind, Elem elem, LlvmValue *address, LlvmValue *value);
  LlvmValue *maskOf(const Op &op, size_t operand, size_t k);
  void setValue(const Value *value, Fragment elements);
  Fragment valueOf(const Value *value) const;

  // blocks.cc: 2D block messages
  const BlockCall *blockCall(const Op &op) const; // null: element by element
  LlvmValues blockArgs(const Value *desc, const BlockCall &call);
  LlvmValue *blockMemory(const BlockCall &call);
  void sendBlock(const BlockCall &call, LlvmValues args, LlvmValue *memory);
  Fragment loadBlock(const Value *desc, const BlockCall &call);
  void storeBlock(const Value *desc, const BlockCall &call, const Fragment &value);
  Fragment shaped(const Op &op, Fragment own);
  void emitLoadNd(const Op &op);
  void emitStoreNd(const Op &op);
  void emitPrefetchNd(const Op &op);
  void orderLanes(bool byMessage);
  void remark(const Op &op, std::string message);

  // cache_hints.cc
  void readHints(const Op &op);
  LlvmValue *hinted(LlvmValue *address); // for accesses of the op with the hints

  // dpas.cc
  // Null if there is no such instruction.
  const Layout *layoutOfA(const Op &dpas) const;
  const Op *firstWithoutInstruction() const;
  void emitDpas(const Op &op);
  void emitTileMma(const Op &op);
  LlvmValue *perLane(llvm::ArrayRef<int64_t> numbers);
  Fragment dealtAs(const Fragment &own, Elem elem, const Layout &from, const Layout &to);

  // lanes.cc: ops that lanes execute together
  void emitShuffle(const Op &op);
  LlvmValue *shuffled(Elem elem, LlvmValue *value, LlvmValue *lane, bool exclusiveOr = false);
  void emitSubgroupReduce(const Op &op);
  void emitBarrierOrFence(const Op &op);
  static constexpr int kDeviceScope = 1, kWorkgroupScope = 2, kSubgroupScope = 3; // scopes of SPIR-V
  static constexpr int64_t kOfWorkgroup = 0x100, kOfGlobal = 0x200; // memory semantics of SPIR-V
  void barrier(int scope);
  void fence(int scope, int64_t memory = kOfWorkgroup | kOfGlobal);

  // named_barriers.cc
  void prepareNamedBarriers();
  LlvmValue *barrierWord(LlvmValue *index);
  LlvmValue *arrivalWord(LlvmValue *id);
  void emitNamedBarrier(const Op &op);
  void arriveAt(const Parts &part);
  void waitAt(const Op &op, const Parts &part);

  llvm::Module &module_;
  Context &context_;
  const Kernel &kernel_;
  const TargetInfo &target_;
  const XeEmitOptions &options_;
  SourceLines &lines_;
  Diagnostics &diagnostics_;
  WindowOrigins origins_;
  BlockPlan blocks_;
  IndexRanges ranges_;
  SlmLayout slmLayout_;
  struct SlmVariable { // a variable that holds only the buffers that share this memory
    int64_t begin, end;
    llvm::GlobalVariable *variable;
  };
  std::vector<SlmVariable> slm_; // ascending
  llvm::IRBuilder<llvm::InstSimplifyFolder> b;
  RegisterOps ops_;
  XeKernel output_;
  const bool lanesWrite_; // whether some lane writes memory on its own
  const std::unordered_set<const Value *> divergent_; // values that differ among the subgroups of a workgroup
  int divergentRegions_ = 0; // the branches and loops around the current op that depend on the subgroup
  LlvmValue *coordinates_[3] = {}; // of the workgroup: x, y, z
  LlvmValue *subgroup_ = nullptr, *lane_ = nullptr, *outcome_ = nullptr, *barriers_ = nullptr;
  llvm::MDNode *hints_ = nullptr; // cache hints of the op that is emitted; null: none
  LlvmValue *extent_ = nullptr; // a size argument of some memref; null: there is none
  int64_t failureNumbers_ = 0; // the count of numbers in use
  int64_t madeBarriers_ = 0, barrierCount_ = 0; // the barriers that are allocated, and those that have memory
  std::unordered_map<const Value *, Parts> parts_;
  std::unordered_map<const Value *, Fragment> fragments_;
};

} // namespace xt
