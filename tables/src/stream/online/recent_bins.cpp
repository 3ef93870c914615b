// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/online/recent_bins.h"

#include <algorithm>
#include <array>
#include <utility>

#include "fernwood/core/error.h"

namespace fernwood::stream {

namespace {

constexpr std::size_t kRecentRecords = 4096;
constexpr std::uint64_t kReviewRecords = 1024;  ///< Between two reviews.

/// A number from `low` on that is below `high`.
float between(float low, float high) {
  const float middle = low + (high - low) / 2;
  return middle >= low && middle < high ? middle : low;
}

}  // namespace

bool RecentBins::observe(const records::RecordTable& records, ThreadPool& pool) {
  const std::size_t num_attributes = records.values.cols(), num_known = recent_.size();
  recent_.resize(num_attributes);
  for_each(&pool, num_attributes, [&](std::size_t a) {
    // Records before the first appearance of an attribute say nothing about it.
    if (recent_[a].empty())
      recent_[a].assign(std::min<std::uint64_t>(num_records_, kRecentRecords), __builtin_nanf(""));
    for (std::size_t i = 0; i < records.values.rows(); ++i) {
      const std::size_t place = (num_records_ + i) % kRecentRecords;
      if (place < recent_[a].size())
        recent_[a][place] = records.values(i, a);
      else
        recent_[a].push_back(records.values(i, a));
    }
  });
  num_records_ += records.values.rows();
  if (num_known == num_attributes && num_records_ - num_at_review_ < std::min(kReviewRecords, num_records_ / 2))
    return false;
  std::vector<std::vector<float>> edges(num_attributes);
  for_each(&pool, num_attributes, [&](std::size_t a) {
    if (a >= grid_.num_attributes() || divides_badly(a)) {
      edges[a] = edges_of(a);
    } else {
      const std::span<const float> old = grid_.edges_of(a);
      edges[a].assign(old.begin(), old.end());
    }
  });
  num_at_review_ = num_records_;
  Grid grid;
  for (const std::vector<float>& some : edges) {
    grid.edges.insert(grid.edges.end(), some.begin(), some.end());
    grid.starts.push_back(static_cast<std::uint32_t>(grid.edges.size()));
  }
  if (grid == grid_) return false;
  grid_ = std::move(grid);
  return true;
}

/// Whether a bin has eight times its share of the records since the last review, and a test could divide it.
bool RecentBins::divides_badly(std::size_t attribute) const {
  struct Bin {
    std::size_t count = 0;
    float lowest = 0, highest = 0;
  };
  std::array<Bin, 256> bins{};
  const std::span<const float> edges = grid_.edges_of(attribute);
  const std::size_t count = std::min<std::size_t>(num_records_ - num_at_review_, recent_[attribute].size());
  for (std::uint64_t i = num_records_ - count; i < num_records_; ++i) {
    const float value = recent_[attribute][i % kRecentRecords];
    if (is_nan(value)) continue;
    Bin& bin = bins[bin_of(value, edges.data(), static_cast<std::uint32_t>(edges.size()))];
    bin.lowest = bin.count == 0 ? value : std::min(bin.lowest, value);
    bin.highest = bin.count == 0 ? value : std::max(bin.highest, value);
    ++bin.count;
  }
  const std::size_t most = std::max<std::size_t>(1, 8 * count / static_cast<std::size_t>(bins_));
  return std::ranges::any_of(bins, [&](const Bin& bin) { return bin.count > most && bin.lowest < bin.highest; });
}

/// Edges that divide the recent values evenly, or if there are few different ones, exactly.
std::vector<float> RecentBins::edges_of(std::size_t attribute) const {
  std::vector<float> values = recent_[attribute];
  std::erase_if(values, [](float value) { return is_nan(value); });
  std::ranges::sort(values);
  std::vector<float> different = values;
  different.erase(std::unique(different.begin(), different.end()), different.end());
  if (different.size() <= static_cast<std::size_t>(bins_)) values = std::move(different);
  const std::size_t num_bins = std::min<std::size_t>(values.size(), static_cast<std::size_t>(bins_));
  std::vector<float> edges;
  for (std::size_t bin = 1; bin < num_bins; ++bin) {
    const std::size_t place = bin * values.size() / num_bins;
    if (values[place - 1] == values[place]) continue;
    const float edge = between(values[place - 1], values[place]);
    if (edges.empty() || edge > edges.back()) edges.push_back(edge);
  }
  return edges;
}

void RecentBins::pack(Packer& packer) const {
  packer.put(grid_.starts);
  packer.put(grid_.edges);
  packer.put(num_records_);
  packer.put(num_at_review_);
  for (const std::vector<float>& values : recent_) packer.put(values);
}

void RecentBins::unpack(Unpacker& unpacker, std::size_t num_attributes) {
  unpacker.get(grid_.starts);
  unpacker.get(grid_.edges);
  unpacker.get(num_records_);
  unpacker.get(num_at_review_);
  recent_.resize(num_attributes);
  bool fits = is_usable(grid_, num_attributes) && num_at_review_ <= num_records_;
  for (std::size_t a = 0; a < num_attributes; ++a) {
    unpacker.get(recent_[a]);
    fits = fits && recent_[a].size() == std::min<std::uint64_t>(num_records_, kRecentRecords) &&
           grid_.num_bins(a) <= static_cast<std::size_t>(bins_);
  }
  FW_CHECK(fits, Model, "the bins of its forest are not valid");
}

}  // namespace fernwood::stream
