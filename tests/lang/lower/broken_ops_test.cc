// Combines every op of the table with random operands, types and attributes, most of which are invalid. Each text must give
// either a kernel or messages.
#include "ir/verify/verify.h"
#include "lang/lower/lower.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace xt {
namespace {

// Names of values, one of each kind, that the generated texts define. %p:2 stands for two values under one name.
constexpr const char *kValues[] = {"%m",  "%m0",  "%m1", "%slm",  "%t",   "%s",       "%d",      "%g", "%v",
                                   "%w",  "%x4",  "%b",  "%line", "%f",   "%i",       "%n",      "%u", "%c",
                                   "%nb", "%p:2", "1",   "-2.5",  "true", "%unknown", "(%i + 1)"};
constexpr const char *kTypes[] = {"memref<16x32xf32>",
                                  "memref<?x?xf16>",
                                  "memref<f32>",
                                  "memref<64xf32, slm>",
                                  "tile<8x16xf32>",
                                  "tile<16xf32, #scatter>",
                                  "tensor_desc<8x16xf32>",
                                  "tensor_desc<16xf32, #scatter>",
                                  "tensor_desc<16x4xf32, #scatter>",
                                  "vector<8x16xf32>",
                                  "vector<16x8xf32>",
                                  "vector<2x4x8xf16>",
                                  "vector<8x16xi1>",
                                  "vector<16xf32>",
                                  "vector<f32>",
                                  "vector<8x16xindex>",
                                  "f32",
                                  "f16",
                                  "index",
                                  "i32",
                                  "u64",
                                  "i1",
                                  "nbarrier",
                                  "token"};
constexpr const char *kTexts[] = {"<add>", "<oeq>", "<slt>", "<nothing>", "\"text\"", "locality<9>", "value", "0.0"};
constexpr const char *kNumbers[] = {"0",   "1",   "-1",  "7",      "16",        "9223372036854775807",
                                    "1.5", "[]",  "[0]", "[1, 0]", "[0, 1, 2]", "[-1]",
                                    "vc",  "slm", "add", "\"t\""};

class Generator {
public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  std::string statement(const OpInfo &op) {
    std::string text = chance(2) ? "  %r = " : op.results == 0 || chance(6) ? "  " : "  %r = ";
    text += chance(2) ? std::string(fullName(op.kind)) : std::string(op.name);
    for (const AttrSpec &attr : op.attrs)
      if (attr.kind == AttrKind::Kind && !chance(4)) text += " <" + std::string(attr.doc.substr(0, attr.doc.find(' '))) + ">";
    if (chance(8)) text += std::string(" ") + pick(kTexts);
    text += operands(op);
    if (op.clause == Clause::Literal && !chance(3)) text += std::string(" ") + pick(kNumbers);
    if (chance(5) || (op.clause == Clause::Dims && !chance(3))) text += std::string(" ") + (chance(2) ? "[0]" : "[1, 0]");
    return text + attributes(op) + signature() + "\n";
  }

private:
  size_t below(size_t n) { return random_() % n; }
  bool chance(size_t n) { return below(n) == 0; }
  template <size_t N> const char *pick(const char *const (&from)[N]) { return from[below(N)]; }

  std::string indices() {
    std::string text = "[";
    for (size_t i = 0, n = below(5); i < n; ++i) text += (i ? ", " : "") + std::string(chance(3) ? pick(kValues) : "0");
    return text + "]";
  }

  std::string operands(const OpInfo &op) {
    std::string text;
    size_t count = chance(3) ? below(8) : op.operands.size();
    for (size_t i = 0; i < count; ++i) {
      text += (i ? ", " : " ") + std::string(pick(kValues));
      if (chance(6)) text += indices();
    }
    if (op.clause == Clause::Base)
      for (size_t i = 0, n = below(4); i < n; ++i) text += (i ? ", " : " ") + indices();
    return text;
  }

