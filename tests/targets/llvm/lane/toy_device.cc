#include "tests/targets/llvm/lane/toy_device.h"

#include "ir/elem_kinds.h"
#include "targets/llvm/guard.h"
#include "targets/llvm/lane/kernel_emitter.h"
#include "targets/llvm/machine.h"

#include <llvm/TargetParser/Host.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <bit>
#include <thread>

namespace xt::test {
namespace {

class ToyDevice final : public LaneDevice {
public:
  RegisterTraits traits() const override {
    RegisterTraits traits;
    traits.halves = false; // LLVM's conversion would call a library that the test does not link
    return traits;
  }
  llvm::CallingConv::ID kernelConvention() const override { return llvm::CallingConv::C; }
  unsigned addressSpace(MemorySpace) const override { return 0; }
  void annotate(llvm::Function &function, const Kernel &kernel) override {
    function.addFnAttr("toy-subgroups", std::to_string(kernel.subgroups));
  }
  LlvmValue *groupId(llvm::IRBuilderBase &b, int dim) override {
    return call(b, "toy_group_id", b.getInt64Ty(), {number(b, dim)});
  }
  LlvmValue *groupCount(llvm::IRBuilderBase &b, int dim) override {
    return call(b, "toy_group_count", b.getInt64Ty(), {number(b, dim)});
  }
  LlvmValue *subgroupId(llvm::IRBuilderBase &b) override { return call(b, "toy_subgroup_id", b.getInt32Ty(), {}); }
  LlvmValue *laneId(llvm::IRBuilderBase &b) override { return call(b, "toy_lane_id", b.getInt32Ty(), {}); }
  LlvmValue *shuffle(llvm::IRBuilderBase &b, LlvmValue *bits, LlvmValue *lane, bool exclusiveOr) override {
    if (exclusiveOr) lane = b.CreateXor(laneId(b), lane);
    LlvmValue *wide = call(b, "toy_shuffle", b.getInt64Ty(), {b.CreateZExt(bits, b.getInt64Ty()), lane});
    return b.CreateTrunc(wide, bits->getType());
  }
  void barrier(llvm::IRBuilderBase &b, LaneScope scope) override {
    call(b, "toy_barrier", b.getVoidTy(), {number(b, scope == LaneScope::Subgroup)});
  }
  void fence(llvm::IRBuilderBase &b, LaneScope, LaneMemory) override {
    b.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
  }
  llvm::StringRef scopeName(LaneScope) const override { return ""; }
  // The registers are passed through memory: those of `a` and `b`, then the sum, which the result replaces.
  Fragment product(LaneContext &c, const MmaInstruction &, const Fragment &a, const Fragment &b, const Fragment &sum) override {
    llvm::BasicBlock &entry = c.b.GetInsertBlock()->getParent()->getEntryBlock();
    llvm::IRBuilder<> top(&entry, entry.begin());
    LlvmValue *memory = top.CreateAlloca(llvm::ArrayType::get(c.b.getInt32Ty(), 2 * kHalves / 2 + kSums));
    auto place = [&](llvm::Type *type, size_t k) { return c.b.CreateConstGEP1_64(type, memory, k); };
    for (size_t k = 0; k < kHalves; ++k) {
      c.b.CreateStore(scalarOf(c.b, a[k]), place(c.b.getInt16Ty(), k));
      c.b.CreateStore(scalarOf(c.b, b[k]), place(c.b.getInt16Ty(), kHalves + k));
    }
    for (size_t k = 0; k < kSums; ++k) c.b.CreateStore(scalarOf(c.b, sum[k]), place(c.b.getFloatTy(), kHalves + k));
    call(c.b, "toy_product", c.b.getVoidTy(), {memory});
    Fragment result;
    for (size_t k = 0; k < kSums; ++k) append(result, c.b.CreateLoad(c.b.getFloatTy(), place(c.b.getFloatTy(), kHalves + k)));
    return result;
  }

