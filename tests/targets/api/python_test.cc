// Tests the Python package: with numpy in the source tree, the layouts of its structures, and its wheel in an empty environment.
#include "tests/effort.h"
#include "tests/shell.h"
#include "tests/temporary_folder.h"

#include <xt/xt.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <sstream>

namespace xt::test {
namespace {

ShellRun run(const std::string &command) { return runShell("( " + command + " ) 2>&1 </dev/null"); }

class Python : public testing::Test {
protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "a program without the sanitizer cannot load a sanitized library";
    for (const char *candidate : {XT_SOURCE_DIR "/build/python/bin/python3", "/usr/bin/python3", "python3"})
      if (run(std::string(candidate) + " -c 'import numpy'").status == 0) {
        python_ = candidate;
        break;
      }
    if (python_.empty()) GTEST_SKIP() << "no python3 with numpy is installed";
    findCommand();
  }
  void findCommand() {
    inTree_ = "XT_LIBRARY=" XT_BINARY_DIR "/lib/libxt.so PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=" XT_SOURCE_DIR
              "/targets/api/python " +
              python_ + " ";
  }
  std::string python_, inTree_;
};

TEST_F(Python, PackageWorksWithNumpy) {
  ShellRun tests = run(inTree_ + XT_SOURCE_DIR "/tests/targets/api/python/test_xt.py -v");
  EXPECT_EQ(tests.status, 0) << tests.output;
  EXPECT_NE(tests.output.find("\nOK"), std::string::npos) << tests.output;
}

// Debian's package python3-torch is for Debian's python.
TEST_F(Python, PackageTakesTensorsOfPyTorch) {
  for (const std::string &python : {python_, std::string("/usr/bin/python3")}) {
    if (run(python + " -c 'import numpy, torch'").status != 0) continue;
    python_ = python;
    findCommand();
    ShellRun tests = run(inTree_ + XT_SOURCE_DIR "/tests/targets/api/python/test_xt.py -v OtherArrays.test_torch");
    EXPECT_EQ(tests.status, 0) << tests.output;
    EXPECT_NE(tests.output.find("... ok"), std::string::npos) << tests.output;
    return;
  }
  GTEST_SKIP() << "PyTorch is not installed (Debian: python3-torch)";
}

// The sizes and the offsets of the last members, as C has them and as ctypes does.
TEST_F(Python, StructuresHaveTheLayoutOfTheHeader) {
  std::ostringstream expected;
  auto row = [&](const char *name, size_t size, size_t last) { expected << name << " " << size << " " << last << "\n"; };
  row("xt_error", sizeof(xt_error), offsetof(xt_error, message));
  row("xt_device", sizeof(xt_device), offsetof(xt_device, software));
  row("xt_context_options", sizeof(xt_context_options), offsetof(xt_context_options, cache_directory));
  row("xt_define", sizeof(xt_define), offsetof(xt_define, value));
  row("xt_compile_options", sizeof(xt_compile_options), offsetof(xt_compile_options, stop));
  row("xt_tune_options", sizeof(xt_tune_options), offsetof(xt_tune_options, user));
  row("xt_range", sizeof(xt_range), offsetof(xt_range, end_column));
  row("xt_label", sizeof(xt_label), offsetof(xt_label, text));
  row("xt_edit", sizeof(xt_edit), offsetof(xt_edit, replacement));
  row("xt_fix", sizeof(xt_fix), offsetof(xt_fix, edit_count));
  row("xt_diagnostic", sizeof(xt_diagnostic), offsetof(xt_diagnostic, fix_count));
  row("xt_parameter", sizeof(xt_parameter), offsetof(xt_parameter, writes));
  row("xt_kernel_info", sizeof(xt_kernel_info), offsetof(xt_kernel_info, json));
  row("xt_argument", sizeof(xt_argument), offsetof(xt_argument, number));
  row("xt_launch_options", sizeof(xt_launch_options), offsetof(xt_launch_options, kernel_seconds));
  ShellRun found =
      run(inTree_ + "-c 'import ctypes\nfrom xt import _library as c\n"
                    "for name, kind in c.STRUCTURES.items():\n"
                    "  print(name, ctypes.sizeof(kind), getattr(kind, kind._fields_[-1][0]).offset)\n"
                    "import struct\nassert struct.calcsize(\"=\" + c.Arguments.MEMBERS) == c.Arguments.SIZE\n"
                    "assert all(c.library.xt_element_name(n).decode() == name for name, n in c.ELEMENTS.items())'");
  EXPECT_EQ(found.output, expected.str());
}

TEST_F(Python, EveryFunctionOfTheHeaderIsKnown) {
  ShellRun declared =
      run("sed -n 's/^XT_API [^(]*[ *]\\(xt_[a-z_]*\\)(.*/\\1/p' " XT_SOURCE_DIR "/targets/api/include/xt/xt.h | sort");
  ShellRun known = run(inTree_ + "-c 'from xt import _library as c\nprint(*sorted(c._FUNCTIONS), sep=\"\\n\")'");
  EXPECT_EQ(known.output, declared.output);
}

class Wheel : public Python {
protected:
  void SetUp() override {
    Python::SetUp();
    if (IsSkipped()) return;
    ShellRun made =
        run("cmake --build " XT_BINARY_DIR " --target xt_wheel && cp " XT_BINARY_DIR "/wheel/xt-*.whl " + folder_.string());
    if (made.output.find("unknown target") != std::string::npos) GTEST_SKIP() << made.output;
    ASSERT_EQ(made.status, 0) << made.output;
  }
  TemporaryFolder folder_;
};

TEST_F(Wheel, RunsInAnEmptyEnvironment) {
  ShellRun venv = run("python3 -m venv " + (folder_ / "empty").string());
  if (venv.status != 0) GTEST_SKIP() << "python3 cannot make an environment: " << venv.output;
  std::string in = "cd / && unset PYTHONPATH XT_LIBRARY XT_STDLIB && " + (folder_ / "empty/bin/").string();
  ShellRun pip = run(in + "pip install --no-index --disable-pip-version-check " + folder_.string() + "/xt-*.whl");
  ASSERT_EQ(pip.status, 0) << pip.output;
  // Without numpy, arrays come from anywhere that has the array interface; the standard library is that of the wheel.
  ShellRun ran = run(in + "python3 -c '\nimport array, ctypes, xt\n"
                          "program = xt.compile(text=\"import \\\"std/activations\\\"\\nkernel @k(%n: i32) {\\n"
                          "  print \\\"n\\\", %n\\n}\\n\", cache=\"\")\nprogram.k(42)\nprint(xt.__file__)\n'");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_NE(ran.output.find("n: 42\n" + (folder_ / "empty/").string()), std::string::npos) << ran.output;
  ShellRun removed = run(in + "pip uninstall --yes --disable-pip-version-check xt && ls " +
                         (folder_ / "empty/lib/python3*/site-packages/xt").string());
  EXPECT_NE(removed.status, 0) << "files are left: " << removed.output;
}

} // namespace
} // namespace xt::test
