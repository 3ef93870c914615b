// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/stream/value_sketches.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/messages.h"
#include "fernwood/core/arithmetic.h"
#include "fernwood/core/error.h"
#include "lab/stream/ben_haim.h"
#include "records/grow/radix_sort.h"

namespace fernwood::lab {

namespace {

using stream::AttributeRange;
using stream::Cells;
using stream::CountedRecords;
using stream::CountLayout;
using stream::LeafSketches;
using stream::RecordRange;
using CellMemory = LeafSketches::CellMemory;

/// All values with their classes, 8 bytes each; -0 counts as 0.
class ExactValues {
 public:
  explicit ExactValues(std::size_t num_classes, int = 0) : num_classes_(num_classes) {}

  /// @param value  NaN: unknown.
  void count(float value, std::uint32_t label);
  void merge(const ExactValues& other);
  void pack(Packer& packer) const { packer.put(keys_); }
  /// Replaces the contents. @throws Error(kRuntime) for bytes that end early or contain an invalid class.
  void unpack(Unpacker& unpacker);
  /// A bin for each different value, bounded by the thresholds of train_records(). Not thread-safe.
  Cells cells(CellMemory& memory) const;
  std::size_t size_bytes() const { return keys_.capacity() * sizeof(keys_[0]); }

 private:
  void sort(std::vector<std::uint64_t>& other) const;

  std::size_t num_classes_;
  // Sorted on access, which does not change the represented values.
  mutable std::vector<std::uint64_t> keys_;  ///< Ordered bits of values in the upper half, classes in the lower.
  mutable std::size_t num_sorted_ = 0;       ///< Number of keys at the beginning that are sorted.
};

constexpr std::uint32_t kUnknownValue = UINT32_MAX;  ///< Above all values.

std::uint32_t value_of(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); }
std::uint32_t label_of(std::uint64_t key) { return static_cast<std::uint32_t>(key); }

void ExactValues::count(float value, std::uint32_t label) {
  keys_.push_back(std::uint64_t{is_nan(value) ? kUnknownValue : ordered_bits(value)} << 32 | label);
}

void ExactValues::merge(const ExactValues& other) { keys_.insert(keys_.end(), other.keys_.begin(), other.keys_.end()); }

void ExactValues::unpack(Unpacker& unpacker) {
  unpacker.get(keys_);
  num_sorted_ = 0;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::uint32_t low = ordered_bits(-kInfinity), high = ordered_bits(kInfinity);
  const bool valid = std::ranges::all_of(keys_, [&](std::uint64_t key) {
    const std::uint32_t value = value_of(key);
    return label_of(key) < num_classes_ && (value == kUnknownValue || (value >= low && value <= high));
  });
  FW_CHECK(valid, Runtime,
           "values of another process have classes beyond the " << num_classes_
                                                                << " that there are, or are not numbers; start all "
                                                                   "processes with the same program and options");
}

/// Sorts the keys added since the last call, and merges them with the others.
void ExactValues::sort(std::vector<std::uint64_t>& other) const {
  const std::span<std::uint64_t> added = std::span(keys_).subspan(num_sorted_);
  if (added.empty()) return;
  const auto [low, high] = std::ranges::minmax(added);
  other.resize(std::max(other.size(), added.size()));
  const std::span<const std::uint64_t> sorted =
      records::sort_keys(added, std::span(other).first(added.size()), value_of(low), value_of(high));
  if (sorted.data() != added.data()) std::ranges::copy(sorted, added.begin());
  const auto middle = keys_.begin() + static_cast<std::ptrdiff_t>(num_sorted_);
  std::ranges::inplace_merge(keys_, middle, {}, value_of);
  num_sorted_ = keys_.size();
}

Cells ExactValues::cells(LeafSketches::CellMemory& memory) const {
  sort(memory.keys);
  memory.counts.clear();
  memory.thresholds.clear();
  memory.unknown.assign(num_classes_, 0);
  std::size_t num_bins = 0;
  std::uint32_t last = kUnknownValue;
  for (const std::uint64_t key : keys_) {
    const std::uint32_t value = value_of(key);
    if (value == kUnknownValue) {
      ++memory.unknown[label_of(key)];
      continue;
    }
    if (value != last) {
      if (num_bins > 0)
        memory.thresholds.push_back(records::threshold_between(float_of_ordered(last), float_of_ordered(value)));
      memory.counts.resize(++num_bins * num_classes_);
      last = value;
    }
    ++memory.counts[(num_bins - 1) * num_classes_ + label_of(key)];
  }
  if (num_bins == 0) memory.counts.resize(++num_bins * num_classes_);
  return {memory.counts.data(), memory.thresholds.data(), num_bins, memory.unknown.data(), num_classes_};
}

/// A histogram for each class. It depends on the order in which values are counted and columns are merged.
class BenHaimBins {
 public:
  /// @param bins  Maximum number of bins of a histogram.
  BenHaimBins(std::size_t num_classes, int bins) : num_classes_(num_classes), max_bins_(bins) {}

