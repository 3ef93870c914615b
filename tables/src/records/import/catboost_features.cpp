// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/import/catboost_features.h"

#include <algorithm>
#include <set>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"

namespace fernwood::records {

namespace {

constexpr std::size_t kMaxInOneHotTable = 64;  // the number of its values is the square of this
constexpr std::size_t kMaxTableValues = std::size_t{1} << 28;

/// Joins statistics of one key into a table with several columns.
CategoryTable join_ctrs(const std::vector<KeyPart>& parts, const std::vector<CatboostCtr>& ctrs) {
  CategoryTable table;
  table.parts = parts;
  for (const CatboostCtr& ctr : ctrs)
    for (const auto& [key, value] : ctr.values) table.keys.push_back(key);
  std::ranges::sort(table.keys);
  table.keys.erase(std::unique(table.keys.begin(), table.keys.end()), table.keys.end());
  table.values = Array2<float>(table.keys.size() + 1, ctrs.size());
  for (std::size_t c = 0; c < ctrs.size(); ++c) {
    for (std::size_t row = 0; row <= table.keys.size(); ++row) table.values(row, c) = ctrs[c].other;
    for (const auto& [key, value] : ctrs[c].values)
      table.values(find_key(table.keys.data(), table.keys.size(), key), c) = value;
  }
  return table;
}

}  // namespace

CatboostFeatures::CatboostFeatures(const JsonField& root, const ErrorContext& place) : place_(place) {
  const JsonField info = root.at("features_info");
  if (info.has("float_features")) read_floats(info.at("float_features"));
  for (const char* kind : {"text_features", "embedding_features"}) {
    if (!info.has(kind)) continue;
    const std::size_t count = info.at(kind).size(0, kMaxAttributes);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t attribute = read_attribute(info.at(kind).at(i));
      others_.push_back(names_[attribute].empty() ? "in column " + std::to_string(attribute) : names_[attribute]);
    }
  }
  if (info.has("categorical_features")) read_categories(info.at("categorical_features"));
  if (info.has("ctrs") && info.at("ctrs").size(0, kMaxAttributes) > 0) read_ctrs(info.at("ctrs"), root.at("ctr_data"));
}

std::uint32_t CatboostFeatures::read_attribute(const JsonField& feature) {
  const auto attribute = static_cast<std::uint32_t>(feature.at("flat_feature_index").whole(0, kMaxNodes));
  check_attribute_count(attribute + 1, place_);
  names_.resize(std::max<std::size_t>(names_.size(), attribute + 1));
  if (feature.has("feature_id")) names_[attribute] = feature.at("feature_id").text();
  return attribute;
}

void CatboostFeatures::read_floats(const JsonField& list) {
  const std::size_t count = list.size(0, kMaxNodes);
  for (std::size_t i = 0; i < count; ++i) {
    const JsonField feature = list.at(i);
    const std::string& nan = feature.at("nan_value_treatment").text();
    if (nan != "AsIs" && nan != "AsFalse" && nan != "AsTrue")
      feature.at("nan_value_treatment").fail("AsIs, AsFalse or AsTrue");
    floats_.push_back({read_attribute(feature), nan != "AsTrue"});
    if (feature.has("borders")) num_tests_before_ctrs_ += feature.at("borders").size(0, kMaxNodes);
  }
}

void CatboostFeatures::read_categories(const JsonField& list) {
  const std::size_t count = list.size(0, kMaxAttributes);
  for (std::size_t i = 0; i < count; ++i) categories_.push_back(static_cast<std::uint16_t>(read_attribute(list.at(i))));
  for (std::size_t i = 0; i < count; ++i)  // now the number of attributes is known
    if (list.at(i).has("values")) read_one_hot(categories_[i], list.at(i).at("values"));
}

void CatboostFeatures::read_one_hot(std::uint16_t attribute, const JsonField& values) {
  const std::vector<std::int32_t> all = values.integers(0, kMaxAttributes);
  num_tests_before_ctrs_ += all.size();
  const KeyPart part = {.kind = KeyKind::kCategory, .attribute = attribute};
  for (std::size_t first = 0; first < all.size(); first += kMaxInOneHotTable) {
    const std::size_t count = std::min(kMaxInOneHotTable, all.size() - first);
    std::vector<CatboostCtr> columns;
    for (std::size_t i = first; i < first + count; ++i) {
      one_hot_.insert({{attribute, all[i]}, static_cast<std::uint32_t>(next_column() + i - first)});
      const float value = value_of_category(static_cast<std::uint32_t>(all[i]));
      columns.push_back({{{extend_key(0, part, value), 1.0f}}, 0.0f});
    }
    add_table(join_ctrs({part}, columns));
  }
}

