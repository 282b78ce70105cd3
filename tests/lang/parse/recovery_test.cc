// Tests that an error gives one message, and that the rest of the tree stays usable. This is measured on systematic damage to
// the examples and the standard library.
#include "tests/lang/parse/damage.h"

#include "lang/parse/parse.h"
#include "tests/effort.h"

#include <map>

namespace xt {
namespace {

using test::Damage;

size_t parsedStatements(const ast::Block &block) {
  size_t n = 0;
  for (const ast::Stmt &s : block.stmts) {
    n += s.kind != ast::Stmt::Kind::Error;
    if (s.body) n += parsedStatements(*s.body);
    if (s.orElse) n += parsedStatements(*s.orElse);
  }
  return n;
}

struct Tree {
  size_t messages = 0;
  std::vector<std::pair<std::string, size_t>> items; // name of each item, and the number of its statements that were parsed
  std::vector<SourceRange> ranges;
  std::string text; // texts of all messages
};

Tree read(const std::string &text) {
  SourceManager sources;
  uint32_t index = sources.add("t.xt", text);
  Diagnostics diagnostics;
  ast::File file = parse(sources, index, diagnostics);
  Tree tree;
  tree.messages = diagnostics.errorCount();
  if (std::getenv("XT_DAMAGE_SHOW")) tree.text = renderText(diagnostics, sources, false);
  auto item = [&](std::string name, SourceRange range, size_t statements) {
    tree.items.emplace_back(std::move(name), statements);
    tree.ranges.push_back(range);
  };
  for (const auto &a : file.attrAliases) item("#" + a.name.text, a.range, 0);
  for (const auto &a : file.typeAliases) item("!" + a.name.text, a.range, 0);
  for (const auto &p : file.params) item("$" + p.name.text, p.range, 0);
  for (const auto &k : file.kernels) item("@" + k.name.text, k.range, parsedStatements(k.body));
  for (const auto &t : file.tests) item("test " + t.name, t.range, parsedStatements(t.body));
  return tree;
}

struct Measured {
  size_t damages = 0, harmless = 0;   // harmless: the text is still valid
  std::map<size_t, size_t> messages;  // number of damages by their number of messages
  size_t othersLost = 0;              // damages that affected another item
  size_t statements = 0, kept = 0;    // sums over all items and damages
};

// Returns the number of undamaged items that are missing or have another number of statements.
size_t spoiltOthers(const Tree &whole, const Tree &broken, uint32_t at, Measured &sum) {
  size_t spoilt = 0;
  for (size_t i = 0; i < whole.items.size(); ++i) {
    auto same = std::find_if(broken.items.begin(), broken.items.end(),
                             [&](const auto &item) { return item.first == whole.items[i].first; });
    size_t statements = whole.items[i].second + 1;
    sum.statements += statements;
    sum.kept += same == broken.items.end() ? 0 : std::min(statements, same->second + 1);
    bool own = at >= whole.ranges[i].begin && at <= whole.ranges[i].end;
    // An item that touches the damage counts as damaged, because the damage may be a sigil or a word at its border.
    if (!own && std::find(broken.items.begin(), broken.items.end(), whole.items[i]) == broken.items.end()) ++spoilt;
  }
  return spoilt;
}

Measured measure(Damage kind) {
  Measured sum;
  size_t stride = test::damageStride(test::kSanitized ? 149 : 37), first = 0; // sanitizers take six times as long
  const char *show = std::getenv("XT_DAMAGE_SHOW"); // print texts with at least this many messages
  for (const auto &path : test::textsToDamage()) {
    std::string text = test::readText(path);
    Tree whole = read(text);
    EXPECT_EQ(whole.messages, 0u) << path;
    for (const test::Damaged &damaged : test::damages(text, kind, stride, first++)) {
      Tree broken = read(damaged.text);
      ++sum.damages;
      if (broken.messages == 0) {
        ++sum.harmless;
        continue;
      }
      ++sum.messages[broken.messages];
      size_t spoilt = spoiltOthers(whole, broken, damaged.at, sum);
      sum.othersLost += spoilt != 0;
      if (show && (broken.messages >= std::strtoul(show, nullptr, 10) || (spoilt && *show == '0')))
        std::printf("== %s, %s at byte %u, spoils %zu\n%s", path.filename().c_str(),
                    test::kDamageNames[static_cast<size_t>(kind)], damaged.at, spoilt, broken.text.c_str());
    }
  }
  return sum;
}

double share(size_t part, size_t whole) { return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0; }

struct Bounds {
  double one, two;          // least shares of damages with exactly one message and with at most two
  size_t most;              // maximum number of messages of any damage
  double othersLost, kept;  // greatest share of damages that affect another item; least share of statements kept
};

void expectRecovery(Damage kind, const Bounds &bounds) {
  Measured m = measure(kind);
  size_t wrong = m.damages - m.harmless;
  std::printf("%s: %zu damages, %zu still of the language;", test::kDamageNames[static_cast<size_t>(kind)], m.damages,
              m.harmless);
  for (auto [messages, times] : m.messages)
    std::printf(" %zu message%s: %zu (%.2f%%)", messages, messages == 1 ? "" : "s", times, 100 * share(times, wrong));
  std::printf("; another item spoilt: %zu (%.2f%%); statements kept: %.3f%%\n", m.othersLost, 100 * share(m.othersLost, wrong),
              100 * share(m.kept, m.statements));
  ASSERT_GT(wrong, 100u);
  EXPECT_GE(share(m.messages[1], wrong), bounds.one);
  EXPECT_GE(share(m.messages[1] + m.messages[2], wrong), bounds.two);
  EXPECT_LE(m.messages.rbegin()->first, bounds.most);
  EXPECT_LE(share(m.othersLost, wrong), bounds.othersLost);
  EXPECT_GE(share(m.kept, m.statements), bounds.kept);
}

TEST(Recovery, EachTokenDeleted) { expectRecovery(Damage::Deleted, {0.99, 0.995, 3, 0.005, 0.97}); }
TEST(Recovery, EachTokenDoubled) { expectRecovery(Damage::Doubled, {0.99, 0.995, 3, 0.005, 0.97}); }
TEST(Recovery, EachTokenSwapped) { expectRecovery(Damage::Swapped, {0.93, 0.99, 4, 0.01, 0.97}); }
TEST(Recovery, EachBracketDropped) { expectRecovery(Damage::BracketDropped, {0.99, 0.99, 4, 0.005, 0.97}); }

} // namespace
} // namespace xt