  /// Procedure UPDATE. @param value  NaN: unknown.
  void count(float value, std::uint32_t label);
  /// Procedure MERGE, class by class.
  void merge(const BenHaimBins& other);
  void pack(Packer& packer) const;
  /// Replaces the contents. @throws Error(kRuntime) for bytes that end early, Error(kData) for invalid bins.
  void unpack(Unpacker& unpacker);
  /// The places that divide the values of all classes evenly (UNIFORM of the merged histogram: Ben-Haim and Tom-Tov
  /// 2010, algorithm 7), with the number of records between them by SUM of each class's histogram, rounded to whole
  /// numbers.
  Cells cells(CellMemory& memory) const;
  std::size_t size_bytes() const;

 private:
  void make_room();

  std::size_t num_classes_;
  int max_bins_;
  std::vector<BenHaimHistogram> histograms_;  ///< [class]; empty until a value is counted.
  std::vector<std::uint32_t> unknown_;        ///< [class]; empty until a value is counted.
};

void BenHaimBins::make_room() {
  if (!histograms_.empty()) return;
  histograms_.assign(num_classes_, BenHaimHistogram(max_bins_));
  unknown_.assign(num_classes_, 0);
}

void BenHaimBins::count(float value, std::uint32_t label) {
  make_room();
  if (is_nan(value))
    ++unknown_[label];
  else
    histograms_[label].update(value);
}

void BenHaimBins::merge(const BenHaimBins& other) {
  if (other.histograms_.empty()) return;
  make_room();
  for (std::size_t c = 0; c < num_classes_; ++c) {
    histograms_[c].merge(other.histograms_[c]);
    unknown_[c] += other.unknown_[c];
  }
}

void BenHaimBins::pack(Packer& packer) const {
  packer.put(unknown_);
  for (const BenHaimHistogram& histogram : histograms_)
    packer.put(std::vector<Bin>(histogram.bins().begin(), histogram.bins().end()));
}

void BenHaimBins::unpack(Unpacker& unpacker) {
  histograms_.clear();
  unpacker.get(unknown_);
  FW_CHECK(unknown_.empty() || unknown_.size() == num_classes_, Runtime,
           "histograms of another process are of " << unknown_.size() << " classes, not " << num_classes_
                                                   << "; start all processes with the same program and options");
  for (std::size_t c = 0; c < unknown_.size(); ++c) {
    std::vector<Bin> bins;
    unpacker.get(bins);
    histograms_.emplace_back(max_bins_, std::move(bins));
  }
}

Cells BenHaimBins::cells(CellMemory& memory) const {
  BenHaimHistogram all(max_bins_);
  all.merge(histograms_);
  std::vector<double> places;
  // Records are compared with floats: places are rounded to floats, without duplicates, before values are counted.
  for (const double place : all.uniform(max_bins_))
    if (const double rounded = static_cast<float>(place); places.empty() || places.back() < rounded)
      places.push_back(rounded);
  std::size_t num_bins = places.size() + 1;
  memory.counts.assign(num_bins * num_classes_, 0);
  for (std::size_t c = 0; c < histograms_.size(); ++c) {
    const std::uint64_t total = histograms_[c].total();
    const std::vector<double> sums = histograms_[c].sums(places);
    std::uint64_t left = 0;
    for (std::size_t bin = 0; bin < num_bins; ++bin) {
      const std::uint64_t to = bin == places.size() ? total : static_cast<std::uint64_t>(sums[bin] + 0.5);
      const std::uint64_t before = std::exchange(left, std::clamp(to, left, total));
      memory.counts[bin * num_classes_ + c] = static_cast<std::uint32_t>(left - before);
    }
  }
  // A place above which no known value is counted must be removed, or it would separate known from unknown values.
  while (num_bins > 1 &&
         stream::is_empty(std::span(memory.counts).subspan((num_bins - 1) * num_classes_, num_classes_)))
    --num_bins;
  memory.thresholds.assign(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(num_bins - 1));
  memory.unknown = unknown_;
  memory.unknown.resize(num_classes_);
  return {memory.counts.data(), memory.thresholds.data(), num_bins, memory.unknown.data(), num_classes_};
}

std::size_t BenHaimBins::size_bytes() const {
  std::size_t size = unknown_.capacity() * sizeof(unknown_[0]);
  for (const BenHaimHistogram& histogram : histograms_) size += histogram.size_bytes();
  return size;
}

/// Separate sketches for each slot and attribute, in memory that grows with the counted values.
/// @tparam Column  ExactValues or BenHaimBins: the sketch for a slot and an attribute.
template <typename Column>
class ColumnSketches : public LeafSketches {
 public:
  /// @param bins  Passed to columns.
  explicit ColumnSketches(int bins) : bins_(bins) {}

