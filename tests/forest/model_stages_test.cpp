// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Context stages in model files and their summaries.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model_mutator.h"
#include "fernwood/core/error.h"
#include "fernwood/forest/forest.h"
#include "forest/model_bytes.h"
#include "forest/model_parts.h"
#include "forest/noise_stages.h"
#include "forest/refusal.h"
#include "sentences.h"

namespace fernwood::forest {
namespace {

using nlohmann::json;

/// The small forest after two context stages: one tree of 2 leaves, and trees of 4 leaves and of 1.
Forest staged_forest() {
  Forest forest = small_forest();
  add_context_channels(forest);
  forest.stages = {{heap_tree(2, 3, 2)}, {heap_tree(4, 3, 3), heap_tree(1, 3, 4)}, forest.labelling_trees()};
  forest.stages[1][0].nodes[0].feature.channel_a = 4;
  forest.stages[1][0].nodes[0].feature.channel_b = 6;
  return forest;
}

/// Expects that a modified forest is not written.
template <typename Spoil>
void expect_not_written(const Spoil& spoil) {
  Forest forest = staged_forest();
  spoil(forest);
  testdata::expect_refused(ErrorKind::kModel, [&] { model_bytes(forest); });
}

TEST(StagesInModelFile, AreGivenBack) {
  for (const Forest& forest : {staged_forest(), noise_staged_forest(5, {2, 3, 1}, {"lab", "depth"}, 1),
                               noise_staged_ferns(2, {{3, 5}, {4}}, {"rgb"}, 2)}) {
    const Bytes bytes = model_bytes(forest);
    const Forest read = read_forest(bytes, "f");
    EXPECT_TRUE(read == forest);
    EXPECT_EQ(read.preparation.channels.num_context(), forest.num_classes());
    EXPECT_EQ(model_bytes(read), bytes);
  }
}

TEST(StagesInModelFile, LieBeforeTheTreesThatLabel) {
  const json header = ModelParts(model_bytes(staged_forest())).json();
  EXPECT_EQ(header["channels"], (json{"lab", "depth"}));
  EXPECT_EQ(header["context_stages"], json::parse(R"([[{"num_nodes":3,"num_leaves":2}],
                                                      [{"num_nodes":7,"num_leaves":4},{"num_nodes":1,"num_leaves":1}]])"));
  EXPECT_EQ(header["trees"], json::parse(R"([{"num_nodes":5,"num_leaves":3},{"num_nodes":1,"num_leaves":1}])"));
  std::vector<std::string> names;
  for (const json& array : header["arrays"]) names.push_back(array["name"]);
  EXPECT_THAT(names,
              testing::ElementsAre("context0.tree0.nodes", "context0.tree0.leaf_counts", "context1.tree0.nodes",
                                   "context1.tree0.leaf_counts", "context1.tree1.nodes", "context1.tree1.leaf_counts",
                                   "tree0.nodes", "tree0.leaf_counts", "tree1.nodes", "tree1.leaf_counts"));
  EXPECT_EQ(header["arrays"][2]["offset"], 128);  // after 3 nodes of 20 bytes, and 2 x 3 counts of 4 bytes from 64 on
}

TEST(StagesInModelFile, AreNotMentionedWhereThereIsOne) {
  EXPECT_FALSE(ModelParts(model_bytes(small_forest())).json().contains("context_stages"));
}

TEST(StagesInModelFile, RulesOfTheHeaderAreNamedWhenBroken) {
  for (const auto& [field, value] : std::initializer_list<std::pair<const char*, const char*>>{
           {"/context_stages", "{}"},
           {"/context_stages", "[]"},
           {"/context_stages", "[[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[]]"},
           {"/context_stages/1", "[]"},
           {"/context_stages/1", "[{\"num_nodes\":7,\"num_leaves\":4}]"},
           {"/context_stages/1/0/num_nodes", "0"},
           {"/context_stages/1/0/num_leaves", "8"},
           {"/context_stages/1/0/num_nodes", "8"},
           {"/arrays/0/name", "\"tree0.nodes\""},
           {"/arrays/0/xxh3", "\"0123456789abcdef\""},
       }) {
    ModelParts parts(model_bytes(staged_forest()));
    json header = parts.json();
    header.at(json::json_pointer(field)) = json::parse(value);
    parts.header = header.dump();
    testdata::expect_sentence(refusal(parts.bytes()));
  }
}

TEST(StagesInModelFile, OfMoreClassesThanChannelsAreRefused) {
  Forest forest = empty_forest(60);  // with 4 channels, which reaches the limit
  add_context_channels(forest);
  forest.stages = {{heap_tree(2, 60)}, {heap_tree(2, 60)}};
  const Bytes bytes = model_bytes(forest);
  EXPECT_EQ(refusal(bytes), "");
  ModelParts parts(bytes);
  json header = parts.json();
  header["channels"] = {"lab", "depth", "gradient"};
  parts.header = header.dump();
  testdata::expect_sentence(refusal(parts.bytes()));
}

TEST(StagesInModelFile, FirstStageReadsNoContext) {
  const auto spoil = [](Forest& f) { f.stages[0][0].nodes[0].feature = {{0, 0, 1, 1}, {}, 4, kNoChannel}; };
  expect_not_written(spoil);
  // Changes the first node of the file, and keeps the checksums correct.
  ModelParts parts(model_bytes(staged_forest()));
  parts.data[16] = 4;
  parts.data[17] = 255;
  parts.sign_arrays();
  testdata::expect_sentence(refusal(parts.bytes()));
}

TEST(StagesInModelFile, OtherStagesKeepTheRulesOfTrees) {
  expect_not_written([](Forest& f) { f.stages[1][0].nodes[0].feature.channel_b = 7; });
  expect_not_written([](Forest& f) { f.stages[1][0].nodes[0].feature.channel_b = 3; });
  expect_not_written([](Forest& f) { f.stages[1][1].leaf_counts = Array2<std::uint32_t>(1, 2); });
  expect_not_written([](Forest& f) { f.stages[0].clear(); });
}

TEST(StagesInModelFile, ContextChannelsAreTheClasses) {
  expect_not_written([](Forest& f) { f.preparation.channels = f.preparation.channels.without_context(); });
  expect_not_written([](Forest& f) { f.classes.classes[1].name = "sky"; });
}

TEST(StagesInModelFile, CheckpointsHaveChannelsBeforeTheyHaveStages) {
  Forest forest = staged_forest();
  forest.labelling_trees().push_back(forest.stages[1][0]);  // this tree reads context
  forest.stages.erase(forest.stages.begin(), forest.stages.end() - 1);
  const Bytes bytes = model_bytes(forest);
  EXPECT_EQ(ModelParts(bytes).json()["context_stages"], json::array());
  EXPECT_TRUE(read_forest(bytes, "f") == forest);
}

TEST(StagesInModelFile, ThousandsOfDamagedFilesAreRefusedOrSafe) {
  const Bytes whole = model_bytes(staged_forest());
  Mutator mutator(7);
  int num_read = 0, num_refused = 0;
  for (int i = 0; i < 3000; ++i) {
    const Bytes bytes = mutator.mutate(whole);
    try {
      const Forest read = read_forest(bytes, "f");
      ++num_read;
      EXPECT_NO_THROW(model_bytes(read));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kModel) << error.what();
      ++num_refused;
    }
  }
  EXPECT_GT(num_read, 100);
  EXPECT_GT(num_refused, 1000);
}

}  // namespace
}  // namespace fernwood::forest
