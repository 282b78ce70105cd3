// Tests drawings: compares panels with the owners of elements, compares text with examples, and checks that SVG is well-formed
// and small.
#include "ir/drawing/layout_drawing.h"
#include "ir/drawing/layout_panels.h"
#include "tests/ir/layout/layout_enumerate.h"
#include "tests/ir/layout/layout_fixture.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

using LayoutDrawing = LayoutTest;

// --- panels against owners -------------------------------------------------------------------------------------------

// Checks every cell of the panel, and that the cells together show every element that the panel has to show.
void checkPanel(const Layout *layout, const Panel &panel) {
  SCOPED_TRACE(layout->text() + ": " + panel.title);
  Extents shape(layout->shape().begin(), layout->shape().end()), single = {0};
  std::set<int64_t> shown;
  for (const Panel::Section &section : panel.sections) {
    size_t rows = std::max<size_t>(panel.rows.size(), 1);
    ASSERT_EQ(section.cells.size(), rows * panel.columns.size());
    for (size_t i = 0; i < section.cells.size(); ++i) {
      const Panel::Cell &cell = section.cells[i];
      std::vector<Panel::Tick> ticks;
      for (size_t d = 0; d < section.place.size(); ++d)
        ticks.push_back({section.place[d], section.place[d] + panel.block[d] - 1});
      if (!panel.rows.empty()) ticks.push_back(panel.rows[i / panel.columns.size()]);
      ticks.push_back(panel.columns[i % panel.columns.size()]);
      ASSERT_EQ(ticks.size(), shape.size());
      for (size_t d = 0; d < ticks.size(); ++d) ASSERT_EQ(ticks[d].last - ticks[d].first + 1, panel.block[d]);
      Extents extents(panel.block.begin(), panel.block.end());
      for (int64_t e = 0; e < product(extents); ++e) {
        Extents index = indexOf(e, extents);
        for (size_t d = 0; d < ticks.size(); ++d) index[d] += ticks[d].first;
        EXPECT_TRUE(shown.insert(elementAt(index, shape)).second) << "drawn twice";
        Extents owners = layout->owners(index, panel.axis);
        EXPECT_EQ(cell.holderCount, static_cast<int64_t>(owners.size()));
        owners.resize(std::min<size_t>(owners.size(), Panel::kMaxHolders));
        EXPECT_EQ(cell.holders, owners);
      }
    }
  }
  std::set<int64_t> expected;
  for (int64_t e = 0; e < product(shape); ++e) {
    Extents index = indexOf(e, shape);
    auto held = [&](Axis axis) { return layout->owners(index, axis)[0] == 0; };
    if (panel.axis == Axis::Subgroup || (held(Axis::Subgroup) && (panel.axis == Axis::Lane || held(Axis::Lane))))
      expected.insert(e);
  }
  EXPECT_EQ(shown, expected);
}

void checkAllPanels(const Extents &shape, int64_t subgroups, int64_t lanes) {
  Context context;
  for (const auto &[ownership, layout] : allLayouts(context, shape, subgroups, lanes)) {
    std::vector<Panel> panels = panelsOf(*layout, true, true, {1000, 1000, 1000});
    ASSERT_EQ(panels.size(), (subgroups > 1 && lanes > 1) ? 3u : 2u);
    for (const Panel &panel : panels) checkPanel(layout, panel);
    if (testing::Test::HasFailure()) return;
  }
}

TEST_F(LayoutDrawing, PanelsShowTheOwners) {
  checkAllPanels({12}, 12, 1);
  checkAllPanels({12}, 1, 12);
  checkAllPanels({12}, 4, 6);
  checkAllPanels({4, 6}, 6, 2);
  checkAllPanels({2, 3, 2}, 6, 2);
}

TEST_F(LayoutDrawing, LargePanelsEndAfterWholeRounds) {
  const Layout *layout = make(wg({3, 2}, {8, 64}), {2400, 4096});
  Panel panel = panelsOf(*layout, false, false, {32, 16, 8})[0];
  EXPECT_EQ(panel.rows.size(), 6u); // two rounds of three
  EXPECT_EQ(panel.columns.size(), 8u);
  EXPECT_EQ(panel.hiddenRows, 300 - 6);
  EXPECT_EQ(panel.hiddenColumns, 64 - 8);
  // If a round is larger than the limit, its end is hidden.
  panel = panelsOf(*make(wg({64, 1}, {4, 32}), {256, 32}), false, false, {32, 16, 8})[0];
  EXPECT_EQ(panel.rows.size(), 32u);
  EXPECT_EQ(panel.hiddenRows, 32);
}

