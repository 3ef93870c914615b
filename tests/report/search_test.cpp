// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/report/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "report/search.h"
#include "search/report/search_report.h"
#include "search/small_race.h"
#include "sentences.h"

namespace fernwood::report {
namespace {

using namespace search;
using Json = nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using search::testdata::kNone, search::testdata::small_race, search::testdata::trial, search::testdata::variant;

tune::ForestSearch small_search() {
  tune::ForestSearch found;
  found.race = small_race();
  found.data = "rooms/<train>";
  found.device = "cpu";
  found.num_raced = 30;
  found.num_held_out = 1;
  found.num_folds = 3;
  found.time_limit = 30;
  found.winner = {{0.75, 0.63}, 6.25};
  found.defaults = {{0.70, 0.64}, 10};
  found.smoothing.extent_px = 40;
  found.train_report.seconds_growing = 1.5;
  forest::Tree tree;
  tree.nodes.resize(3);
  tree.nodes[0].child = 1;
  tree.nodes[1].child = -1;
  tree.nodes[2].child = -2;
  tree.leaf_counts = Array2<std::uint32_t>(2, 2, 1);
  found.forest.labelling_trees() = {tree, tree};
  return found;
}

TEST(FairLosses, TakeOutHowHardTheFoldsWereThatAVariantSaw) {
  const tune::ForestSearch found = small_search();
  const FairLosses losses(found.race);
  const auto of = [&](std::size_t t, std::size_t v) { return losses.of(found.race.trials[t].variants[v]); };
  EXPECT_NEAR(of(0, 0), 1.1 / 3, 1e-6) << "it saw all folds";
  EXPECT_NEAR(of(0, 1), 0.8 / 3, 1e-6);
  EXPECT_NEAR(of(1, 0), 1.1 / 3 + 0.1, 1e-6) << "0.1 worse than the defaults on two folds, so on all";
  EXPECT_NEAR(of(3, 0), 1.1 / 3 - 0.2, 1e-6) << "on one";
  EXPECT_TRUE(std::isnan(of(2, 0)));
}

/// Twelve trials on two folds, whose losses depend only on their trees, apart from `noise`.
SearchReport steep_search(double noise) {
  SearchReport race;
  race.space = Space({integer_parameter("depth", 1, 2, 1), integer_parameter("trees", 1, 4, 3),
                      integer_parameter("samples", 10, 1000, 100, true), integer_parameter("fixed", 5, 5, 5)});
  race.fold_order = {0, 1};
  for (int i = 0; i < 12; ++i) {
    const double loss = 0.1 * (1 + i % 4) + noise * (i / 4);
    const Configuration values = {{"depth", std::to_string(1 + i / 2 % 2)},
                                  {"fixed", "5"},
                                  {"samples", i % 3 == 0   ? "10"
                                              : i % 3 == 1 ? "90"
                                                           : "110"},
                                  {"trees", std::to_string(1 + i % 4)}};
    race.trials.push_back(trial(0, 1, {variant(values, {loss, loss + 0.2}, 1)}));
  }
  return race;
}

TEST(ParameterEffects, TheOneThatDecidesIsFirstAndExplainsAll) {
  const SearchReport race = steep_search(0);
  const std::vector<ParameterEffect> effects = parameter_effects(race, FairLosses(race));
  ASSERT_EQ(effects.size(), 3u) << "what is fixed has no effect";
  EXPECT_EQ(effects[0].parameter.name, "trees");
  EXPECT_NEAR(effects[0].share, 1, 1e-9);
  ASSERT_EQ(effects[0].bins.size(), 4u);
  EXPECT_EQ(effects[0].bins[1].x, 2);
  EXPECT_EQ(effects[0].bins[1].values, "2");
  EXPECT_EQ(effects[0].bins[1].num_trials, 3u);
  EXPECT_NEAR(effects[0].bins[1].loss, 0.3, 1e-6);
}

TEST(ParameterEffects, IntervalsFollowStudentsT) {
  const SearchReport race = steep_search(0.01);
  const EffectBin bin = parameter_effects(race, FairLosses(race))[0].bins[0];
  const double reach = 4.302653 * 0.01 / std::sqrt(3);  // three trials 0.01 apart: two degrees of freedom
  EXPECT_NEAR(bin.loss, 0.21, 1e-6);
  EXPECT_NEAR(bin.low, 0.21 - reach, 1e-6);
  EXPECT_NEAR(bin.high, 0.21 + reach, 1e-6);
}

TEST(ParameterEffects, BinsOfALogarithmicScaleAreAsWideByTheLogarithm) {
  const SearchReport race = steep_search(0);
  const std::vector<ParameterEffect> effects = parameter_effects(race, FairLosses(race));
  const auto samples = std::ranges::find(effects, "samples", [](const auto& effect) { return effect.parameter.name; });
  ASSERT_NE(samples, effects.end());
  ASSERT_EQ(samples->bins.size(), 2u) << "of three, the last is empty";
  EXPECT_EQ(samples->bins[1].values, "90 to 110");
  EXPECT_NEAR(samples->bins[1].x, std::sqrt(90.0 * 110), 1e-9);
}

TEST(ChoiceNames, PartsOfAListAreToldByWhatIsMissing) {
  EXPECT_THAT(
      choice_names(choice_parameter("channels", {"lab,depth,up", "lab,up", "depth,up", "lab,other"}, "lab,depth,up")),
      ElementsAre("all", "without depth", "without lab", "lab,other"));
  EXPECT_THAT(choice_names(choice_parameter("sampling", {"pixels", "classes"}, "classes")),
              ElementsAre("pixels", "classes"));
}

TEST(SearchTable, LongListsAreBrokenAndTheClockIsNamed) {
  tune::ForestSearch found = small_search();
  const std::string all = "lab,gradient,depth,height,upright,facing,normals";
  found.race.space = Space({integer_parameter("trees", 1, 4, 3), choice_parameter("channels", {"lab", all}, all)});
  found.race.ended_by_clock = true;
  fernwood::testdata::expect_sentence(search_table(found, false));
}

TEST(SearchTable, TellsWinnerDefaultsOptimismOptionsAndRace) {
  fernwood::testdata::expect_sentence(search_table(small_search(), false));
}

TEST(SearchTable, DefaultsMayWin) {
  tune::ForestSearch found = small_search();
  found.race.winner_variant = 0;
  found.smoothing.extent_px = 0;
  fernwood::testdata::expect_sentence(search_table(found, false));
}

TEST(Optimism, IsToldByWhereTheHeldOutFigureLies) {
  tune::ForestSearch found = small_search();
  found.race.loss = 0.2;
  found.race.loss_low = 0.15;
  found.race.loss_high = 0.25;
  EXPECT_NEAR(optimism(facts_of(found)), 0.11, 1e-9);
  fernwood::testdata::expect_sentence(optimism_text(facts_of(found)));
  found.race.loss = found.race.loss_low = found.race.loss_high = 0.4;
  fernwood::testdata::expect_sentence(optimism_text(facts_of(found)));
  found.race.loss = 0.31;
  found.race.loss_high = 0.35;
  found.race.loss_low = 0.3;
  fernwood::testdata::expect_sentence(optimism_text(facts_of(found)));
  found.winner.accuracy = {kNone, kNone};
  fernwood::testdata::expect_sentence(optimism_text(facts_of(found)));
}

TEST(SearchJson, HasEveryTrialVariantAndLoss) {
  const Json json = Json::parse(search_json(small_search()));
  EXPECT_EQ(json.at("schema_version"), 1);
  EXPECT_EQ(json.at("frames"), (Json{{"race", 30}, {"held_out", 1}, {"folds", 3}}));
  EXPECT_EQ(json.at("limits"), (Json{{"max_latency_ms", 30}, {"train_seconds", nullptr}}));
  EXPECT_NEAR(json.at("held_out").at("optimism"), 0.01, 1e-12);
  EXPECT_EQ(json.at("held_out").at("defaults").at("pixel_accuracy"), 0.7);
  EXPECT_EQ(json.at("winner").at("configuration"), (Json{{"channels", "lab"}, {"trees", "2"}}));
  EXPECT_EQ(json.at("winner").at("depth"), 1);
  EXPECT_EQ(json.at("race").at("trainings_saved"), 8);
  EXPECT_EQ(json.at("space").at("trees").at("standard"), "3");
  EXPECT_EQ(json.at("warnings").size(), 1u);
  ASSERT_EQ(json.at("trials").size(), 5u);
  const Json& fewer = json.at("trials")[0].at("variants")[1];
  EXPECT_EQ(fewer.at("changes"), (Json{{"trees", "2"}}));
  EXPECT_EQ(fewer.at("losses"), (Json{0.3, 0.4, 0.1}));
  EXPECT_NEAR(fewer.at("accuracy"), 1 - 0.8 / 3, 1e-12);
  EXPECT_EQ(fewer.at("elimination"), "survived");
  EXPECT_TRUE(fewer.at("elimination_folds").is_null());
  const Json& fallen = json.at("trials")[1].at("variants")[0];
  EXPECT_EQ(fallen.at("losses"), (Json{0.5, 0.6})) << "folds that it did not see have no entry";
  EXPECT_EQ(fallen.at("elimination"), "worse");
  EXPECT_EQ(fallen.at("elimination_folds"), 2);
  EXPECT_EQ(fallen.at("p"), 0.001);
}

TEST(SearchJson, NanIsNull) {
  const Json json = Json::parse(search_json(small_search()));
  const Json& impossible = json.at("trials")[2].at("variants")[0];
  EXPECT_EQ(impossible.at("losses"), Json::array());
  for (const char* key : {"loss", "accuracy", "latency_ms", "p"}) EXPECT_TRUE(impossible.at(key).is_null()) << key;
  EXPECT_EQ(impossible.at("why"), "needs <4 GiB>");
}

TEST(SearchPage, DrawsTrialsTheFrontTheLimitAndTheEnds) {
  const std::string html = search_page(small_search());
  for (const char* part : {"<title>defaults: 10.00, 63.33</title>", "<title>winner: 6.00, 73.33</title>",
                           "<title>trial 1 (trees 4, channels lab,&lt;depth&gt;): 12.00, 53.33</title>",
                           ">limit 30 ms</text>", "<title>trial 3: 1 fold, too slow</title>",
                           "<title>trial 1: 2 folds, worse than trial 0 by 0.2, p = 0.001</title>",
                           "needs &lt;4 GiB&gt;", "a line was &lt;cut off&gt;", "rooms/&lt;train&gt;"})
    EXPECT_THAT(html, HasSubstr(part));
  EXPECT_EQ(html.find("nan"), std::string::npos);
}

TEST(SearchPage, EffectsAndIntervalsNeedTrialsAndFolds) {
  tune::ForestSearch found = small_search();
  found.race.trials.resize(1);
  found.race.winner_variant = 0;
  EXPECT_THAT(search_page(found), HasSubstr("Not shown: 1 trial on 3 folds"));
  std::vector<double>& losses = found.race.trials[0].variants[0].losses;
  EXPECT_NE(search::interval_text(found.race), "");
  losses[1] = losses[2] = kNone;
  EXPECT_EQ(search::interval_text(found.race), "");
  found.race.trials.assign(12, found.race.trials[0]);
  EXPECT_THAT(search_page(found), Not(HasSubstr("Not shown")));
}

TEST(SearchPage, OneTrialAndNoTimesLeaveChartsOut) {
  tune::ForestSearch found = small_search();
  found.race.trials.resize(1);
  found.race.num_batches = 1;
  found.race.winner_variant = 0;
  for (VariantRow& row : found.race.trials[0].variants) row.latency_ms = kNone;
  const std::string html = search_page(found);
  for (const char* part : {"nan", "<title>winner: ", "that were eliminated, when"})
    EXPECT_EQ(html.find(part), std::string::npos) << part;
}

TEST(WinnerConfig, NamesTheEncoderOfAFile) {
  tune::ForestSearch found = small_search();
  EXPECT_THAT(tune::winner_config(found), Not(HasSubstr("encoder")));
  found.forest.encoder = {"net", "0123", R"({"encoder":"net.onnx:6,9","normalization":"clip","size":224})"};
  EXPECT_THAT(tune::winner_config(found),
              HasSubstr("\nencoder = \"net.onnx:6,9\"\nencoder-size = 224\nencoder-normalization = \"clip\"\n"));
  found.forest.encoder = {"function", "", "{}"};
  EXPECT_THAT(tune::winner_config(found), Not(HasSubstr("encoder")));
}

TEST(SearchPage, FramesWithoutTruthHaveNoAccuracy) {
  tune::ForestSearch found = small_search();
  found.winner.accuracy = found.defaults.accuracy = {kNone, kNone};
  EXPECT_EQ(search_page(found).find("nan"), std::string::npos);
  EXPECT_EQ(search_table(found, false).find("nan"), std::string::npos);
  EXPECT_TRUE(Json::parse(search_json(found)).at("held_out").at("optimism").is_null());
}

}  // namespace
}  // namespace fernwood::report
