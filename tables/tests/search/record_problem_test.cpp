// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "search/record_problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/draw.h"
#include "fernwood/core/error.h"
#include "sentences.h"

namespace fernwood::search {
namespace {

using records::RecordForest, records::RecordTable, records::RecordTrainOptions;
using testing::ElementsAre;

/// Overlapping clouds of three classes with 1/2, 1/3 and 1/6 of the records; three of six attributes carry no
/// information.
RecordTable clouds(std::size_t num_records) {
  RecordTable table;
  table.classes = {"a", "b", "c"};
  table.values = Array2<float>(num_records, 6);
  for (std::size_t a = 0; a < 6; ++a) table.attributes.push_back("f" + std::to_string(a));
  for (std::uint32_t i = 0; i < num_records; ++i) {
    const std::int32_t label = i % 6 < 3 ? 0 : i % 6 < 5 ? 1 : 2;
    for (std::uint32_t a = 0; a < 6; ++a)
      table.values(i, a) = draw(3, RngStream::kSynthetic, 0, a, i).unit(0) + (a < 3 ? 0.5f : 0.0f) * float(label);
    table.labels.push_back(label);
  }
  return table;
}

RecordSearchOptions small_search() {
  RecordSearchOptions options;
  options.race.trials = 8;
  options.race.batch_size = 5;
  options.folds = 4;
  options.threads = 2;
  options.data = "clouds";
  options.space_toml = "[trees]\nlow = 4\nhigh = 20\n";
  options.space_file = "small.toml";
  return options;
}

std::string refusal(const RecordTable& table, const RecordSearchOptions& options) {
  try {
    search_records(table, options);
  } catch (const Error& error) {
    return (error.kind() == ErrorKind::kData ? "data: " : "other: ") + std::string(error.what());
  }
  return "";
}

TEST(RecordCut, GivesEachFoldAndTheHeldOutTheirShareOfEachClass) {
  const RecordTable table = clouds(600);
  const RecordCut cut = cut_records(table, 8, 0.2, 4711, "clouds");
  EXPECT_EQ(cut.num_folds, 8);
  EXPECT_EQ(cut.num_held_out(), 120u);
  for (int fold = RecordCut::kHeldOut; fold < 8; ++fold) {
    std::vector<std::size_t> counts(3);
    for (std::size_t i = 0; i < 600; ++i)
      if (cut.fold_of[i] == fold) ++counts[static_cast<std::size_t>(table.labels[i])];
    if (fold == RecordCut::kHeldOut) {
      EXPECT_THAT(counts, ElementsAre(60, 40, 20));
    } else {
      EXPECT_EQ(counts[0], 30u);
      EXPECT_NEAR(static_cast<double>(counts[1]), 20, 1);
      EXPECT_NEAR(static_cast<double>(counts[2]), 10, 1);
    }
  }
  EXPECT_EQ(cut.fold_of, cut_records(table, 8, 0.2, 4711, "clouds").fold_of);
  EXPECT_NE(cut.fold_of, cut_records(table, 8, 0.2, 1, "clouds").fold_of);
  EXPECT_EQ(cut_records(clouds(30), 8, 0.2, 1, "clouds").num_folds, 4) << "of five records or more";
}

TEST(RecordSpace, HasTheDefaultsAndReadsThemBack) {
  const RecordTrainOptions base;
  const Space space = record_space(base, 30);
  const RecordTrainOptions read = apply_configuration(space.standard(), base);
  EXPECT_EQ(read.attributes_per_split, 5) << "the root of 30";
  RecordTrainOptions expected = base;
  expected.attributes_per_split = 5;
  EXPECT_EQ(to_json(read), to_json(expected));
}

TEST(RecordProblem, EveryVariantIsEvaluatedAsATrainingOfItsOwnWouldBe) {
  const RecordTable table = clouds(300);
  const RecordSearchOptions options = small_search();
  const RecordCut cut = cut_records(table, 4, 0.2, 4711, "clouds");
  ThreadPool pool(2);
  RecordProblem problem(table, cut, search_space(6, options), options, pool);
  Configuration trial = problem.space().standard();
  EXPECT_EQ(trial.at("trees"), "20") << "the nearest that the space has";
  const std::vector<Configuration> variants = problem.variants(trial);
  ASSERT_EQ(variants.size(), 3u);
  EXPECT_EQ(variants[0], trial);
  EXPECT_EQ(variants[2].at("trees"), "5");
  const EvaluationResult result = problem.measure(trial, variants, 1, false);
  EXPECT_GT(result.train_seconds, 0);
  const RecordTable seen = records_where(table, cut, [](int fold) { return fold >= 0 && fold != 1; });
  const RecordTable unseen = records_where(table, cut, [](int fold) { return fold == 1; });
  EXPECT_EQ(seen.labels.size() + unseen.labels.size(), 240u);
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const RecordForest own = train_records(seen, apply_configuration(variants[v], options.train), pool);
    const Accuracy expected = accuracy_of_records(own, unseen, pool);
    EXPECT_EQ(result.results[v].accuracy, expected.pixel);
    EXPECT_EQ(result.results[v].class_accuracy, expected.class_average);
    EXPECT_EQ(result.results[v].loss, 1 - expected.pixel);
  }
  trial["trees"] = "7";
  EXPECT_EQ(problem.variants(trial).size(), 1u) << "the space has no 3 trees";
}

TEST(RecordProblem, TheFingerprintTellsDataFoldsAndObjective) {
  RecordTable table = clouds(300);
  RecordSearchOptions options = small_search();
  ThreadPool pool(2);
  const auto fingerprint = [&](std::uint64_t seed) {
    const RecordCut cut = cut_records(table, 4, 0.2, seed, "clouds");
    return RecordProblem(table, cut, search_space(6, options), options, pool).fingerprint();
  };
  const std::string before = fingerprint(4711);
  EXPECT_EQ(fingerprint(4711), before);
  std::set<std::string> all = {before, fingerprint(1)};
  options.objective = Objective::kClass;
  all.insert(fingerprint(4711));
  options.objective = Objective::kPixel;
  table.values(7, 2) += 1;
  all.insert(fingerprint(4711));
  EXPECT_EQ(all.size(), 4u);
}

TEST(SearchRecords, FindsAForestThatItsConfigurationTrainsAgain) {
  const RecordTable table = clouds(400);
  const RecordTable test = clouds(60);
  const RecordSearchOptions options = small_search();
  const RecordSearch found = search_records(table, options, {}, &test);
  EXPECT_EQ(found.num_raced, 320u);
  EXPECT_EQ(found.num_held_out, 80u);
  EXPECT_EQ(found.num_folds, 4u);
  EXPECT_EQ(found.race.trials.size(), 8u);
  EXPECT_THAT(found.warnings, testing::IsEmpty());
  EXPECT_GT(found.winner.accuracy.pixel, 0.5);
  EXPECT_GT(found.winner.time, 0);
  ASSERT_TRUE(found.test_winner && found.test_defaults);
  EXPECT_GT(found.test_winner->accuracy.pixel, found.winner.accuracy.pixel) << "it was trained on them";
  ThreadPool pool(1);
  EXPECT_TRUE(train_records(table, found.train, pool) == found.forest);
  EXPECT_TRUE(winner_config(found).starts_with("[train]\nseed = 4711\n")) << winner_config(found);
  const RecordSearch again = search_records(table, options);
  EXPECT_EQ(winner_config(again), winner_config(found));
  EXPECT_EQ(again.race.loss, found.race.loss);
}

TEST(SearchRecords, RefusesWhatCannotBeRaced) {
  RecordTable table = clouds(60);
  RecordSearchOptions options = small_search();
  testdata::expect_sentence(refusal(clouds(16), options));
  std::ranges::fill(table.labels, 2);
  testdata::expect_sentence(refusal(table, options));
  table = clouds(60);
  options.held_out = 0.01;
  testdata::expect_sentence(refusal(table, options));
  options.held_out = 0;
  testdata::expect_sentence(refusal(table, options));
}

TEST(SearchRecords, WarnsOfClassesThatFoldsLack) {
  RecordTable table = clouds(120);
  table.classes.push_back("d");
  table.labels[5] = table.labels[50] = 3;
  const RecordSearch found = search_records(table, small_search());
  for (const std::string& text : texts_of(found.warnings)) testdata::expect_sentence(text);
  for (int c = 4; c < 16; ++c) {
    table.classes.push_back("d" + std::to_string(c));
    table.labels[static_cast<std::size_t>(c)] = c;
  }
  for (const std::string& text : texts_of(search_records(table, small_search()).warnings))
    testdata::expect_sentence(text);
}

TEST(SearchRecords, EndsWhenAskedToStop) {
  std::stop_source source;
  SearchHooks hooks;
  hooks.stop = source.get_token();
  hooks.progress = [&](const SearchProgress& now) {
    if (now.fold == 1) source.request_stop();
  };
  try {
    search_records(clouds(300), small_search(), hooks);
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInterrupted);
  }
}

}  // namespace
}  // namespace fernwood::search
