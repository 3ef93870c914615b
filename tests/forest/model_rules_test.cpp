// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "backbone/small_network.h"
#include "fernwood/core/error.h"
#include "forest/model_bytes.h"
#include "forest/model_parts.h"
#include "forest/noise_stages.h"
#include "forest/refusal.h"
#include "sentences.h"

namespace fernwood::forest {
namespace {

using nlohmann::json;

/// A change that makes a model file invalid while every checksum is correct.
struct HeaderCase {
  const char* pointer;  ///< JSON pointer of the field.
  const char* value;    ///< JSON text of its new value.
};

TEST(ModelRequires, NamesWhatAReaderMustUnderstandAndNothingInPlainModels) {
  Forest forest = small_forest();
  EXPECT_FALSE(ModelParts(model_bytes(forest)).json().contains("requires"));
  forest.leaves.class_weights = {1, 2, 3};
  EXPECT_EQ(ModelParts(model_bytes(forest)).json().at("requires"), json{"class_weights"});
  Forest weighed = small_forest();
  weighed.label_weights.plain = {1, 2, 3};
  EXPECT_EQ(ModelParts(model_bytes(weighed)).json().at("requires"), json{"label_weights"});
  add_context_channels(forest);
  forest.stages.insert(forest.stages.begin(), {heap_tree(2, 3)});
  EXPECT_EQ(ModelParts(model_bytes(forest)).json().at("requires"), (json{"class_weights", "stages"}));
  EXPECT_EQ(ModelParts(model_bytes(noise_ferns(2, {1}, {"lab"}, 1))).json().at("requires"), json{"ferns"});
  EXPECT_EQ(ModelParts(model_bytes(noise_boosted(2, 1, {"lab"}, 1))).json().at("requires"), json{"boosted"});
}

/// A forest in which the first test reads a feature map.
Forest mapped_forest(std::int32_t map = 33, int reduction = 2) {
  Forest forest = small_forest();
  forest.preparation.maps = backbone::noise_backbone(1, reduction);
  forest.labelling_trees()[0].nodes[0].feature = map_feature(map);
  return forest;
}

TEST(ModelBackbone, IsPartOfTheFileAndComesBack) {
  const Forest forest = mapped_forest();
  const Bytes bytes = model_bytes(forest);
  EXPECT_EQ(ModelParts(bytes).json().at("requires"), json{"backbone"});
  const Forest read = read_forest(bytes, "f");
  EXPECT_TRUE(read == forest);
  EXPECT_EQ(read.preparation.maps->bytes(), forest.preparation.maps->bytes());
  EXPECT_EQ(read.preparation.maps->reduction(), 2);
  EXPECT_EQ(model_bytes(read), bytes);
  EXPECT_FALSE(read == mapped_forest(33, 1)) << "the same network at another resolution gives other maps";
  EXPECT_FALSE(ModelParts(model_bytes(small_forest())).json().contains("backbone"));
}

/// Message of the error that writing the model throws, or "".
std::string refused(const Forest& forest) {
  try {
    model_bytes(forest);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Makes each change separately in the header of a file and checks the error message.
void expect_refused(const Bytes& bytes, std::initializer_list<HeaderCase> lies) {
  for (const HeaderCase& lie : lies) {
    ModelParts parts(bytes);
    json header = parts.json();
    header[json::json_pointer(lie.pointer)] = json::parse(lie.value);
    parts.header = header.dump();
    testdata::expect_sentence(refusal(parts.bytes()));
  }
}

TEST(ModelBackbone, WhatReadsNoMapOrBreaksRulesIsRefused) {
  EXPECT_EQ(refused(mapped_forest(63)), "");
  testdata::expect_sentence(refused(mapped_forest(64)));
  Forest without = mapped_forest();
  without.preparation.maps = nullptr;
  testdata::expect_sentence(refused(without));
  Forest other = mapped_forest();
  other.labelling_trees()[0].nodes[0].feature.a.dx = 3;
  testdata::expect_sentence(refused(other));
}

TEST(ModelSuppliedMaps, RangesArePartOfTheFileAndComeBack) {
  Forest forest = small_forest();
  forest.preparation.supplied_maps = {{-1.1f, 3e-20f}, {0, 0}, {-3.4e38f, 3.4e38f}};
  forest.labelling_trees()[0].nodes[0].feature = map_feature(2);
  const Bytes bytes = model_bytes(forest);
  EXPECT_EQ(ModelParts(bytes).json().at("requires"), json{"supplied_maps"});
  const Forest read = read_forest(bytes, "f");
  EXPECT_TRUE(read == forest);
  EXPECT_EQ(read.preparation.supplied_maps, forest.preparation.supplied_maps);
  EXPECT_EQ(model_bytes(read), bytes);
  forest.labelling_trees()[0].nodes[0].feature = map_feature(3);
  testdata::expect_sentence(refused(forest));
  Forest both = mapped_forest(66);
  both.preparation.supplied_maps = read.preparation.supplied_maps;
  EXPECT_TRUE(read_forest(model_bytes(both), "f") == both) << "they stand behind those of a backbone";
}

TEST(ModelSuppliedMaps, TheirEncoderIsPartOfTheFileAndComesBack) {
  Forest forest = small_forest();
  forest.preparation.supplied_maps = {{-1, 1}};
  const Bytes without = model_bytes(forest);
  EXPECT_FALSE(ModelParts(without).json().contains("encoder"));
  forest.encoder = {"dinov2", "0123456789abcdef", R"({"encoder":"dinov2.onnx:6,9","size":448})"};
  const Bytes bytes = model_bytes(forest);
  const Forest read = read_forest(bytes, "f");
  EXPECT_TRUE(read == forest);
  EXPECT_EQ(model_bytes(read), bytes);
  expect_refused(bytes, {{"/encoder/name", "7"}, {"/encoder/options", "[]"}, {"/encoder", "{}"}});
}

TEST(ModelSuppliedMaps, LiesOfTheHeaderAreRefused) {
  Forest forest = small_forest();
  forest.preparation.supplied_maps = {{-1, 1}, {0, 2}};
  forest.labelling_trees()[0].nodes[0].feature = map_feature(1);
  const Bytes bytes = model_bytes(forest);
  expect_refused(bytes, {{"/supplied_maps/1", "[2, 1]"},
                         {"/supplied_maps/0", "[-1e39, 1]"},
                         {"/supplied_maps/0", "[1]"},
                         {"/supplied_maps", "[]"},
                         {"/supplied_maps", "7"}});
}

/// A forest in which the first test reads a score of a linear head on two maps.
Forest headed_forest() {
  Forest forest = small_forest();
  forest.preparation.supplied_maps = {{-1, 1}, {0, 2}};
  auto head = std::make_shared<image::LinearHead>(*noise_head(forest.num_classes(), 2, 1));
  head->classes = forest.classes.names();
  forest.preparation.head = head;
  forest.labelling_trees()[0].nodes[0].feature = map_feature(2);
  return forest;
}

TEST(ModelHead, IsPartOfTheFileAndComesBack) {
  const Forest forest = headed_forest();
  const Bytes bytes = model_bytes(forest);
  EXPECT_EQ(ModelParts(bytes).json().at("requires"), (json{"supplied_maps", "linear_head"}));
  const Forest read = read_forest(bytes, "f");
  EXPECT_TRUE(read == forest);
  ASSERT_TRUE(read.preparation.head);
  EXPECT_EQ(*read.preparation.head, *forest.preparation.head);
  EXPECT_EQ(model_bytes(read), bytes);
  Forest both = headed_forest();
  both.preparation.maps = backbone::noise_backbone(1);
  auto head =
      std::make_shared<image::LinearHead>(*noise_head(both.num_classes(), both.preparation.num_backbone_maps() + 2, 1));
  head->classes = both.classes.names();
  both.preparation.head = head;
  EXPECT_TRUE(read_forest(model_bytes(both), "f") == both) << "its weights stand behind the backbone";
}

TEST(ModelHead, WhatDoesNotFitIsRefused) {
  const auto with = [](const auto& change) {
    Forest forest = headed_forest();
    auto head = std::make_shared<image::LinearHead>(*forest.preparation.head);
    change(*head);
    forest.preparation.head = head;
    return refused(forest);
  };
  EXPECT_EQ(with([](image::LinearHead&) {}), "");
  testdata::expect_sentence(with([](image::LinearHead& head) { head.num_maps = 3; }));
  testdata::expect_sentence(with([](image::LinearHead& head) { head.weights[1] = image::kMaxHeadWeight + 1; }));
  const Bytes bytes = model_bytes(headed_forest());
  expect_refused(bytes, {{"/linear_head/shift", "41"},
                         {"/linear_head/maps", "0"},
                         {"/linear_head/maps", "3"},
                         {"/linear_head/bias", "[1]"},
                         {"/linear_head/bias/0", "99999999"},
                         {"/linear_head", "7"}});
  ModelParts parts(bytes);
  const std::int32_t wrong = image::kMaxHeadWeight + 5;
  std::memcpy(parts.data.data(), &wrong, sizeof(wrong));
  parts.sign_arrays();
  testdata::expect_sentence(refusal(parts.bytes()));
}

TEST(ModelBackbone, LiesOfTheHeaderAndDamageAreRefused) {
  const Bytes bytes = model_bytes(mapped_forest());
  expect_refused(
      bytes,
      {{"/backbone/reduction", "3"}, {"/backbone/size_bytes", "7"}, {"/backbone/size_bytes", "0"}, {"/backbone", "7"}});
  ModelParts parts(bytes);
  parts.data[parts.data.size() / 2] ^= 1;  // within the backbone, which has its own checksums
  parts.sign_arrays();
  testdata::expect_sentence(refusal(parts.bytes()));
}

TEST(ModelRequires, AnUnknownNameIsRefusedWithTheRemedy) {
  ModelParts parts(model_bytes(small_forest()));
  json header = parts.json();
  header["requires"] = {"stages", "bushes"};
  header["kind"] = "bushes";  // not checked, as reading ends at the unknown requirement
  parts.header = header.dump();
  testdata::expect_sentence(refusal(parts.bytes()));
  header["requires"] = 3;
  parts.header = header.dump();
  testdata::expect_sentence(refusal(parts.bytes()));
}

TEST(ModelRules, ScoresAreOfBoostedTreesAloneAndWithinBounds) {
  Forest forest = noise_boosted(2, 2, {"lab"}, 1);
  EXPECT_EQ(refused(forest), "");
  forest.labelling_trees()[1].leaf_scores(3, 1) = std::numeric_limits<float>::quiet_NaN();
  testdata::expect_sentence(refused(forest));
  forest.labelling_trees()[1].leaf_scores(3, 1) = -101;
  testdata::expect_sentence(refused(forest));
  forest.labelling_trees()[1].leaf_scores = {};
  testdata::expect_sentence(refused(forest));
  forest = noise_boosted(2, 2, {"lab"}, 1);
  forest.kind = ForestKind::kForest;
  testdata::expect_sentence(refused(forest));
}

TEST(ModelRules, LabelWeightsAreOnesOfEachClassWithinBounds) {
  const auto refusal_of = [](const char* weights) {
    ModelParts parts(model_bytes(small_forest()));
    json header = parts.json();
    header["label_weights"] = json::parse(weights);
    parts.header = header.dump();
    return refusal(parts.bytes());
  };
  testdata::expect_sentence(refusal_of(R"({"plain":[1,2]})"));
  testdata::expect_sentence(refusal_of(R"({"smoothed":[1,2,0]})"));
  testdata::expect_sentence(refusal_of("3"));
}

TEST(ModelRules, OfTheHeaderAreNamedWhenBroken) {
  // The small forest has 3 classes, channel sets lab and depth, trees of 5 and 1 nodes, arrays at 0, 128, 192 and 256.
  expect_refused(model_bytes(small_forest()), {
                                                  {"", "[]"},
                                                  {"/format", "\"other\""},
                                                  {"/version", "2"},
                                                  {"/version", "\"1\""},
                                                  {"/kind", "\"bushes\""},
                                                  {"/classes", "[]"},
                                                  {"/classes", "{}"},
                                                  {"/classes/1", "{}"},
                                                  {"/classes/1/name", "7"},
                                                  {"/classes/1/color", "[1,2]"},
                                                  {"/classes/1/color/2", "256"},
                                                  {"/classes/1/color/2", "-1"},
                                                  {"/classes/1/color/2", "1.5"},
                                                  {"/void_colors/0/0", "true"},
                                                  {"/background", "3"},
                                                  {"/channels", "[]"},
                                                  {"/channels/0", "\"smell\""},
                                                  {"/channels/1", "\"lab\""},
                                                  {"/depth_filling", "\"levin\""},
                                                  {"/leaves/reweight", "1"},
                                                  {"/leaves", "{\"reweight\":true,\"class_weights\":[1,2]}"},
                                                  {"/leaves", "{\"reweight\":true,\"class_weights\":{}}"},
                                                  {"/leaves", "{\"reweight\":true,\"class_weights\":[1,1,0]}"},
                                                  {"/leaves", "{\"reweight\":true,\"class_weights\":[1,1e7,1]}"},
                                                  {"/leaves", "{\"reweight\":true,\"class_weights\":[1,1,null]}"},
                                                  {"/class_pixels", "[1,2]"},
                                                  {"/class_pixels/0", "18446744073709551615"},
                                                  {"/options", "[]"},
                                                  {"/provenance", "\"\""},
                                                  {"/trees", "[]"},
                                                  {"/trees/0/num_nodes", "0"},
                                                  {"/trees/0/num_nodes", "2147483648"},
                                                  {"/trees/0/num_nodes", "6"},
                                                  {"/trees/0/num_leaves", "6"},
                                                  {"/arrays/0/name", "\"tree1.nodes\""},
                                                  {"/arrays/1/dtype", "\"float32\""},
                                                  {"/arrays/1/shape", "[3]"},
                                                  {"/arrays/1/shape/1", "4"},
                                                  {"/arrays/2/offset", "0"},
                                                  {"/arrays/2/size_bytes", "18446744073709551615"},
                                                  {"/arrays/2/xxh3", "\"0123\""},
                                                  {"/arrays/2/xxh3", "\"0123456789abcdef\""},
                                                  {"/arrays/2/xxh3", "\"0123456789ABCDEF\""},
                                              });
}

TEST(ModelRules, OfTreesAreNamedWhenBroken) {
  // Each changes the 5 nodes of tree 0: two inner nodes, then leaves 0, 1, 2.
  void (*const changes[])(Node*) = {
      [](Node* n) { n[0].child = 0; },
      [](Node* n) { n[0].child = 2; },
      [](Node* n) { n[1].child = 1; },
      [](Node* n) { n[1].child = 4; },
      [](Node* n) { n[2] = n[0], n[2].child = 5; },
      // The root is a leaf; its children are reached from node 1, which is itself one of them.
      [](Node* n) { n[0].child = ~0, n[1].child = 1; },
      [](Node* n) { n[3].child = ~0; },
      [](Node* n) { n[3].child = ~3; },
      [](Node* n) { n[3].child = std::numeric_limits<int>::min(); },
      [](Node* n) { n[0].feature.channel_a = 4; },
      [](Node* n) { n[0].feature.channel_b = 254; },
      [](Node* n) { n[0].feature.channel_b = 3; },
      [](Node* n) { n[4].feature.channel_a = 4; },
      [](Node* n) { n[0].feature.a.half_w = 0; },
      [](Node* n) { n[0].feature.b.half_h = -1; },
      [](Node* n) { n[4].feature.b.half_h = -1; },
      [](Node* n) { n[1].feature.a.dx = -128; },
      [](Node* n) { n[1].feature.b.dy = -128; },
      [](Node* n) { n[1].threshold = not_a_number(); },
      [](Node* n) { n[1].unused = 1; },
  };
  for (const auto& change : changes) {
    ModelParts parts(model_bytes(small_forest()));
    Node nodes[5];
    std::memcpy(nodes, parts.data.data(), sizeof(nodes));
    change(nodes);
    std::memcpy(parts.data.data(), nodes, sizeof(nodes));
    parts.sign_arrays();
    testdata::expect_sentence(refusal(parts.bytes()));
  }
}

TEST(ModelRule, NodesAndLeavesMatch) {
  // 5 nodes, but counts for 2 leaves. All sizes and checksums are correct: 2 x 3 counts are 24 bytes.
  ModelParts parts(model_bytes(small_forest()));
  json header = parts.json();
  header["trees"][0]["num_leaves"] = 2;
  header["arrays"][1]["shape"][0] = 2;
  header["arrays"][1]["size_bytes"] = 24;
  parts.header = header.dump();
  std::fill_n(parts.data.begin() + 128 + 24, 12, 0);
  parts.sign_arrays();
  testdata::expect_sentence(refusal(parts.bytes()));
}

TEST(ModelRule, NothingHidesBetweenArrays) {
  ModelParts parts(model_bytes(small_forest()));
  parts.data[100] = 1;  // padding: the previous array ends at 100
  testdata::expect_sentence(refusal(parts.bytes()));
}

TEST(ModelRule, SizesAreComparedWithTheFileBeforeMemoryIsTaken) {
  ModelParts parts(model_bytes(small_forest()));
  json header = parts.json();
  const std::uint64_t num_nodes = 2147483647, num_leaves = 2147483647;
  header["trees"] = {{{"num_nodes", num_nodes}, {"num_leaves", num_leaves}}};
  header["arrays"].erase(2);
  header["arrays"].erase(2);
  header["arrays"][0]["shape"][0] = num_nodes;
  header["arrays"][0]["size_bytes"] = num_nodes * 20;  // 42949672940; the next multiple of 64 is 42949672960
  header["arrays"][1]["shape"][0] = num_leaves;
  header["arrays"][1]["offset"] = 42949672960;
  header["arrays"][1]["size_bytes"] = num_leaves * 12;
  parts.header = header.dump();
  testdata::expect_sentence(refusal(parts.bytes()));
}

TEST(ModelRule, HeadersEndWithinTheFile) {
  Bytes bytes = model_bytes(small_forest());
  std::memset(bytes.data() + 16, 0xff, 8);
  testdata::expect_refused(ErrorKind::kModel, [&] { read_forest(bytes, "f"); });
}

TEST(ModelRule, HeadersAreJsonOfBoundedDepth) {
  ModelParts parts(model_bytes(small_forest()));
  const std::string whole = parts.header;
  parts.header = whole.substr(0, whole.size() - 1);
  testdata::expect_sentence(refusal(parts.bytes()));
  parts.header = "{\"a\":1e999}";
  testdata::expect_sentence(refusal(parts.bytes()));
  parts.header = "";
  testdata::expect_sentence(refusal(parts.bytes()));
  for (const char* open : {"[", "{\"a\":"}) {
    parts.header.clear();
    for (int i = 0; i < 100000; ++i) parts.header += open;
    testdata::expect_sentence(refusal(parts.bytes()));
  }
}

TEST(ModelRule, BracketsInTextsAreNoNesting) {
  Forest forest = empty_forest(1);
  forest.options_json = R"({"a":"\\\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["})";
  EXPECT_EQ(read_forest(model_bytes(forest), "f").options_json, forest.options_json);
  forest.options_json =
      R"({"a\\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]})";  // 1 + 33 levels
  EXPECT_THROW(model_bytes(forest), Error);
}

TEST(ModelRule, MessagesStayShortAndPrintable) {
  ModelParts parts(model_bytes(small_forest()));
  json header = parts.json();
  header["channels"][0] = "\x1b[2J" + std::string(100000, 'x');
  parts.header = header.dump();
  const std::string text = refusal(parts.bytes());
  EXPECT_LT(text.size(), 200u);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

/// Message of the error for a forest whose header states the kind "ferns".
std::string refusal_as_ferns(const Forest& forest) {
  ModelParts parts(model_bytes(forest));
  json header = parts.json();
  header["kind"] = "ferns";
  parts.header = header.dump();
  return refusal(parts.bytes());
}

TEST(FernRule, NodesOfALevelShareTheirTest) {
  Forest forest = small_forest();
  forest.labelling_trees() = {heap_tree(2, 3), heap_tree(4, 3)};
  testdata::expect_sentence(refusal_as_ferns(forest));
  forest.labelling_trees().pop_back();
  EXPECT_EQ(refusal_as_ferns(forest), "");
}

TEST(FernRule, ThereAreAtMost25Levels) {
  Forest forest = small_forest();
  Tree tree;
  tree.nodes.resize(1);
  const RegionFeature feature{{0, 0, 1, 1}, {3, 0, 1, 1}, 0, 0};
  for (int level = 0; level < 26; ++level) {  // a comb: only the right child is split further
    const std::size_t size = tree.nodes.size();
    tree.nodes.back() = {static_cast<std::int32_t>(size), 0, feature, 0};
    tree.nodes.resize(size + 2);
    tree.nodes[size].child = ~level;
  }
  tree.nodes.back().child = ~26;
  tree.leaf_counts = Array2<std::uint32_t>(27, 3);
  forest.labelling_trees() = {tree};
  testdata::expect_sentence(refusal_as_ferns(forest));
}

}  // namespace
}  // namespace fernwood::forest
