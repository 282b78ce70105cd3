// Tests that chains of integer casts and logic on masks give the same results on every GPU as on the interpreter. Each kernel
// runs on one GPU in rotation, or on every GPU if XT_DIFFERENTIAL_GPUS is `all`.
#include "tests/targets/differential/rounds.h"
#include "tests/targets/differential/way.h"
#include "tests/targets/integer_kernels.h"

#include "ir/launch.h"

#include <gtest/gtest.h>

#include <optional>

namespace xt {
namespace {

using Buffers = std::vector<std::vector<unsigned char>>;

// Returns the contents of the buffers after the kernel has run. The first buffer initially has numbers of all sizes and signs.
std::optional<Buffers> resultOn(const Way &way, const std::string &text) {
  CompiledWay made(way, text);
  if (made.make() != CompiledWay::Outcome::Made) {
    ADD_FAILURE() << text << made.messages();
    return std::nullopt;
  }
  const Kernel &kernel = *made.module().kernels.at(0);
  Buffers buffers;
  std::vector<LaunchArg> args;
  for (size_t i = 0; i < kernel.paramCount; ++i) {
    Type type = kernel.param(i)->type();
    std::vector<int64_t> sizes(type.shape().begin(), type.shape().end());
    auto bytes = static_cast<size_t>(elemInfo(type.elem()).storageBytes);
    std::vector<unsigned char> &memory = buffers.emplace_back(static_cast<size_t>(type.elementCount()) * bytes, 0);
    if (i == 0)
      for (size_t k = 0; k < memory.size() / bytes; ++k) {
        uint64_t number = (k + 1) * 0x9E3779B97F4A7C15;
        storeInteger(type.elem(), memory.data() + k * bytes,
                     static_cast<int64_t>(number >> (number >> 8 & 63)) * (k % 2 ? -1 : 1));
      }
  }
  for (size_t i = 0; i < kernel.paramCount; ++i) {
    Type type = kernel.param(i)->type();
    LaunchArg &arg = args.emplace_back();
    arg.kind = LaunchArg::Kind::Buffer;
    arg.buffer = {buffers[i].data(), type.elem(), {type.extent(0), type.extent(1)}, {type.extent(1), 1}};
  }
  auto grid = computeGrid(kernel, args);
  Result<void> done = grid ? made.executable().launch(kernel, args, *grid) : grid.error();
  if (done) return buffers;
  ADD_FAILURE() << text << done.error().message;
  return std::nullopt;
}

void expectTheSame(const std::string &text, size_t turn) {
  std::optional<Buffers> wanted = resultOn({.target = "interp"}, text);
  if (!wanted) return;
  const char *all = std::getenv("XT_DIFFERENTIAL_GPUS");
  bool everyGpu = all && std::string_view(all) == "all";
  for (size_t i = 0; i < targetInfos(GpuFamily::Xe).size(); ++i) {
    if (!everyGpu && turn % targetInfos(GpuFamily::Xe).size() != i) continue;
    SCOPED_TRACE(targetInfos(GpuFamily::Xe)[i].name);
    std::optional<Buffers> found = resultOn({.target = targetInfos(GpuFamily::Xe)[i].name, .optimised = false}, text);
    for (size_t b = 0; found && b < wanted->size(); ++b)
      EXPECT_EQ((*found)[b], (*wanted)[b]) << "parameter " << b << " of\n" << text;
  }
}

TEST(IntegerWidths, ChainsOfCastsAgree) {
  if (!hasXe()) GTEST_SKIP() << "no Xe device; the software device needs libze1 and llvm-spirv-15";
  size_t turn = 0;
  for (bool ofLanes : {false, true})
    for (Elem elem : test::kIntegerElems) {
      SCOPED_TRACE(str(elemName(elem), ofLanes ? ", of lanes" : ""));
      expectTheSame(test::CastKernel(elem, ofLanes).text(), turn++ + ofLanes);
      if (HasFailure()) return;
    }
}

TEST(IntegerWidths, TheLogicOfMasksAgrees) {
  if (!hasXe()) GTEST_SKIP() << "no Xe device; the software device needs libze1 and llvm-spirv-15";
  size_t turn = 0;
  for (test::Extents extents : test::kMaskShapes) {
    SCOPED_TRACE(str(extents.rows, "x", extents.columns));
    expectTheSame(test::maskKernel(extents), turn++);
    if (HasFailure()) return;
  }
}

} // namespace
} // namespace xt