std::vector<KeyPart> CatboostFeatures::read_key(const JsonField& elements) const {
  const std::size_t count = elements.size(1, kMaxAttributes);
  std::vector<KeyPart> parts;
  for (std::size_t i = 0; i < count; ++i) {
    const JsonField element = elements.at(i);
    const std::string& kind = element.at("combination_element").text();
    if (kind == "cat_feature_value") {
      parts.push_back({.kind = KeyKind::kCategory, .attribute = category_feature(element)});
    } else if (kind == "cat_feature_exact_value") {
      parts.push_back({.kind = KeyKind::kIsCategory,
                       .attribute = category_feature(element),
                       .category = static_cast<std::uint32_t>(element.at("value").integer())});
    } else if (kind == "float_feature") {
      const FloatFeature& feature = float_feature(element);
      parts.push_back({.kind = KeyKind::kIsAbove,
                       .attribute = static_cast<std::uint16_t>(feature.attribute),
                       .threshold = up_to(element.at("border").number()).threshold,
                       .unknown_above = !feature.nan_left});
    } else {
      element.at("combination_element").fail("cat_feature_value, cat_feature_exact_value or float_feature");
    }
  }
  // CatBoost processes categories, numbers and single categories in this order, whatever their order in the file.
  const auto rank = [](const KeyPart& part) {
    return part.kind == KeyKind::kCategory ? 0 : part.kind == KeyKind::kIsAbove ? 1 : 2;
  };
  std::ranges::stable_sort(parts, {}, rank);
  return parts;
}

void CatboostFeatures::read_ctrs(const JsonField& list, const JsonField& data) {
  const std::size_t count = list.size(0, kMaxAttributes);
  std::map<std::vector<KeyPart>, std::vector<std::size_t>> by_key;
  std::set<std::string> identifiers;
  for (std::size_t i = 0; i < count; ++i) {
    by_key[read_key(list.at(i).at("elements"))].push_back(i);
    const bool is_shared = !identifiers.insert(list.at(i).at("identifier").text()).second;
    has_shared_statistics_ |= is_shared && is_of_target(list.at(i).at("ctr_type").text());
  }
  std::vector<std::uint32_t> column_of(count);
  for (const auto& [parts, members] : by_key) {
    std::vector<CatboostCtr> ctrs;
    for (const std::size_t i : members) {
      column_of[i] = static_cast<std::uint32_t>(next_column() + ctrs.size());
      const JsonField ctr = list.at(i);
      const std::string& identifier = ctr.at("identifier").text();
      if (!data.has(identifier.c_str())) ctr.at("identifier").fail("a table of ctr_data");
      ctrs.push_back(read_catboost_ctr(ctr, data.at(identifier.c_str())));
    }
    add_table(join_ctrs(parts, ctrs));
  }
  for (std::size_t i = 0; i < count; ++i)
    for (const double border : list.at(i).at("borders").numbers(0, kMaxNodes))
      ctr_tests_.push_back({column_of[i], border, list.at(i).at("target_border_idx").whole(0, kMaxClasses)});
}

void CatboostFeatures::add_table(CategoryTable table) {
  num_columns_ += table.num_columns();
  num_table_values_ += table.values.size();
  FW_CHECK(next_column() <= kMaxAttributes, Model,
           place_.file << " has more than " << kMaxAttributes - names_.size() << " different tests of categories and "
                       << "statistics of them in addition to " << names_.size() << " features; train with fewer trees");
  FW_CHECK(num_table_values_ <= kMaxTableValues, Model,
           place_.file << " has more than " << kMaxTableValues << " statistics of categories; train with a smaller "
                       << "max_ctr_complexity or fewer trees");
  tables_.push_back(std::move(table));
}

const CatboostFeatures::FloatFeature& CatboostFeatures::float_feature(const JsonField& field) const {
  const std::size_t index = field.at("float_feature_index").whole(0, kMaxAttributes - 1);
  if (index >= floats_.size()) field.at("float_feature_index").fail("a feature of features_info");
  return floats_[index];
}

std::uint16_t CatboostFeatures::category_feature(const JsonField& field) const {
  const std::size_t index = field.at("cat_feature_index").whole(0, kMaxAttributes - 1);
  if (index >= categories_.size()) field.at("cat_feature_index").fail("a feature of features_info");
  return categories_[index];
}

void CatboostFeatures::read_split(const JsonField& split, SourceNode& node) const {
  const std::string& kind = split.at("split_type").text();
  if (kind == "FloatFeature") {
    const FloatFeature& feature = float_feature(split);
    node.attribute = feature.attribute;
    node.nan_left = feature.nan_left;
    node.test = up_to(split.at("border").number());
    return;
  }
  node.nan_left = true;
  if (kind == "OneHotFeature") {
    const auto found = one_hot_.find({category_feature(split), split.at("value").integer()});
    if (found == one_hot_.end()) split.at("value").fail("a value of the feature in features_info");
    node.attribute = found->second;
    node.test = up_to(0.5);
    return;
  }
  FW_CHECK(kind == "OnlineCtr", Model,
           place_.file << " asks for strings or embeddings (" << kind << "; the model has the features "
                       << join(others_) << "), which forests over numbers and categories cannot hold; leave these "
                       << "features out and train again");
  const std::size_t index = split.at("split_index").whole(0, kMaxNodes) - num_tests_before_ctrs_;
  const double border = split.at("border").number();
  if (index >= ctr_tests_.size() || ctr_tests_[index].border != border ||
      ctr_tests_[index].target_border != split.at("ctr_target_border_idx").whole(0, kMaxClasses))
    split.at("split_index").fail("that of a border in features_info.ctrs, behind those of features");
  node.attribute = ctr_tests_[index].column;
  node.test = up_to(border);
}

void CatboostFeatures::move_tables_to(SourceModel& model) {
  model.text_attributes = categories_;
  std::ranges::sort(model.text_attributes);
  model.tables = std::move(tables_);
}

}  // namespace fernwood::records
