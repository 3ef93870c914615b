// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/category_table.h"

#include <gtest/gtest.h>

#include <string>

#include "fernwood/records/record_forest.h"

namespace fernwood::records {
namespace {

TEST(CategoryOfText, IsCatboostsForTextsOfAllLengths) {
  // Hashes in models written by CatBoost 1.2.10, each of which has two categories.
  EXPECT_EQ(category_of_text(""), 797982799u);
  EXPECT_EQ(category_of_text("a"), 3489901818u);
  EXPECT_EQ(category_of_text("abc"), 978243121u);
  EXPECT_EQ(category_of_text("abcd"), 345588365u);
  EXPECT_EQ(category_of_text("abcdefgh"), 4270775063u);
  EXPECT_EQ(category_of_text("abcdefghi"), 3019552977u);
  EXPECT_EQ(category_of_text("0123456789abcdef"), 2645308183u);
  EXPECT_EQ(category_of_text("0123456789abcdefg"), 3849924666u);
  EXPECT_EQ(category_of_text(std::string(32, 'x')), 664286079u);
  EXPECT_EQ(category_of_text("yzyzyzyzyzyzyzyzyzyzyzyzyzyzyzyzyz"), 2252146889u);
  EXPECT_EQ(category_of_text(std::string(64, 'q')), 2229749267u);
  EXPECT_EQ(category_of_text(std::string(65, 'w')), 1141626801u);
  EXPECT_EQ(category_of_text(std::string(128, 'e')), 257033187u);
  EXPECT_EQ(category_of_text(std::string(129, 'e')), 208708682u);
  EXPECT_EQ(category_of_text("Größe äöü ß €"), 1582109994u);
  EXPECT_EQ(category_of_text("-9223372036854775808"), 953718104u);
}

TEST(CategoryOfText, AFloatHoldsItWhateverItsBits) {
  for (const std::uint32_t category : {0u, 1u, 0x7f800001u, 0x7fc00000u, 0xffc12345u, 0xffffffffu, 0x80000000u})
    EXPECT_EQ(category_of_value(value_of_category(category)), category);
}

TEST(FindKey, FindsEachAndNoOther) {
  const std::uint64_t keys[] = {0, 3, 4, 900, ~std::uint64_t{0}};
  for (std::size_t count = 0; count <= std::size(keys); ++count) {
    for (std::size_t i = 0; i < std::size(keys); ++i)
      EXPECT_EQ(find_key(keys, count, keys[i]), i < count ? i : count) << count;
    for (const std::uint64_t other : {1u, 5u, 901u}) EXPECT_EQ(find_key(keys, count, other), count);
  }
}

TEST(ReadColumns, TablesGiveARowByTheirKey) {
  const float red = value_of_category(category_of_text("red")), blue = value_of_category(category_of_text("blue"));
  ColumnRules rules;
  rules.text_attributes = {1};
  CategoryTable& table = rules.tables.emplace_back();
  table.parts = {{.kind = KeyKind::kCategory, .attribute = 1},
                 {.kind = KeyKind::kIsAbove, .attribute = 0, .threshold = 2, .unknown_above = true},
                 {.kind = KeyKind::kIsCategory, .attribute = 1, .category = category_of_text("red")}};
  std::uint64_t key = 0;  // of red records above 2
  const float record[] = {3, red};
  for (const KeyPart& part : table.parts) key = extend_key(key, part, record[part.attribute]);
  table.keys = {key};
  table.values = Array2<float>(2, 2);
  table.values(0, 0) = 5;
  table.values(0, 1) = 6;
  table.values(1, 1) = 7;
  const auto columns = [&](float number, float text) {
    const float values[] = {number, text};
    std::vector<float> found(4);
    read_columns(rules, records_by_rows(values, 1, 2), found.data());
    return std::vector(found.begin() + 2, found.end());
  };
  using Row = std::vector<float>;
  EXPECT_EQ(columns(3, red), (Row{5, 6}));
  EXPECT_EQ(columns(not_a_number(), red), (Row{5, 6}));
  EXPECT_EQ(columns(2, red), (Row{0, 7}));
  EXPECT_EQ(columns(3, blue), (Row{0, 7}));
  table.parts[1].unknown_above = false;
  EXPECT_EQ(columns(not_a_number(), red), (Row{0, 7}));
}

}  // namespace
}  // namespace fernwood::records
