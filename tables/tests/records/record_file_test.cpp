// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/record_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "core/model_mutator.h"
#include "fernwood/core/error.h"
#include "records/record_bytes_of.h"
#include "sentences.h"

namespace fernwood::records {
namespace {

using nlohmann::json;

/// Message of the error when bytes are rejected; "" when they are read.
std::string refusal(const Bytes& bytes) {
  try {
    read_records(bytes, "f");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    return error.what();
  }
  return "";
}

TEST(RecordFile, GivesBackWhatWasSaved) {
  const std::filesystem::path path = testing::TempDir() + "records_" + std::to_string(::getpid());
  const RecordForest values = with_float_sums(mixed_records(), {.has_bias = true});
  const RecordForest both = with_float_sums(mixed_records(), {.is_single = true, .has_classes = true});
  RecordForest by_sums = with_float_sums(
      random_forest({.trees = 2, .depth = 3, .classes = 3, .link = Link::kSoftmax, .seed = 53}), {.has_classes = true});
  by_sums.class_rule = ClassRule::kSum;
  const RecordForest sets = random_forest({.trees = 2, .depth = 4, .seed = 51, .sets = 7, .missing = 3});
  const RecordForest missing = random_forest({.trees = 2, .depth = 4, .seed = 52, .missing = 3});
  const RecordForest linear = with_linear_leaves(with_float_sums(mixed_records(), {.has_classes = true}));
  EXPECT_TRUE(linear.has_linear_leaves());
  const RecordForest tables = random_forest({.trees = 2, .depth = 4, .seed = 53, .sets = 0, .tables = 7});
  RecordForest texts = stumps({{0, 1.5f}});
  texts.columns.text_attributes = {1};
  for (const RecordForest& forest : {mixed_records(), stumps({{0, 1.5f}, {1, -2.0f}}), stumps({}), values, both,
                                     by_sums, sets, missing, tables, texts, linear}) {
    save_records(forest, path);
    EXPECT_TRUE(load_records(path) == forest);
    EXPECT_EQ(model_format(path), "fernwood records");
  }
  std::filesystem::remove(path);
}

TEST(RecordFile, RequiresNothingAndIsRefusedWhereItDoes) {
  ModelParts parts(record_bytes(mixed_records()));
  json header = parts.json();
  EXPECT_FALSE(header.contains("requires"));
  header["requires"] = {"gradients"};
  parts.header = header.dump();
  testdata::expect_sentence(refusal(parts.bytes()));
}

TEST(RecordFile, RequiresThatColumnsAreUnderstoodWhereThereAreRules) {
  ModelParts parts(record_bytes(random_forest({.trees = 2, .depth = 3, .seed = 51, .sets = 2, .missing = 1})));
  json header = parts.json();
  EXPECT_EQ(header["requires"], json({"columns"}));
  EXPECT_EQ(header["arrays"].back()["name"], "set_words");
  header["columns"]["sets"][0]["first"] = 0.1;
  parts.header = header.dump();
  testdata::expect_sentence(refusal(parts.bytes()));
}

TEST(RecordFile, ARuleOfClassesThatForestsWithoutSumsCannotHaveIsRefused) {
  const RecordForest forest = with_float_sums(
      random_forest({.trees = 2, .depth = 3, .classes = 3, .link = Link::kSoftmax, .seed = 53}), {.has_classes = true});
  RecordForest by_sums = forest;
  by_sums.class_rule = ClassRule::kSumFromZero;
  ModelParts parts(record_bytes(by_sums));
  json header = parts.json();
  EXPECT_EQ(header["requires"], json({"class_rule"}));
  EXPECT_EQ(header["class_rule"], "sum_from_zero");
  header["class_rule"] = "median";
  parts.header = header.dump();
  testdata::expect_sentence(refusal(parts.bytes()));
  by_sums.float_sums.reset();
  for (RecordTree& tree : by_sums.trees) tree.float_values = {};
  EXPECT_THROW(record_bytes(by_sums), Error);
}

TEST(RecordFile, RequiresThatLinearLeavesAreUnderstoodWhereThereAreSome) {
  ModelParts parts(record_bytes(with_linear_leaves(with_float_sums(mixed_records(), {.has_classes = true}))));
  const json header = parts.json();
  EXPECT_EQ(header["requires"], json({"linear leaves"}));
  EXPECT_EQ(header["arrays"].back()["name"], "linear_coefficients");
  json other = header;
  other.erase("linear");
  parts.header = other.dump();
  testdata::expect_sentence(refusal(parts.bytes()));
  other = header;
  for (json& tree : other["trees"]) tree.erase("linear");
  parts.header = other.dump();
  testdata::expect_sentence(refusal(parts.bytes()));
  RecordForest constant = with_linear_leaves(with_float_sums(mixed_records(), {.has_classes = true}));
  constant.linear_zero = -1;
  EXPECT_THROW(record_bytes(constant), Error);
}

TEST(RecordFile, RequiresThatTablesAreUnderstoodWhereThereAreSome) {
  const RecordForest forest = random_forest({.trees = 2, .depth = 3, .seed = 53, .tables = 2});
  const Bytes bytes = record_bytes(forest);
  EXPECT_EQ(ModelParts(bytes).json()["requires"], json({"columns", "category-tables"}));
  const auto refused = [&](auto change) {
    ModelParts parts(bytes);
    json header = parts.json();
    change(header["columns"]);
    parts.header = header.dump();
    return refusal(parts.bytes());
  };
  testdata::expect_sentence(refused([](json& columns) { columns["tables"][1]["parts"][1]["kind"] = "sign"; }));
  testdata::expect_sentence(refused([](json& columns) { columns["tables"][0]["num_keys"] = 1; }));
  testdata::expect_sentence(refused([](json& columns) { columns["tables"][0]["num_columns"] = 0; }));
  testdata::expect_sentence(refused([](json& columns) { columns["text_attributes"] = {0}; }));
}

TEST(RecordFile, LiesInTheFileAsDocumented) {
  const Bytes bytes = record_bytes(mixed_records());
  EXPECT_EQ(std::string(bytes.begin(), bytes.begin() + 8), "FERNWOOD");
  const ModelParts parts(bytes);
  const json header = parts.json();
  EXPECT_EQ(header["format"], "fernwood records");
  EXPECT_EQ(header["base"], json({1, -2, 3}));
  EXPECT_EQ(header["link"], "softmax");
  EXPECT_EQ(header["trees"][1], json({{"num_nodes", 1}, {"num_leaves", 1}, {"first_output", 2}, {"width", 1}}));
  // 6 nodes of 12 bytes; from the next multiple of 64 on, 9 + 1 values of 4 bytes.
  ASSERT_EQ(parts.data.size(), 128u + 40);
  EXPECT_EQ(header["arrays"][1]["offset"], 128);
  EXPECT_EQ(header["arrays"][1]["shape"], json({10}));
  // The root: threshold 1/2, first child 1, attribute 1, NaN goes left.
  EXPECT_EQ(Bytes(parts.data.begin(), parts.data.begin() + 12), (Bytes{0, 0, 0, 0x3f, 1, 0, 0, 0, 1, 0, 1, 0}));
  EXPECT_EQ(Bytes(parts.data.end() - 4, parts.data.end()), (Bytes{7, 0, 0, 0}));
}

TEST(RecordFile, NamesTheFieldThatIsBroken) {
  const auto broken = [](const char* pointer, const char* value) {
    ModelParts parts(record_bytes(mixed_records()));
    json header = parts.json();
    header.at(json::json_pointer(pointer)) = json::parse(value);
    parts.header = header.dump();
    return refusal(parts.bytes());
  };
  testdata::expect_sentence(broken("/link", "\"sum\""));
  testdata::expect_sentence(broken("/base", "[1,2]"));
  testdata::expect_sentence(broken("/base/0", "2147483648"));
  testdata::expect_sentence(broken("/fraction_bits", "31"));
  testdata::expect_sentence(broken("/attributes", "[]"));
  testdata::expect_sentence(broken("/trees/0/num_nodes", "7"));
  testdata::expect_sentence(broken("/trees/1/first_output", "3"));
  testdata::expect_sentence(broken("/arrays/0/dtype", "\"node\""));
  testdata::expect_sentence(broken("/trees", "[]"));
  testdata::expect_sentence(broken("/format", "\"fernwood forest\""));
}

TEST(RecordFile, SizesAreComparedWithTheFileBeforeMemoryIsTaken) {
  ModelParts parts(record_bytes(mixed_records()));
  json header = parts.json();
  for (json& tree : header["trees"])
    tree = {{"num_nodes", 2147483647}, {"num_leaves", 2147483647}, {"first_output", 0}, {"width", 65534}};
  parts.header = header.dump();
  testdata::expect_sentence(refusal(parts.bytes()));
}

TEST(RecordFile, RefusesToWriteWhatCouldNotBeRead) {
  RecordForest forest = mixed_records();
  forest.trees[0].nodes[0].attribute = 2;
  EXPECT_THROW(record_bytes(forest), Error);
  forest = mixed_records();
  forest.attributes[0] = "\xff";
  EXPECT_THROW(record_bytes(forest), Error);
}

TEST(RecordFuzz, TenThousandDamagedFilesAreRefusedOrSafe) {
  const Bytes whole = record_bytes(mixed_records());
  Mutator mutator(2025);
  int num_read = 0, num_refused_behind_checksums = 0;
  for (int i = 0; i < 10000; ++i) {
    const Bytes bytes = mutator.mutate(whole);
    try {
      const RecordForest read = read_records(bytes, "f");
      ++num_read;
      const std::vector<float> record(read.attributes.size());
      std::vector<std::int32_t> sums(read.num_outputs());
      sum_trees(read, record.data(), sums.data());
      EXPECT_NO_THROW(record_bytes(read));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kModel) << error.what();
      num_refused_behind_checksums += std::string(error.what()).find("checksum") == std::string::npos;
    }
  }
  EXPECT_GT(num_read, 500);
  EXPECT_GT(num_refused_behind_checksums, 4000);
}

TEST(RecordFuzz, EveryCutAndEveryFlippedBitIsFound) {
  Bytes bytes = record_bytes(mixed_records());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(refusal(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size))), "") << size;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= static_cast<std::uint8_t>(1u << (i % 8));
    EXPECT_NE(refusal(bytes), "") << "byte " << i;
    bytes[i] ^= static_cast<std::uint8_t>(1u << (i % 8));
  }
}

}  // namespace
}  // namespace fernwood::records
