// Tests passes as text to text: tests/passes/PASS/NAME.xt (or NAME.TARGET.xt, for a pass that depends on a target) goes through
// the front end and the pass PASS, and must print as NAME.out.xt. Each output must read back as the same module, and a second
// run of the pass must not change it. If there is a file NAME.remarks, the pass must say what is in it.
#include "ir/equal.h"
#include "lang/lower/lower.h"
#include "passes/pass_manager.h"
#include "passes/passes.h"
#include "tests/golden.h"

namespace xt {
namespace {

namespace fs = std::filesystem;

// Compiles a text; failures are reported to GoogleTest.
class Compilation {
public:
  Compilation(std::string name, std::string text) {
    uint32_t file = sources_.add(std::move(name), std::move(text));
    Result<std::unique_ptr<Module>> lowered = lowerFile(sources_, file, context_, {}, diagnostics_);
    EXPECT_TRUE(lowered.ok()) << messages();
    if (lowered) module_ = std::move(*lowered);
  }
  Module *module() const { return module_.get(); }
  bool run(const PassInfo &pass, const TargetInfo *target) {
    const PassInfo *passes[] = {&pass};
    PassOptions options; // the default options verify the module before and after the pass
    options.target = target;
    bool ok = runPasses(*module_, passes, options, diagnostics_).ok();
    EXPECT_TRUE(ok) << messages();
    return ok;
  }
  std::string messages() const { return renderText(diagnostics_, sources_, false); }

private:
  SourceManager sources_;
  Context context_;
  Diagnostics diagnostics_;
  std::unique_ptr<Module> module_;
};

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, TextInTextOut) {
  fs::path input = fs::path(XT_SOURCE_DIR) / "tests/passes" / GetParam(), output = input;
  output.replace_extension(".out.xt");
  const PassInfo *pass = findPass(input.parent_path().filename().string());
  ASSERT_TRUE(pass) << "the folder has the name of no pass";
  std::string suffix = input.stem().extension().string();
  const TargetInfo *target = suffix.empty() ? nullptr : findTargetInfo(suffix.substr(1));
  Compilation first(GetParam(), test::readText(input));
  if (!first.module() || !first.run(*pass, target)) return;
  std::string printed = print(*first.module());
  test::expectGolden(output, printed);
  if (fs::path remarks = fs::path(input).replace_extension(".remarks"); fs::exists(remarks))
    test::expectGolden(remarks, first.messages());

  Compilation second(output.string(), printed);
  if (!second.module()) return;
  EXPECT_EQ(firstDifference(*first.module(), *second.module()).value_or(""), "");
  if (!second.run(*pass, target)) return;
  EXPECT_EQ(print(*second.module()), printed) << "the pass is not idempotent";
}

std::vector<std::string> goldenInputs() {
  fs::path root = fs::path(XT_SOURCE_DIR) / "tests/passes";
  std::vector<std::string> inputs;
  for (const auto &entry : fs::recursive_directory_iterator(root)) {
    std::string name = fs::relative(entry.path(), root).generic_string();
    if (name.ends_with(".xt") && !name.ends_with(".out.xt")) inputs.push_back(name);
  }
  std::sort(inputs.begin(), inputs.end());
  return inputs;
}

INSTANTIATE_TEST_SUITE_P(Passes, Golden, testing::ValuesIn(goldenInputs()), [](const auto &param) {
  std::string name = param.param.substr(0, param.param.rfind('.'));
  std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

} // namespace
} // namespace xt
