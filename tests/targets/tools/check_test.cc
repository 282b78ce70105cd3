// Tests xtc --check: messages of many files as JSON and as SARIF, and repeated checks when a file changes.
#include "tests/golden.h"
#include "tests/targets/tools/run_tool.h"
#include "tests/temporary_folder.h"

#include <nlohmann/json.hpp>

namespace xt {
namespace {

using Json = nlohmann::json;

// Returns a list of some files of each kind of error (syntax, names, types and layouts), with labels, notes and fixes.
std::string brokenFiles(std::vector<std::filesystem::path> *paths = nullptr) {
  std::string list;
  size_t number = 0;
  for (const char *folder : {"lang/parse/mistakes", "lang/diagnostics"})
    for (const auto &path : test::filesIn(folder, ".xt")) {
      if (number++ % 9 != 0) continue;
      list += " " + path.string();
      if (paths) paths->push_back(path);
    }
  return list;
}

Json jsonOf(const std::string &command, int status) {
  test::ToolRun run = test::runTool(command);
  EXPECT_EQ(run.status, status) << run.output.substr(0, 2000);
  Json json = Json::parse(run.output, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << run.output.substr(0, 2000);
  return json;
}

void expectRegion(const Json &region) {
  EXPECT_GE(region.at("startLine").get<int>(), 1);
  EXPECT_GE(region.at("startColumn").get<int>(), 1);
  EXPECT_GE(region.at("endLine").get<int>(), region.at("startLine").get<int>());
  EXPECT_GE(region.at("byteLength").get<int>(), 0);
}

void expectPlace(const Json &location) {
  const Json &place = location.at("physicalLocation");
  std::string uri = place.at("artifactLocation").at("uri");
  EXPECT_TRUE(uri.starts_with("file:///")) << uri;
  EXPECT_EQ(uri.find(' '), std::string::npos) << uri;
  expectRegion(place.at("region"));
}

// Tests the properties that SARIF 2.1.0 requires of the parts that xtc writes (sections 3.13, 3.14, 3.19, 3.27, 3.30, 3.49,
// 3.55 to 3.57).
TEST(Check, SarifHasWhatItsSchemaRequires) {
  std::vector<std::filesystem::path> paths;
  std::string files = brokenFiles(&paths);
  Json log = jsonOf("%bin/xtc --check --format=sarif" + files, 2);
  EXPECT_EQ(log.at("version"), "2.1.0");
  ASSERT_EQ(log.at("runs").size(), 1u);
  const Json &run = log["runs"][0];
  const Json &driver = run.at("tool").at("driver");
  EXPECT_EQ(driver.at("name"), "xtc");
  EXPECT_EQ(run.at("columnKind"), "unicodeCodePoints");
  size_t fixes = 0, related = 0;
  for (const Json &result : run.at("results")) {
    EXPECT_FALSE(result.at("message").at("text").get<std::string>().empty());
    EXPECT_EQ(driver.at("rules").at(result.at("ruleIndex").get<size_t>()).at("id"), result.at("ruleId"));
    std::string level = result.at("level");
    EXPECT_TRUE(level == "error" || level == "warning" || level == "note") << level;
    ASSERT_EQ(result.at("locations").size(), 1u);
    expectPlace(result["locations"][0]);
    for (const Json &place : result.value("relatedLocations", Json::array())) {
      expectPlace(place);
      EXPECT_TRUE(place.at("message").at("text").is_string());
      ++related;
    }
    for (const Json &fix : result.value("fixes", Json::array())) {
      EXPECT_FALSE(fix.at("description").at("text").get<std::string>().empty());
      ASSERT_GE(fix.at("artifactChanges").size(), 1u);
      for (const Json &change : fix["artifactChanges"]) {
        EXPECT_TRUE(change.at("artifactLocation").at("uri").is_string());
        ASSERT_GE(change.at("replacements").size(), 1u);
        for (const Json &replacement : change["replacements"]) {
          expectRegion(replacement.at("deletedRegion"));
          EXPECT_TRUE(replacement.at("insertedContent").at("text").is_string());
        }
      }
      ++fixes;
    }
  }
  EXPECT_GE(run["results"].size(), paths.size());
  EXPECT_GE(fixes, 5u);
  EXPECT_GE(related, 5u);
  // The messages must be the same as in JSON, in the same order.
  Json list = jsonOf("%bin/xtc --check --format=json" + files, 2);
  ASSERT_EQ(list.size(), run["results"].size());
  for (size_t i = 0; i < list.size(); ++i) {
    const Json &region = run["results"][i]["locations"][0]["physicalLocation"]["region"];
    EXPECT_EQ(list[i].at("code"), run["results"][i]["ruleId"]);
    EXPECT_EQ(list[i].at("range").at("line"), region["startLine"]);
    EXPECT_EQ(list[i].at("range").at("column"), region["startColumn"]);
    EXPECT_EQ(list[i].at("range").at("endColumn"), region["endColumn"]);
  }
}

// SARIF's columns count code points, and its URIs are escaped.
TEST(Check, SarifCountsCodePoints) {
  test::TemporaryFolder folder;
  Json log = jsonOf("cd " + folder.string() +
                        " && printf 'kernel @k() {\\n  print \"\\303\\251\\360\\235\\225\\217\", %%nothing\\n}\\n' "
                        "> 'a b%c.xt' && "
                        "%bin/xtc --check --format=sarif 'a b%c.xt'",
                    2);
  const Json &place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "a%20b%25c.xt");
  EXPECT_EQ(place["region"]["startColumn"], 15);
  EXPECT_EQ(place["region"]["byteOffset"], 32);
  EXPECT_EQ(place["region"]["byteLength"], 8);
}

TEST(Check, NothingWrongIsAnEmptyList) {
  EXPECT_EQ(jsonOf("%bin/xtc --check --format=json %src/examples/01_gemm.xt %src/examples/09_softmax.xt", 0), Json::array());
  EXPECT_EQ(jsonOf("%bin/xtc --check --format=sarif %src/examples/01_gemm.xt", 0)["runs"][0]["results"], Json::array());
}

// An import is first missing, then present, then broken. Ctrl-C ends the tool with the status of the last check.
TEST(Check, WatchLooksAtImportsToo) {
  test::TemporaryFolder folder;
  test::ToolRun run = test::runTool("set -e\ncd " + folder.string() + R"sh(
printf 'import "other.xt"\nkernel @k(%%A: memref<8xf32>) {\n  %%x = @twice(1.0)\n}\n' > main.xt
%bin/xtc --check --watch --color=never main.xt > out 2>&1 &
watcher=$!
checks() {
  tries=0
  until [ "$(grep -c 'waiting for changes' out 2>/dev/null)" = "$1" ]; do
    tries=$((tries + 1))
    if [ $tries -gt 2400 ] || ! kill -0 $watcher; then echo "no check number $1"; cat out; kill $watcher; exit 9; fi
    sleep 0.05
  done
}
checks 1
printf 'func @twice(%%x: f32) -> f32 {\n  return %%x * 2.0\n}\n' > other.xt
checks 2
printf 'func @twice(%%x: f32) -> f32 {\n  return %%y * 2.0\n}\n' > new.xt
mv new.xt other.xt
checks 3
kill -INT $watcher
wait $watcher || echo "status $?"
grep '^error\|-->\|^xtc' out)sh");
  EXPECT_EQ(run.status, 0) << run.output;
  size_t missing = run.output.find("error[XT0219]"), good = run.output.find("xtc: no errors"),
         wrong = run.output.find("error[XT0202]");
  EXPECT_NE(run.output.find("status 2"), std::string::npos) << run.output;
  ASSERT_NE(good, std::string::npos) << run.output;
  EXPECT_LT(missing, good) << run.output;
  EXPECT_LT(good, wrong) << run.output;
  EXPECT_NE(wrong, std::string::npos) << run.output;
}

} // namespace
} // namespace xt
