// Counts all messages about a damaged file, for syntax, names, types and layouts together. There are few, and the rest of the
// file is still checked.
#include "tests/lang/parse/damage.h"

#include "lang/lower/lower.h"

#include <map>

namespace xt {
namespace {

using test::Damage;

// The text of a separate kernel with an error, which is appended to each text.
const std::string kOther = "\nkernel @another_kernel() {\n  print \"x\", %nothing_of_this_name\n}\n";

struct Told {
  size_t messages = 0; // number of messages about the damage
  std::string text;    // texts of all messages
  bool other = false;  // whether the other kernel's error was reported
};

Told check(const std::string &text) {
  SourceManager sources;
  uint32_t index = sources.add("t.xt", text + kOther);
  Diagnostics diagnostics;
  Context context;
  LowerOptions options;
  options.imports = {[](const std::string &name) -> Result<std::string> {
                       return std::filesystem::exists(name) ? Result<std::string>(test::readText(name)) : noSuchFile();
                     },
                     XT_SOURCE_DIR "/stdlib"};
  Result<std::unique_ptr<Module>> module = lowerFile(sources, index, context, options, diagnostics);
  EXPECT_FALSE(module.ok());
  Told told;
  if (std::getenv("XT_DAMAGE_SHOW")) told.text = renderText(diagnostics, sources, false);
  for (const Diagnostic &d : diagnostics.all()) {
    bool other = d.message.find("nothing_of_this_name") != std::string::npos;
    told.other |= other;
    told.messages += !other && d.severity == Severity::Error;
  }
  return told;
}

void expectFewMessages(Damage kind, double two, size_t most, double others) {
  std::map<size_t, size_t> messages;
  size_t damages = 0, wrong = 0, othersTold = 0, few = 0, stride = test::damageStride(131), first = 0;
  for (const auto &path : test::textsToDamage()) {
    std::string text = test::readText(path);
    for (const test::Damaged &damaged : test::damages(text, kind, stride, first++)) {
      Told told = check(damaged.text);
      if (const char *show = std::getenv("XT_DAMAGE_SHOW"); show && told.messages >= std::strtoul(show, nullptr, 10))
        std::printf("== %s at byte %u, %s\n%s", path.filename().c_str(), damaged.at,
                    test::kDamageNames[static_cast<size_t>(kind)], told.text.c_str());
      ++damages;
      othersTold += told.other;
      if (told.messages == 0) continue;
      ++wrong;
      ++messages[told.messages];
      few += told.messages <= 2;
    }
  }
  std::printf("%s: %zu damages;", test::kDamageNames[static_cast<size_t>(kind)], damages);
  for (auto [n, times] : messages)
    std::printf(" %zu message%s: %zu (%.2f%%)", n, n == 1 ? "" : "s", times,
                100.0 * static_cast<double>(times) / static_cast<double>(wrong));
  std::printf("; the other kernel's mistake is told: %zu\n", othersTold);
  ASSERT_GT(wrong, 30u);
  EXPECT_GE(static_cast<double>(few) / static_cast<double>(wrong), two);
  EXPECT_LE(messages.rbegin()->first, most);
  EXPECT_GE(static_cast<double>(othersTold) / static_cast<double>(damages), others);
}

// A text has many messages if the damage removes the name of an alias or parameter, because each use of it is reported.
TEST(Damage, EachTokenDeleted) { expectFewMessages(Damage::Deleted, 0.97, 8, 0.99); }
TEST(Damage, EachTokenDoubled) { expectFewMessages(Damage::Doubled, 0.98, 5, 0.99); }
TEST(Damage, EachTokenSwapped) { expectFewMessages(Damage::Swapped, 0.96, 12, 0.99); }
TEST(Damage, EachBracketDropped) { expectFewMessages(Damage::BracketDropped, 0.98, 5, 0.99); }

} // namespace
} // namespace xt
