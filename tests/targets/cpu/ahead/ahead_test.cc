// Tests libraries that are compiled ahead of time, from programs in C.
#include "tests/golden.h"
#include "tests/targets/tools/run_tool.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace xt::test {
namespace {

namespace fs = std::filesystem;

constexpr const char *kLevels[] = {"x86-64", "x86-64-v3", "x86-64-v4", "sapphirerapids"};

class Ahead : public testing::Test {
protected:
  void SetUp() override {
    if (runTool("cc --version && ar --version").status != 0) GTEST_SKIP() << "cc and ar are not installed";
  }
  // Runs a command line in the folder.
  ToolRun in(const std::string &command) { return runTool("cd " + folder_.string() + " && " + command); }
  void write(const char *name, const std::string &text) { std::ofstream(folder_ / name) << text; }
  std::string read(const char *name) { return readText(folder_ / name); }

  TemporaryFolder folder_;
};

TEST_F(Ahead, LibrariesRunAtEachLevel) {
  for (const char *name : {"kernels", "second"}) {
    ToolRun made = in(std::string("%bin/xtc --emit=lib -o ") + name + " %src/tests/targets/cpu/ahead/kernels.xt");
    ASSERT_EQ(made.status, 0) << made.output;
    EXPECT_EQ(made.output, "");
  }
  const std::string compile = "cc -std=gnu11 -O1 -Wall -Wextra -Werror -I. %src/tests/targets/cpu/ahead/main.c ";
  ToolRun linked = in(compile + "libkernels.a libsecond.a -lm -lpthread -o static && " + compile +
                      "-L. -lkernels -lsecond -lpthread -Wl,-rpath," + folder_.string() + " -o shared");
  ASSERT_EQ(linked.status, 0) << linked.output;
  for (const char *level : kLevels) // a level above that of this processor is not run: the highest possible one is
    for (const char *program : {"static", "shared"}) {
      ToolRun run = in(std::string("XT_CODE_LEVEL=") + level + " ./" + program);
      EXPECT_EQ(run.output, "0 wrong\n") << level << " " << program;
    }
}

TEST_F(Ahead, LibrariesNeedOnlyTheCLibraryAndExportOnlyTheirFunctions) {
  ASSERT_EQ(in("%bin/xtc --emit=lib -o kernels %src/tests/targets/cpu/ahead/kernels.xt").status, 0);
  ToolRun needed = in("objdump -p libkernels.so | grep NEEDED");
  for (const char *library : {"LLVM", "libxt", "stdc++"})
    EXPECT_EQ(needed.output.find(library), std::string::npos) << needed.output;
  ToolRun exported = in("nm -D --defined-only --extern-only libkernels.so | sed 's/.* //' | sort");
  EXPECT_EQ(exported.output, "kernels_halves\nkernels_positive\nkernels_product\nkernels_register\nkernels_reversed\n"
                             "kernels_scalars\nkernels_set_threads\nkernels_stuck\nkernels_summed\nkernels_visited\n");
  for (const char *compiler : {"cc -std=c99", "c++ -std=c++17"}) {
    write("include.c", "#include \"kernels.h\"\n#include \"kernels.h\"\n");
    ToolRun included = in(std::string(compiler) + " -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x " +
                          (compiler[1] == 'c' ? "c" : "c++") + " include.c");
    EXPECT_EQ(included.status, 0) << included.output;
  }
}

TEST_F(Ahead, TheJsonListsKernelsAndParameters) {
  ASSERT_EQ(in("%bin/xtc --emit=lib -o kernels %src/tests/targets/cpu/ahead/kernels.xt").status, 0);
  nlohmann::json json = nlohmann::json::parse(read("kernels.json"), nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["library"], "kernels");
  EXPECT_EQ(json["levels"], nlohmann::json(std::vector<std::string>(std::begin(kLevels), std::end(kLevels))));
  const nlohmann::json &product = json["kernels"][0], &visited = json["kernels"][2];
  EXPECT_EQ(product["function"], "kernels_product");
  EXPECT_EQ(product["grid"], nlohmann::json({"i", "j"}));
  const nlohmann::json &c = product["parameters"][2];
  EXPECT_EQ(c["type"], "memref<?x?xf32>");
  EXPECT_EQ(c["strides"], nlohmann::json::parse("[null, 1]"));
  EXPECT_EQ(c["writes"], true);
  EXPECT_EQ(visited["parameters"][0]["shape"], nlohmann::json::parse("[null, 2]"));
}

TEST_F(Ahead, TheSameFilesEachTime) {
  for (const char *folder : {"a", "b"}) {
    fs::create_directories(folder_ / folder);
    ASSERT_EQ(in(std::string("%bin/xtc --emit=lib -o ") + folder + "/kernels %src/tests/targets/cpu/ahead/kernels.xt").status,
              0);
  }
  ToolRun same = in("diff -r a b && ls a");
  EXPECT_EQ(same.output, "kernels.h\nkernels.json\nlibkernels.a\nlibkernels.so\n");
}

// Names that mean something else in C, in C++, in their headers, or in the text that is made for the library.
TEST_F(Ahead, OddNames) {
  const char *names[] = {"int8_t", "size_t",  "NULL", "INT64_MIN", "linux",      "namespace",   "char",
                         "word1",  "message", "_0",   "0",         "p__0",       "xtrt_launch", "nullptr",
                         "class",  "typeof",  "main", "arguments", "xt_argument"};
  std::string kernels, calls, call;
  for (const char *name : names) call += std::string(name == names[0] ? "" : ", ") + "%" + name + ": i32";
  kernels = "kernel @k(" + call + ") {\n}\n";
  for (const char *kernel : {"k_0", "k_0_shape", "k_kernel", "k_levels", "k_grid", "int", "main", "_"})
    kernels += std::string("kernel @") + kernel +
               "(%A: memref<?xf32>) grid (%i = 0 to dim(%A, 0) step 1) {\n  %one = constant " +
               "1.0 : f32\n  memref.store %one, %A[%i]\n}\n";
  write("odd.xt", kernels);
  ToolRun made = in("%bin/xtc --emit=lib -o int odd.xt");
  ASSERT_EQ(made.status, 0) << made.output;
  write("main.c", R"(#include "int.h"
#include <stdio.h>
int main(void) {
  float ones[3] = {0, 0, 0};
  const xt_array_1_f32 all = {ones, {3}, {1}};
  int failed = int_k(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 0, 0);
  failed += int_k_grid(&all, 0, 0) + int_main(&all, 0, 0) + int__(&all, 0, 0);
  printf("%d failed, %g\n", failed, ones[2]);
  return 0;
}
)");
  for (const char *compiler : {"cc -std=c11", "c++ -std=c++20 -x c++"}) {
    ToolRun run = in(std::string(compiler) + " -Wall -Wextra -Werror main.c -x none libint.a -lm -lpthread -o main && ./main");
    EXPECT_EQ(run.output, "0 failed, 1\n") << compiler;
  }
}

TEST_F(Ahead, NegativeStridesAreRefused) {
  ASSERT_EQ(in("%bin/xtc --emit=lib -o kernels %src/tests/targets/cpu/ahead/kernels.xt").status, 0);
  const std::string header = read("kernels.h");
  EXPECT_NE(header.find("strides in elements, which are not negative"), std::string::npos);
  write("back.xt", "kernel @first(%X: memref<?xf32, strided<[?]>>) {\n  %x = memref.load %X[1]\n  memref.store %x, %X[0]\n}\n");
  ASSERT_EQ(in("%bin/xtc --emit=lib -o back back.xt").status, 0);
  write("main.c", R"(#include "back.h"
#include <stdio.h>
int main(void) {
  float x[4] = {1, 2, 3, 4};
  const xt_array_1_f32 backwards = {x + 3, {4}, {-1}}, one = {x, {1}, {-1}}, apart = {x, {2}, {3}};
  char message[1000];
  int status = back_first(&backwards, message, sizeof message);
  printf("%d %s\n", status, message);
  status = back_first(&one, message, sizeof message) * 10 + back_first(&apart, message, sizeof message);
  printf("%d %g\n", status, x[0]);
  return 0;
}
)");
  ToolRun run = in("cc main.c libback.a -lm -lpthread -o main && ./main");
  EXPECT_EQ(run.output, "1 argument `X` of @first: a stride is negative\n0 4\n");
}

TEST_F(Ahead, WhatCannotBeALibraryIsRefused) {
  write("k.xt", "kernel @k(%n: i32) {\n}\n");
  struct Refused {
    const char *command, *message;
    int status;
  };
  write("threads.xt", "kernel @set_threads(%n: i32) {\n}\n");
  write("twice.xt", "kernel @a.b(%n: i32) {\n}\nkernel @a_b(%n: i32) {\n}\n");
  for (const Refused &refused :
       {Refused{"--emit=lib k.xt", "-o NAME", 64}, Refused{"--emit=lib -o 1k k.xt", "begins with no digit", 64},
        Refused{"--emit=lib -o a-b k.xt", "a-b", 64}, Refused{"--emit=lib,asm -o k k.xt", "combined", 64},
        Refused{"--emit=lib -o k k.xt k.xt", "one file", 64}, Refused{"--emit=lib --target=xe -o k k.xt", "lib", 64},
        Refused{"--emit=lib -o xt k.xt", "xt_", 64}, Refused{"--emit=lib -o xtrt_k k.xt", "reserves", 64},
        Refused{"--emit=lib -o _ k.xt", "reserves", 64},
        Refused{"--emit=lib -o k threads.xt", "its function would be k_set_threads, which sets the number of threads", 3},
        Refused{"--emit=lib -o k twice.xt", "its function would be k_a_b, that of @a.b", 3},
        Refused{"--emit=lib -o missing/k k.xt", "cannot write missing/k.h", 3}}) {
    ToolRun run = in(std::string("%bin/xtc ") + refused.command);
    EXPECT_EQ(run.status, refused.status) << refused.command << ": " << run.output;
    EXPECT_NE(run.output.find(refused.message), std::string::npos) << run.output;
  }
  EXPECT_FALSE(fs::exists(folder_ / "k.h"));
  ToolRun none = in("PATH= %bin/xtc --emit=lib -o k k.xt");
  EXPECT_EQ(none.status, 3) << none.output;
  EXPECT_NE(none.output.find("cc"), std::string::npos) << none.output;
}

TEST_F(Ahead, PrintsAreLeftOutWithAWarning) {
  write("say.xt", "kernel @say(%n: i32) {\n  print \"n\", %n\n}\n");
  ToolRun made = in("%bin/xtc --emit=lib -o say say.xt");
  EXPECT_EQ(made.status, 0) << made.output;
  EXPECT_NE(made.output.find("warning[XT0609]"), std::string::npos) << made.output;
  write("main.c", "#include \"say.h\"\nint main(void) { return say_say(1, 0, 0); }\n");
  ToolRun run = in("cc main.c libsay.a -lm -lpthread -o main && ./main");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(run.output, "");
}

// The program of lang/reference/launch_abi.md, with the kernel of that page.
TEST_F(Ahead, TheProgramOfTheReferenceRuns) {
  const std::string page = readText(XT_SOURCE_DIR "/lang/reference/launch_abi.md");
  auto block = [&](const std::string &opens, const char *contains) {
    for (size_t at = page.find(opens); at != std::string::npos; at = page.find(opens, at + 1)) {
      size_t begin = at + opens.size();
      std::string text = page.substr(begin, page.find("```", begin) - begin);
      if (text.find(contains) != std::string::npos) return text;
    }
    return std::string();
  };
  write("scale.xt", block("```xt\n", "kernel @scale"));
  write("main.c", block("```c\n", "int main"));
  ToolRun run = in("%bin/xtc --emit=lib -o scale scale.xt && cc -Wall -Wextra -Wpedantic -Werror main.c libscale.a -lm "
                   "-lpthread -o main && ./main");
  EXPECT_EQ(run.output, "0.5 6\n");
}

} // namespace
} // namespace xt::test
