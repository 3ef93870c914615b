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
#include "sentences.h"

namespace fernwood::forest {
namespace {

using nlohmann::json;

/// A change that makes a model file invalid while every checksum is correct, and a part of the error message.
struct HeaderCase {
  const char* pointer;  ///< JSON pointer of the field.
  const char* value;    ///< JSON text of its new value.
  const char* sentence;
};

std::string refusal(const ModelParts& parts) {
  try {
    read_forest(parts.bytes(), "f.fernwood");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    return error.what();
  }
  return "";
}

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
    testdata::expect_sentence(refusal(parts));
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

TEST(ModelSuppliedMaps, LiesOfTheHeaderAreRefused) {
  Forest forest = small_forest();
  forest.preparation.supplied_maps = {{-1, 1}, {0, 2}};
  forest.labelling_trees()[0].nodes[0].feature = map_feature(1);
  const Bytes bytes = model_bytes(forest);
  expect_refused(bytes, {{"/supplied_maps/1", "[2, 1]", "header field supplied_maps[1] must be two finite numbers"},
                         {"/supplied_maps/0", "[-1e39, 1]", "header field supplied_maps[0] must be two finite numbers"},
                         {"/supplied_maps/0", "[1]", "header field supplied_maps[0]"},
                         {"/supplied_maps", "[]", "header field supplied_maps"},
                         {"/supplied_maps", "7", "header field supplied_maps"}});
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
  EXPECT_THAT(with([](image::LinearHead& head) { head.num_maps = 3; }),
              testing::HasSubstr("the linear head reads 3 feature maps, and there are 2"));
  EXPECT_THAT(with([](image::LinearHead& head) { head.weights[1] = image::kMaxHeadWeight + 1; }),
              testing::HasSubstr("a weight of the linear head is beyond 8388608"));
  const Bytes bytes = model_bytes(headed_forest());
  expect_refused(bytes, {{"/linear_head/shift", "41", "header field linear_head.shift must be"},
                         {"/linear_head/maps", "0", "header field linear_head.maps must be"},
                         {"/linear_head/maps", "3", "header field arrays[0]"},
                         {"/linear_head/bias", "[1]", "header field linear_head.bias"},
                         {"/linear_head/bias/0", "99999999", "header field linear_head.bias must be numbers"},
                         {"/linear_head", "7", "header field linear_head"}});
  ModelParts parts(bytes);
  const std::int32_t wrong = image::kMaxHeadWeight + 5;
  std::memcpy(parts.data.data(), &wrong, sizeof(wrong));
  parts.sign_arrays();
  testdata::expect_sentence(refusal(parts));
}

TEST(ModelBackbone, LiesOfTheHeaderAndDamageAreRefused) {
  const Bytes bytes = model_bytes(mapped_forest());
  expect_refused(bytes, {{"/backbone/reduction", "3", "header field backbone.reduction must be 1, 2 or 4"},
                         {"/backbone/size_bytes", "7", "header field arrays[0]"},
                         {"/backbone/size_bytes", "0", "header field backbone.size_bytes must be"},
                         {"/backbone", "7", "header field backbone"}});
  ModelParts parts(bytes);
  parts.data[parts.data.size() / 2] ^= 1;  // within the backbone, which has its own checksums
  parts.sign_arrays();
  testdata::expect_sentence(refusal(parts));
}

TEST(ModelRequires, AnUnknownNameIsRefusedWithTheRemedy) {
  ModelParts parts(model_bytes(small_forest()));
  json header = parts.json();
  header["requires"] = {"stages", "bushes"};
  header["kind"] = "bushes";  // not checked, as reading ends at the unknown requirement
  parts.header = header.dump();
  testdata::expect_sentence(refusal(parts));
  header["requires"] = 3;
  parts.header = header.dump();
  testdata::expect_sentence(refusal(parts));
}

TEST(ModelRules, ScoresAreOfBoostedTreesAloneAndWithinBounds) {
  const auto refused = [](const Forest& forest) {
    try {
      model_bytes(forest);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
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
    return refusal(parts);
  };
  testdata::expect_sentence(refusal_of(R"({"plain":[1,2]})"));
  testdata::expect_sentence(refusal_of(R"({"smoothed":[1,2,0]})"));
  testdata::expect_sentence(refusal_of("3"));
}

class HeaderRule : public testing::TestWithParam<HeaderCase> {};

TEST_P(HeaderRule, IsNamedWhenBroken) {
  ModelParts parts(model_bytes(small_forest()));
  ASSERT_EQ(refusal(parts), "");
  json header = parts.json();
  header.at(json::json_pointer(GetParam().pointer)) = json::parse(GetParam().value);
  parts.header = header.dump();
  const std::string text = refusal(parts);
  EXPECT_THAT(text, testing::StartsWith(std::string("f.fernwood: ") + GetParam().sentence));
}

// The small forest has 3 classes, channel sets lab and depth, trees of 5 and 1 nodes, arrays at 0, 128, 192 and 256.
const HeaderCase kHeaderCases[] = {
    {"", "[]", "the header must be an object, not an array; the file is damaged: copy it again or train it again"},
    {"/format", "\"other\"", "header field format must be \"fernwood forest\", not \"other\"; the file is damaged"},
    {"/version", "2", "header field version must be 1, not 2"},
    {"/version", "\"1\"", "header field version must be 1, not \"1\""},
    {"/kind", "\"bushes\"", "header field kind must be forest, ferns or boosted, not \"bushes\""},
    {"/classes", "[]", "header field classes must have 1 to 65534 elements, not 0"},
    {"/classes", "{}", "header field classes must be an array of 1 to 65534 elements, not an object"},
    {"/classes/1", "{}", "header field classes[1].name is missing"},
    {"/classes/1/name", "7", "header field classes[1].name must be a text, not 7"},
    {"/classes/1/color", "[1,2]", "header field classes[1].color must have 3 elements, not 2"},
    {"/classes/1/color/2", "256", "header field classes[1].color[2] must be a whole number from 0 to 255, not 256"},
    {"/classes/1/color/2", "-1", "header field classes[1].color[2] must be a whole number from 0 to 255, not -1"},
    {"/classes/1/color/2", "1.5", "header field classes[1].color[2] must be a whole number from 0 to 255, not 1.5"},
    {"/void_colors/0/0", "true", "header field void_colors[0][0] must be a whole number from 0 to 255, not true"},
    {"/background", "3", "header field background must be a whole number from 0 to 2, not 3"},
    {"/channels", "[]", "header field channels must have 1 to 64 elements, not 0"},
    {"/channels/0", "\"smell\"", "header field channels[0] must be a channel set of this build, not \"smell\"; update"},
    {"/channels/1", "\"lab\"", "header field channels: "},
    {"/depth_filling", "\"levin\"", "header field depth_filling must be none, simple or colorized, not \"levin\""},
    {"/leaves/reweight", "1", "header field leaves.reweight must be true or false, not 1"},
    {"/leaves", "{\"reweight\":true,\"class_weights\":[1,2]}",
     "header field leaves.class_weights must have 3 elements, not 2"},
    {"/leaves", "{\"reweight\":true,\"class_weights\":{}}",
     "header field leaves.class_weights must be an array of 3 elements, not an object"},
    {"/leaves", "{\"reweight\":true,\"class_weights\":[1,1,0]}",
     "header field leaves.class_weights[2] must be from 1e-6 to 1e6, not 0"},
    {"/leaves", "{\"reweight\":true,\"class_weights\":[1,1e7,1]}",
     "header field leaves.class_weights[1] must be from 1e-6 to 1e6, not 1"},
    {"/leaves", "{\"reweight\":true,\"class_weights\":[1,1,null]}",
     "header field leaves.class_weights[2] must be a number, not null"},
    {"/class_pixels", "[1,2]", "header field class_pixels must have 3 elements, not 2"},
    {"/class_pixels/0", "18446744073709551615",
     "header field class_pixels[0] must be a whole number from 0 to 1407374"},
    {"/options", "[]", "header field options must be an object, not an array"},
    {"/provenance", "\"\"", "header field provenance must be an object, not \"\""},
    {"/trees", "[]", "header field arrays must have 0 elements, not 4"},
    {"/trees/0/num_nodes", "0", "header field trees[0].num_nodes must be a whole number from 1 to 2147483647, not 0"},
    {"/trees/0/num_nodes", "2147483648", "header field trees[0].num_nodes must be a whole number from 1 to 2147483647"},
    {"/trees/0/num_nodes", "6", "header field arrays[0].shape[0] must be 6, not 5"},
    {"/trees/0/num_leaves", "6", "header field trees[0].num_leaves must be a whole number from 1 to 5, not 6"},
    {"/arrays/0/name", "\"tree1.nodes\"", "header field arrays[0].name must be \"tree0.nodes\", not \"tree1.nodes\""},
    {"/arrays/1/dtype", "\"float32\"", "header field arrays[1].dtype must be \"uint32\", not \"float32\""},
    {"/arrays/1/shape", "[3]", "header field arrays[1].shape must have 2 elements, not 1"},
    {"/arrays/1/shape/1", "4", "header field arrays[1].shape[1] must be 3, not 4"},
    {"/arrays/2/offset", "0", "header field arrays[2].offset must be 192, not 0"},
    {"/arrays/2/size_bytes", "18446744073709551615", "header field arrays[2].size_bytes must be 20, not 18446744"},
    {"/arrays/2/xxh3", "\"0123\"", "header field arrays[2].xxh3 must be 16 hexadecimal digits, not \"0123\""},
    {"/arrays/2/xxh3", "\"0123456789abcdef\"", "the checksum of array tree1.nodes is "},
    {"/arrays/2/xxh3", "\"0123456789ABCDEF\"", "header field arrays[2].xxh3 must be 16 hexadecimal digits"},
};
INSTANTIATE_TEST_SUITE_P(Each, HeaderRule, testing::ValuesIn(kHeaderCases));

/// A change that makes a tree of the small forest invalid, and the error message.
struct TreeCase {
  std::function<void(Node*)> spoil;  ///< Changes the 5 nodes of tree 0: two inner nodes, then leaves 0, 1, 2.
  const char* sentence;
};

class TreeRule : public testing::TestWithParam<TreeCase> {};

TEST_P(TreeRule, IsNamedWhenBroken) {
  ModelParts parts(model_bytes(small_forest()));
  Node nodes[5];
  std::memcpy(nodes, parts.data.data(), sizeof(nodes));
  GetParam().spoil(nodes);
  std::memcpy(parts.data.data(), nodes, sizeof(nodes));
  parts.sign_arrays();
  testdata::expect_sentence(refusal(parts));
}

const TreeCase kTreeCases[] = {
    {[](Node* n) { n[0].child = 0; }, "0: its children start at 0, where breadth-first order among 5 nodes wants 1"},
    {[](Node* n) { n[0].child = 2; }, "0: its children start at 2, where breadth-first order among 5 nodes wants 1"},
    {[](Node* n) { n[1].child = 1; }, "1: its children start at 1, where breadth-first order among 5 nodes wants 3"},
    {[](Node* n) { n[1].child = 4; }, "1: its children start at 4, where breadth-first order among 5 nodes wants 3"},
    {[](Node* n) { n[2] = n[0], n[2].child = 5; },
     "2: its children start at 5, where breadth-first order among 5 nodes wants 5"},
    // The root is a leaf; its children are reached from node 1, which is itself one of them.
    {[](Node* n) { n[0].child = ~0, n[1].child = 1; }, "1: its children start at 1, where breadth-first order among 5"},
    {[](Node* n) { n[3].child = ~0; }, "3: leaf 0 is used twice"},
    {[](Node* n) { n[3].child = ~3; }, "3: leaf 3 is not below 3"},
    {[](Node* n) { n[3].child = std::numeric_limits<int>::min(); }, "3: leaf 2147483647 is not below 3"},
    {[](Node* n) { n[0].feature.channel_a = 4; }, "0: channels 4 and 1 must be below 4"},
    {[](Node* n) { n[0].feature.channel_b = 254; }, "0: channels 0 and 254 must be below 4"},
    {[](Node* n) { n[0].feature.channel_b = 3; }, "0: compares channel 0 with channel 3 of another group"},
    {[](Node* n) { n[4].feature.channel_a = 4; }, "4: channels 4 and 0 must be below 4"},
    {[](Node* n) { n[0].feature.a.half_w = 0; }, "0: a region's half extents are 0 x 1, below 1"},
    {[](Node* n) { n[0].feature.b.half_h = -1; }, "0: a region's half extents are 1 x -1, below 1"},
    {[](Node* n) { n[4].feature.b.half_h = -1; }, "4: a region's half extents are 0 x -1, below 0"},
    {[](Node* n) { n[1].feature.a.dx = -128; }, "1: a region's offset is (-128, -122), beyond 127"},
    {[](Node* n) { n[1].feature.b.dy = -128; }, "1: a region's offset is (-120, -128), beyond 127"},
    {[](Node* n) { n[1].threshold = not_a_number(); }, "1: the threshold is not a number"},
    {[](Node* n) { n[1].unused = 1; }, "1: unused bytes are 1, not 0"},
};
INSTANTIATE_TEST_SUITE_P(Each, TreeRule, testing::ValuesIn(kTreeCases));

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
  testdata::expect_sentence(refusal(parts));
}

TEST(ModelRule, NothingHidesBetweenArrays) {
  ModelParts parts(model_bytes(small_forest()));
  parts.data[100] = 1;  // padding: the previous array ends at 100
  testdata::expect_sentence(refusal(parts));
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
  testdata::expect_sentence(refusal(parts));
}

TEST(ModelRule, HeadersEndWithinTheFile) {
  Bytes bytes = model_bytes(small_forest());
  std::memset(bytes.data() + 16, 0xff, 8);
  EXPECT_THROW(
      {
        try {
          read_forest(bytes, "f");
        } catch (const Error& error) {
          EXPECT_THAT(error.what(),
                      testing::HasSubstr("a header of 18446744073709551615 bytes and more were expected"));
          throw;
        }
      },
      Error);
}

TEST(ModelRule, HeadersAreJsonOfBoundedDepth) {
  ModelParts parts(model_bytes(small_forest()));
  const std::string whole = parts.header;
  parts.header = whole.substr(0, whole.size() - 1);
  testdata::expect_sentence(refusal(parts));
  parts.header = "{\"a\":1e999}";
  testdata::expect_sentence(refusal(parts));
  parts.header = "";
  testdata::expect_sentence(refusal(parts));
  for (const char* open : {"[", "{\"a\":"}) {
    parts.header.clear();
    for (int i = 0; i < 100000; ++i) parts.header += open;
    testdata::expect_sentence(refusal(parts));
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
  const std::string text = refusal(parts);
  EXPECT_LT(text.size(), 200u);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

/// Message of the error for a forest whose header states the kind "ferns".
std::string refusal_as_ferns(const Forest& forest) {
  ModelParts parts(model_bytes(forest));
  json header = parts.json();
  header["kind"] = "ferns";
  parts.header = header.dump();
  return refusal(parts);
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
