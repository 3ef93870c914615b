// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/memory.h"
#include "records/imported.h"
#include "records/record_bytes_of.h"

namespace fernwood::apps {
namespace {

constexpr const char* kSmallLibsvm = "0 1:1 2:3\n1 1:2 2:5\n0 1:3 2:3\n1 1:4 2:5\n";

std::vector<std::pair<std::string, std::string>> worst_tables() {
  const auto number = [](std::size_t i) { return std::to_string(i); };
  const std::string commas(32000, ',');
  return {{".libsvm", filled("", "1 65536:1\n0 65536:2\n")},
          {".libsvm", filled("", [&](std::size_t i) { return number(i % 60000) + " 1:" + number(i) + "\n"; })},
          {".libsvm", filled("0 1:1\n", "1 1:2\n")},
          {".csv", filled("", [&](std::size_t i) { return number(i % 60000) + "," + number(i) + "\n"; })},
          {".csv", filled(commas + "class\n", commas + "x\n" + commas + "y\n")},
          {".csv", filled("a,", ",", "\n")}};
}

TEST_F(Memory, OfTablesToTrainOn) {
  for (const auto& [extension, worst] : worst_tables()) {
    const std::string ordinary = extension == ".csv" ? "a,b\n1,0\n2,1\n3,0\n" : kSmallLibsvm;
    expect_bounded(
        ordinary, {{"train", worst}},
        [&](const fs::path& file) {
          return Words{"train", "--data", file.string(), "--out", beside("model")};
        },
        extension);
    expect_bounded(
        ordinary, {{"stream train", worst}},
        [&](const fs::path& file) {
          return Words{"stream", "train",         "--data",          file.string(),
                       "--out",  beside("model"), "--memory-budget", "64MiB"};
        },
        extension);
  }
}

TEST_F(Memory, OfTablesToClassify) {
  records::RecordForest wide = records::random_forest({.trees = 2, .attributes = 65000, .seed = 1});
  wide.classes = {"0", "1"};
  folder_.write("wide", chars_of(records::record_bytes(wide)));
  for (const std::string command : {"predict", "evaluate"})
    expect_bounded(
        "0 1:1\n", {{command + ", all attributes", filled("", "0 65000:1\n")}},
        [&](const fs::path& file) {
          Words words = {command, "--model", beside("wide"), "--data", file.string()};
          if (command == "predict") words.insert(words.end(), {"--out", beside("classes")});
          return words;
        },
        ".libsvm");
}

/// Boosted trees of two leaves, each for one class in turn.
std::string boosted(std::size_t num_classes, std::size_t num_trees) {
  records::RecordForest forest;
  for (std::size_t c = 0; c < num_classes; ++c) forest.classes.push_back(std::to_string(c));
  forest.attributes = {"1", "2"};
  forest.link = records::Link::kSoftmax;
  forest.base.assign(num_classes, 0);
  for (std::size_t t = 0; t < num_trees; ++t) {
    records::RecordTree& tree = forest.trees.emplace_back();
    tree.nodes = {{0.5f, 1, static_cast<std::uint16_t>(t % 2), 0}, {0, ~0, 0, 0}, {0, ~1, 0, 0}};
    tree.leaf_values = Array2<std::int32_t>(2, 1);
    tree.first_output = static_cast<std::uint32_t>(t % num_classes);
  }
  return chars_of(records::record_bytes(forest));
}

TEST_F(Memory, OfModelsOfRecords) {
  folder_.write("table.libsvm", filled("0 1:1 2:1\n", "1 1:2\n").substr(0, 6 * 10000 + 4));
  const std::string ordinary = boosted(2, 3);
  records::RecordForest rows =
      records::random_forest({.trees = 5, .depth = 0, .classes = 20000, .attributes = 2, .seed = 1});
  for (std::size_t c = 0; c < rows.classes.size(); ++c) rows.classes[c] = std::to_string(c);
  records::RecordForest options = records::mixed_records();
  options.classes = {"0", "1", "2"};
  options.options_json = long_options();
  const std::vector<Worst> worst = {{"65534 classes", boosted(65534, 50)},
                                    {"20000 classes and 5000 trees", boosted(20000, 5000)},
                                    {"trees of 20000 values", chars_of(records::record_bytes(rows))},
                                    {"options of empty objects", chars_of(records::record_bytes(options))}};
  const std::string table = beside("table.libsvm");
  for (const Words& words : std::vector<Words>{{"describe"},
                                               {"predict", "--data", table, "--out", beside("classes")},
                                               {"evaluate", "--data", table},
                                               {"export", "--out", beside("header.h")}})
    expect_bounded(ordinary, worst, [&](const fs::path& file) {
      Words all = words;
      all.insert(all.end(), {"--model", file.string()});
      return all;
    });
}

TEST_F(Memory, OfModelsOfOtherLibraries) {
  using records::with;
  std::string xgboost = with(records::kXgboostModel, "\"num_class\":\"0\"", "\"num_class\":\"65534\"");
  xgboost = with(with(xgboost, "binary:logistic", "multi:softprob"), "\"size\",\"weight\"", "");
  std::string lightgbm = with(records::kLightgbmModel, "num_class=1", "num_class=65534");
  lightgbm = with(with(lightgbm, "num_tree_per_iteration=1", "num_tree_per_iteration=65534"),
                  "objective=binary sigmoid:2", "objective=multiclass num_class:65534");
  const std::string tree =
      "{\"default_left\":[0],\"left_children\":[-1],\"right_children\":[-1],\"split_conditions\":[5E-1],"
      "\"split_indices\":[0],\"split_type\":[0],\"tree_param\":{\"num_nodes\":\"1\"}},";
  const std::size_t trees = records::kXgboostModel.find("\"trees\":[") + 9;
  const auto named = [](std::size_t i) { return "\"" + std::to_string(i) + "\":{},"; };
  expect_bounded(
      records::kXgboostModel,
      {{"65534 classes, XGBoost", xgboost},
       {"65534 classes, LightGBM", lightgbm},
       {"many trees", filled(records::kXgboostModel.substr(0, trees), tree, records::kXgboostModel.substr(trees))},
       {"empty lists", filled("{\"learner\":[", "[],", "[]]}")},
       {"empty objects", filled("{\"learner\":[", "{},", "{}]}")},
       {"named objects", filled("{\"learner\":{", named, "\"x\":{}}}")},
       {"nested lists", filled("{\"learner\":", "[")}},
      [&](const fs::path& file) {
        return Words{"import", "--from", file.string(), "--out", beside("model")};
      });
}

}  // namespace
}  // namespace fernwood::apps
