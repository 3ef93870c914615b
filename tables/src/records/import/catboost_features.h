// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "records/import/source_model.h"

namespace fernwood::records {

/// The inputs of the tests of a CatBoost model: numbers, single categories (one-hot), and statistics of categories and
/// of combinations (CTR), which become columns of tables.
class CatboostFeatures {
 public:
  /// @param root  Of the model. @throws Error(kModel).
  CatboostFeatures(const JsonField& root, const ErrorContext& place);

  const std::vector<std::string>& names() const { return names_; }  ///< [attribute] Empty where the file has none.
  /// Sets the test of a node from a split of the file; values above the border go right.
  void read_split(const JsonField& split, SourceNode& node) const;
  /// Whether two statistics of the target share a key, so that the file has one table for both.
  bool has_shared_statistics() const { return has_shared_statistics_; }
  /// Moves the tables into the model.
  void move_tables_to(SourceModel& model);

 private:
  /// A numeric feature.
  struct FloatFeature {
    std::uint32_t attribute = 0;
    bool nan_left = true;  ///< Unknown values are not above the border.
  };
  /// A border of a statistic, in the order of the model's list of all tests.
  struct CtrTest {
    std::uint32_t column = 0;
    double border = 0;
    std::uint64_t target_border = 0;
  };

  std::uint32_t read_attribute(const JsonField& feature);
  void read_floats(const JsonField& list);
  void read_categories(const JsonField& list);
  void read_one_hot(std::uint16_t attribute, const JsonField& values);
  void read_ctrs(const JsonField& list, const JsonField& data);
  std::vector<KeyPart> read_key(const JsonField& elements) const;
  const FloatFeature& float_feature(const JsonField& field) const;
  std::uint16_t category_feature(const JsonField& field) const;
  /// Columns follow the attributes. @throws Error(kModel) when there are too many.
  void add_table(CategoryTable table);
  std::uint32_t next_column() const { return static_cast<std::uint32_t>(num_columns_ + names_.size()); }

  const ErrorContext& place_;
  std::vector<std::string> names_;
  std::vector<FloatFeature> floats_;
  std::vector<std::uint16_t> categories_;  ///< Their attributes.
  std::vector<std::string> others_;        ///< Names, or else attributes, of features of text and embeddings.
  std::vector<CategoryTable> tables_;
  std::size_t num_columns_ = 0, num_table_values_ = 0;                       ///< Of all tables.
  std::map<std::pair<std::uint16_t, std::int32_t>, std::uint32_t> one_hot_;  ///< (attribute, category): column.
  std::size_t num_tests_before_ctrs_ = 0;
  std::vector<CtrTest> ctr_tests_;
  bool has_shared_statistics_ = false;
};

/// A statistic of categories, as stored in the file: the value of each key, and that of all others.
struct CatboostCtr {
  std::vector<std::pair<std::uint64_t, float>> values;  ///< By key, ascending.
  float other = 0;
};
/// Whether a type of statistics depends on the target; otherwise it counts records.
bool is_of_target(const std::string& ctr_type);
/// @param ctr  Of features_info.ctrs. @param table  Of ctr_data. @throws Error(kModel).
CatboostCtr read_catboost_ctr(const JsonField& ctr, const JsonField& table);

}  // namespace fernwood::records
