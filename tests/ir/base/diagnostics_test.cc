#include "ir/base/diagnostics.h"
#include "ir/base/reports.h"

#include <gtest/gtest.h>

#include <set>

namespace xt {
namespace {

class DiagnosticsTest : public testing::Test {
protected:
  uint32_t add(std::string text) { return file = sources.add("softmax.xt", std::move(text)); }
  // Returns the range of the occurrence number `n`, counted from 0, of `what` in the file that was added last.
  SourceRange range(std::string_view what, int n = 0) {
    size_t at = sources.file(file).text().find(what);
    while (n-- > 0) at = sources.file(file).text().find(what, at + 1);
    return {file, static_cast<uint32_t>(at), static_cast<uint32_t>(at + what.size())};
  }
  std::string render() { return renderText(diagnostics, sources, false); }

  SourceManager sources;
  Diagnostics diagnostics;
  uint32_t file = 0;
};

TEST_F(DiagnosticsTest, TheTableIsSortedAndReadsBack) {
  std::set<unsigned> numbers;
  unsigned last = 0;
  for (const DiagInfo &info : allDiagnostics()) {
    auto number = static_cast<unsigned>(info.code);
    EXPECT_GT(number, last);
    last = number;
    numbers.insert(number);
    EXPECT_EQ(findDiag(codeText(info.code)), &info);
    EXPECT_EQ(&diagInfo(info.code), &info);
    EXPECT_FALSE(info.title.empty());
    EXPECT_FALSE(info.explanation.empty());
    // What a device remarks does not follow from a line of a program.
    bool hasExample = info.explanation.find("\n    ") != std::string_view::npos;
    EXPECT_TRUE(hasExample || info.code == DiagCode::DeviceRemark) << codeText(info.code);
  }
  EXPECT_EQ(numbers.size(), allDiagnostics().size());
  EXPECT_EQ(codeText(DiagCode::UnknownOp), "XT0201");
  EXPECT_EQ(findDiag("201"), findDiag("XT0201"));
  EXPECT_EQ(findDiag("XT9999"), nullptr);
  EXPECT_EQ(findDiag("XT02x1"), nullptr);
  EXPECT_EQ(findDiag(""), nullptr);
}

TEST_F(DiagnosticsTest, CountsErrorsAndSortsStably) {
  uint32_t a = add("aaaa"), b = add("bbbb");
  diagnostics.report(DiagCode::UnknownOp, {b, 0, 1}, "third");
  diagnostics.report(DiagCode::UnknownOp, {a, 3, 4}, "second");
  diagnostics.report(DiagCode::UnknownOp, {b, 0, 2}, "fourth");
  diagnostics.report(DiagCode::SyntaxError, {a, 1, 2}, "first");
  EXPECT_EQ(diagnostics.errorCount(), 4u);
  EXPECT_TRUE(diagnostics.hasErrors());
  std::vector<std::string> order;
  for (const Diagnostic *d : diagnostics.sorted()) order.push_back(d->message);
  EXPECT_EQ(order, (std::vector<std::string>{"first", "second", "third", "fourth"}));
  diagnostics.clear();
  EXPECT_FALSE(diagnostics.hasErrors());
  EXPECT_TRUE(diagnostics.all().empty());
}

TEST_F(DiagnosticsTest, TextOfTheArchitecturePage) {
  add(std::string(23, '\n') + "%acc = tile_mma %a, %b {#c}\n" + std::string(6, '\n') + "%s = %acc + %bias\n");
  diagnostics.report(DiagCode::UnknownOp, range("%acc", 1), "operands of `addf` have different distributions")
      .withLabel("vector<64x128xf32>, sg_layout = [4, 2], sg_data = [16, 64]")
      .at(range("tile_mma %a, %b {#c}"), "this distribution comes from here (declared)")
      .at(range("%bias"), "vector<64x128xf32>, inferred from `broadcast` at 29:13")
      .note("the rule")
      .withPicture("who owns what (one cell = 8x64, the number is the subgroup)\n    %acc: 0 1      %bias: 0 0\n"
                   "          0 1             1 1\n")
      .fix("convert `%bias` (32 KiB through shared local memory, 1 barrier)", range("%bias"),
           "%b1 = convert_layout %bias {#c}");
  EXPECT_EQ(render(), R"(error[XT0201]: operands of `addf` have different distributions
  --> softmax.xt:31:6
24 | %acc = tile_mma %a, %b {#c}
   |        -------------------- this distribution comes from here (declared)
31 | %s = %acc + %bias
   |      ^^^^   ----- vector<64x128xf32>, inferred from `broadcast` at 29:13
   |      vector<64x128xf32>, sg_layout = [4, 2], sg_data = [16, 64]
  = note: the rule
  who owns what (one cell = 8x64, the number is the subgroup)
      %acc: 0 1      %bias: 0 0
            0 1             1 1
  help: convert `%bias` (32 KiB through shared local memory, 1 barrier): `%b1 = convert_layout %bias {#c}`
)");
}

TEST_F(DiagnosticsTest, SeveralLabelsOnALineLeadDown) {
  add("%r = %a + %b * %c\n");
  diagnostics.report(DiagCode::UnknownOp, range("%b"), "message")
      .withLabel("b")
      .at(range("%a"), "a")
      .at(range("%c"), "c")
      .at(range("%r"), "");
  EXPECT_EQ(render(), R"(error[XT0201]: message
  --> softmax.xt:1:11
1 | %r = %a + %b * %c
  | --   --   ^^   -- c
  |      |    b
  |      a
)");
}

TEST_F(DiagnosticsTest, APrimaryInsideASecondaryStaysVisible) {
  add("%r = foo %a\n");
  diagnostics.report(DiagCode::UnknownOp, range("foo"), "message").withLabel("here").at(range("%r = foo %a"), "in this");
  EXPECT_EQ(render(), R"(error[XT0201]: message
  --> softmax.xt:1:6
1 | %r = foo %a
  | -----^^^---
  | |    here
  | in this
)");
}

TEST_F(DiagnosticsTest, AMultiLineRangeIsUnderlinedToItsFirstLinesEnd) {
  add("for %i = 0 to 4 {\r\n  %x = foo\r\n}\n");
  diagnostics.report(DiagCode::UnknownOp, range("for %i = 0 to 4 {\r\n  %x = foo\r\n}"), "message").withLabel("loop");
  EXPECT_EQ(render(), R"(error[XT0201]: message
  --> softmax.xt:1:1
1 | for %i = 0 to 4 {
  | ^^^^^^^^^^^^^^^^^ loop
)");
}

TEST_F(DiagnosticsTest, TabsAndWideCharactersKeepTheCaretsAligned) {
  add("\t%a\t= foo %b // \xC3\xA9\n\"\xE6\xBC\xA2\xE5\xAD\x97\" foo\ne\xCC\x81 foo\n\xFF\x1B foo\n");
  for (int i = 0; i < 4; ++i) diagnostics.report(DiagCode::UnknownOp, range("foo", i), "m");
  EXPECT_EQ(render(), "error[XT0201]: m\n  --> softmax.xt:1:7\n"
                      "1 |     %a  = foo %b // \xC3\xA9\n  |           ^^^\n"
                      "\nerror[XT0201]: m\n  --> softmax.xt:2:6\n"
                      "2 | \"\xE6\xBC\xA2\xE5\xAD\x97\" foo\n  |        ^^^\n"
                      "\nerror[XT0201]: m\n  --> softmax.xt:3:4\n"
                      "3 | e\xCC\x81 foo\n  |   ^^^\n"
                      "\nerror[XT0201]: m\n  --> softmax.xt:4:4\n"
                      "4 | \xEF\xBF\xBD\xEF\xBF\xBD foo\n  |    ^^^\n");
}

TEST_F(DiagnosticsTest, EmptyRangesAndTheEndOfTheFileGetOneCaret) {
  add("abc\n  de");
  diagnostics.report(DiagCode::SyntaxError, {file, 1, 1}, "inside");
  diagnostics.report(DiagCode::SyntaxError, {file, 3, 3}, "at the break");
  diagnostics.report(DiagCode::SyntaxError, {file, 8, 8}, "at the end").withLabel("expected `}`");
  EXPECT_EQ(render(), R"(error[XT0100]: inside
  --> softmax.xt:1:2
1 | abc
  |  ^

error[XT0100]: at the break
  --> softmax.xt:1:4
1 | abc
  |    ^

error[XT0100]: at the end
  --> softmax.xt:2:5
2 |   de
  |     ^ expected `}`
)");
}

TEST_F(DiagnosticsTest, NoExcerptPastTheEndOrForBuiltIns) {
  add("abc\n");
  diagnostics.report(DiagCode::SyntaxError, {file, 90, 99}, "past the end");
  diagnostics.report(DiagCode::SyntaxError, {0, 0, 0}, "built-in").withLabel("what is wrong").at({0, 3, 4}, "another");
  diagnostics.report(DiagCode::SyntaxError, {77, 0, 1}, "no such file");
  EXPECT_EQ(render(), R"(error[XT0100]: built-in
  = note: what is wrong
  = note: another

error[XT0100]: past the end
  --> softmax.xt:2:1

error[XT0100]: no such file
)");
}

TEST_F(DiagnosticsTest, LabelsInOtherFilesHaveTheirOwnHead) {
  uint32_t other = sources.add("lib.xt", "\n\n\n\n\n\n\n\n\nfunc @f()\n");
  add("%x = @f(1)\n");
  diagnostics.report(DiagCode::UnknownOp, range("@f(1)"), "too many arguments").at({other, 14, 16}, "declared here");
  EXPECT_EQ(render(), R"(error[XT0201]: too many arguments
  --> softmax.xt:1:6
 1 | %x = @f(1)
   |      ^^^^^
  ::: lib.xt:10:6
10 | func @f()
   |      -- declared here
)");
}

TEST_F(DiagnosticsTest, HelpShowsTheReplacementOnce) {
  add("load_tyle\n");
  Diagnostic &d = diagnostics.report(DiagCode::UnknownOp, range("load_tyle"), "unknown op `load_tyle`");
  d.fix("insert `,`", {file, 0, 0}, ",").fix("remove it", range("load_tyle"), "");
  d.fixits.push_back({"write both", {{{file, 0, 0}, "%a = 1\n%b = 2"}}});
  d.note("two\nlines");
  EXPECT_EQ(render(), R"(error[XT0201]: unknown op `load_tyle`
  --> softmax.xt:1:1
1 | load_tyle
  | ^^^^^^^^^
  = note: two
          lines
  help: insert `,`
  help: remove it
  help: write both
      %a = 1
      %b = 2
)");
}

TEST_F(DiagnosticsTest, ColourIsTheSameTextWithEscapes) {
  add("%r = %a + %b\n");
  diagnostics.report(DiagCode::UnknownOp, range("%a"), "message").withLabel("x").at(range("%b"), "y").note("n");
  std::string colour = renderText(diagnostics, sources, true), plain;
  for (size_t i = 0; i < colour.size(); ++i) {
    if (colour[i] == '\x1b')
      i = colour.find('m', i);
    else
      plain += colour[i];
  }
  EXPECT_NE(colour, plain);
  EXPECT_EQ(plain, render());
}

// The messages about 20 000 closing braces must not become megabytes of text (an earlier version printed 600 MB).
TEST_F(DiagnosticsTest, ManyMessagesOnALongLineAreCapped) {
  constexpr uint32_t kMany = 20000;
  uint32_t a = add(std::string(kMany, '}'));
  for (uint32_t i = 0; i < kMany; ++i) diagnostics.report(DiagCode::ExtraClose, {a, i, i + 1}, "unmatched `}`");
  diagnostics.report(DiagCode::ParamNotListed, {a, 0, 1}, "a warning behind all errors");
  diagnostics.report(DiagCode::PassRemark, {a, kMany, kMany}, "a remark behind all errors");
  std::string text = render();
  EXPECT_LT(text.size(), 200000u);
  EXPECT_NE(text.find("a warning behind all errors"), std::string::npos);
  EXPECT_NE(text.find("a remark behind all errors"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\nthere are 19900 more errors, which are not shown\n")) << text.substr(text.size() - 200);
  std::string json = renderJson(diagnostics, sources);
  EXPECT_LT(json.size(), 2000000u);
  EXPECT_NE(json.find("there are 19000 more errors, which are not shown"), std::string::npos);
  const DiagnosedSources all[] = {{&diagnostics, &sources}};
  std::string sarif = renderSarif(all);
  EXPECT_LT(sarif.size(), 2000000u);
  EXPECT_NE(sarif.find("there are 19000 more errors, which are not shown"), std::string::npos);
}

TEST_F(DiagnosticsTest, FewMessagesAreAllShown) {
  uint32_t a = add("}}}");
  for (uint32_t i = 0; i < 3; ++i) diagnostics.report(DiagCode::ExtraClose, {a, i, i + 1}, "unmatched `}`");
  EXPECT_EQ(render().find("not shown"), std::string::npos);
  EXPECT_EQ(renderJson(diagnostics, sources).find("not shown"), std::string::npos);
}

TEST_F(DiagnosticsTest, ALongLineIsShownAroundEachPlace) {
  std::string line = std::string(5000, 'a') + "HERE" + std::string(5000, 'b') + "THERE" + std::string(5000, 'c');
  add("first\n" + line + "\nlast\n");
  diagnostics.report(DiagCode::SyntaxError, range("HERE"), "found it").at(range("THERE"), "the other");
  EXPECT_EQ(render(), "error[XT0100]: found it\n  --> softmax.xt:2:5001\n2 | …" + std::string(100, 'a') + "HERE" +
                          std::string(196, 'b') + "…\n  | " + std::string(101, ' ') + "^^^^\n2 | …" + std::string(100, 'b') +
                          "THERE" + std::string(195, 'c') + "…\n  | " + std::string(101, ' ') + "----- the other\n");
}

// Marks at both ends of a long line and in its middle are shown, and the line is cut between multi-byte characters.
TEST_F(DiagnosticsTest, ALongLineIsCutBetweenCharacters) {
  std::string line;
  for (int i = 0; i < 400; ++i) line += "é";
  uint32_t a = add(line);
  for (uint32_t at : {0u, 401u, 799u, 800u}) {
    Diagnostics one;
    one.report(DiagCode::SyntaxError, {a, at, at + 1}, "here");
    std::string text = renderText(one, sources, false);
    EXPECT_FALSE(findInvalidUtf8(text)) << text;
    EXPECT_EQ(text.find("\xEF\xBF\xBD"), std::string::npos) << text;
    EXPECT_NE(text.find('^'), std::string::npos);
  }
}

TEST_F(DiagnosticsTest, ALongNameInAMessageIsCut) {
  uint32_t a = add("x");
  std::string name(100000, 'n');
  diagnostics.report(DiagCode::UnknownValue, {a, 0, 1}, "unknown value `%" + name + "`")
      .withLabel(name)
      .note(name)
      .fix("write `" + name + "`", {a, 0, 1}, name);
  EXPECT_LT(render().size(), 12000u);
  EXPECT_NE(renderJson(diagnostics, sources).find("\"replacement\": \"" + name + "\""), std::string::npos); // edits are not cut
  EXPECT_EQ(cutText("aé", 2), "a…");
  EXPECT_EQ(cutText("aé", 3), "aé");
}

TEST_F(DiagnosticsTest, Json) {
  add("\xC3\xA9 foo\nbar\n");
  diagnostics.report(DiagCode::UnknownOp, {file, 3, 10}, "a \"quoted\" \xFF")
      .withLabel("l")
      .at({file, 7, 10}, "second")
      .note("n")
      .withPicture("p\n")
      .fix("t", {file, 3, 6}, "fool");
  EXPECT_EQ(renderJson(diagnostics, sources), R"([
  {
    "code": "XT0201",
    "severity": "error",
    "message": "a \"quoted\" )"
                                              "\xEF\xBF\xBD"
                                              R"(",
    "range": {
      "file": "softmax.xt",
      "line": 1,
      "column": 3,
      "endLine": 2,
      "endColumn": 4,
      "begin": 3,
      "end": 10
    },
    "label": "l",
    "labels": [
      {
        "range": {
          "file": "softmax.xt",
          "line": 2,
          "column": 1,
          "endLine": 2,
          "endColumn": 4,
          "begin": 7,
          "end": 10
        },
        "text": "second"
      }
    ],
    "notes": [
      "n"
    ],
    "picture": "p\n",
    "fixits": [
      {
        "title": "t",
        "edits": [
          {
            "range": {
              "file": "softmax.xt",
              "line": 1,
              "column": 3,
              "endLine": 1,
              "endColumn": 6,
              "begin": 3,
              "end": 6
            },
            "replacement": "fool"
          }
        ]
      }
    ]
  }
]
)");
  EXPECT_EQ(renderJson(Diagnostics(), sources), "[]\n");
}

} // namespace
} // namespace xt
