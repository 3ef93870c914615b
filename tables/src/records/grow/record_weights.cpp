// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/grow/record_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fernwood/core/error.h"

namespace fernwood::records {

namespace {

void check_weights(const std::vector<double>& weights, std::size_t num_records) {
  FW_CHECK(weights.size() == num_records, Data,
           "there are " << weights.size() << " weights for " << num_records << " records; pass one for each");
  const auto wrong = std::ranges::find_if(weights, [](double weight) { return !(weight >= 0) || std::isinf(weight); });
  FW_CHECK(wrong == weights.end(), Data,
           "record " << wrong - weights.begin() + 1 << " of " << num_records << " has the weight " << *wrong
                     << "; use a finite number of at least 0");
  FW_CHECK(std::ranges::any_of(weights, [](double weight) { return weight > 0; }), Data,
           "all " << num_records << " records have the weight 0; pass a record that counts another one");
}

bool are_whole(const std::vector<double>& weights, double sum) {
  return sum <= INT32_MAX && std::ranges::all_of(weights, [](double weight) { return weight == std::floor(weight); });
}

}  // namespace

RecordWeights::RecordWeights(const RecordTable& table)
    : num_records_(static_cast<std::uint32_t>(table.values.rows())), num_draws_(num_records_) {
  if (table.weights.empty()) return;
  check_weights(table.weights, num_records_);
  const double largest = std::ranges::max(table.weights);  // divided by it, their sum is finite
  double shares = 0;
  for (const double weight : table.weights) shares += weight / largest;
  const bool whole = are_whole(table.weights, shares * largest);
  int exponent = 0;
  std::frexp(shares, &exponent);
  const auto number_of = [&](double weight) {
    return whole ? weight : std::max(1.0, std::floor(std::ldexp(weight / largest, 30 - exponent) + 0.5));
  };
  std::uint32_t end = 0, num_positive = 0;
  ends_.reserve(num_records_);
  for (const double weight : table.weights) {
    if (weight > 0) end += static_cast<std::uint32_t>(number_of(weight)), ++num_positive;
    ends_.push_back(end);
  }
  num_draws_ = whole ? end : num_positive;
  if (!whole) unit_ = end / num_positive;
}

std::uint32_t RecordWeights::record_at(std::uint32_t place) const {
  if (ends_.empty()) return place;
  return static_cast<std::uint32_t>(std::ranges::upper_bound(ends_, place) - ends_.begin());
}

}  // namespace fernwood::records
