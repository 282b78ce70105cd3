#include "passes/pass_manager.h"

#include "ir/base/crash.h"
#include "ir/op_kinds.h"
#include "passes/pipelines.h"
#include "tests/ir/gemm_module.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace xt {
namespace {

Result<void> nothing(Module &, Diagnostics &) { return {}; }
Result<void> renameKernel(Module &module, Diagnostics &) {
  module.kernels[0]->name = "renamed";
  return {};
}
Result<void> refuse(Module &module, Diagnostics &diagnostics) {
  diagnostics.report(DiagCode::InvalidIr, module.kernels[0]->range, "not this one");
  return Error::diagnosed();
}
Result<void> breakIr(Module &module, Diagnostics &) {
  module.kernels[0]->paramCount = 2;
  return {};
}
Result<void> failCheck(Module &module, Diagnostics &) {
  module.kernels[0]->name = "in pieces";
  XT_CHECK(module.kernels.size() == 7, "seven kernels");
  return {};
}
Result<void> loseLayout(Module &module, Diagnostics &) {
  for (Op &op : module.kernels[0]->body)
    if (op.kind() == OpKind::Constant && op.result()->type().isVector())
      op.result()->setType(module.context().withLayout(op.result()->type(), nullptr));
  return {};
}

constexpr PassInfo kNothing{.name = "nothing", .function = nothing, .summary = "a test"};
constexpr PassInfo kRename{.name = "rename", .function = renameKernel, .summary = "a test"};
constexpr PassInfo kRefuse{.name = "refuse", .function = refuse, .summary = "a test"};
constexpr PassInfo kBreak{.name = "break", .function = breakIr, .summary = "a test"};
constexpr PassInfo kFailCheck{.name = "fail-check", .function = failCheck, .summary = "a test"};
constexpr PassInfo kLose{.name = "lose", .function = loseLayout, .summary = "a test"};
constexpr PassInfo kLoseAndSay{
    .name = "lose-and-say", .function = loseLayout, .drops = {Form::LayoutsKnown}, .summary = "a test"};
constexpr PassInfo kNeeds{.name = "needs", .function = nothing, .needs = {Form::LayoutsKnown}, .summary = "a test"};
constexpr PassInfo kGives{.name = "gives", .function = nothing, .gives = {Form::LayoutsKnown}, .summary = "a test"};

class PassManager : public testing::Test {
protected:
  bool run(std::vector<const PassInfo *> passes) { return runPasses(gemm_.module, passes, options_, diagnostics_).ok(); }
  GemmModule gemm_;
  PassOptions options_;
  Diagnostics diagnostics_;
};
using PassManagerDeath = PassManager;

TEST_F(PassManager, DumpsWhatWasAsked) {
  std::vector<std::string> dumps;
  options_.dump = [&](std::string_view pass, const std::string &text) {
    dumps.push_back(std::string(pass) + ": " + text.substr(text.find("kernel"), 12));
  };
  options_.dumpAfter = {"rename"};
  EXPECT_TRUE(run({&kNothing, &kRename}));
  EXPECT_EQ(dumps, std::vector<std::string>{"rename: kernel @rena"});
  dumps.clear();
  options_.dumpAll = true;
  EXPECT_TRUE(run({&kNothing, &kRename}));
  EXPECT_EQ(dumps.size(), 2u);
}

TEST_F(PassManager, TimesPassesAndCountsOps) {
  std::vector<PassTiming> rows;
  options_.timing = [&](const PassTiming &row) { rows.push_back(row); };
  EXPECT_TRUE(run({&kNothing, &passInfo(PassKind::Canonicalize)}));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].pass, "nothing");
  EXPECT_EQ(rows[0].opsBefore, 16u);
  EXPECT_EQ(rows[0].opsAfter, 16u);
  EXPECT_EQ(rows[1].pass, "canonicalize");
  EXPECT_EQ(rows[1].opsBefore, 16u);
  EXPECT_GE(rows[1].milliseconds, 0.0);
}

