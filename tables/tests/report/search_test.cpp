// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fernwood/report/records.h"
#include "search/small_race.h"
#include "sentences.h"

namespace fernwood::report {
namespace {

using search::RecordSearch, search::TrialRow, search::VariantRow, search::testdata::kNone;
using Json = nlohmann::json;

/// The race of small_race(), for records.
RecordSearch small_record_search() {
  RecordSearch found;
  found.race = search::testdata::small_race();
  for (TrialRow& trial : found.race.trials)
    for (VariantRow& row : trial.variants) row.latency_ms = kNone;
  found.data = "letters.csv";
  found.num_raced = 1600;
  found.num_held_out = 400;
  found.num_folds = 3;
  found.winner = {{0.75, 0.63}, 0.2};
  found.defaults = {{0.70, 0.64}, 0.25};
  found.train_report.seconds = 1.5;
  records::RecordTree tree;
  tree.nodes = {{0.5f, 1, 0, 0}, {0, -1, 0, 0}, {0, -2, 0, 0}};
  tree.leaf_values = Array2<std::int32_t>(2, 2, 1);
  found.forest.classes = {"a", "b"};
  found.forest.attributes = {"x"};
  found.forest.trees = {tree, tree};
  return found;
}

TEST(RecordSearchTold, ByTheSameTableInOtherWords) {
  RecordSearch found = small_record_search();
  testdata::expect_sentence(search_table(found, false));
  found.test_records = 20;
  found.test_winner = {{0.8, 0.7}, 0.2};
  found.test_defaults = {{0.7, 0.6}, 0.2};
  testdata::expect_sentence(search_table(found, false));
}

TEST(RecordSearchTold, AsJsonAndAPageWithoutTimes) {
  const Json json = Json::parse(search_json(small_record_search()));
  EXPECT_EQ(json.at("objective"), "accuracy");
  EXPECT_EQ(json.at("records").at("race"), 1600);
  EXPECT_EQ(json.at("limits"), (Json{{"train_seconds", nullptr}, {"record_us", nullptr}}));
  EXPECT_EQ(json.at("held_out").at("winner"), (Json{{"accuracy", 0.75}, {"class_accuracy", 0.63}, {"record_us", 0.2}}));
  EXPECT_TRUE(json.at("test").is_null());
  EXPECT_EQ(json.at("winner").at("trees"), 2);
  const std::string html = search_page(small_record_search());
  const std::string body = html.substr(html.find("</style>"));
  for (const char* word : {"nan", "frame", "pixel", "Accuracy and time"})
    EXPECT_EQ(body.find(word), std::string::npos) << word;
}

}  // namespace
}  // namespace fernwood::report
