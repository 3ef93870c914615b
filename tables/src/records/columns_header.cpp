// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/columns_header.h"

#include <algorithm>
#include <iterator>

#include "fernwood/core/text.h"
#include "fernwood/records/record_forest.h"

namespace fernwood::records {

using nlohmann::json;

bool have_exact_sets(const ColumnRules& rules) {
  return std::ranges::any_of(rules.sets, [](const CategorySet& set) { return set.bounds.is_exact; });
}

namespace {

constexpr const char* kKindNames[] = {"category", "is-category", "is-above"};  // [KeyKind]

json encode_part(const KeyPart& part) {
  json encoded = {{"kind", kKindNames[static_cast<std::size_t>(part.kind)]}, {"attribute", part.attribute}};
  if (part.kind == KeyKind::kIsCategory) encoded["category"] = part.category;
  if (part.kind == KeyKind::kIsAbove) {
    encoded["threshold"] = part.threshold;
    encoded["unknown_above"] = part.unknown_above;
  }
  return encoded;
}

}  // namespace

json encode_columns(const ColumnRules& rules) {
  json missing = json::array(), sets = json::array();
  for (const MissingValues& each : rules.missing)
    missing.push_back({{"attribute", each.attribute}, {"low", each.low}, {"high", each.high}});
  for (const CategorySet& set : rules.sets) {
    sets.push_back({{"attribute", set.bounds.attribute},
                    {"first", set.bounds.first},
                    {"negative_in", set.bounds.negative_in},
                    {"large_in", set.bounds.large_in},
                    {"unknown_in", set.bounds.unknown_in},
                    {"is_whole", set.bounds.is_whole},
                    {"num_words", set.words.size()}});
    if (set.bounds.is_exact) sets.back()["is_exact"] = true;
  }
  json columns = {{"missing", missing}, {"sets", sets}};
  if (rules.text_attributes.empty()) return columns;
  columns["text_attributes"] = rules.text_attributes;
  columns["tables"] = json::array();
  for (const CategoryTable& table : rules.tables) {
    json parts = json::array();
    for (const KeyPart& part : table.parts) parts.push_back(encode_part(part));
    columns["tables"].push_back(
        {{"parts", parts}, {"num_keys", table.keys.size()}, {"num_columns", table.num_columns()}});
  }
  return columns;
}

namespace {

std::uint16_t attribute_in(const JsonField& field) {
  return static_cast<std::uint16_t>(field.at("attribute").whole(0, kMaxAttributes - 1));
}

}  // namespace

float float_in(const JsonField& field) {
  const double number = field.number();
  if (static_cast<double>(static_cast<float>(number)) != number) field.fail("a number of 32 bits");
  return static_cast<float>(number);
}

namespace {

KeyPart decode_part(const JsonField& field) {
  const auto kind = std::ranges::find(kKindNames, field.at("kind").text());
  if (kind == std::end(kKindNames)) field.at("kind").fail(join(kKindNames, " or "));
  KeyPart part = {.kind = static_cast<KeyKind>(kind - kKindNames), .attribute = attribute_in(field)};
  if (part.kind == KeyKind::kIsCategory)
    part.category = static_cast<std::uint32_t>(field.at("category").whole(0, 0xffffffff));
  if (part.kind == KeyKind::kIsAbove) {
    part.threshold = float_in(field.at("threshold"));
    part.unknown_above = field.at("unknown_above").flag();
  }
  return part;
}

void decode_tables(const JsonField& field, ColumnsHeader& header) {
  const JsonField texts = field.at("text_attributes"), tables = field.at("tables");
  const std::size_t num_texts = texts.size(0, kMaxAttributes), num_tables = tables.size(0, kMaxAttributes);
  for (std::size_t i = 0; i < num_texts; ++i)
    header.rules.text_attributes.push_back(static_cast<std::uint16_t>(texts.at(i).whole(0, kMaxAttributes - 1)));
  for (std::size_t i = 0; i < num_tables; ++i) {
    const JsonField each = tables.at(i), parts = each.at("parts");
    CategoryTable& table = header.rules.tables.emplace_back();
    const std::size_t num_parts = parts.size(1, kMaxAttributes);
    for (std::size_t p = 0; p < num_parts; ++p) table.parts.push_back(decode_part(parts.at(p)));
    header.table_sizes.push_back(
        {each.at("num_keys").whole(0, 0xfffffffe), each.at("num_columns").whole(1, kMaxAttributes)});
  }
}

}  // namespace

ColumnsHeader decode_columns(const JsonField& field) {
  ColumnsHeader header;
  const JsonField missing = field.at("missing"), sets = field.at("sets");
  const std::size_t num_missing = missing.size(0, kMaxAttributes), num_sets = sets.size(0, kMaxAttributes);
  for (std::size_t i = 0; i < num_missing; ++i) {
    const JsonField each = missing.at(i);
    header.rules.missing.push_back({attribute_in(each), float_in(each.at("low")), float_in(each.at("high"))});
  }
  for (std::size_t i = 0; i < num_sets; ++i) {
    const JsonField set = sets.at(i);
    header.rules.sets.push_back(
        {{attribute_in(set), float_in(set.at("first")), set.at("negative_in").flag(), set.at("large_in").flag(),
          set.at("unknown_in").flag(), set.at("is_whole").flag(), set.has("is_exact") && set.at("is_exact").flag()},
         {}});
    header.num_words.push_back(set.at("num_words").whole(1, kMaxCategories / 64));
  }
  if (field.has("text_attributes")) decode_tables(field, header);
  return header;
}

}  // namespace fernwood::records
