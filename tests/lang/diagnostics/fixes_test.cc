// Tests that fixes of layouts preserve the results of a kernel. Random kernels with conflicting layouts are repaired by the
// first fix of each message; they must then compute the same results as the kernels without layouts.
#include "tests/golden.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "lang/lower/lower.h"
#include "passes/pass_manager.h"
#include "passes/passes.h"
#include "targets/target.h"

#include <random>

namespace xt {
namespace {

constexpr int64_t kExtent = 16;

// One kernel as two texts, with and without layouts.
class KernelPair {
public:
  explicit KernelPair(unsigned seed) : random_(seed) {
    both("kernel @k(%A: memref<16x16xi32>, %C: memref<16x16xi32>) {\n");
    load();
    load();
    for (int i = 0, count = 2 + below(5); i < count; ++i) statement();
    line("%out = init_tile %C[0, 0] -> tile<16x16xi32", attribute(", ", ""), ">");
    line("store_tile %", value(), ", %out");
    both("}\n");
  }
  std::string withLayouts() const {
    return "#rows = #wg_map<sg_layout = [4, 1], sg_data = [4, 16]>\n"
           "#columns = #wg_map<sg_layout = [1, 4], sg_data = [16, 4]>\n"
           "#blocks = #wg_map<sg_layout = [2, 2], sg_data = [8, 8]>\n"
           "#rounds = #wg_map<sg_layout = [2, 2], sg_data = [2, 4]>\n"
           "#copies = #wg_map<sg_layout = [2, 2], sg_data = [8, 16]>\n" +
           with_;
  }
  const std::string &without() const { return without_; }

private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  void both(std::string_view text) { with_ += text, without_ += text; }
  struct Piece { // a part of both texts, or only of the text with layouts
    std::string text;
    bool layout = false;
  };
  template <class... Parts> void line(const Parts &...parts) {
    both(std::string(static_cast<size_t>(2 + 2 * depth_), ' '));
    (piece(parts), ...);
    both("\n");
  }
  void piece(const Piece &p) {
    with_ += p.text;
    if (!p.layout) without_ += p.text;
  }
  void piece(const std::string &text) { both(text); }
  void piece(const char *text) { both(text); }
  Piece attribute(const char *before, const char *after) {
    static constexpr const char *kNames[] = {"#rows", "#columns", "#blocks", "#rounds", "#copies"};
    return {str(before, kNames[below(5)], after), true};
  }
  Piece maybe() { return below(3) == 0 ? attribute(" {", "}") : Piece{}; }
  std::string value() { return str("v", below(values_)); }
  // Returns the name for a new value. Inside a block, this is the name of an earlier value, because a name that is first bound
  // there is unknown after the block.
  std::string target() { return depth_ ? value() : str("v", values_++); }

  void load() {
    std::string tile = str("t", tiles_++);
    line("%", tile, " = init_tile %A[0, 0] -> tile<16x16xi32", attribute(", ", ""), ">");
    line("%", target(), " = load_tile %", tile);
  }
  void statement() {
    int kind = below(depth_ ? 5 : 8);
    std::string a = value(), b = value();
    if (kind == 0) return load();
    if (kind == 1) return line("%", target(), " = %", a, " * 3 - %", b);
    if (kind == 2) return line("%", target(), " = addi %", a, ", %", b, maybe());
    if (kind == 3) return line("%", target(), " = transpose %", a, " [1, 0]", maybe());
    if (kind == 4) {
      std::string sums = str("s", values_ + 100 * depth_), dim = str("[", below(2), "]");
      line("%", sums, " = reduction <add> %", a, " ", dim, maybe());
      return line("%", target(), " = broadcast %", sums, " ", dim, maybe(), " -> vector<16x16xi32>");
    }
    line(kind == 5 ? "if dim(%A, 0) > 3 {" : "for %i = 0 to 3 {");
    ++depth_;
    for (int i = 0, count = 1 + below(2); i < count; ++i) statement();
    --depth_;
    line("}");
  }

