// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/report/records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "records/record_bytes_of.h"

namespace fernwood::report {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

TEST(RecordTraining, TellsSizeTimeAndAccuracyOutOfBag) {
  const records::RecordForest forest = records::mixed_records();  // 3 leaves at depth 2, one at depth 0
  EXPECT_EQ(record_training_table(forest, 12345, {1.5, 0.75}),
            "records      12,345\n"
            "attributes   2\n"
            "classes      3\n"
            "trees        2, mean depth 1.0, 4 leaves\n"
            "time         1.500 s\n"
            "out of bag   75.00 % of records right\n");
  const Json json = Json::parse(record_training_json(forest, 12345, {1.5, {}}, "m.fernwood"));
  EXPECT_EQ(json.at("model"), "m.fernwood");
  EXPECT_EQ(json.at("mean_depth"), 1.0);
  EXPECT_EQ(json.at("out_of_bag_accuracy"), nullptr);
}

using RecordClasses = std::vector<std::int32_t>;

/// Three records of class a, one of which is predicted as b; one of b; none of c.
RecordEvaluation small_evaluation() {
  RecordEvaluation evaluation{.classes = {"a", "b", "c"}, .confusion = Confusion(3)};
  evaluation.confusion.add(RecordClasses{0, 0, 0, 1}, RecordClasses{0, 0, 1, 1});
  evaluation.classify_s = 0.002;
  evaluation.total_s = 12;
  return evaluation;
}

TEST(RecordEvaluation, ShowsClassesAndTheMatrix) {
  EXPECT_EQ(record_evaluation_table(small_evaluation()),
            "records      4 with a class, 0 without\n"
            "accuracy     75.00 %, class average 83.33 %\n"
            "time         0.002 s for classes, 2.0 k/s; 12 s with reading\n"
            "\n"
            "class                         records   accuracy  precision\n"
            "a                                   3      66.67     100.00\n"
            "b                                   1     100.00      50.00\n"
            "c                                   0          -          -\n"
            "\n"
            "confusion: records of a row's class, by the class found\n"
            "                        a            b            c\n"
            "a                       2            1            0\n"
            "b                       0            1            0\n"
            "c                       0            0            0\n");
  const Json json = Json::parse(record_evaluation_json(small_evaluation()));
  EXPECT_EQ(json.at("accuracy"), 0.75);
  EXPECT_EQ(json.at("class_accuracy").at(2), nullptr);
  EXPECT_EQ(json.at("confusion"), (Json{{2, 1, 0}, {0, 1, 0}, {0, 0, 0}}));
  EXPECT_FALSE(json.contains("strategy"));
}

TEST(RecordEvaluation, OfManyClassesShowsTheMistakes) {
  RecordEvaluation evaluation{.classes = {}, .confusion = Confusion(13)};
  for (int c = 0; c < 13; ++c) evaluation.classes.push_back("class " + std::to_string(c));
  evaluation.confusion.add(RecordClasses(2, 3), RecordClasses(2, 5));
  evaluation.confusion.add(RecordClasses(7, 5), RecordClasses(7, 12));
  evaluation.strategy = "serial";
  const std::string text = record_evaluation_table(evaluation);
  EXPECT_THAT(text, testing::StartsWith("serial\nrecords "));
  EXPECT_THAT(text, testing::EndsWith("\nmost frequent mistakes (--json has all)\n"
                                      "     records class        found\n"
                                      "           7 class 5      class 12\n"
                                      "           2 class 3      class 5\n"));
}

TEST(StreamTraining, TellsWhatOneProcessHasAndMany) {
  const records::RecordForest tree = records::mixed_records();
  StreamTraining training{.report = {.times = {.update_s = 0.5, .total_s = 2},
                                     .records = 1000,
                                     .updates = 3000000,
                                     .rounds = 3,
                                     .leaves = 4,
                                     .leaves_before_pruning = 6,
                                     .depth = 2},
                          .processes = 1,
                          .checkpoints = false};
  const std::string alone = stream_training_table(tree, training);
  EXPECT_THAT(alone, HasSubstr("tree         4 leaves, depth 2, 6 leaves before pruning\ntime         2.000 s\n"));
  EXPECT_THAT(alone, HasSubstr("  update     0.500 s (25 %), 6.0 M values a second\n"));
  EXPECT_THAT(alone, testing::Not(HasSubstr("exchange")));
  EXPECT_THAT(alone, testing::Not(HasSubstr("prequential")));
  training.processes = 4;
  training.checkpoints = true;
  const std::string together = stream_training_table(tree, training);
  EXPECT_THAT(together, HasSubstr("processes    4\n"));
  EXPECT_THAT(together, HasSubstr("  exchange   0.000 s (0 %)\n  checkpoint 0.000 s (0 %)\n"));
  const Json json = Json::parse(stream_training_json(tree, training, "t.fernwood"));
  EXPECT_EQ(json.at("processes"), 4);
  EXPECT_EQ(json.at("seconds").at("update"), 0.5);
  EXPECT_EQ(json.at("leaves_before_pruning"), 6);
  EXPECT_TRUE(json.at("prequential").is_null());
}

TEST(StreamTraining, TellsWhatWasRightBeforeItWasLearntAndWhatWasReplaced) {
  const records::RecordForest tree = records::mixed_records();
  StreamTraining training;
  training.report.prequential = {
      .records = 8000, .right = 6000, .recent_records = 1000, .recent_right = 900, .no_change = 0.5};
  training.report.drift = {.warnings = 3, .replaced = 2, .dropped = 1};
  const std::string text = stream_training_table(tree, training);
  EXPECT_THAT(text,
              HasSubstr("prequential  75.00 % of 8,000 records right before they were learnt, 90.00 % of the last "
                        "1,000, 50.00 % by the class before\n"));
  EXPECT_THAT(text, HasSubstr("drift        3 warnings, 2 parts replaced, 1 alternate dropped\n"));
  const Json json = Json::parse(stream_training_json(tree, training, "t.fernwood"));
  EXPECT_EQ(json.at("prequential"), (Json{{"records", 8000},
                                          {"accuracy", 0.75},
                                          {"recent_records", 1000},
                                          {"recent_accuracy", 0.9},
                                          {"no_change_accuracy", 0.5}}));
  EXPECT_EQ(json.at("drift"), (Json{{"warnings", 3}, {"replaced", 2}, {"dropped", 1}}));
}

TEST(RecordTraining, OfValuesTellsTargetAndR2OutOfBag) {
  records::RecordForest forest = records::mixed_records();
  forest.classes.clear();
  forest.targets = {"price"};
  EXPECT_THAT(record_training_table(forest, 12345, {1.5, 0.75}), HasSubstr("target       price\n"));
  EXPECT_THAT(record_training_table(forest, 12345, {1.5, 0.75}), HasSubstr("out of bag   R^2 0.7500\n"));
  const Json json = Json::parse(record_training_json(forest, 12345, {1.5, 0.75}, "m.fernwood"));
  EXPECT_EQ(json.at("targets"), Json({"price"}));
  EXPECT_EQ(json.at("out_of_bag_r2"), 0.75);
  EXPECT_FALSE(json.contains("classes"));
}

TEST(ValueEvaluation, TellsErrorsAndHowManyRecordsHaveNoValue) {
  ValueEvaluation evaluation{.target = "price", .errors = {}, .predict_s = 0.5, .total_s = 1};
  evaluation.errors.add(1, 1), evaluation.errors.add(2, 3), evaluation.errors.add(3, 3);
  evaluation.errors.add(std::numeric_limits<double>::quiet_NaN(), 4);
  EXPECT_EQ(value_evaluation_table(evaluation),
            "records      3 with a value, 1 without\n"
            "target       price\n"
            "RMSE         0.57735\n"
            "MAE          0.333333\n"
            "R^2          0.5000\n"
            "time         0.500 s for values, 8.0 /s; 1.000 s with reading\n");
  const Json json = Json::parse(value_evaluation_json(evaluation));
  EXPECT_EQ(json.at("rmse"), std::sqrt(1.0 / 3));
  EXPECT_EQ(json.at("mae"), 1.0 / 3);
  EXPECT_EQ(json.at("r2"), 0.5);
  EXPECT_EQ(json.at("records"), 3);
  EXPECT_EQ(json.at("unlabelled"), 1);
  ValueEvaluation equal;
  equal.errors.add(1, 2);
  EXPECT_THAT(value_evaluation_table(equal), HasSubstr("R^2          not defined"));
  EXPECT_EQ(Json::parse(value_evaluation_json(equal)).at("r2"), nullptr);
}

TEST(RecordModel, TellsTreesLeavesAndWhatIsAsked) {
  const records::RecordForest forest = records::mixed_records();
  const records::RecordSummary summary = records::summarize(forest);
  const Json json = Json::parse(model_json(forest, summary, "0123"));
  EXPECT_EQ(json["kind"], "records");
  EXPECT_EQ(json["checksum"], "0123");
  EXPECT_EQ(json["trees"][0], (Json{{"nodes", 5}, {"leaves", 3}, {"depth", 2}}));
  EXPECT_EQ(json["attribute_use"][0], (Json{{"name", "size"}, {"splits", 1}}));
  EXPECT_THAT(model_table(forest, summary, "0123"), HasSubstr("2, 6 nodes, 4 leaves, depth 0 to 2\n"));
  EXPECT_THAT(model_table(forest, summary, "0123"), HasSubstr("weight                    50.0 %\n"));
}

}  // namespace
}  // namespace fernwood::report