TEST_F(PassManager, StopsAtThePassThatReports) {
  EXPECT_FALSE(run({&kRefuse, &kRename}));
  EXPECT_EQ(diagnostics_.errorCount(), 1u);
  EXPECT_EQ(gemm_.kernel->name, "gemm");
}

TEST_F(PassManager, FormsComeAndGoByTheTable) {
  EXPECT_TRUE(run({&kNeeds}));
  EXPECT_TRUE(run({&kLoseAndSay}));
  EXPECT_FALSE(gemm_.kernel->forms.has(Form::LayoutsKnown));
  EXPECT_FALSE(run({&kNeeds}));
  ASSERT_EQ(diagnostics_.errorCount(), 1u);
  EXPECT_EQ(diagnostics_.all()[0].message, "the pass `needs` needs the form `layouts_known`, which @gemm does not have");
  EXPECT_TRUE(run({&passInfo(PassKind::InferLayouts), &kNeeds}));
  EXPECT_TRUE(gemm_.kernel->forms.has(Form::LayoutsKnown));
}

TEST_F(PassManager, PromisesThatHoldNeedNotBeStated) {
  gemm_.kernel->forms.drop(Form::LayoutsKnown);
  EXPECT_TRUE(run({&kNeeds}));
  EXPECT_TRUE(gemm_.kernel->forms.has(Form::LayoutsKnown));
}

TEST(Passes, NeedSomethingButForCleanUps) {
  for (PassKind kind :
       {PassKind::InferLayouts, PassKind::Canonicalize, PassKind::Cse, PassKind::HoistInvariants, PassKind::DeadCode})
    EXPECT_EQ(passInfo(kind).needs.size(), 0u) << passInfo(kind).name;
  size_t needing = 0;
  for (const PassInfo &pass : kPasses) needing += pass.needs.size() > 0;
  EXPECT_EQ(needing, std::size(kPasses) - 5) << "a pass that is no clean-up states no form that it needs";
}

TEST_F(PassManager, InputThatLiesIsTheUsersMistake) {
  EXPECT_TRUE(loseLayout(gemm_.module, diagnostics_).ok());
  EXPECT_FALSE(run({&kRename}));
  EXPECT_EQ(gemm_.kernel->name, "gemm");
  EXPECT_EQ(diagnostics_.errorCount(), 1u);
}

// Redirects crash bundles to a separate folder during its lifetime.
class BundleFolder {
public:
  BundleFolder() { enableCrashBundles("", {folder_.string(), folder_.string()}); }
  ~BundleFolder() { disableCrashBundles(); }
  std::string before() const {
    std::ostringstream text;
    text << std::ifstream(folder_ / "xt-crash-1/before.xt").rdbuf();
    return text.str();
  }

private:
  test::TemporaryFolder folder_;
};

TEST_F(PassManagerDeath, BrokenIrEndsTheProcessWithAReproducer) {
  BundleFolder folder;
  options_.keepBefore = true;
  EXPECT_EXIT(run({&kRename, &kBreak}), testing::ExitedWithCode(kExitCompilerBug),
              "the pass `break` produced invalid IR\n  kernel @renamed: its body has 5 parameters for 2"
              "(.|\n)*in the pass `break`\n");
  std::string before = folder.before();
  EXPECT_EQ(before.substr(0, before.find('=', 40)), "// xt-reproducer: xtc --run=break before.xt\n#mp_a ");
  EXPECT_NE(before.find("kernel @renamed(%A: memref<?x?xf16>, %B"), std::string::npos) << before;
  EXPECT_EXIT(run({&kLose}), testing::ExitedWithCode(kExitCompilerBug),
              "this vector<256x256xf32> has no layout\n    in `%acc = arith.constant 0.0");
  options_.verifyEach = false;
  EXPECT_TRUE(run({&kBreak}));
}

