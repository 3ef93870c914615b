// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "fernwood/core/error.h"
#include "fernwood/records/record_file.h"
#include "records/record_models.h"

namespace fernwood::records {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string header_of(const RecordForest& forest) {
  std::ostringstream out;
  write_cpp(forest, "forest", out);
  return out.str();
}

/// A program that reads records and writes the class of each, followed by its probabilities.
constexpr const char* kProgram =
    "#include \"forest.h\"\n"
    "#include <cstdio>\n"
    "int main() {\n"
    "  float record[forest::num_attributes], shares[forest::num_classes];\n"
    "  while (std::fread(record, sizeof record, 1, stdin) == 1) {\n"
    "    const std::int32_t found = forest::classify(record);\n"
    "    forest::classify(record, shares);\n"
    "    std::fwrite(&found, sizeof found, 1, stdout);\n"
    "    std::fwrite(shares, sizeof shares, 1, stdout);\n"
    "  }\n"
    "}\n";

/// A program that reads records and writes the values of each as doubles.
constexpr const char* kValueProgram =
    "#include \"forest.h\"\n"
    "#include <cstdio>\n"
    "int main() {\n"
    "  float record[forest::num_attributes];\n"
    "  forest::sum_type values[forest::num_targets];\n"
    "  while (std::fread(record, sizeof record, 1, stdin) == 1) {\n"
    "    forest::predict(record, values);\n"
    "    for (const double value : values) std::fwrite(&value, sizeof value, 1, stdout);\n"
    "  }\n"
    "}\n";

class ExportedCpp : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("c++ --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no compiler c++";
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Output of a program that is compiled with the exported header, for all records.
  /// @tparam Number  Type of the numbers that the program writes.
  template <typename Number = std::int32_t>
  std::vector<Number> answers_of(const RecordForest& forest, const std::vector<float>& values,
                                 const char* program = kProgram) const {
    std::ofstream(folder_ / "forest.h") << header_of(forest);
    std::ofstream(folder_ / "main.cpp") << program;
    std::ofstream(folder_ / "records", std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * 4));
    const std::string command =
        "cd " + folder_.string() +
        " && c++ -std=c++17 -O1 -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror "
        "main.cpp -o main && ./main < records > answers";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    std::vector<Number> answers(fs::file_size(folder_ / "answers") / sizeof(Number));
    std::ifstream(folder_ / "answers", std::ios::binary)
        .read(reinterpret_cast<char*>(answers.data()), static_cast<std::streamsize>(answers.size() * sizeof(Number)));
    return answers;
  }
  void expect_same_answers(const RecordForest& forest) const {
    constexpr std::size_t kRecords = 400;
    const std::size_t width = forest.attributes.size();
    const std::vector<float> values = tricky_records(forest, kRecords, 5);
    std::vector<std::int32_t> expected, sums(forest.num_outputs());
    std::vector<float> shares(forest.classes.size());
    for (std::size_t i = 0; i < kRecords; ++i) {
      sum_trees(forest, values.data() + i * width, sums.data());
      probabilities_of(forest, sums.data(), shares.data());
      expected.push_back(choose_class(forest.link, sums.data(), sums.size()));
      for (const float share : shares) expected.push_back(bits_of(share));
    }
    EXPECT_EQ(answers_of(forest, values), expected);
  }
  void expect_same_values(const RecordForest& forest) const {
    constexpr std::size_t kRecords = 400;
    const std::size_t width = forest.attributes.size();
    const std::vector<float> values = tricky_records(forest, kRecords, 5);
    std::vector<double> expected, sums(forest.num_outputs()), predicted(forest.num_predicted());
    for (std::size_t i = 0; i < kRecords; ++i) {
      sum_values(forest, values.data() + i * width, sums.data());
      predict_from_sums(forest, sums.data(), predicted.data());
      expected.insert(expected.end(), predicted.begin(), predicted.end());
    }
    EXPECT_EQ(answers_of<double>(forest, values, kValueProgram), expected);
  }

 private:
  fs::path folder_ = fs::path(testing::TempDir()) / ("fernwood_export_" + std::to_string(::getpid()));
};

