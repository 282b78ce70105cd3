// A table of bad inputs, with the message and the exit status. None may crash, which the sanitizer build checks with the same
// table.
#include "tests/golden.h"
#include "tests/targets/tools/run_tool.h"

namespace xt {
namespace {

struct BadInput {
  const char *command;
  int status;
  const char *message; // a part of the output
};

const BadInput kBadInputs[] = {
    // limits of the interpreter
    {"%bin/xtrun --target=interp %src/tests/targets/tools/failing/fail_0601_vectors.xt", 2,
     "the vectors and tiles of `@copy` have 6442450941 elements in a workgroup; the interpreter's limit is 268435456"},
    {"%bin/xtrun --target=interp %src/tests/targets/tools/failing/fail_0602_slm_of_the_host.xt", 2,
     "`@k` has 24576 MiB of shared local memory; the limit is 64 MiB"},
    // usage
    {"%bin/xtc", 64, "no input file"},
    {"%bin/xtrun", 64, "no input file"},
    {"%bin/xtc --emti=ir %in/good.xt", 64, "unrecognised option"},
    {"%bin/xtc --emit=elf %in/good.xt", 64,
     "--emit takes ast, ir, llvm, asm, obj, lib, spirv, spvasm, ptx, meta, isa, sass-stats, not `elf`"},
    {"%bin/xtc -D BM %in/good.xt", 64, "-D takes NAME=VALUE"},
    {"%bin/xtrun --threads 0 %in/good.xt", 64, "--threads must be at least 1"},
    {"%bin/xtrun -O4 %in/good.xt", 64, "-O takes 0 to 3, not 4"},
    {"%bin/xtrun -Os %in/good.xt", 64, "'s'"},
    {"%bin/xtrun --target=gpu9 %in/good.xt", 64, "unknown target `gpu9`"},
    {"%bin/xtc --explain XT9999", 64, "unknown diagnostic code"},
    {"%bin/xtc --run=licm2 %in/good.xt", 64, "licm2"},
    {"%bin/xtc --dump-after=licm2 %in/good.xt", 64, "licm2"},
    {"%bin/xtrun --check=races %in/good.xt", 64, "--check takes bounds, race, uninit, divergence, all, algebra, not `races`"},
    {"%bin/xtrun --check=race --target=cpu %in/good.xt", 64, "--check needs the target interp"},
    // The printed output of a pass must be accepted as input, so the pass rejects a workgroup that is too large for lane scope.
    {"%bin/xtc --target=xe-pvc --run=infer-layouts,distribute-to-lanes --round-trip --emit=ir "
     "%src/tests/targets/tools/limits/fail_0607_subgroups.xe-pvc.xt",
     2, "has 65 subgroups of 16 lanes, 1040 in all; xe-pvc runs 1024 in a workgroup"},
    // GPU code
    {"%bin/xtc --emit=isa %in/good.xt", 64,
     "--emit=isa is not available for the target `cpu`, only for xe-pvc, xe-bmg, xe-dg2; cpu has obj, llvm, asm, lib"},
    {"%bin/xtc --emit=spirv -o /dev/null %in/good.xt", 64,
     "--emit=spirv is not available for the target `cpu`, only for xe-pvc, xe-bmg, xe-dg2, spirv"},
    {"%bin/xtc --target=spirv --emit=isa %in/good.xt", 64, "--emit=isa is not available for the target `spirv`"},
    {"%bin/xtc --target=xe --emit=llvm %in/good.xt", 64,
     "--emit=llvm is not available for the target `xe`, only for cpu, xe-pvc"},
    {"%bin/xtc --target=interp --emit=asm %in/good.xt", 64,
     "--emit=asm is not available for the target `interp`, only for cpu"},
    {"%bin/xtc --target=xe-pvc --emit=obj %in/good.xt", 64, "xe-pvc has spirv, llvm, spvasm, meta, lib, isa"},
    {"%bin/xtc --report %in/good.xt", 64, "--report is not available for the target `cpu`, only for xe-pvc"},
    {"%bin/xtc --target=xe-pvc --emit=spvasm --isa-shim=x.ll %in/good.xt", 64, "--isa-shim needs --emit=isa"},
    {"%bin/xtc --target=xe-pvc --emit=isa --isa-shim=%in/absent.ll %in/good.xt", 3, "absent.ll: No such file or directory"},
    {"%bin/xtc --target=xe-pvc --emit=isa --isa-shim=%in/good.xt %in/good.xt", 3, "are not valid LLVM IR, line 1"},
    {"%bin/xtc --target=xe-pvc --emit=spirv --report %in/good.xt", 64,
     "to combine it with other output, write it to a file with -o FILE"},
    {"%bin/xtc --target=xe-pvc --emit=spirv -o /dev/null %in/good.xt %in/good.xt", 64, "--emit=spirv takes one file"},
    {"PATH=%in %bin/xtc --target=xe-dg2 --emit=isa %in/good.xt", 3,
     "no program `ocloc` in PATH: install the package intel-opencl-icd"},
    {"PATH=%in %bin/xtc --target=xe-dg2 --emit=spvasm %in/good.xt", 3,
     "no program `spirv-dis` in PATH: install the package spirv-tools"},
    // files
    {"%bin/xtc %in/absent.xt", 3, "absent.xt: No such file or directory"},
    {"%bin/xtrun %in/absent.xt", 3, "absent.xt: No such file or directory"},
    {"%bin/xtc %in", 3, "it is a folder"},
    {"%bin/xtc --emit=ir -o /proc/no/such/out.xt %in/good.xt", 3, "cannot write"},
    {"%bin/xtrun %in/fail_absent_npy.xt", 3, "absent.npy"},
    {"%bin/xtrun %in/fail_not_npy.xt", 3, "not_npy.npy"},
    {"%bin/xtrun %in/fail_truncated_npy.xt", 3, "truncated.npy"},
    {"%bin/xtrun %in/fail_npy_shape.xt", 3, "4x5"},
    {"%bin/xtrun %in/fail_npy_type.xt", 3, "the buffer is 4x4 of f16"},
    {"%bin/xtrun %in/fail_save.xt", 3, "no-such-folder"},
    {"%bin/xtrun %in/fail_too_large.xt", 3, "of the limit of"},
    // syntax
    {"%bin/xtc %in/fail_empty.xt", 0, ""},
    {"%bin/xtrun %in/fail_empty.xt", 4, "no test"},
    {"%bin/xtc %in/fail_not_utf8.xt", 2, "UTF-8"},
    {"%bin/xtc %in/fail_binary.xt", 2, "error[XT0"},
    {"%bin/xtc %in/fail_unclosed.xt", 2, "error[XT01"},
    {"%bin/xtc %in/fail_deep.xt", 2, "error[XT01"},
    // parameters
    {"%bin/xtc -D XYZ=1 %in/good.xt", 2, "no parameter `$XYZ`"},
    {"%bin/xtc -D BM=12.5 %in/good.xt", 2, "`12.5` is not a value of type index"},
    {"%bin/xtc -D BM=0 %in/good.xt", 2, "an extent must be a positive number"},
    {"%bin/xtc -D BM=99999999999999 %in/good.xt", 2, "error[XT0309]"},
    // checks
    {"%bin/xtrun --check=race %src/tests/targets/interp/checks/fail_0702_missing_barrier.xt", 1, "error[XT0702]"},
    {"%bin/xtrun --check=bounds %src/tests/targets/interp/checks/fail_0701_ragged_edge.xt", 0, "warning[XT0701]"},
    {"%bin/xtrun %in/fail_wrong_result.xt", 1, "element"},
    {"%bin/xtrun %in/fail_unwritten.xt", 1, "written"},
    {"%bin/xtrun %in/fail_proves_nothing.xt", 1, "proves nothing"},
    {"%bin/xtrun %in/fail_nan.xt", 1, "nan"},
    {"%bin/xtrun --test nosuch %in/good.xt", 4, "nosuch"},
    {"%bin/xtrun %in/fail_check_shape.xt", 2, "shape"},
    {"%bin/xtrun %in/good.xt %in/fail_wrong_result.xt", 1, "passed"},
    {"%bin/xtrun %in/fail_wrong_result.xt %in/fail_absent_npy.xt", 3, "absent.npy"},
    {"%bin/xtrun --time-limit 0.2 --target=interp --full %in/fail_slow.xt", 3, "time limit"},
    {"%bin/xtrun --time-limit nan %in/good.xt", 64, "--time-limit takes a number of seconds above 0"},
    {"%bin/xtrun --time-limit inf %in/good.xt", 64, "--time-limit takes a number of seconds above 0"},
    {"%bin/xtrun --time-limit=-1 %in/good.xt", 64, "--time-limit takes a number of seconds above 0"},
    {"%bin/xtrun --time-limit 0 %in/good.xt", 64, "--time-limit takes a number of seconds above 0"},
    {"%bin/xtrun --time-limit 1e999 %in/good.xt", 64, "--time-limit takes a number of seconds above 0"},
    {"%bin/xtrun --time-limit 1e300 %in/good.xt", 64, "--time-limit takes a number of seconds above 0"},
    {"%bin/xtrun --time-limit 5x %in/good.xt", 64, "--time-limit takes a number of seconds above 0"},
    {"%bin/xtrun --time-limit '' %in/good.xt", 64, "--time-limit takes a number of seconds above 0"},
    {"%bin/xtrun --bench --bench-time nan %in/good.xt", 64, "--bench-time takes a number of seconds above 0"},
    {"%bin/xtrun --bench --bench-time 1e999 %in/good.xt", 64, "--bench-time takes a number of seconds above 0"},
    {"%bin/xtrun --time-limit 0.2 --target=interp %in/fail_endless.xt", 3, "time limit"},
    {"%bin/xtrun --time-limit 0.2 --target=interp %in/fail_endless_unused.xt", 3, "time limit"},
    {"%bin/xtrun --time-limit 0.2 --target=cpu %in/fail_endless_unused.xt", 3, "time limit"},
};

TEST(BadInputs, EachGivesItsMessageAndStatus) {
  for (const BadInput &bad : kBadInputs) {
    test::ToolRun run = test::runTool(bad.command);
    EXPECT_EQ(run.status, bad.status) << bad.command << '\n' << run.output;
    EXPECT_NE(run.output.find(bad.message), std::string::npos) << bad.command << "\nexpected: " << bad.message << '\n'
                                                               << run.output;
    EXPECT_EQ(run.output.find("compiler bug"), std::string::npos) << bad.command << '\n' << run.output;
    EXPECT_EQ(run.output.find("Sanitizer"), std::string::npos) << bad.command << '\n' << run.output;
  }
}

// Errors are found when a test runs. The file's name has the code of the error, and the status is 2.
TEST(BadInputs, MistakesFoundWhileRunning) {
  for (const auto &path : test::filesIn("targets/tools/failing", ".xt")) {
    std::string name = path.filename();
    test::ToolRun run = test::runTool("%bin/xtrun " + path.string());
    EXPECT_EQ(run.status, 2) << name << '\n' << run.output;
    EXPECT_NE(run.output.find("error[XT" + name.substr(5, 4) + "]"), std::string::npos) << name << '\n' << run.output;
  }
}

} // namespace
} // namespace xt