  static constexpr size_t kHalves = 16, kSums = 8; // numbers of registers of a lane: for `a` and `b` each, and for the result

private:
  static LlvmValue *number(llvm::IRBuilderBase &b, int value) { return b.getInt32(static_cast<uint32_t>(value)); }
  static LlvmValue *call(llvm::IRBuilderBase &b, const char *name, llvm::Type *result, llvm::ArrayRef<LlvmValue *> args) {
    llvm::SmallVector<llvm::Type *, 2> types;
    for (LlvmValue *arg : args) types.push_back(arg->getType());
    llvm::Module *module = b.GetInsertBlock()->getModule();
    return b.CreateCall(module->getOrInsertFunction(name, llvm::FunctionType::get(result, types, false)), args);
  }
};

// The workgroup that is running, with its barriers and the values that its lanes exchange.
struct Workgroup {
  explicit Workgroup(const LaneKernel &kernel) : all(kernel.subgroups * kernel.subgroupSize) {
    for (int64_t i = 0; i < kernel.subgroups; ++i) {
      subgroups.push_back(std::make_unique<std::barrier<>>(kernel.subgroupSize));
      slots.emplace_back(static_cast<size_t>(kernel.subgroupSize));
    }
  }
  int64_t id = 0, count = 1;
  std::barrier<> all;
  std::vector<std::unique_ptr<std::barrier<>>> subgroups;
  std::vector<std::vector<uint64_t>> slots; // the values that lanes exchange, by subgroup
};
Workgroup *workgroup = nullptr;
thread_local int32_t subgroup = 0, lane = 0;

int64_t groupId(int32_t dim) { return dim == 0 ? workgroup->id : 0; }
int64_t groupCount(int32_t dim) { return dim == 0 ? workgroup->count : 1; }
int32_t subgroupId() { return subgroup; }
int32_t laneId() { return lane; }
void meet(int32_t ofSubgroup) {
  auto &barrier = ofSubgroup ? *workgroup->subgroups[static_cast<size_t>(subgroup)] : workgroup->all;
  barrier.arrive_and_wait();
}
// Converts f16 to f32. Supports only normal numbers and 0.
float fromHalf(uint16_t bits) {
  if ((bits & 0x7fff) == 0) return 0;
  return std::bit_cast<float>(static_cast<uint32_t>(bits & 0x8000) << 16 |
                              ((static_cast<uint32_t>(bits & 0x7fff) << 13) + 0x38000000));
}

// Multiplies matrices whose elements are in the registers of a subgroup's lanes, by the definition of the device's layout.
void product(void *memory) {
  std::vector<uint64_t> &slots = workgroup->slots[static_cast<size_t>(subgroup)];
  slots[static_cast<size_t>(lane)] = std::bit_cast<uint64_t>(memory);
  meet(1);
  auto half = [&](size_t of, size_t k) { return fromHalf(std::bit_cast<const uint16_t *>(slots[of])[k]); };
  auto *sums = static_cast<float *>(memory) + ToyDevice::kHalves;
  std::array<float, ToyDevice::kSums> made{};
  for (size_t row = 0; row < 8; ++row) {
    float sum = sums[row % 4 * 2 + row / 4];
    for (size_t k = 0; k < 16; ++k)
      sum += half(k % 8, row % 4 * 4 + row / 4 * 2 + k / 8) *
             half(static_cast<size_t>(lane), ToyDevice::kHalves + k % 2 * 8 + k / 2);
    made[row % 4 * 2 + row / 4] = sum;
  }
  meet(1); // afterwards no lane reads the registers of other lanes any more
  std::ranges::copy(made, sums);
}

int64_t shuffle(int64_t bits, int32_t from) {
  std::vector<uint64_t> &slots = workgroup->slots[static_cast<size_t>(subgroup)];
  slots[static_cast<size_t>(lane)] = static_cast<uint64_t>(bits);
  meet(1);
  auto found = static_cast<int64_t>(slots[static_cast<size_t>(from)]);
  meet(1); // afterwards the slots may be overwritten
  return found;
}

} // namespace

// A product whose operands are in other lanes and registers than those of `dpas`: a lane has every eighth column of `a`, and
// the registers of no operand are row-major.
constexpr MmaInstruction kToyProduct{
    {Elem::F16, Elem::F16, Elem::F32, 8, 8, 16},
    {{{2, Axis::Register, 2}, {4, Axis::Register, 4}}, {{2, Axis::Register, 1}, {8, Axis::Lane, 1}}},
    {{{8, Axis::Register, 1}, {2, Axis::Register, 8}}, {{8, Axis::Lane, 1}}},
    {{{2, Axis::Register, 1}, {4, Axis::Register, 2}}, {{8, Axis::Lane, 1}}},
};

TargetInfo toyTarget() {
  static constexpr int64_t kLanes[] = {8}, kRegisters[] = {128};
  static constexpr MmaInstruction kProducts[] = {kToyProduct};
  TargetInfo target;
  target.name = "toy";
  target.summary = "threads";
  target.subgroupSizes = kLanes;
  target.mma = kProducts;
  target.slmBytes = 32 << 10;
  target.namedBarriers = 4;
  target.lanesPerWorkgroup = 64;
  target.registerFile = kRegisters;
  target.registerBytes = 32;
  return target;
}

void ToyProgram::make(const Module &module) {
  TargetInfo target = toyTarget();
  Diagnostics diagnostics;
  initialiseLlvm();
  llvm::LLVMContext context;
  llvm::Module made("toy", context);
  auto machine = makeTargetMachine(llvm::sys::getProcessTriple(), "x86-64", "");
  ASSERT_TRUE(machine.ok());
  made.setTargetTriple((*machine)->getTargetTriple());
  made.setDataLayout((*machine)->createDataLayout());
  SourceLines lines(made, nullptr);
  for (const auto &kernel : module.kernels) {
    ToyDevice device;
    LaneKernelEmitter emitter(made, module.context(), *kernel, target, device, lines, diagnostics);
    Result<LaneKernel> emitted = emitter.emit(kernel->name);
    ASSERT_TRUE(emitted.ok()) << emitted.error().message;
    kernels_.push_back(std::move(*emitted));
  }
  Result<void> valid = verifyLlvm(made);
  ASSERT_TRUE(valid.ok()) << valid.error().message;
  text_ = moduleText(made);
  Result<std::string> code = generateCode(made, **machine, llvm::CodeGenFileType::ObjectFile);
  ASSERT_TRUE(code.ok()) << code.error().message;
  auto address = [](auto *function) { return reinterpret_cast<void *>(function); };
  auto linked = LinkedObject::link(*code, {{"toy_group_id", address(&groupId)},
                                           {"toy_group_count", address(&groupCount)},
                                           {"toy_subgroup_id", address(&subgroupId)},
                                           {"toy_lane_id", address(&laneId)},
                                           {"toy_barrier", address(&meet)},
                                           {"toy_shuffle", address(&shuffle)},
                                           {"toy_product", address(&product)}});
  ASSERT_TRUE(linked.ok()) << linked.error().message;
  object_ = std::move(*linked);
}

void ToyProgram::launch(size_t index, std::vector<uint64_t> arguments, int64_t workgroups) {
  ASSERT_TRUE(object_);
  const LaneKernel &kernel = kernels_[index];
  Result<void *> found = object_->find(kernel.entry);
  ASSERT_TRUE(found.ok()) << found.error().message;
  // All arguments have 64 bits, so additional arguments are harmless: the kernel does not read them.
  constexpr size_t kMost = 16;
  ASSERT_LE(arguments.size(), kMost);
  std::array<uint64_t, kMost> a{};
  std::ranges::copy(arguments, a.begin());
  auto run = [&] {
    using Word = uint64_t;
    auto *entry = reinterpret_cast<void (*)(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
                                            Word, Word)>(*found);
    entry(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14], a[15]);
  };
  for (int64_t id = 0; id < workgroups; ++id) {
    Workgroup running(kernel);
    running.id = id;
    running.count = workgroups;
    workgroup = &running;
    std::vector<std::thread> threads;
    for (int64_t i = 0; i < kernel.subgroups * kernel.subgroupSize; ++i)
      threads.emplace_back([&, i] {
        subgroup = static_cast<int32_t>(i / kernel.subgroupSize);
        lane = static_cast<int32_t>(i % kernel.subgroupSize);
        run();
      });
    for (std::thread &thread : threads) thread.join();
  }
  workgroup = nullptr;
}

} // namespace xt::test