TEST_F(ExportedCpp, AForestThatAveragesGivesTheSameClassesAndProbabilities) {
  RecordForest forest = random_forest({.trees = 5, .depth = 6, .classes = 4, .nan = 2, .seed = 41});
  forest.trees[0].nodes[0].threshold = std::numeric_limits<float>::infinity();
  forest.trees[1].nodes[0].threshold = -std::numeric_limits<float>::infinity();
  forest.trees[2].nodes[0].threshold = 1e-42f;
  forest.classes[1] = "a \"quoted\" \\ name,\nin two lines";
  expect_same_answers(forest);
}
TEST_F(ExportedCpp, BoostedTreesOfTwoClassesGiveTheSame) {
  expect_same_answers(
      random_forest({.trees = 6, .depth = 5, .classes = 2, .link = Link::kLogistic, .nan = 2, .seed = 42}));
}
TEST_F(ExportedCpp, BoostedTreesOfManyClassesGiveTheSame) {
  expect_same_answers(
      random_forest({.trees = 8, .depth = 4, .classes = 4, .link = Link::kSoftmax, .nan = 1, .seed = 43}));
}
TEST_F(ExportedCpp, ClassesAgainstAllOthersGiveTheSame) {
  expect_same_answers(
      random_forest({.trees = 6, .depth = 4, .classes = 3, .link = Link::kSigmoid, .nan = 1, .seed = 46}));
}
TEST_F(ExportedCpp, ADeepTreeAndALeafGiveTheSame) {
  expect_same_answers(random_forest({.depth = 300, .classes = 3, .growth = 0.52, .most_nodes = 2001, .seed = 44}));
  expect_same_answers(random_forest({.depth = 0, .classes = 3, .seed = 45}));
}

TEST_F(ExportedCpp, SetsOfCategoriesAndMissingValuesGiveTheSame) {
  expect_same_answers(random_forest({.trees = 5, .depth = 5, .classes = 3, .nan = 2, .seed = 48, .sets = 17}));
  expect_same_answers(random_forest({.trees = 5, .depth = 5, .classes = 3, .seed = 49, .sets = 5, .missing = 6}));
  expect_same_answers(random_forest({.trees = 5, .depth = 5, .classes = 3, .seed = 50, .missing = 6}));
}

TEST_F(ExportedCpp, ValuesHaveTheSameBits) {
  const RecordForest grown = random_forest({.trees = 7, .depth = 5, .classes = 2, .nan = 2, .seed = 47});
  for (const bool is_single : {false, true}) {
    RecordForest forest = with_float_sums(grown, {.is_single = is_single, .has_bias = true});
    expect_same_values(forest);
    forest.float_sums->divisor = 1 << 27;
    for (const Link link :
         {Link::kExponential, Link::kSigmoid, Link::kSoftplus, Link::kSignedSquare, Link::kIsolation}) {
      forest.link = link;
      expect_same_values(forest);
    }
  }
}

TEST_F(ExportedCpp, RecordsOf64BitsAreRead) {
  RecordForest forest = random_forest(
      {.trees = 5, .depth = 5, .classes = 2, .link = Link::kLogistic, .nan = 2, .seed = 51, .sets = 3, .missing = 2});
  for (RecordTree& tree : forest.trees)
    for (const RecordNode& node : tree.nodes) tree.wide_thresholds.push_back(node.threshold);
  const std::string from = "  float record[forest::num_attributes]", header = header_of(forest);
  std::string program = kProgram;
  program.replace(program.find(from), from.size(), "  double record[forest::num_attributes];\n  float");
  program.replace(program.find("float,"), 6, "float");
  EXPECT_THAT(header, HasSubstr("const double* record"));
  std::vector<float> values = tricky_records(forest, 400, 5);
  std::vector<double> wide(values.begin(), values.end());
  std::vector<float> bits(2 * wide.size());
  std::memcpy(bits.data(), wide.data(), wide.size() * sizeof(double));
  const std::vector<std::int32_t> found = answers_of(forest, bits, program.c_str());
  for (RecordTree& tree : forest.trees) tree.wide_thresholds.clear();
  EXPECT_EQ(found, answers_of(forest, values));
}

TEST(WriteCpp, WritesThresholdsExactlyAndEqualLeavesOnce) {
  RecordForest forest = stumps({{1, 0.1f}, {0, 2.0f}});
  forest.trees[1].nodes[0].nan_left = 1;
  const std::string header = header_of(forest);
  EXPECT_THAT(header, HasSubstr("{0x1.99999ap-4f, 1, 1, 0}, {0x0p+0f, -1, 0, 0}, {0x0p+0f, -3, 0, 0}, "
                                "{0x1p+1f, 4, 0, 1}"));
  EXPECT_THAT(header, HasSubstr("values[] = {\n    1048576, 0, 0, 1048576};"));
}

TEST(WriteCpp, RefusesANamespaceThatIsNone) {
  std::ostringstream out;
  const RecordForest linear = with_linear_leaves(with_float_sums(random_forest({.link = Link::kSoftmax}), {}));
  EXPECT_THROW(write_cpp(linear, "forest", out), Error);
  for (const char* name :
       {"", "9lives", "a b", "a::b", "class", "alignas", "and", "std", "xor_eq", "int", "main", "_X", "__x"})
    EXPECT_THROW(write_cpp(stumps({{0, 1}}), name, out), Error);
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace fernwood::records
