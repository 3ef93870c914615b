// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/forest/forest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "core/full_disk.h"
#include "fernwood/core/error.h"
#include "forest/model_bytes.h"
#include "forest/model_parts.h"
#include "forest/noise_stages.h"
#include "forest/refusal.h"
#include "sentences.h"
#include "test_folder.h"

namespace fernwood::forest {
namespace {

namespace fs = std::filesystem;

std::size_t num_files(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

void expect_round_trip(const Forest& forest) {
  const testdata::TestFolder folder;
  const fs::path path = folder / "f.fernwood";
  save_forest(forest, path);
  EXPECT_TRUE(load_forest(path) == forest);
  EXPECT_EQ(num_files(path.parent_path()), 1u) << "a temporary file was left";
}

TEST(ModelFile, GivesBackWhatWasSaved) { expect_round_trip(small_forest()); }

Forest forest_with_camera() {
  Forest forest = small_forest();
  forest.preparation.channels = image::ChannelLayout({"lab", "depth", "height"});
  forest.preparation.camera = image::Camera{640, 480, 518.858f, 519.470f, -1.0f / 3, 253.736f};
  return forest;
}

TEST(ModelFile, GivesBackBoostedTreesOfSeveralStages) {
  Forest forest = noise_boosted(3, 4, {"lab", "depth"}, 1);
  expect_round_trip(forest);
  add_context_channels(forest);
  forest.stages.insert(forest.stages.begin(), {forest.labelling_trees()[2]});
  expect_round_trip(forest);
}

TEST(ModelFile, GivesBackTheCamera) { expect_round_trip(forest_with_camera()); }

TEST(ModelFile, HasNoFieldForNoCamera) {
  EXPECT_FALSE(ModelParts(model_bytes(small_forest())).json().contains("camera"));
  EXPECT_EQ(ModelParts(model_bytes(forest_with_camera())).json().at("camera").at("width"), 640);
}

TEST(ModelFile, RulesOfTheCameraAreNamedWhenBroken) {
  const auto refusal_of = [](const char* key, const nlohmann::json& value) {
    ModelParts parts(model_bytes(forest_with_camera()));
    nlohmann::json header = parts.json();
    header["camera"][key] = value;
    parts.header = header.dump();
    return refusal(parts.bytes());
  };
  testdata::expect_sentence(refusal_of("width", 0));
  testdata::expect_sentence(refusal_of("height", 65536));
  testdata::expect_sentence(refusal_of("fx", 0));
  testdata::expect_sentence(refusal_of("fy", -1.5));
  testdata::expect_sentence(refusal_of("fx", 1e300));
  testdata::expect_sentence(refusal_of("cx", "left"));
  testdata::expect_sentence(refusal_of("cy", nullptr));
}

TEST(ModelFile, GivesBackClassWeightsAndHasNoKeyForNone) {
  Forest forest = small_forest();
  EXPECT_FALSE(ModelParts(model_bytes(forest)).json().at("leaves").contains("class_weights"));
  forest.leaves.class_weights = {kMinClassWeight, 0.1f, kMaxClassWeight};
  EXPECT_EQ(ModelParts(model_bytes(forest)).json().at("leaves").at("class_weights").size(), 3u);
  expect_round_trip(forest);
}

TEST(ModelFile, GivesBackStatedThingsAndHasNoKeyForNone) {
  Forest forest = small_forest();
  EXPECT_FALSE(ModelParts(model_bytes(forest)).json().at("classes").at(0).contains("thing"));
  image::state_things({forest.classes.classes[1].name}, forest.classes.classes);
  EXPECT_EQ(ModelParts(model_bytes(forest)).json().at("classes").at(1).at("thing"), true);
  expect_round_trip(forest);
}

TEST(ModelFile, GivesBackLabelWeightsAndHasNoKeyForNone) {
  Forest forest = small_forest();
  EXPECT_FALSE(ModelParts(model_bytes(forest)).json().contains("label_weights"));
  forest.label_weights.smoothed = {1, 2, 0.5f};
  EXPECT_FALSE(ModelParts(model_bytes(forest)).json().at("label_weights").contains("plain"));
  expect_round_trip(forest);
  forest.label_weights.plain = {kMinClassWeight, 0.1f, kMaxClassWeight};
  expect_round_trip(forest);
}

TEST(ModelFile, GivesBackATreeThatIsOneLeaf) {
  Forest forest = empty_forest(1);
  forest.labelling_trees() = {heap_tree(1, 1)};
  expect_round_trip(forest);
}

TEST(ModelFile, GivesBackAForestWithoutTrees) { expect_round_trip(empty_forest(2)); }

TEST(ModelFile, GivesBackManyTreesOfFortyClasses) {
  Forest forest = empty_forest(40);
  for (int i = 0; i < 12; ++i)
    forest.labelling_trees().push_back(heap_tree(static_cast<std::size_t>(1 + 37 * i), 40, i));
  expect_round_trip(forest);
}

TEST(ModelFile, GivesBackSeventyThousandLeaves) {
  Forest forest = empty_forest(4);
  forest.labelling_trees() = {heap_tree(70000, 4)};
  EXPECT_EQ(forest.labelling_trees()[0].depth(), 17);  // 139,999 nodes: 2^17 - 1 in full levels, others in the next
  expect_round_trip(forest);
}

TEST(ModelFile, GivesBackTheLargestNumberOfClasses) {
  Forest forest = empty_forest(65534);
  forest.labelling_trees() = {heap_tree(2, 65534)};
  expect_round_trip(forest);
}

TEST(ModelFile, GivesBackATreeThatIsNoHeap) {
  // The left child of the root is a leaf, the right one is not; the leaves are numbered in a different order.
  Forest forest = empty_forest(2);
  Tree tree = heap_tree(3, 2);
  tree.nodes = {tree.nodes[0], {}, tree.nodes[1], {}, {}};
  tree.nodes[1].child = ~2;
  tree.nodes[2].child = 3;
  tree.nodes[3].child = ~0;
  tree.nodes[4].child = ~1;
  forest.labelling_trees() = {tree};
  expect_round_trip(forest);
}

TEST(ModelFile, IsTheSameBytesForTheSameForest) {
  const testdata::TestFolder folder;
  save_forest(small_forest(), folder / "a");
  save_forest(load_forest(folder / "a"), folder / "b");
  EXPECT_EQ(read_file(folder / "a"), read_file(folder / "b"));
  EXPECT_EQ(model_checksum(folder / "a"), model_checksum(folder / "b"));
  EXPECT_EQ(model_checksum(folder / "a").size(), 16u);

  Forest other = small_forest();
  other.labelling_trees()[0].leaf_counts(2, 2) += 1;
  save_forest(other, folder / "b");
  EXPECT_NE(model_checksum(folder / "a"), model_checksum(folder / "b"));
}

TEST(ModelFile, BringsOptionsIntoCanonicalForm) {
  Forest forest = empty_forest(1);
  forest.options_json = "{ \"b\" : 0.1, \"a\": [1, -2.0] }";
  const Forest loaded = read_forest(model_bytes(forest), "test");
  EXPECT_EQ(loaded.options_json, R"({"a":[1,-2.0],"b":0.1})");
  EXPECT_EQ(loaded.provenance_json, "{}");
}

TEST(ModelFile, LiesInTheFileAsDocumented) {
  const Bytes bytes = model_bytes(small_forest());
  EXPECT_EQ(std::string(bytes.begin(), bytes.begin() + 8), "FERNWOOD");
  EXPECT_EQ(Bytes(bytes.begin() + 8, bytes.begin() + 16), (Bytes{1, 0, 0, 0, 0, 0, 0, 0}));
  const ModelParts parts(bytes);
  const nlohmann::json header = parts.json();
  EXPECT_EQ(header.dump(), parts.header);
  // 5 nodes of 20 bytes; from the next multiple of 64 on, 3 x 3 counts of 4 bytes: 128 + 36. Then 1 node, 1 leaf.
  const std::size_t offsets[] = {0, 128, 192, 256}, sizes[] = {100, 36, 20, 12};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(header["arrays"][i]["offset"], offsets[i]);
    EXPECT_EQ(header["arrays"][i]["size_bytes"], sizes[i]);
  }
  EXPECT_EQ((bytes.size() - 256 - 12) % 64, 0u);
  // Node 1 of tree 0: children 3 and 4, threshold 1/8; region a at (3 - 127, 5 - 127), half extents 2 and 3; region b
  // at (7 - 127, 11 - 127), half extents 4 and 5; channels 3 and 3; two unused bytes.
  EXPECT_EQ(Bytes(parts.data.begin() + 20, parts.data.begin() + 40),
            (Bytes{3, 0, 0, 0, 0, 0, 0, 0x3e, 0x84, 0x86, 2, 3, 0x88, 0x8c, 4, 5, 3, 3, 0, 0}));
  // Count i is (7 i) mod 11: 0, 7, 3 …
  EXPECT_EQ(Bytes(parts.data.begin() + 128, parts.data.begin() + 140), (Bytes{0, 0, 0, 0, 7, 0, 0, 0, 3, 0, 0, 0}));
}

TEST(ModelFile, SaysThatItIsNewer) {
  ModelParts parts(model_bytes(small_forest()));
  parts.prefix.version = 2;
  testdata::expect_sentence(refusal(parts.bytes()));
}

TEST(ModelFile, SaysThatItIsNone) {
  testdata::expect_sentence(refusal({0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13}));
  testdata::expect_sentence(refusal({}));
}

TEST(ModelFile, SaysThatItIsMissing) {
  const testdata::TestFolder folder;
  const fs::path path = folder / "none.fernwood";
  testdata::expect_refused(ErrorKind::kRuntime, [&] { load_forest(path); });
  testdata::expect_refused(ErrorKind::kRuntime, [&] { model_checksum(path); });
}

TEST(ModelFile, IsRefusedWhenCutAnywhere) {
  const Bytes whole = model_bytes(small_forest());
  for (std::size_t size = 1; size < whole.size(); ++size)
    EXPECT_NE(refusal(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))), "") << size;
  const Bytes shorter(whole.begin(), whole.end() - 1);
  testdata::expect_sentence(refusal(shorter));
  Bytes longer = whole;
  longer.push_back(0);
  testdata::expect_sentence(refusal(longer));
}

