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
#include "sentences.h"

namespace fernwood::report {
namespace {

using Json = nlohmann::json;
using evaluate::testdata::explain_small;
using evaluate::testdata::small_frame;
using testing::HasSubstr;

TEST(ExplanationTable, TellsEachStepInThreeLines) {
  fernwood::testdata::expect_sentence(explanation_table(explain_small(2, 2), false));
}

TEST(ExplanationTable, SaysWhyAResponseIsUnknown) {
  const auto response = [](const evaluate::PixelExplanation& why) {
    return Json::parse(explanation_words_json(why))["trees"][0]["tests"][0]["response"].get<std::string>();
  };
  for (const auto& [x, y] : {std::pair{5, 1}, {5, 2}, {2, 1}, {6, 2}})
    fernwood::testdata::expect_sentence(response(explain_small(x, y)));
  forest::Forest forest = evaluate::testdata::small_forest();
  forest.labelling_trees()[0].nodes[0].feature = {
      {2, 0, 0, 0}, {0, 0, 0, 0}, 3, 3};  // depth in column 6, which is unknown
  fernwood::testdata::expect_sentence(response(explain_small(2, 2, forest)));
}

TEST(ExplanationWords, SayTheSameInShort) {
  const auto words = [](int x, int y) { return Json::parse(explanation_words_json(explain_small(x, y))); };
  const Json known = words(2, 2);
  EXPECT_EQ(known["pixel"], "pixel 2,2, depth 500 mm: floor");
  ASSERT_EQ(known["trees"].size(), 1u);
  EXPECT_EQ(known["trees"][0]["answer"], "floor 75.0 %, wall & door 25.0 %");
  EXPECT_EQ(known["trees"][0]["tests"], Json::parse(R"([
    {"channels": "red - red", "response": "2816.0 > 1000.0", "side": "right"},
    {"channels": "depth", "response": "500.0 <= 500.0", "side": "left"}])"));
  const Json outside = words(2, 1)["trees"][0]["tests"][0];
  EXPECT_EQ(outside["response"], "the second region leaves the frame");
  EXPECT_EQ(outside["side"], "right");
  EXPECT_EQ(words(6, 2)["pixel"].get<std::string>().substr(0, 25), "pixel 6,2, depth unknown:");
}

TEST(ExplanationTable, PrintsTheThreeTreesThatVotedMostForTheClass) {
  evaluate::PixelExplanation pixel = explain_small(2, 2);
  pixel.trees.assign(5, pixel.trees[0]);
  for (const std::size_t k : {1, 3}) pixel.trees[k].probabilities.assign(2, 0.1f);
  const std::string table = explanation_table(pixel, false);
  for (const char* part : {"tree 1 of 5", "tree 3 of 5", "tree 5 of 5", "2 trees with smaller votes"})
    EXPECT_THAT(table, HasSubstr(part));
  EXPECT_EQ(table.find("tree 2 of 5"), std::string::npos);
}

TEST(ExplanationTable, StaysWithinAHundredColumns) {
  forest::Forest forest = evaluate::testdata::small_forest();
  forest.classes.classes[0].name = std::string(150, 'n');
  std::istringstream lines(explanation_table(explain_small(2, 2, forest), false));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(width_of(line), 100u) << line;
}

TEST(ExplanationJson, HoldsWhatTheTableSays) {
  for (const auto& [x, y] : {std::pair{2, 2}, {5, 2}, {6, 2}})  // outside of the frame, without depth
    fernwood::testdata::expect_sentence(Json::parse(explanation_json(explain_small(x, y))).dump());
}

TEST(ExplanationHtml, DrawsRegionsPixelAndDistributionsAndLoadsNothing) {
  const std::string html = explanation_page(explain_small(2, 2), small_frame());
  for (const char* part : {"<rect x=\"4.00\" y=\"2.00\" width=\"1.00\" height=\"1.00\" class=\"a\"/>",
                           "<rect x=\"2.00\" y=\"0.00\" width=\"1.00\" height=\"1.00\" class=\"b\"/>",
                           "M2.50 2.50",  // the centre of the pixel
                           "width:64.00%;background:#0000ff\" title=\"wall &amp; door 64.0 %\"", "&lt;hall&gt;"})
    EXPECT_THAT(html, HasSubstr(part));
  for (const char* part : {"http:", "https:", "<script", "<link", "<hall>"})
    EXPECT_EQ(html.find(part), std::string::npos) << part;
  EXPECT_THAT(explanation_page(explain_small(5, 2), small_frame()), HasSubstr("class=\"a out\"/>"));
}

TEST(Contributions, AreWhatATestAddsToTheShareOfTheClass) {
  const std::vector<Contribution> all = contributions(explain_small(2, 2));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].level, 1u);
  EXPECT_DOUBLE_EQ(all[0].gain, 0.75 - 31 / 80.0);
  EXPECT_EQ(all[1].level, 0u);
  EXPECT_DOUBLE_EQ(all[1].gain, 31 / 80.0 - 0.36);
}

}  // namespace
}  // namespace fernwood::report
