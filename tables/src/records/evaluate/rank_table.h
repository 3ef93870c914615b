// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/core/error.h"
#include "fernwood/records/record_forest.h"

namespace fernwood::records {

// Ranks: a test compares a value with a threshold, and the number of the attribute's thresholds below the value
// determines the outcome of all of its tests at once. So a value can be replaced exactly by that number.

/// Position of an attribute's thresholds among those of all, and buckets to find the rank of a value.
struct RankedAttribute {
  std::uint32_t attribute;    ///< Index in the records.
  std::uint32_t first;        ///< Start of its thresholds in RankView::thresholds.
  std::uint32_t count;        ///< Number of its thresholds, at least 1.
  std::uint32_t first_mark;   ///< Start of its marks in RankView::marks.
  std::uint32_t num_buckets;  ///< It has num_buckets + 1 marks.
  float low, scale;           ///< Bucket of a value: (value - low) * scale, clamped to the valid range.
  std::uint32_t nan_rank;     ///< 0: NaN goes left in all its tests; count: right in all. kNanRankUnknown: they differ.
};
inline constexpr std::uint32_t kNanRankUnknown = 0xffffffff;

/// Views of a RankTable, for kernels.
struct RankView {
  View1<const RankedAttribute> attributes;  ///< [slot] The tested attributes, ascending.
  View1<const float> thresholds;            ///< Attribute by attribute, ascending, without duplicates.
  View1<const std::uint32_t> marks;         ///< Thresholds of the attribute in preceding buckets; see rank_of().
};

/// Bucket of a value: monotonic in the value, which is the only property that rank_of() needs.
FW_HD std::uint32_t bucket_of(const RankedAttribute& attribute, float value) {
  const float place = (value - attribute.low) * attribute.scale;
  const float last = static_cast<float>(attribute.num_buckets - 1);
  return static_cast<std::uint32_t>(place > 0.0f ? (place < last ? place : last) : 0.0f);
}

/// Range of an attribute's thresholds in a bucket: from `first` up to, but without, `end`.
struct BucketMarks {
  std::uint32_t first, end;
};

/// Number of an attribute's thresholds below a known value. Thresholds in earlier buckets are below it and those in
/// later ones are not, however the bucket was rounded; only those in its own bucket are compared.
/// @param marks_of      marks_of(bucket): BucketMarks.
/// @param threshold_of  threshold_of(i): the attribute's threshold i, ascending.
template <typename MarksOf, typename ThresholdOf>
FW_HD std::uint32_t rank_among(const RankedAttribute& attribute, const MarksOf& marks_of,
                               const ThresholdOf& threshold_of, float value) {
  BucketMarks left = marks_of(bucket_of(attribute, value));
  while (left.first < left.end) {
    const std::uint32_t middle = (left.first + left.end) / 2;
    if (side(value, threshold_of(middle)) == 1)
      left.first = middle + 1;
    else
      left.end = middle;
  }
  return left.first;
}

FW_HD std::uint32_t rank_of(const RankView& ranks, const RankedAttribute& attribute, float value) {
  const std::uint32_t* marks = ranks.marks.data + attribute.first_mark;
  const float* thresholds = ranks.thresholds.data + attribute.first;
  return rank_among(
      attribute,
      [&](std::uint32_t bucket) {
        return BucketMarks{marks[bucket], marks[bucket + 1]};
      },
      [&](std::uint32_t i) { return thresholds[i]; }, value);
}

/// The same for any value. @return  kNanRankUnknown for a NaN if the attribute's tests disagree on NaN.
FW_HD std::uint32_t rank_or_nan(const RankView& ranks, const RankedAttribute& attribute, float value) {
  return is_nan(value) ? attribute.nan_rank : rank_of(ranks, attribute, value);
}

/// The thresholds of a forest, by attribute.
struct RankTable {
  std::vector<RankedAttribute> attributes;
  std::vector<float> thresholds;
  std::vector<std::uint32_t> marks;
  std::uint32_t most = 0;  ///< Largest number of thresholds of an attribute.

  RankView view() const { return {view_of(attributes), view_of(thresholds), view_of(marks)}; }
  bool fits_8_bits() const { return most <= 255; }
  /// Index in `attributes` of an attribute that the forest tests.
  std::uint32_t slot_of(std::uint32_t attribute) const;
  /// Index of a threshold among those of its attribute: a value goes right if its rank is above this index.
  std::uint32_t rank_of_threshold(std::uint32_t slot, float threshold) const;
};

/// Why values cannot be converted to ranks, as the rest of a sentence; empty when they can.
OptionSentence ranks_unsupported(const RecordForest& forest);
RankTable rank_thresholds(const RecordForest& forest);
/// A table of the given thresholds, for every attribute; NaN has the rank after the last. @param thresholds
/// [attribute] At least one each, ascending.
RankTable rank_thresholds(std::span<const std::vector<float>> thresholds);

}  // namespace fernwood::records
