// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/sketches/exact_values.h"

#include <algorithm>
#include <limits>

#include "fernwood/core/arithmetic.h"
#include "records/grow/radix_sort.h"

namespace fernwood::stream {

namespace {

constexpr std::uint32_t kUnknown = UINT32_MAX;  ///< Behind all values.

std::uint32_t value_of(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); }
std::uint32_t label_of(std::uint64_t key) { return static_cast<std::uint32_t>(key); }

}  // namespace

void ExactValues::count(float value, std::uint32_t label) {
  keys_.push_back(std::uint64_t{is_nan(value) ? kUnknown : ordered_bits(value)} << 32 | label);
}

void ExactValues::merge(const ExactValues& other) { keys_.insert(keys_.end(), other.keys_.begin(), other.keys_.end()); }

void ExactValues::unpack(Unpacker& unpacker) {
  unpacker.get(keys_);
  num_sorted_ = 0;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::uint32_t low = ordered_bits(-kInfinity), high = ordered_bits(kInfinity);
  const bool valid = std::ranges::all_of(keys_, [&](std::uint64_t key) {
    const std::uint32_t value = value_of(key);
    return label_of(key) < num_classes_ && (value == kUnknown || (value >= low && value <= high));
  });
  FW_CHECK(valid, Runtime,
           "values of another process have classes beyond the " << num_classes_
                                                                << " that there are, or are no numbers; start all "
                                                                   "processes with the same program and options");
}

/// Sorts what came since the last time, and merges it with the rest.
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
  std::uint32_t last = kUnknown;
  for (const std::uint64_t key : keys_) {
    const std::uint32_t value = value_of(key);
    if (value == kUnknown) {
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

}  // namespace fernwood::stream
