// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/columns_header.h"

#include "fernwood/records/record_forest.h"

namespace fernwood::records {

using nlohmann::json;

json encode_columns(const ColumnRules& rules) {
  json missing = json::array(), sets = json::array();
  for (const MissingValues& each : rules.missing)
    missing.push_back({{"attribute", each.attribute}, {"low", each.low}, {"high", each.high}});
  for (const CategorySet& set : rules.sets)
    sets.push_back({{"attribute", set.bounds.attribute},
                    {"first", set.bounds.first},
                    {"negative_in", set.bounds.negative_in},
                    {"large_in", set.bounds.large_in},
                    {"unknown_in", set.bounds.unknown_in},
                    {"is_whole", set.bounds.is_whole},
                    {"num_words", set.words.size()}});
  return {{"missing", missing}, {"sets", sets}};
}

namespace {

std::uint16_t attribute_in(const JsonField& field) {
  return static_cast<std::uint16_t>(field.at("attribute").whole(0, kMostAttributes - 1));
}
float float_in(const JsonField& field) {
  const double number = field.number();
  if (static_cast<double>(static_cast<float>(number)) != number) field.fail("a number of 32 bits");
  return static_cast<float>(number);
}

}  // namespace

ColumnsHeader decode_columns(const JsonField& field) {
  ColumnsHeader header;
  const JsonField missing = field.at("missing"), sets = field.at("sets");
  const std::size_t num_missing = missing.size(0, kMostAttributes), num_sets = sets.size(0, kMostAttributes);
  for (std::size_t i = 0; i < num_missing; ++i) {
    const JsonField each = missing.at(i);
    header.rules.missing.push_back({attribute_in(each), float_in(each.at("low")), float_in(each.at("high"))});
  }
  for (std::size_t i = 0; i < num_sets; ++i) {
    const JsonField set = sets.at(i);
    header.rules.sets.push_back({{attribute_in(set), float_in(set.at("first")), set.at("negative_in").flag(),
                                  set.at("large_in").flag(), set.at("unknown_in").flag(), set.at("is_whole").flag()},
                                 {}});
    header.num_words.push_back(set.at("num_words").whole(1, kMostCategories / 64));
  }
  return header;
}

}  // namespace fernwood::records
