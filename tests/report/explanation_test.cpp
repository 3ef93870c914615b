// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "core/text_table.h"
#include "evaluate/explained_pixel.h"
#include "fernwood/report/evaluation.h"
#include "report/explanation.h"

namespace fernwood::report {
namespace {

using Json = nlohmann::json;
using evaluate::testdata::explain_small;
using evaluate::testdata::small_frame;
using testing::HasSubstr;
using testing::Not;

TEST(ExplanationTable, TellsEachStepInThreeLines) {
  EXPECT_EQ(explanation_table(explain_small(2, 2), false),
            "model     rooms.fernwood\n"
            "frame     <hall>\n"
            "pixel     2,2\n"
            "depth     500 mm\n"
            "class     floor; floor 75.0 %, wall & door 25.0 %\n"
            "\n"
            "tree 1 of 1: floor 75.0 %, wall & door 25.0 %\n"
            "0   100 samples       wall & door 64.0 %, floor 36.0 %\n"
            "    red at x 4, y 2  minus  red at x 2, y 0\n"
            "    2816.0 > 1000.0: right\n"
            "1   80 samples        wall & door 61.3 %, floor 38.8 %\n"  // 49 / 80, 31 / 80
            "    depth at x 0..4, y 2\n"
            "    500.0 <= 500.0: left\n"
            "2   40 samples        floor 75.0 %, wall & door 25.0 %\n"
            "    leaf 1\n");
}

TEST(ExplanationTable, SaysWhyAResponseIsUnknown) {
  EXPECT_THAT(explanation_table(explain_small(5, 1), false), HasSubstr("unknown, both regions leave the frame: right"));
  EXPECT_THAT(explanation_table(explain_small(5, 2), false),
              HasSubstr("unknown, the first region leaves the frame: right"));
  EXPECT_THAT(explanation_table(explain_small(2, 1), false),
              HasSubstr("unknown, the second region leaves the frame: right"));
  const std::string blind = explanation_table(explain_small(6, 2), false);
  EXPECT_THAT(blind, HasSubstr("depth     unknown"));
  EXPECT_THAT(blind, HasSubstr("    red  minus  red\n    unknown, the depth here is unknown: right"));
  forest::Forest forest = evaluate::testdata::small_forest();
  forest.labelling_trees()[0].nodes[0].feature = {
      {2, 0, 0, 0}, {0, 0, 0, 0}, 3, 3};  // depth in column 6, which is unknown
  EXPECT_THAT(explanation_table(explain_small(2, 2, forest), false),
              HasSubstr("unknown, the first region has no known pixel: right"));
}

TEST(ExplanationWords, SayTheSameInShort) {
  const ExplanationWords words = explanation_words(explain_small(2, 2), 1);
  EXPECT_EQ(words.pixel, "pixel 2,2, depth 500 mm: floor");
  ASSERT_EQ(words.trees.size(), 1u);
  EXPECT_EQ(words.trees[0].answer, "floor 75.0 %, 1 more");
  ASSERT_EQ(words.trees[0].tests.size(), 2u);
  EXPECT_EQ(words.trees[0].tests[0].channels, "red - red");
  EXPECT_EQ(words.trees[0].tests[0].response, "2816.0 > 1000.0");
  EXPECT_EQ(words.trees[0].tests[0].side, "right");
  EXPECT_EQ(words.trees[0].tests[1].channels, "depth");
  EXPECT_EQ(words.trees[0].tests[1].side, "left");
  const ExplanationWords::Test outside = explanation_words(explain_small(2, 1), 1).trees[0].tests[0];
  EXPECT_EQ(outside.response, "the second region leaves the frame");
  EXPECT_EQ(outside.side, "right");
  EXPECT_EQ(explanation_words(explain_small(6, 2), 1).pixel.substr(0, 25), "pixel 6,2, depth unknown:");
}

TEST(ExplanationTable, StaysWithinAHundredColumns) {
  forest::Forest forest = evaluate::testdata::small_forest();
  forest.classes.classes[0].name = std::string(150, 'n');
  std::istringstream lines(explanation_table(explain_small(2, 2, forest), false));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(width_of(line), 100u) << line;
}

TEST(ExplanationJson, HoldsWhatTheTableSays) {
  const Json json = Json::parse(explanation_json(explain_small(2, 2)));
  EXPECT_EQ(json.at("schema_version"), 1);
  EXPECT_EQ(json.at("frame"), "<hall>");
  EXPECT_EQ(json.at("x"), 2);
  EXPECT_EQ(json.at("y"), 2);
  EXPECT_EQ(json.at("depth_mm"), 500);
  EXPECT_EQ(json.at("class"), "floor");
  EXPECT_EQ(json.at("classes"), (Json{"floor", "wall & door"}));
  EXPECT_EQ(json.at("probabilities"), (Json{0.75, 0.25}));
  const Json& tree = json.at("trees").at(0);
  EXPECT_EQ(tree.at("leaf"), 1);
  EXPECT_EQ(tree.at("node"), 3);
  EXPECT_EQ(tree.at("samples"), (Json{30, 10}));
  EXPECT_EQ(tree.at("probabilities"), (Json{0.75, 0.25}));
  const Json& root = tree.at("path").at(0);
  EXPECT_EQ(root.at("node"), 0);
  EXPECT_EQ(root.at("a"), Json::parse(R"({"channel": "red", "x": 4, "y": 2, "width": 1, "height": 1, "inside": true,
                                          "mean": 5376.0})"));
  EXPECT_EQ(root.at("b").at("mean"), 2560.0);
  EXPECT_EQ(root.at("response"), 2816.0);
  EXPECT_EQ(root.at("unknown"), nullptr);
  EXPECT_EQ(root.at("threshold"), 1000.0);
  EXPECT_EQ(root.at("side"), "right");
  EXPECT_EQ(root.at("samples"), (Json{36, 64}));
  EXPECT_EQ(tree.at("path").at(1).at("b"), nullptr);
  EXPECT_EQ(tree.at("path").at(1).at("side"), "left");
}

TEST(ExplanationJson, WritesNullForWhatIsUnknown) {
  const Json outside = Json::parse(explanation_json(explain_small(5, 2))).at("trees").at(0).at("path").at(0);
  EXPECT_EQ(outside.at("response"), nullptr);
  EXPECT_EQ(outside.at("unknown"), "the first region leaves the frame");
  EXPECT_EQ(outside.at("a").at("x"), 7);
  EXPECT_EQ(outside.at("a").at("inside"), false);
  EXPECT_EQ(outside.at("a").at("mean"), nullptr);
  const Json blind = Json::parse(explanation_json(explain_small(6, 2)));
  EXPECT_EQ(blind.at("depth_mm"), nullptr);
  EXPECT_EQ(blind.at("trees").at(0).at("path").at(0).at("a").at("x"), nullptr);
}

TEST(ExplanationHtml, DrawsRegionsPixelAndDistributions) {
  const std::string html = explanation_page(explain_small(2, 2), small_frame());
  EXPECT_THAT(html, HasSubstr("Why pixel (2, 2) of &lt;hall&gt; is floor"));
  EXPECT_THAT(html, HasSubstr("<rect x=\"4.00\" y=\"2.00\" width=\"1.00\" height=\"1.00\" class=\"a\"/>"));
  EXPECT_THAT(html, HasSubstr("<rect x=\"2.00\" y=\"0.00\" width=\"1.00\" height=\"1.00\" class=\"b\"/>"));
  EXPECT_THAT(html, HasSubstr("M2.50 2.50"));  // the centre of the pixel
  EXPECT_THAT(html, HasSubstr("width:36.00%;background:#ff0000"));
  EXPECT_THAT(html, HasSubstr("width:64.00%;background:#0000ff\" title=\"wall &amp; door 64.0 %\""));
  EXPECT_THAT(html, HasSubstr("R1 − R2 = 2816.0 &gt; 1000.0 → right"));
  EXPECT_THAT(html, HasSubstr("R1 = 500.0 ≤ 500.0 → left"));
}

TEST(ExplanationHtml, SumsUpFirstAndFoldsTreesAway) {
  const std::string html = explanation_page(explain_small(2, 2), small_frame());
  const std::size_t decided = html.find("What decided"), trees = html.find("<details class=\"tree\">");
  ASSERT_NE(trees, std::string::npos);
  EXPECT_LT(decided, html.find("Class probabilities"));
  EXPECT_LT(html.find("Class probabilities"), trees);
  EXPECT_LT(html.find("the whole frame, the pixel in the cross"), trees);
  EXPECT_THAT(html, Not(HasSubstr("<details open")));
  // The share of floor: 36 % at the root, 38.75 % at its child, 75 % in the leaf.
  EXPECT_THAT(html, HasSubstr("<td>depth</td><td class=\"num\">1</td><td class=\"num\"><span class=\"good\">+36.2"));
  EXPECT_THAT(html, HasSubstr("<td>red - red</td><td class=\"num\">1</td><td class=\"num\"><span class=\"good\">+2.8"));
}

TEST(ExplanationHtml, EveryDrawingHasACaption) {
  const std::string html = explanation_page(explain_small(2, 2), small_frame());
  std::size_t num_drawings = 0;
  for (std::size_t at = html.find("<svg class=\"seen\""); at != std::string::npos;
       at = html.find("<svg class=\"seen\"", at + 1), ++num_drawings) {
    const std::string drawing = html.substr(at, html.find("</figure>", at) - at);
    EXPECT_THAT(drawing, HasSubstr("role=\"img\"><title>"));
    EXPECT_THAT(drawing, HasSubstr("<figcaption>"));
  }
  EXPECT_EQ(num_drawings, 6u);  // two of the frame, two of the tree, one for each of its tests
}

TEST(Contributions, AreWhatATestAddsToTheShareOfTheClass) {
  const std::vector<Contribution> all = contributions(explain_small(2, 2));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].level, 1u);
  EXPECT_DOUBLE_EQ(all[0].gain, 0.75 - 31 / 80.0);
  EXPECT_EQ(all[1].level, 0u);
  EXPECT_DOUBLE_EQ(all[1].gain, 31 / 80.0 - 0.36);
}