  std::string attributes(const OpInfo &op) {
    std::string text;
    for (const AttrSpec &attr : op.attrs)
      if (attr.kind != AttrKind::Kind && (attr.required ? !chance(4) : chance(3)))
        text += (text.empty() ? "" : ", ") + std::string(attr.name) +
                (attr.kind == AttrKind::Flag ? "" : std::string(" = ") + pick(kNumbers));
    if (chance(12)) text += (text.empty() ? "" : ", ") + std::string("#wg_map<sg_layout = [2, 2], sg_data = [4, 8]>");
    return text.empty() ? "" : " {" + text + "}";
  }

  std::string types(size_t most) {
    std::string text;
    for (size_t i = 0, n = below(most + 1); i < n; ++i) text += (i ? ", " : "") + std::string(pick(kTypes));
    return text;
  }
  std::string signature() {
    if (chance(5)) return "";
    std::string left = types(3);
    if (chance(2)) return left.empty() ? "" : " : " + left;
    if (left.empty()) return std::string(" -> ") + pick(kTypes);
    return " : " + left + " -> " + pick(kTypes);
  }

  std::mt19937 random_;
};

// Returns a function that is never called, so that its parameters have unknown layouts, lanes and extents.
std::string functionOf(const std::string &statement) {
  return "func @f(%m: memref<?x?xf32>, %m0: memref<f32>, %m1: memref<?xf32>, %slm: memref<64xf32, slm>, %t: tile<?x?xf32>, %s: "
         "tile<1x16xf32, #scatter>, "
         "%d: tensor_desc<?x?xf16>, %g: tensor_desc<16xf32, #scatter>, %v: vector<8x16xf32>, %w: vector<?x?xindex>, %x4: "
         "vector<2x4x8xf16>, "
         "%b: vector<8x16xi1>, %line: vector<16xindex>, %f: f32, %i: index, %n: i32, %u: u64, %c: i1, %nb: nbarrier) -> index "
         "{\n  %p:2 = @two()\n" +
         statement + "  return %i\n}\n";
}

std::string kernelOf(const std::string &statement, size_t number, bool lanes) {
  std::string at = std::to_string(number), mode = lanes ? "" : " {mode = vc}";
  std::string head = "kernel @k" + at +
                     "(%m: memref<16x32xf32>, %m0: memref<f32>, %m1: memref<?xf32>, %f: f32, %n: i32, %u: u64)" +
                     (lanes ? " subgroups(2) lanes(16)" : "") + " {\n";
  std::string map = lanes ? ", #sg_map<wi_layout = [1, 16], wi_data = [1, 1]>" : "";
  return head +
         "  %i = 3\n  %c = %i < 4\n  %slm = alloc_slm : memref<64xf32, slm>\n  %t = init_tile %m[0, 0] -> tile<8x16xf32>\n"
         "  %v = constant 1.0 : vector<8x16xf32>\n  %w = constant 1 : vector<8x16xindex>\n  %b = constant true : "
         "vector<8x16xi1>\n"
         "  %x4 = constant 1.0 : vector<2x4x8xf16>\n  %line = constant 0 : vector<16xindex>\n  %p:2 = @two()\n"
         "  %s = init_tile %m1, %line : memref<?xf32>, vector<16xindex> -> tile<16xf32, #scatter>\n"
         "  %d = create_nd_tdesc %m[0, 0]" +
         mode + " : memref<16x32xf32> -> tensor_desc<8x16xf32" + map + ">\n" +
         (lanes ? "  %g = create_tdesc %m1, %i : memref<?xf32>, index -> tensor_desc<16xf32, #scatter, #sg_map<wi_layout = "
                  "[16], wi_data = [1]>>\n"
                : "  %g = create_tdesc %m1, %line {mode = vc} : memref<?xf32>, vector<16xindex> -> tensor_desc<16xf32, "
                  "#scatter>\n") +
         "  %nb = create_nbarrier 0, 0 {num_producers = 1, num_consumers = 1} : nbarrier\n" + statement + "}\n";
}

struct Outcome {
  bool lowered;
  size_t errors;
  std::string text;
};

Outcome lowerText(const std::string &text) {
  SourceManager sources;
  uint32_t index = sources.add("test.xt", text);
  Diagnostics diagnostics;
  Context context;
  auto module = lowerFile(sources, index, context, {.tryFixes = false}, diagnostics);
  EXPECT_TRUE(!module || verify(**module, diagnostics).ok()) << renderText(diagnostics, sources, false) << text;
  for (const Diagnostic &diagnostic : diagnostics.all())
    EXPECT_TRUE(diagnostic.range.file == index && diagnostic.range.end <= text.size()) << diagnostic.message << '\n' << text;
  return {module.ok(), diagnostics.errorCount(), renderText(diagnostics, sources, false)};
}

constexpr const char *kTwo = "func @two() -> (index, index) {\n  return 1, 2\n}\n";

TEST(BrokenOps, TheValuesAroundThemAreRight) {
  for (bool lanes : {false, true}) {
    Outcome outcome = lowerText(kTwo + kernelOf("  %r = %i + 1\n", 0, lanes));
    EXPECT_TRUE(outcome.lowered) << outcome.text;
  }
  Outcome outcome = lowerText(kTwo + functionOf("  %r = %i + 1\n"));
  EXPECT_TRUE(outcome.lowered) << outcome.text;
}

// The sg_map of a tensor_desc parameter comes from the caller, so rules that depend on it cannot be checked in a function.
TEST(BrokenOps, VnniBlocksOfAFunctionHaveNoMap) {
  for (const char *statement : {"  %r = load_nd %d {vnni_axis = 0}\n", "  %r = load_nd %d {vnni_axis = 1}\n",
                                "  %r = load_nd %d {vnni_axis = 1, transpose = [1, 0]}\n"}) {
    Outcome outcome = lowerText(kTwo + functionOf(statement));
    EXPECT_TRUE(outcome.lowered) << outcome.text;
  }
}

TEST(BrokenOps, EachGivesAKernelOrMessages) {
  const char *given = std::getenv("XT_BROKEN_OPS_ROUNDS");
  const size_t rounds = given ? std::strtoull(given, nullptr, 10) : XT_FUZZ_ROUNDS / 50;
  size_t refused = 0, good = 0;
  for (const OpInfo &op : allOps()) {
    if (op.clause == Clause::Structure) continue;
    Generator generator(static_cast<uint32_t>(op.kind) + 1);
    for (size_t i = 0; i < rounds && !testing::Test::HasFailure(); ++i) {
      std::string statement = generator.statement(op);
      std::string text = kTwo + (i % 4 == 1 ? functionOf(statement) : kernelOf(statement, i, i % 4 == 0));
      if (std::getenv("XT_BROKEN_OPS_SHOW")) std::fputs((text + "----\n").c_str(), stderr);
      Outcome outcome = lowerText(text);
      EXPECT_TRUE(outcome.lowered || outcome.errors > 0) << "refused without a word\n" << text;
      (outcome.lowered ? good : refused) += 1;
    }
  }
  EXPECT_GT(refused, good);
  EXPECT_GT(good, 0u);
}

// Texts that once caused an out-of-bounds read of the signature's list of types, and related texts.
TEST(BrokenOps, IndicesOfAnOperandThatIsNoMemory) {
  for (const char *statement : {"  %r = arith.select %m[0, 0] : memref<16x32xf32> -> tile<9x24xf32>\n",
                                "  %r = addf %m[0, 1, 2] : f32 -> f32\n", "  store_tile %v[1, 2], %t[0] : f32, f32 -> f32\n"}) {
    Outcome outcome = lowerText(kTwo + kernelOf(statement, 0, false));
    EXPECT_FALSE(outcome.lowered) << statement;
    EXPECT_GT(outcome.errors, 0u) << statement;
  }
}

} // namespace
} // namespace xt