TEST_F(PassManagerDeath, FailedCheckShowsTheTextFromBefore) {
  BundleFolder folder;
  options_.keepBefore = true;
  EXPECT_EXIT(run({&kFailCheck}), testing::ExitedWithCode(kExitCompilerBug),
              "compiler bug: seven kernels(.|\n)*in the pass `fail-check`\n");
  std::string before = folder.before();
  EXPECT_TRUE(before.starts_with("// xt-reproducer: xtc --run=fail-check before.xt\n")) << before;
  EXPECT_NE(before.find("kernel @gemm("), std::string::npos) << before;
}

TEST_F(PassManagerDeath, GivenFormsAreVerified) {
  gemm_.kernel->forms.drop(Form::LayoutsKnown);
  EXPECT_TRUE(loseLayout(gemm_.module, diagnostics_).ok());
  EXPECT_EXIT(run({&kGives}), testing::ExitedWithCode(kExitCompilerBug), "does not have the form `layouts_known`");
}

TEST_F(PassManagerDeath, RoundTripOfTheText) {
  options_.roundTrip = [](const Module &module) -> std::optional<std::string> {
    if (module.kernels[0]->name == "gemm") return std::nullopt;
    return "the name differs";
  };
  EXPECT_TRUE(run({&kNothing}));
  EXPECT_EXIT(run({&kRename}), testing::ExitedWithCode(kExitCompilerBug),
              "after the pass `rename` the IR changes when it is printed and parsed again: the name differs");
}

TEST(Passes, AreFoundByName) {
  EXPECT_EQ(findPass("cse"), &passInfo(PassKind::Cse));
  EXPECT_EQ(findPass("csf"), nullptr);
  std::vector<std::string_view> names{"infer-layouts", "dead-cod"};
  Result<std::vector<const PassInfo *>> passes = passesNamed(names);
  ASSERT_FALSE(passes.ok());
  EXPECT_EQ(passes.error().message, "unknown pass `dead-cod`; did you mean `dead-code`?");
  names[1] = "dead-code";
  ASSERT_TRUE(passesNamed(names).ok());
  EXPECT_EQ((*passesNamed(names))[1]->name, "dead-code");
}

TEST(Passes, TilePipelineKeepsTheGemm) {
  GemmModule gemm;
  Diagnostics diagnostics;
  EXPECT_TRUE(runPasses(gemm.module, passesOf(kTilePipeline), {}, diagnostics).ok());
  EXPECT_EQ(print(*gemm.kernel->body.last()), print(*gemm.store));
}

// The kernel is long, has no branches, and has one value with many uses: every pass must stay linear in the size of the text.
TEST(Passes, LongKernels) {
  Context context;
  Module module(context);
  Kernel &kernel = *module.kernels.emplace_back(std::make_unique<Kernel>());
  kernel.name = "long";
  kernel.paramCount = 1;
  Value *n = kernel.body.addParam(context.index(), "n");
  kernel.gridBlock.addParam(context.index(), "n");
  Builder b(context, kernel.body);
  Op *loop = b.create(OpKind::For, {b.index(0), n, b.index(1)}, {}, 1);
  b.setEnd(*loop->region());
  Value *sum = loop->region()->addParam(context.index(), "k");
  for (int i = 0; i < 100000; ++i)
    sum = b.value(OpKind::AddI, {b.value(OpKind::MulI, {n, b.index(i % 50)}, context.index()), sum}, context.index());
  b.create(OpKind::Yield, {}, {});
  Diagnostics diagnostics;
  PassOptions options;
  size_t left = 0;
  options.timing = [&](const PassTiming &timing) { left = timing.opsAfter; };
  EXPECT_TRUE(runPasses(module, passesOf(std::array{PassKind::Canonicalize}), options, diagnostics).ok());
  EXPECT_EQ(left, 0u); // nothing is stored, so all ops are dead
}

} // namespace
} // namespace xt
