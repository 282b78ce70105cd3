// Removes the waits and barriers of kernels one by one, and expects the software device to report each that is missing.
#include "ir/base/text.h"
#include "targets/soft/launch.h"
#include "tests/targets/nv/emit/nv_program.h"
#include "tests/targets/nv/tiled_gemm.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

#include <type_traits>

namespace xt::test {
namespace {

// A matrix of f16 or f32 in the device's memory.
struct Matrix {
  int64_t rows, columns, bytes;
  std::byte *data = nullptr;
};

class Launched {
public:
  Launched(const std::string &text, std::vector<Matrix> matrices, std::vector<int64_t> steps)
      : text_(NvProgram(text).llvm()), matrices_(std::move(matrices)), steps_(std::move(steps)),
        device_(soft::nvidiaSettings(*findTargetInfo("nv-sm80"))) {
    device_.threads = 1;
    for (Matrix &matrix : matrices_) {
      auto bytes = static_cast<size_t>(matrix.rows * matrix.columns * matrix.bytes);
      matrix.data = static_cast<std::byte *>(soft::DeviceMemory::instance().allocate(bytes, 64, soft::MemoryKind::Device));
      std::memset(matrix.data, 0, bytes);
    }
  }
  ~Launched() {
    for (const Matrix &matrix : matrices_) soft::DeviceMemory::instance().free(matrix.data);
  }

  // The number of calls that order memory.
  size_t count() {
    return with([](llvm::Module &module) { return orderingCalls(module).size(); });
  }
  // Names the call that is removed.
  std::string name(size_t number) {
    return with([&](llvm::Module &module) { return orderingCalls(module)[number]->getCalledFunction()->getName().str(); });
  }
  // Runs the kernel without one of them; nullopt: with all. Returns the report, "" if there is none.
  std::string report(std::optional<size_t> without, bool copiesAtOnce) {
    device_.copiesAtOnce = copiesAtOnce;
    std::string bitcode = with([&](llvm::Module &module) {
      if (without) orderingCalls(module)[*without]->eraseFromParent();
      llvm::SmallVector<char, 0> bytes;
      llvm::raw_svector_ostream out(bytes);
      llvm::WriteBitcodeToFile(module, out);
      return std::string(bytes.begin(), bytes.end());
    });
    auto program = soft::Program::buildNvvm({reinterpret_cast<const uint8_t *>(bitcode.data()), bitcode.size()}, device_, true);
    if (!program) return "not built: " + program.error().message;
    soft::LaunchRequest request = this->request(**program);
    if (std::string mistake = soft::launchMistake(request, device_); !mistake.empty()) return "not launched: " + mistake;
    std::atomic<bool> stop = false;
    return soft::runLaunch(**program, request, device_, stop).value_or("");
  }

private:
  template <class F> std::invoke_result_t<F, llvm::Module &> with(F f) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic problem;
    std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text_, problem, context);
    XT_CHECK(module, "the emitter's text is LLVM IR");
    return f(*module);
  }

  static std::vector<llvm::CallInst *> orderingCalls(llvm::Module &module) {
    std::vector<llvm::CallInst *> calls;
    for (llvm::Function &function : module)
      for (llvm::Instruction &each : llvm::instructions(function)) {
        auto *call = llvm::dyn_cast<llvm::CallInst>(&each);
        switch (call ? call->getIntrinsicID() : llvm::Intrinsic::not_intrinsic) { // NOLINT: of thousands, these order memory
        case llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all:
        case llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_count:
        case llvm::Intrinsic::nvvm_barrier_cta_arrive_aligned_count:
        case llvm::Intrinsic::nvvm_bar_warp_sync:
        case llvm::Intrinsic::nvvm_cp_async_wait_group: calls.push_back(call); break;
        default: break;
        }
      }
    return calls;
  }

  soft::LaunchRequest request(const soft::Program &program) const {
    soft::LaunchRequest request;
    request.kernel = &program.kernels()[0];
    auto add = [&](const auto &value) {
      const auto *bytes = reinterpret_cast<const std::byte *>(&value);
      request.arguments.emplace_back(bytes, bytes + sizeof value);
    };
    for (const Matrix &matrix : matrices_) {
      add(matrix.data);
      for (int64_t number : {matrix.rows, matrix.columns, matrix.columns, int64_t{1}}) add(number);
    }
    for (int64_t step : steps_) {
      add(int64_t{0});
      add(step);
    }
    request.localBytes.resize(request.arguments.size());
    request.groupSize = request.kernel->requiredGroupSize;
    return request;
  }