TEST(ModelFile, IsRefusedWhenAnyBitFlips) {
  Bytes bytes = model_bytes(small_forest());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= static_cast<std::uint8_t>(1u << (i % 8));
    EXPECT_NE(refusal(bytes), "") << "byte " << i;
    bytes[i] ^= static_cast<std::uint8_t>(1u << (i % 8));
  }
  EXPECT_EQ(refusal(bytes), "");
}

TEST(ModelFile, NamesTheArrayThatIsDamaged) {
  ModelParts parts(model_bytes(small_forest()));
  parts.data[130] ^= 1;
  testdata::expect_sentence(refusal(parts.bytes()));
}

TEST(SaveForest, NeedsAFolderThatCanBeWritten) {
  const testdata::TestFolder folder;
  for (const fs::path& path : {folder / "none" / "f", folder.path(), fs::path("/proc/f.fernwood")}) {
    testdata::expect_refused(ErrorKind::kRuntime, [&] { save_forest(small_forest(), path); });
  }
  EXPECT_EQ(num_files(folder.path()), 0u);
}

TEST(SaveForest, KeepsTheOldFileWhenTheDiskIsFull) {
  const testdata::TestFolder folder;
  const fs::path path = folder / "f.fernwood";
  save_forest(small_forest(), path);
  Forest large = empty_forest(4);
  large.labelling_trees() = {heap_tree(70000, 4)};  // 3.9 MB
  testdata::expect_refused(ErrorKind::kResource, [&] {
    const FullDisk disk(1 << 20);
    save_forest(large, path);
  });
  EXPECT_TRUE(load_forest(path) == small_forest());
  EXPECT_EQ(num_files(folder.path()), 1u) << "a temporary file was left";
}

TEST(SaveForest, RefusesWhatCouldNotBeLoaded) {
  const testdata::TestFolder folder;
  void (*const changes[])(Forest&) = {
      [](Forest& f) { f.class_pixels.pop_back(); },
      [](Forest& f) { f.classes.classes[0].name = "\xff"; },
      [](Forest& f) { f.options_json = "[]"; },
      [](Forest& f) { f.provenance_json = "{"; },
      [](Forest& f) { f.options_json = R"({"a":1e999})"; },
      [](Forest& f) { f.labelling_trees()[1].leaf_counts = Array2<std::uint32_t>(1, 2); },
      [](Forest& f) { f.labelling_trees()[0].nodes[1].child = 4; },
      [](Forest& f) { f.preparation.channels = {}; }};
  for (const auto& change : changes) {
    Forest forest = small_forest();
    change(forest);
    testdata::expect_refused(ErrorKind::kModel, [&] { save_forest(forest, folder / "f.fernwood"); });
  }
  EXPECT_EQ(num_files(folder.path()), 0u);
}

}  // namespace
}  // namespace fernwood::forest
