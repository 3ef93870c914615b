// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// CatBoost's statistics of categories (Prokhorenkova et al., CatBoost: unbiased boosting with categorical features,
// NeurIPS 2018, section 3): the counts of a category's training records are converted to a number, in 32 bits with
// rounding after each step.
#include <algorithm>
#include <charconv>
#include <limits>

#include "records/import/catboost_features.h"

namespace fernwood::records {

namespace {

constexpr std::uint64_t kEmptyBucket = ~std::uint64_t{0};  ///< Marks empty buckets of CatBoost's hash table.

std::uint64_t read_hash(const JsonField& field) {
  const std::string& text = field.text();
  std::uint64_t key = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), key);
  if (failure != std::errc() || end != text.data() + text.size()) field.fail("an integer of 64 bits as a string");
  return key;
}

std::int32_t read_count(const JsonField& field) {
  return static_cast<std::int32_t>(field.whole(0, std::numeric_limits<std::int32_t>::max()));
}

/// Converts counts to the number that tests compare.
struct CtrFormula {
  float prior_numerator, prior_denominator, shift, scale;

  explicit CtrFormula(const JsonField& ctr)
      : prior_numerator(number(ctr, "prior_numerator")),
        prior_denominator(number(ctr, "prior_denomerator")),  // CatBoost's spelling
        shift(number(ctr, "shift")),
        scale(number(ctr, "scale")) {}

  float operator()(float count, float total) const {
    const float share = (count + prior_numerator) / (total + prior_denominator);
    return (share + shift) * scale;
  }

  static float number(const JsonField& ctr, const char* name) { return static_cast<float>(ctr.at(name).number()); }
};

/// Computes the number of one key. @param entry  Its index in the table's list, just after the key.
class CtrKind {
 public:
  CtrKind(const JsonField& ctr, const JsonField& table)
      : name_(ctr.at("ctr_type").text()), formula_(ctr), stride_(table.at("hash_stride").whole(2, kMaxClasses)) {
    is_mean_ = name_ == "BinarizedTargetMeanValue" || name_ == "FloatTargetMeanValue";
    is_counter_ = !is_of_target(name_);
    if (!is_mean_ && !is_counter_ && name_ != "Borders" && name_ != "Buckets")
      ctr.at("ctr_type")
          .fail("Borders, Buckets, BinarizedTargetMeanValue, FloatTargetMeanValue, Counter or FeatureFreq");
    if (is_counter_) denominator_ = read_count(table.at("counter_denominator"));
    const std::size_t num_numbers = stride_ - 1;
    if (is_counter_ ? num_numbers != 1 : is_mean_ ? num_numbers != 2 : num_numbers < 2)
      table.at("hash_stride").fail("that of " + name_);
    if (is_mean_ || is_counter_) return;
    const std::size_t target_border = ctr.at("target_border_idx").whole(0, num_numbers - 1);
    // The classes, or ranges of targets, that count: one, or all above a border. Two have only one border.
    first_ = name_ == "Buckets" ? target_border : num_numbers == 2 ? 1 : target_border + 1;
    last_ = name_ == "Buckets" ? target_border : num_numbers - 1;
  }

  std::size_t stride() const { return stride_; }
  float other() const { return is_counter_ ? formula_(0, static_cast<float>(denominator_)) : formula_(0, 0); }

  float value(const JsonField& list, std::size_t at) const {
    if (is_mean_)
      return formula_(static_cast<float>(list.at(at).number()), static_cast<float>(read_count(list.at(at + 1))));
    if (is_counter_) return formula_(static_cast<float>(read_count(list.at(at))), static_cast<float>(denominator_));
    std::int64_t counted = 0, total = 0;
    for (std::size_t k = 0; k + 1 < stride_; ++k) {
      const std::int32_t count = read_count(list.at(at + k));
      total += count;
      if (first_ <= k && k <= last_) counted += count;
    }
    if (total > std::numeric_limits<std::int32_t>::max())
      list.at(at).fail("a count whose sum with others fits 32 bits");
    return formula_(static_cast<float>(counted), static_cast<float>(total));
  }

 private:
  std::string name_;
  CtrFormula formula_;
  std::size_t stride_;
  bool is_mean_ = false, is_counter_ = false;
  std::int32_t denominator_ = 0;
  std::size_t first_ = 0, last_ = 0;
};

}  // namespace

bool is_of_target(const std::string& ctr_type) { return ctr_type != "Counter" && ctr_type != "FeatureFreq"; }

CatboostCtr read_catboost_ctr(const JsonField& ctr, const JsonField& table) {
  const CtrKind kind(ctr, table);
  const JsonField list = table.at("hash_map");
  const std::size_t size = list.size(0, std::numeric_limits<std::uint32_t>::max());
  if (size % kind.stride() != 0) list.fail("a list of keys with their numbers, hash_stride for each");
  CatboostCtr found{.values = {}, .other = kind.other()};
  found.values.reserve(size / kind.stride());
  for (std::size_t at = 0; at < size; at += kind.stride())
    if (const std::uint64_t key = read_hash(list.at(at)); key != kEmptyBucket)
      found.values.emplace_back(key, kind.value(list, at + 1));
  std::ranges::sort(found.values, {}, &std::pair<std::uint64_t, float>::first);
  if (std::ranges::adjacent_find(found.values, {}, &std::pair<std::uint64_t, float>::first) != found.values.end())
    list.fail("a list of different keys");
  return found;
}

}  // namespace fernwood::records