  void reset(const CountLayout& layout, std::size_t num_slots) override {
    num_attributes_ = layout.num_attributes, num_classes_ = layout.num_classes;
    columns_.clear();
    resize(num_slots);
  }
  void resize(std::size_t num_slots) override { columns_.resize(num_slots * num_attributes_, empty()); }
  void clear(std::size_t slot) override {
    for (std::size_t a = 0; a < num_attributes_; ++a) column(slot, a) = empty();
  }

  void count(const CountedRecords& records, const RecordRange& range, AttributeRange attributes) override {
    for (std::size_t a = attributes.begin; a < attributes.end; ++a) {
      const float* const values = records.values.data() + a * records.num_records;
      for (std::size_t i = range.begin; i < range.end; ++i) {
        const std::size_t r = range.listed ? range.listed[i] : i;
        if (const std::int32_t slot = records.slots[r]; slot >= 0)
          column(static_cast<std::size_t>(slot), a).count(values[r], static_cast<std::uint32_t>(records.labels[r]));
      }
    }
  }

  void merge(LeafSketches& other, std::span<const std::size_t> slots, std::size_t attribute) override {
    auto& theirs = static_cast<ColumnSketches&>(other);
    for (const std::size_t slot : slots) {
      column(slot, attribute).merge(theirs.column(slot, attribute));
      theirs.column(slot, attribute) = empty();
    }
  }

  void take(std::span<const std::size_t> slots, AttributeRange attributes, Bytes& bytes) override {
    Packer packer(bytes);
    for (const std::size_t slot : slots)
      for (std::size_t a = attributes.begin; a < attributes.end; ++a) {
        column(slot, a).pack(packer);
        column(slot, a) = empty();
      }
  }
  std::size_t add(std::span<const std::size_t> slots, AttributeRange attributes, const Bytes& bytes,
                  std::size_t at) override {
    Unpacker unpacker(bytes);
    unpacker.skip_to(at);
    for (const std::size_t slot : slots)
      for (std::size_t a = attributes.begin; a < attributes.end; ++a) {
        Column theirs = empty();
        theirs.unpack(unpacker);
        column(slot, a).merge(theirs);
      }
    return unpacker.place();
  }

  Cells cells(std::size_t slot, std::size_t attribute, CellMemory& memory) const override {
    return columns_[slot * num_attributes_ + attribute].cells(memory);
  }

  /// Mean size of the slots that have counted values.
  std::size_t slot_bytes() const override {
    std::size_t size = 0, num_used = 0;
    for (std::size_t begin = 0; begin < columns_.size(); begin += num_attributes_) {
      std::size_t size_of_slot = 0;
      for (std::size_t a = 0; a < num_attributes_; ++a) size_of_slot += columns_[begin + a].size_bytes();
      size += size_of_slot, num_used += size_of_slot > 0;
    }
    return size / std::max<std::size_t>(1, num_used);
  }

 private:
  Column empty() const { return Column(num_classes_, bins_); }
  Column& column(std::size_t slot, std::size_t attribute) { return columns_[slot * num_attributes_ + attribute]; }

  const int bins_;
  std::size_t num_attributes_ = 0, num_classes_ = 0;
  std::vector<Column> columns_;  ///< [slot][attribute]
};

}  // namespace

stream::LeafSketchMaker exact_leaf_sketches() {
  return {"exact", false, true, [](int bins) { return std::make_unique<ColumnSketches<ExactValues>>(bins); }};
}

stream::LeafSketchMaker ben_haim_leaf_sketches() {
  return {"ben-haim", false, false, [](int bins) { return std::make_unique<ColumnSketches<BenHaimBins>>(bins); }};
}

}  // namespace fernwood::lab