  std::string text_;
  std::vector<Matrix> matrices_;
  std::vector<int64_t> steps_;
  soft::DeviceSettings device_;
};

// Everything that orders shared memory is needed, but for the wait behind a loop, after which nothing more is done. The device does
// not watch global memory, so that it misses barriers of a warp whose lanes may access the same matrix. `needless`: both, by number
// and name.
void expectAllAreNeeded(Launched &kernel, const std::vector<std::string> &needless) {
  EXPECT_EQ(kernel.report(std::nullopt, false), "");
  EXPECT_EQ(kernel.report(std::nullopt, true), "");
  std::vector<std::string> missed;
  EXPECT_GT(kernel.count(), needless.size());
  for (size_t i = 0; i < kernel.count(); ++i) {
    std::string late = kernel.report(i, false), atOnce = kernel.report(i, true);
    for (const std::string &report : {late, atOnce}) EXPECT_NE(report.substr(0, 4), "not ") << report;
    if (late.empty() || atOnce.empty()) missed.push_back(str(i, ": ", kernel.name(i)));
  }
  EXPECT_EQ(missed, needless);
}

TEST(NvMutation, EachWaitAndBarrierOfAProductIsNeeded) {
  Launched kernel(kTiledGemm, {{64, 192, 2}, {192, 64, 2}, {64, 64, 4}}, {64, 64});
  // The wait behind the loop, and the barrier before the result is stored.
  expectAllAreNeeded(kernel, {"2: llvm.nvvm.cp.async.wait.group", "3: llvm.nvvm.bar.warp.sync"});
}

TEST(NvMutation, EachBarrierOfAConversionIsNeeded) {
  Launched kernel(R"(
#rows = #wg_map<sg_layout = [4, 1], sg_data = [16, 64]>
#columns = #wg_map<sg_layout = [1, 4], sg_data = [64, 16]>
kernel @turn(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {
  %ta = init_tile %A[0, 0] -> tile<64x64xf32, #rows>
  %a  = load_tile %ta
  for %i = 0 to 3 {
    %x = convert_layout %a {#columns}
    %y = %x + 1.0
    %a = convert_layout %y {#rows}
  }
  %tb = init_tile %B[0, 0] -> tile<64x64xf32, #rows>
  store_tile %a, %tb
}
)",
                  {{64, 64, 4}, {64, 64, 4}}, {});
  // Those of the warp where a is loaded and where the result is stored.
  expectAllAreNeeded(kernel, {"0: llvm.nvvm.bar.warp.sync", "3: llvm.nvvm.bar.warp.sync"});
}

TEST(NvMutation, EachBarrierOfAReductionIsNeeded) {
  Launched kernel(R"(
#m = #wg_map<sg_layout = [1, 4], sg_data = [32, 32]>
kernel @sums(%A: memref<32x128xf32>, %B: memref<32x1xf32>) {
  %ta = init_tile %A[0, 0] -> tile<32x128xf32, #m>
  %a  = load_tile %ta
  %s  = reduction <add> %a [1] : vector<32x128xf32, #m> -> vector<32x1xf32>
  %tb = init_tile %B[0, 0] -> tile<32x1xf32>
  store_tile %s, %tb
}
)",
                  {{32, 128, 4}, {32, 1, 4}}, {});
  expectAllAreNeeded(kernel, {});
}

TEST(NvMutation, EachNamedBarrierIsNeeded) {
  Launched kernel(R"(
kernel @pair(%A: memref<2x32xi32>, %B: memref<2x32xi32>) subgroups(2) lanes(32) {
  %m = alloc_slm : memref<32xi32, slm>
  %one = constant 1 : i8
  alloc_nbarrier %one : i8
  %zero = constant 0 : i8
  %two = constant 2 : i8
  %s = subgroup_id()
  %l = lane_id()
  if %s == 0 {
    %x = memref.load %A[%s, %l]
    memref.store %x, %m[%l]
    %b = create_nbarrier %zero, %one {num_producers = 1, num_consumers = 1} : i8, i8 -> nbarrier
    nbarrier_arrive %b
  } else {
    %b = create_nbarrier %zero, %two {num_producers = 1, num_consumers = 1} : i8, i8 -> nbarrier
    nbarrier_arrive %b
    nbarrier_wait %b
    %x = memref.load %m[%l]
    memref.store %x, %B[%s, %l]
  }
}
)",
                  {{2, 32, 4}, {2, 32, 4}}, {});
  // No lane reads what another one of its warp has written.
  expectAllAreNeeded(kernel, {"0: llvm.nvvm.bar.warp.sync", "2: llvm.nvvm.bar.warp.sync"});
}

} // namespace
} // namespace xt::test