TEST(ExplanationHtml, ShowsEachTestOnThePictureThatItReads) {
  const std::string html = explanation_page(explain_small(2, 2), small_frame());
  const std::size_t tests = html.find("<table class=\"tests\">");
  const auto row = [&](const std::string& level) {
    return html.substr(html.find("<td class=\"num\">" + level + "</td>", tests));
  };
  EXPECT_LT(row("0").find("#color"), row("0").find("#depth"));
  EXPECT_LT(row("1").find("#depth"), row("1").find("#color"));
}

TEST(ExplanationHtml, DashesRegionsThatLeaveTheFrame) {
  const std::string html = explanation_page(explain_small(5, 2), small_frame());
  EXPECT_THAT(html, HasSubstr("<rect x=\"7.00\" y=\"2.00\" width=\"1.00\" height=\"1.00\" class=\"a out\"/>"));
  EXPECT_THAT(html, HasSubstr("unknown, for the first region leaves the frame → right"));
}

TEST(ExplanationHtml, FadesFromRootToLeafAndLoadsNothing) {
  const std::string html = explanation_page(explain_small(2, 2), small_frame());
  EXPECT_THAT(html, HasSubstr("<g opacity=\"1.00\">"));  // level 0 of 2
  EXPECT_THAT(html, HasSubstr("<g opacity=\"0.65\">"));  // level 1: halfway to 0.3
  for (const char* loaded : {"http:", "https:", "<script", "<link", "<hall>"})
    EXPECT_THAT(html, Not(HasSubstr(loaded)));
}

}  // namespace
}  // namespace fernwood::report
