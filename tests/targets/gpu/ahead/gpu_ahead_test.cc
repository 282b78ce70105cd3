// Tests libraries for GPUs that are compiled ahead of time, from programs in C: on the software device for Intel's GPUs, and with a driver
// for NVIDIA's that has no GPU.
#include "tests/effort.h"
#include "tests/golden.h"
#include "tests/targets/tools/folder_test.h"

#include <nlohmann/json.hpp>

namespace xt::test {
namespace {

constexpr const char *kLink = "-lm -lpthread ";
constexpr const char *kSoftwareDevice = "ZE_ENABLE_ALT_DRIVERS=$(realpath %bin/../lib/libze_xt_soft.so) ";

class GpuAhead : public FolderTest {
protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "programs in C without the sanitizers cannot link the run time";
    if (runTool("cc --version && ar --version").status != 0) GTEST_SKIP() << "cc and ar are not installed";
  }
  ToolRun in(const std::string &command) { return runTool("cd " + folder.string() + " && " + command); }
  void makeKernels(const std::string &target, const std::string &name = "kernels") {
    ToolRun made = in("%bin/xtc --emit=lib --target=" + target + " -o " + name + " %src/tests/targets/cpu/ahead/kernels.xt");
    ASSERT_EQ(made.status, 0) << made.output;
    EXPECT_EQ(made.output, "");
  }
  // Compiles a program with the library `kernels`.
  void compile(const std::string &source, const std::string &options = "") {
    ToolRun made = in("cc -std=gnu11 -O1 -Wall -Wextra -Werror -I. " + source + " libkernels.a " + options + kLink + "-o main");
    ASSERT_EQ(made.status, 0) << made.output;
  }
  void needsLevelZero() {
    if (runTool("ldconfig -p | grep -q libze_loader.so.1 && llvm-spirv-15 --version").status != 0)
      GTEST_SKIP() << "the Level Zero loader or llvm-spirv-15 is not installed";
  }
};

// The program of libraries for CPUs, with the same functions.
TEST_F(GpuAhead, TheProgramForCpusRunsOnTheSoftwareDevice) {
  needsLevelZero();
  makeKernels("xe-pvc");
  makeKernels("xe-pvc", "second");
  compile("-DGPU %src/tests/targets/cpu/ahead/main.c", "libsecond.a ");
  ToolRun run = in(std::string(kSoftwareDevice) + "./main 2> told");
  EXPECT_EQ(run.output, "0 wrong\n");
  ToolRun shared = in("cc -std=gnu11 -O1 -DGPU -I. %src/tests/targets/cpu/ahead/main.c -L. -lkernels -lsecond -lpthread "
                      "-Wl,-rpath,$PWD -o shared && " +
                      std::string(kSoftwareDevice) + "./shared 2> told");
  EXPECT_EQ(shared.output, "0 wrong\n");
}

// A library has the code for drivers with inline assembly and for those without, if they differ.
TEST_F(GpuAhead, TheDriverDecidesWhichCodeRuns) {
  needsLevelZero();
  const std::string lacks = "XT_SOFT_LACKS=SPV_INTEL_inline_assembly ", soft = kSoftwareDevice;
  auto make = [&](const std::string &options) {
    ToolRun made = in("%bin/xtc --emit=lib --target=xe-pvc " + options + " -o kernels %src/tests/targets/gpu/ahead/product.xt");
    EXPECT_EQ(made.status, 0) << made.output;
    compile("%src/tests/targets/gpu/ahead/product.c");
    return in("grep -c '0x0:ud 0x2' libkernels.a").status ==
           0; // the run time has the text of messages without their descriptor
  };
  EXPECT_TRUE(make(""));
  EXPECT_EQ(in(soft + "./main 2> told").output, "0 wrong\n");
  EXPECT_EQ(readText(folder / "told"), "");
  EXPECT_EQ(in(soft + lacks + "./main 2> told").output, "0 wrong\n");
  EXPECT_NE(readText(folder / "told").find("SPV_INTEL_inline_assembly"), std::string::npos); // the driver has been asked
  EXPECT_FALSE(make("--spirv-extensions=none"));
  EXPECT_EQ(in(soft + lacks + "./main 2> told").output, "0 wrong\n");
  EXPECT_EQ(readText(folder / "told"), ""); // there is nothing to ask
  EXPECT_TRUE(make("--spirv-extensions=inline-assembly"));
  EXPECT_EQ(in(soft + "./main 2> told").output, "0 wrong\n");
  EXPECT_EQ(in(soft + lacks + "./main 2> told").output.substr(0, 2), "6 ");
}

TEST_F(GpuAhead, RunsInAContextOfTheCaller) {
  needsLevelZero();
  makeKernels("xe-pvc");
  compile("%src/tests/targets/gpu/ahead/host.c", "-l:libze_loader.so.1 ");
  ToolRun run = in(std::string(kSoftwareDevice) + "./main 2> told");
  EXPECT_EQ(run.output, "0 wrong\n");
}

TEST_F(GpuAhead, ErrorsNameTheLineAndTheDevice) {
  needsLevelZero();
  makeKernels("xe-bmg");
  file("#include \"kernels.h\"\n#include <stdio.h>\nint main(void) {\n  char message[400];\n"
       "  int status = kernels_positive(-1, message, sizeof message);\n  printf(\"%d %s\\n\", status, message);\n  return "
       "0;\n}\n",
       "say.c");
  compile("say.c");
  ToolRun other = in(std::string(kSoftwareDevice) + "XT_SOFT_DEVICE=dg2 ./main");
  EXPECT_EQ(other.output.substr(0, 2), "6 ") << other.output;
  EXPECT_NE(other.output.find("of the kind xe-bmg"), std::string::npos) << other.output;
  ToolRun failed = in(std::string(kSoftwareDevice) + "XT_SOFT_DEVICE=bmg ./main");
  EXPECT_NE(failed.output.find("kernels.xt:37:3: "), std::string::npos) << failed.output;
  EXPECT_NE(failed.output.find("n is \"not\" positive"), std::string::npos) << failed.output;
  ToolRun none = in("ZE_ENABLE_ALT_DRIVERS=/nonexistent ./main");
  EXPECT_EQ(none.output.substr(0, 2), "6 ") << none.output;
}

TEST_F(GpuAhead, LibrariesNeedOnlyTheCLibrary) {
  makeKernels("xe-pvc");
  ToolRun needed = in("objdump -p libkernels.so | grep NEEDED");
  for (const char *library : {"LLVM", "libxt", "stdc++", "ze_loader"})
    EXPECT_EQ(needed.output.find(library), std::string::npos) << needed.output;
  ToolRun exported = in("nm -D --defined-only --extern-only libkernels.so | sed 's/.* //' | sort | head -3");
  EXPECT_EQ(exported.output, "kernels_halves\nkernels_positive\nkernels_product\n");
  nlohmann::json json = nlohmann::json::parse(readText(folder / "kernels.json"), nullptr, false);
  EXPECT_EQ(json["target"], "xe-pvc");
  EXPECT_EQ(json["kernels"][0]["function"], "kernels_product");
  ToolRun header =
      in("printf '#include \"kernels.h\"\\n' > h.c && cc -std=c99 -Wall -Wextra -Wpedantic -Werror -fsyntax-only h.c && "
         "c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c++ h.c");
  EXPECT_EQ(header.status, 0) << header.output;
}

TEST_F(GpuAhead, TheSameFilesEachTime) {
  for (const char *target : {"xe-pvc", "nv-sm80"}) {
    ToolRun same = in(std::string("mkdir a b && for d in a b; do %bin/xtc --emit=lib --target=") + target +
                      " -o $d/k %src/examples/01_gemm.xt || exit 1; done; diff -r a b && ls a; rm -r a b");
    EXPECT_EQ(same.output, "k.h\nk.json\nlibk.a\nlibk.so\n") << target;
  }
}

// The driver runs nothing, so results are not looked at.
TEST_F(GpuAhead, NvidiasDriverIsGivenTheKernels) {
  file("kernel @copy(%A: memref<4xi32>, %B: memref<4xi32>) {\n  %x = memref.load %A[1]\n  memref.store %x, %B[0]\n}\n",
       "kernels.xt");
  ToolRun made = in("%bin/xtc --emit=lib --target=nv-sm80 -o kernels kernels.xt");
  ASSERT_EQ(made.status, 0) << made.output;
  file("#include \"kernels.h\"\n#include <stdio.h>\nint main(void) {\n  char message[400] = \"\";\n  int32_t a[4] = {1, 2, 3, "
       "4};\n"
       "  const xt_array_1_i32 of_a = {a, {4}, {1}};\n"
       "  int status = kernels_copy(&of_a, &of_a, message, sizeof message);\n  printf(\"%d %s\\n\", status, message);\n"
       "  status = kernels_use_cuda(0, 0, a, message, sizeof message);\n  printf(\"%d %s\\n\", status, message);\n"
       "  status = kernels_use_cuda(a, 7, 0, message, sizeof message);\n  printf(\"%d %s\\n\", status, message);\n"
       "  status = kernels_use_cuda(a, 0, a, message, sizeof message);\n  printf(\"%d %s\\n\", status, message);\n"
       "  status = kernels_copy(&of_a, &of_a, message, sizeof message);\n  printf(\"%d %s\\n\", status, message);\n"
       "  return 0;\n}\n",
       "main.c");
  compile("main.c");
  ToolRun run = in("LD_LIBRARY_PATH=$(realpath %bin/../fake_cuda) XT_FAKE_CUDA_CALLS=calls ./main");
  EXPECT_EQ(run.output, "0 \n1 the context is NULL\n6 NVIDIA's driver has no device 7\n0 \n0 \n");
  ToolRun calls = in("grep -c cuLaunchKernel calls; grep -c cuStreamCreate calls; grep -c cuPointerGetAttribute calls");
  EXPECT_EQ(calls.output, "2\n1\n2\n");
  ToolRun old = in("LD_LIBRARY_PATH=$(realpath %bin/../fake_cuda) XT_FAKE_CUDA=capability=75 ./main | head -1");
  EXPECT_NE(old.output.find("6 "), std::string::npos) << old.output;
  EXPECT_NE(old.output.find("compute capability"), std::string::npos) << old.output;
}

} // namespace
} // namespace xt::test