// --- text ------------------------------------------------------------------------------------------------------------

TEST_F(LayoutDrawing, TableOfTheRfc) {
  EXPECT_EQ(layoutText(*make(wg({2, 2}, {32, 128}), {128, 128}), {}),
            "subgroups; a cell is 32x128\n"
            "       0\n"
            " 0   0,1\n"
            "32   2,3\n"
            "64   0,1\n"
            "96   2,3\n"
            "\n"
            "subgroups   4\n"
            "each holds  64x128 = 8192 of 16384 elements, in 2x1 blocks of 32x128\n"
            "copies      each element is in 2 subgroups\n"
            "lanes       no lane layout\n"
            "registers   8192 elements per subgroup\n");
}

TEST_F(LayoutDrawing, LanesAndRegisters) {
  const Layout *layout = make(xe({2, 1}, {2, 8}, {2, 4}, {1, 2}), {4, 8});
  DrawingOptions all{true, true, false};
  EXPECT_EQ(layoutText(*layout, all), "subgroups; a cell is 2x8\n"
                                      "    0\n"
                                      "0   0\n"
                                      "2   1\n"
                                      "\n"
                                      "lanes of subgroup 0; a cell is 1x2\n"
                                      "    0 2 4 6\n"
                                      "0   0 1 2 3\n"
                                      "1   4 5 6 7\n"
                                      "\n"
                                      "registers of lane 0 in subgroup 0; a cell is 1x1\n"
                                      "    0 1\n"
                                      "0   0 1\n"
                                      "\n"
                                      "subgroups   2\n"
                                      "each holds  2x8 = 16 of 32 elements, in one block\n"
                                      "copies      none: each element is in one subgroup\n"
                                      "lanes       8 per subgroup; each holds 1x2 = 2 elements, in one block\n"
                                      "registers   2 elements per lane\n");
  // Without subgroups, only lanes can be shown.
  LayoutSpec lanes;
  lanes.sg = SgMap{{4}, {1}};
  EXPECT_EQ(layoutText(*make(lanes, {8}), {}), "lanes; a cell is 1\n"
                                               " 0 1 2 3 4 5 6 7\n"
                                               " 0 1 2 3 0 1 2 3\n"
                                               "\n"
                                               "subgroups   1\n"
                                               "each holds  8 of 8 elements, in one block\n"
                                               "copies      none: each element is in one subgroup\n"
                                               "lanes       4 per subgroup; each holds 2 elements, in 2 blocks of 1\n"
                                               "registers   2 elements per lane\n");
}

TEST_F(LayoutDrawing, ManyHoldersAndManyDimensions) {
  std::string text = layoutText(*make(wg({2, 1, 16}, {2, 4, 4}), {4, 4, 4}), {});
  EXPECT_EQ(text.substr(0, text.find("\n\n") + 1), "subgroups; a cell is 2x4x4\n"
                                                   "at [0]:\n"
                                                   "        0\n"
                                                   "0    0+15\n"
                                                   "at [2]:\n"
                                                   "        0\n"
                                                   "0   16+15\n");
}

TEST_F(LayoutDrawing, ColorsAreThoseOfTheIds) {
  std::string text = layoutText(*make(wg({2}, {2}), {8}), {false, false, true});
  EXPECT_EQ(text.find("\x1b[38;5;16;48;5;"), text.find('\x1b')) << text;
  size_t escapes = static_cast<size_t>(std::count(text.begin(), text.end(), '\x1b'));
  EXPECT_EQ(escapes, 8u); // four cells, on and off
  std::vector<Rgb> colors;
  for (int64_t id = 0; id < 64; ++id) colors.push_back(idColor(id));
  for (size_t a = 0; a < colors.size(); ++a) {
    // Black text on the colour is legible (WCAG requires a contrast of 4.5 = (L + 0.05) / 0.05, so L over 0.175, here
    // approximated).
    EXPECT_GT(2 * colors[a].red + 7 * colors[a].green + colors[a].blue, 1000);
    for (size_t b = 0; b < a; ++b) {
      Rgb x = colors[a], y = colors[b];
      int difference = std::abs(x.red - y.red) + std::abs(x.green - y.green) + std::abs(x.blue - y.blue);
      EXPECT_GT(difference, a - b <= 8 ? 30 : 18) << a << ' ' << b;
    }
  }
}

