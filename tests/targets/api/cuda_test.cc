// Tests libxt in a CUDA context of the program, with a driver that has no GPU (tests/targets/nv/fake).
#include "tests/effort.h"
#include "tests/shell.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <fstream>

namespace xt::test {
namespace {

// The driver takes any pointer as a context, and copies the first array of a kernel of this name to the second one.
constexpr const char *kProgram = R"program(#include <cstdint>
#include <cstdio>
#include <xt/xt.hpp>

int main(int, char **argv) {
  int context = 0, stream = 0;
  const char *text = "kernel @copies(%A: memref<?xf32>, %B: memref<?xf32>) {\n  %x = memref.load %A[0]\n  memref.store %x, %B[0]\n}\n";
  auto program = xt::compile("copies.xt", text,
                             {.target = "nv-sm80",
                              .nativeContext = &context,
                              .nativeDevice = reinterpret_cast<void *>(static_cast<intptr_t>(argv[1][0] - '0')),
                              .nativeQueue = &stream});
  if (!program) return std::puts(program.error().message.c_str());
  std::vector<float> from(64, 3.0f), to(64);
  auto done = program->kernel("copies")->launch(xt::Array(from, {64}), xt::Array(to, {64}));
  std::puts(!done ? done.error().message.c_str() : to == from ? "right" : "wrong");
}
)program";

TEST(NativeCuda, LaunchesInTheProgramsContext) {
  if (kSanitized) GTEST_SKIP() << "programs without the sanitizers cannot link the library";
  TemporaryFolder folder;
  std::ofstream(folder / "main.cc") << kProgram;
  auto in = [&](const std::string &command) { return runShell("( cd " + folder.string() + " && " + command + " ) 2>&1"); };
  ShellRun built =
      in(XT_TEST_CXX " -std=c++20 main.cc -I" XT_SOURCE_DIR "/targets/api/include -L" XT_BINARY_DIR "/lib -lxt -o main");
  ASSERT_EQ(built.status, 0) << built.output;
  const std::string with = "LD_LIBRARY_PATH=" XT_BINARY_DIR "/fake_cuda:" XT_BINARY_DIR "/lib XT_FAKE_CUDA_CALLS=calls ./main ";
  EXPECT_EQ(in(with + "0").output, "right\n");
  const std::string calls = in("cat calls").output;
  EXPECT_NE(calls.find("cuLaunchKernel"), std::string::npos) << calls;
  for (const char *own : {"cuDevicePrimaryCtxRetain", "cuCtxCreate", "cuStreamCreate"})
    EXPECT_EQ(calls.find(own), std::string::npos) << own;
  EXPECT_EQ(in(with + "7").output, "NVIDIA's driver has no device 7\n");
}

} // namespace
} // namespace xt::test
