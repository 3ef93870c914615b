// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/online/recent_values.h"

#include <algorithm>

#include "fernwood/core/arithmetic.h"
#include "fernwood/core/error.h"

namespace fernwood::stream {

namespace {

constexpr std::size_t kRecentRecords = 4096;

/// A number from `low` on that is below `high`.
float between(float low, float high) {
  const float middle = low + (high - low) / 2;
  return middle >= low && middle < high ? middle : low;
}

}  // namespace

void RecentValues::observe(const records::RecordTable& records, ThreadPool& pool) {
  const std::size_t num_attributes = records.values.cols(), num_known = recent_.size();
  recent_.resize(num_attributes), sorted_.resize(num_attributes);
  const std::uint64_t num_before = num_records_;
  num_records_ += records.values.rows();
  const bool reviews = num_known < num_attributes ||
                       num_records_ - num_at_review_ >= std::min<std::uint64_t>(kRecentRecords / 4, num_records_ / 2);
  if (reviews) num_at_review_ = num_records_;
  for_each(&pool, num_attributes, [&](std::size_t a) {
    // Records before the first appearance of an attribute say nothing about it.
    if (recent_[a].empty()) recent_[a].assign(std::min<std::uint64_t>(num_before, kRecentRecords), not_a_number());
    for (std::size_t i = 0; i < records.values.rows(); ++i) {
      const std::size_t place = (num_before + i) % kRecentRecords;
      if (place < recent_[a].size())
        recent_[a][place] = records.values(i, a);
      else
        recent_[a].push_back(records.values(i, a));
    }
    if (!reviews) return;
    sorted_[a] = recent_[a];
    std::erase_if(sorted_[a], [](float value) { return is_nan(value); });
    std::ranges::sort(sorted_[a]);
  });
}

void RecentValues::divide(std::size_t attribute, ValueRange range, std::span<float> edges) const {
  const std::vector<float>& values = sorted_[attribute];
  const auto begin = std::ranges::upper_bound(values, range.low),
             end = std::upper_bound(begin, values.end(), range.high);
  auto at = begin;
  std::size_t count = 0;
  for (std::size_t left = edges.size() + 1; left > 1 && at != end; --left) {
    auto next = at + std::max<std::ptrdiff_t>(1, (end - at) / static_cast<std::ptrdiff_t>(left));
    if (next != end && *next == *(next - 1)) {
      const auto first = std::lower_bound(at, next, *next);
      next = first != at ? first : std::upper_bound(next, end, *next);
    }
    if (next == end) break;
    edges[count++] = between(*(next - 1), *next);
    at = next;
  }
  std::fill(edges.begin() + static_cast<std::ptrdiff_t>(count), edges.end(), __builtin_huge_valf());
}

void RecentValues::pack(Packer& packer) const {
  packer.put(num_records_);
  packer.put(num_at_review_);
  for (const std::vector<float>& values : recent_) packer.put(values);
  for (const std::vector<float>& values : sorted_) packer.put(values);
}

void RecentValues::unpack(Unpacker& unpacker, std::size_t num_attributes) {
  unpacker.get(num_records_);
  unpacker.get(num_at_review_);
  recent_.resize(num_attributes), sorted_.resize(num_attributes);
  for (std::vector<float>& values : recent_) unpacker.get(values);
  for (std::vector<float>& values : sorted_) unpacker.get(values);
  bool fits = num_at_review_ <= num_records_;
  for (std::size_t a = 0; a < num_attributes; ++a)
    fits = fits && recent_[a].size() == std::min<std::uint64_t>(num_records_, kRecentRecords) &&
           sorted_[a].size() <= kRecentRecords && std::ranges::is_sorted(sorted_[a]) &&
           std::ranges::none_of(sorted_[a], [](float value) { return is_nan(value); });
  FW_CHECK(fits, Model, "the recent values of its forest are not valid");
}

}  // namespace fernwood::stream
