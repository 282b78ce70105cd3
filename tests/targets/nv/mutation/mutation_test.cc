// Removes the waits and barriers of kernels one by one, and expects the software device to report each that is missing.
#include "ir/base/text.h"
#include "targets/soft/launch.h"
#include "tests/targets/nv/emit/nv_program.h"
#include "tests/targets/nv/tiled_gemm.h"
#include "tests/targets/soft/nvvm_module.h"

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
      : matrices_(std::move(matrices)), steps_(std::move(steps)), device_(soft::nvidiaSettings(*findTargetInfo("nv-sm80"))) {
    device_.threads = 1;
    device_.leavesCallsOut = device_.watchesGlobal = true;
    std::string bitcode = soft::test::bitcodeOf(NvProgram(text).llvm());
    auto program = soft::Program::buildNvvm({reinterpret_cast<const uint8_t *>(bitcode.data()), bitcode.size()}, device_, true);
    EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().message);
    if (program) program_ = std::move(*program);
    for (Matrix &matrix : matrices_) {
      auto bytes = static_cast<size_t>(matrix.rows * matrix.columns * matrix.bytes);
      matrix.data = static_cast<std::byte *>(soft::DeviceMemory::instance().allocate(bytes, 64, soft::MemoryKind::Device));
      std::memset(matrix.data, 0, bytes);
    }
  }
  ~Launched() {
    for (const Matrix &matrix : matrices_) soft::DeviceMemory::instance().free(matrix.data);
  }

  // The calls that order memory.
  std::span<const soft::OrderingCall> calls() const { return program_->orderingCalls(); }
  // Runs the kernel without one of them. Returns the report, "" if there is none.
  std::string report(uint32_t without, bool copiesAtOnce) {
    device_.copiesAtOnce = copiesAtOnce;
    soft::LaunchRequest request = this->request();
    request.without = without;
    if (std::string mistake = soft::launchMistake(request, device_); !mistake.empty()) return "not launched: " + mistake;
    std::atomic<bool> stop = false;
    return soft::runLaunch(*program_, request, device_, stop).value_or("");
  }

private:
  soft::LaunchRequest request() const {
    soft::LaunchRequest request;
    request.kernel = &program_->kernels()[0];
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

  std::vector<Matrix> matrices_;
  std::vector<int64_t> steps_;
  soft::DeviceSettings device_;
  std::unique_ptr<soft::Program> program_;
};

// Everything that orders memory is needed, but what orders arguments that are not the same memory here. `needless`: by number
// and name.
void expectAllAreNeeded(Launched &kernel, const std::vector<std::string> &needless) {
  EXPECT_EQ(kernel.report(soft::kNoOrderingCall, false), "");
  EXPECT_EQ(kernel.report(soft::kNoOrderingCall, true), "");
  std::vector<std::string> missed;
  EXPECT_GT(kernel.calls().size(), needless.size());
  for (uint32_t i = 0; i < kernel.calls().size(); ++i) {
    std::string late = kernel.report(i, false), atOnce = kernel.report(i, true);
    for (const std::string &report : {late, atOnce}) EXPECT_NE(report.substr(0, 4), "not ") << report;
    if (late.empty() || atOnce.empty()) missed.push_back(str(i, ": ", kernel.calls()[i].name));
  }
  EXPECT_EQ(missed, needless);
}

TEST(NvMutation, EachWaitAndBarrierOfAProductIsNeeded) {
  Launched kernel(kTiledGemm, {{64, 192, 2}, {192, 64, 2}, {64, 64, 4}}, {64, 64});
  // The wait behind the loop, of which only what comes next on the hardware could miss something: PTX does not promise that
  // exit waits for copies before another workgroup gets the memory. And the barrier before the result is stored.
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
  expectAllAreNeeded(kernel, {});
}

} // namespace
} // namespace xt::test
