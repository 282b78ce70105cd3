// Checks the grammar against its page and the op table, and checks that SLL prediction suffices for it.
#include "tests/golden.h"

#include "ir/op_info.h"
#include "lang/parse/grammar_check.h"

#include <set>
#include <sstream>

namespace xt {
namespace {

std::string grammarFile(const char *name) { return test::readText(std::filesystem::path(XT_SOURCE_DIR) / "grammar" / name); }

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

// Returns the names in `# name` at the end of labelled alternatives.
std::set<std::string> labels() {
  std::set<std::string> out;
  for (const std::string &line : linesOf(grammarFile("XtParser.g4")))
    if (size_t at = line.rfind(" # "); at != std::string::npos && line.find("//") == std::string::npos)
      out.insert(line.substr(at + 3));
  return out;
}

TEST(Grammar, SllIsEnough) {
  for (const char *folder : {"lang/parse/samples", "lang/parse/mistakes"})
    for (const auto &path : test::filesIn(folder, ".xt")) {
      std::string text = test::readText(path);
      if (findInvalidUtf8(text)) continue;
      SourceManager sources;
      uint32_t index = sources.add("t.xt", text);
      EXPECT_EQ(findPredictionConflicts(sources, index), std::vector<std::string>{}) << path.filename();
    }
}

// Returns the rows of the page's tables: | `op` | `rule` | … |
std::vector<std::pair<std::string, std::string>> pageRows() {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const std::string &line : linesOf(grammarFile("README.md"))) {
    if (!line.starts_with("| `")) continue;
    size_t op = line.find("` | `");
    size_t rule = op == std::string::npos ? op : line.find("` |", op + 5);
    if (rule == std::string::npos) continue;
    rows.emplace_back(line.substr(3, op - 3), line.substr(op + 5, rule - op - 5));
  }
  return rows;
}

std::string_view ruleOf(Clause clause) {
  switch (clause) {
  case Clause::Operands: return "operandsOp";
  case Clause::Base: return "baseOp";
  case Clause::Locality: return "localityOp";
  case Clause::Kind: return "kindOp";
  case Clause::Dims: return "dimsOp";
  case Clause::Literal: return "literalOp";
  case Clause::Text: return "textOp";
  case Clause::Bare: return "bareOp";
  case Clause::Dimension: return "dimensionOp";
  case Clause::Structure: return "";
  }
  return "";
}

TEST(Grammar, ThePageNamesRulesThatExist) {
  std::set<std::string> known = labels();
  auto rows = pageRows();
  EXPECT_GE(rows.size(), 30u);
  for (const auto &[op, rule] : rows) EXPECT_TRUE(known.count(rule)) << op << ": " << rule;
}

TEST(Grammar, ThePageAgreesWithTheOpTable) {
  size_t compared = 0;
  for (const auto &[spelled, rule] : pageRows())
    if (const OpInfo *op = findOp(spelled); op && op->clause != Clause::Structure) {
      EXPECT_EQ(ruleOf(op->clause), rule) << spelled;
      ++compared;
    }
  EXPECT_GE(compared, 20u);
}

// Every production of the RFCs' syntax tables is on the page.
TEST(Grammar, ThePageHasEveryOpOfTheRfcs) {
  std::set<std::string> named;
  for (const auto &[op, rule] : pageRows()) named.insert(op);
  for (const char *op : {"xetile.init_tile",     "xetile.load_tile",     "xetile.store_tile",     "xetile.update_tile_offset",
                         "xetile.prefetch_tile", "xetile.tile_mma",      "xetile.atomic_rmw",     "xetile.transpose",
                         "xetile.reduction",     "xetile.broadcast",     "xetile.convert_layout", "xetile.load_gather",
                         "xetile.store_scatter", "xegpu.create_tdesc",   "xegpu.load_gather",     "xegpu.store_scatter",
                         "xegpu.update_offset",  "xegpu.prefetch",       "xegpu.atomic_rmw",      "xegpu.create_nd_tdesc",
                         "xegpu.load_nd",        "xegpu.dpas",           "xegpu.store_nd",        "xegpu.update_nd_offset",
                         "xegpu.prefetch_nd",    "xegpu.alloc_nbarrier", "xegpu.create_nbarrier", "xegpu.nbarrier_arrive",
                         "xegpu.nbarrier_wait",  "xegpu.mfence",         "xegpu.compile_hint"})
    EXPECT_TRUE(named.count(op)) << op;
}

TEST(Grammar, EveryClauseOfTheOpTableHasARule) {
  std::set<std::string> known = labels();
  for (const OpInfo &op : allOps())
    if (op.clause != Clause::Structure) {
      EXPECT_TRUE(known.count(std::string(ruleOf(op.clause)))) << op.name;
    }
}

} // namespace
} // namespace xt