// --- SVG -------------------------------------------------------------------------------------------------------------

// Returns null if `text` is one well-formed element of tags, quoted attributes and the five entities; otherwise a description
// of the mistake.
const char *xmlProblem(std::string_view text) {
  std::vector<std::string> open;
  size_t at = 0, roots = 0;
  while (at < text.size()) {
    if (text[at] == '&') {
      size_t end = text.find(';', at);
      std::string_view name = text.substr(at + 1, end == std::string_view::npos ? 0 : end - at - 1);
      if (name != "amp" && name != "lt" && name != "gt" && name != "quot" && name != "apos") return "an entity";
      at = end + 1;
      continue;
    }
    if (text[at] == '>') return "a stray >";
    if (text[at] != '<') {
      if (open.empty() && text[at] != '\n') return "text outside";
      ++at;
      continue;
    }
    size_t end = at + 1, quotes = 0;
    for (; end < text.size() && (text[end] != '>' || quotes % 2 == 1); ++end) {
      quotes += text[end] == '"';
      if (text[end] == '<') return "a < inside a tag";
    }
    if (end == text.size()) return "an open tag";
    std::string tag(text.substr(at + 1, end - at - 1));
    at = end + 1;
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return "an end tag";
      open.pop_back();
      continue;
    }
    roots += open.empty();
    if (tag.back() != '/') open.push_back(tag.substr(0, tag.find(' ')));
  }
  return !open.empty() ? "an element without an end" : roots != 1 ? "several roots" : nullptr;
}

size_t count(std::string_view text, std::string_view what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST_F(LayoutDrawing, SvgIsWellFormed) {
  EXPECT_STREQ(xmlProblem("<a><b c=\"d\"/></a>"), nullptr);
  EXPECT_STRNE(xmlProblem("<a><b></a>"), nullptr);
  EXPECT_STRNE(xmlProblem("<a>x & y</a>"), nullptr);
  const Layout *layout = make(wg({2, 2}, {32, 128}), {128, 128});
  std::string svg = layoutSvg(*layout, layout->text() + " & \"more\" <b>\x01", {});
  EXPECT_STREQ(xmlProblem(svg), nullptr) << svg;
  // There are the page, four cells, a strip for the second holder of each cell, and four rectangles in the legend.
  EXPECT_EQ(count(svg, "<rect"), 13u);
  EXPECT_NE(svg.find("<title>subgroup 0,1: 64\u201395, 0\u2013127</title>"), std::string::npos) << svg;
  EXPECT_NE(svg.find("0: 0\u201331, 64\u201395 \u00d7 0\u2013127"), std::string::npos) << svg;
  EXPECT_EQ(svg.find("http", svg.find("xmlns") + 40), std::string::npos) << "self-contained";
}

TEST_F(LayoutDrawing, SvgOfManyLayoutsIsWellFormedAndSmall) {
  const std::pair<LayoutSpec, Extents> cases[] = {
      {wg({8, 4}, {32, 64}), {4096, 4096}},
      {wg({64, 1}, {1, 1}), {4096, 4096}},
      {wg({8, 8}, {1, 1}), {4096, 4096}},
      {xe({8, 4}, {32, 64}, {1, 16}, {1, 1}), {4096, 4096}},
      {wg({32, 32}, {1, 1}), {32, 32}},
      {wg({1, 1}, {1, 1}), {1, 1}},
      {wg({4, 1}, {16, 1}), {64, 1}},
      {wg({1, 4}, {1, 64}), {1, 256}},
      {wg({2, 2, 2, 2, 2}, {1, 1, 1, 1, 1}), {8, 8, 8, 8, 8}},
      {wg({int64_t{1} << 30, int64_t{1} << 30}, {1, 1}), {int64_t{1} << 30, int64_t{1} << 30}},
      {wg({int64_t{1} << 30, int64_t{1} << 30}, {1, 1}), {1, 1}},
  };
  for (const auto &[spec, shape] : cases) {
    const Layout *layout = make(spec, shape);
    std::string svg = layoutSvg(*layout, spec.text(), {true, true, false});
    EXPECT_STREQ(xmlProblem(svg), nullptr) << spec.text();
    EXPECT_LT(svg.size(), 1000000u) << spec.text();
    EXPECT_LT(layoutText(*layout, {true, true, false}).size(), 20000u) << spec.text();
    EXPECT_EQ(svg, layoutSvg(*layout, spec.text(), {true, true, false}));
  }
}

} // namespace
} // namespace xt