  std::mt19937 random_;
  std::string with_, without_;
  int values_ = 0, tiles_ = 0, depth_ = 0;
};

struct Lowered {
  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  std::unique_ptr<Module> module;

  explicit Lowered(std::string text) {
    diagnostics.wantRemarks(false);
    Result<std::unique_ptr<Module>> made = lowerFile(sources, sources.add("k.xt", std::move(text)), context, {}, diagnostics);
    if (made) module = std::move(*made);
  }
  std::string messages() const { return renderText(diagnostics, sources, false); }
};

// Repeatedly applies the first fix of the first message with a fix, until the text compiles. Returns "" if no message has a
// fix.
std::string mended(std::string text) {
  for (int round = 0; round < 20; ++round) {
    Lowered lowered(text);
    if (lowered.module) return text;
    const FixIt *fix = nullptr;
    for (const Diagnostic *diagnostic : lowered.diagnostics.sorted()) {
      EXPECT_LE(diagnostic->fixits.size(), 2u) << text;
      if (!fix && !diagnostic->fixits.empty()) fix = &diagnostic->fixits[0];
    }
    if (!fix) return "";
    for (const TextEdit &edit : plainEdits(*fix, lowered.sources))
      text.replace(edit.range.begin, edit.range.end - edit.range.begin, edit.replacement);
  }
  ADD_FAILURE() << "fixes without end\n" << text;
  return "";
}

std::vector<int32_t> result(const std::string &text) {
  std::vector<int32_t> in(kExtent * kExtent), out(kExtent * kExtent, -1);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int32_t>(i * 7919 % 1009);
  Lowered lowered(text);
  if (!lowered.module) return ADD_FAILURE() << text << lowered.messages(), out;
  auto buffer = [](std::vector<int32_t> &data) {
    LaunchArg arg;
    arg.kind = LaunchArg::Kind::Buffer;
    arg.buffer = {data.data(), Elem::I32, {kExtent, kExtent}, {kExtent, 1}};
    return arg;
  };
  std::vector<LaunchArg> args = {buffer(in), buffer(out)};
  Target *target = findTarget("interp");
  auto passes = passesNamed(passNames(target->pipeline()));
  EXPECT_TRUE(passes.ok() && runPasses(*lowered.module, *passes, {}, lowered.diagnostics).ok()) << text;
  auto executable = target->compile(*lowered.module, {1, {}}, lowered.diagnostics);
  const Kernel &kernel = *lowered.module->kernels.at(0);
  auto grid = computeGrid(kernel, args);
  EXPECT_TRUE(executable.ok() && grid.ok() && (*executable)->launch(kernel, args, *grid).ok()) << text;
  return out;
}

TEST(LayoutFixes, KeepWhatAKernelComputes) {
  int broken = 0, mends = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    KernelPair pair(seed);
    std::string text = mended(pair.withLayouts());
    broken += text != pair.withLayouts();
    if (text.empty()) continue;
    mends += text != pair.withLayouts();
    EXPECT_EQ(result(text), result(pair.without())) << "seed " << seed << '\n' << pair.withLayouts() << "mended:\n" << text;
    if (HasFailure()) return;
  }
  EXPECT_GE(broken, 30);
  EXPECT_GE(mends * 10, broken * 9) << broken << " broken, " << mends << " mended";
}

TEST(Fixes, AMisspeltImportBecomesAFileOfItsFolder) {
  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  LowerOptions options;
  options.imports.stdlib = "lib";
  options.imports.list = [](const std::string &folder) {
    return folder == "lib/" ? std::vector<std::string>{"scan.xt", "gem", "gemm.xt"} : std::vector<std::string>();
  };
  uint32_t file = sources.add("main.xt", "import \"std/gem\"\n");
  EXPECT_FALSE(lowerFile(sources, file, context, options, diagnostics).ok());
  ASSERT_EQ(diagnostics.all().size(), 1u);
  ASSERT_EQ(diagnostics.all().front().fixits.size(), 1u);
  EXPECT_EQ(diagnostics.all().front().fixits[0].edits[0].replacement, "\"std/gemm\"");
}

} // namespace
} // namespace xt
