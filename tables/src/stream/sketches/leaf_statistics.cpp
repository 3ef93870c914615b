// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/sketches/leaf_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

namespace fernwood::stream {

namespace {

constexpr int kNumberBits = 30;  ///< Bits of a target.
constexpr int kFirstBits = 20;   ///< Bits of the targets from which the scale was chosen.
/// When a node has seen more records with targets, half are forgotten; that is still more than a leaf counts.
constexpr std::uint64_t kManyTargets = std::uint64_t{1} << 32;
constexpr std::uint64_t kMaxTargets = kManyTargets + (std::uint64_t{1} << 31);  ///< Their sum fits into 63 bits.

/// Sum of `count` records that have the mean of others.
std::int64_t sum_of_some(const records::TargetSum& all, std::uint64_t count) {
  const auto n = static_cast<std::int64_t>(count);
  if (all.weight == 0 || n == 0) return 0;
  if (n == all.weight) return all.sum;
  const double rest = static_cast<double>(all.sum % all.weight) * static_cast<double>(n);
  return all.sum / all.weight * n + static_cast<std::int64_t>(rest / static_cast<double>(all.weight));
}

}  // namespace

TargetScale TargetScale::of_range(double lowest, double highest) {
  return {lowest, highest, records::FixedScale(lowest, highest, kNumberBits)};
}

TargetScale TargetScale::after(double lowest, double highest) {
  const double magnitude = std::fabs(lowest);
  const double next = lowest < highest ? highest : lowest + (magnitude > 0 ? magnitude : 1);
  const records::FixedScale scale(lowest, std::isfinite(next) ? next : lowest, kFirstBits);
  const double most = std::ldexp(next - lowest, kNumberBits - kFirstBits);
  return {lowest - most, lowest + most, scale};
}

std::int64_t TargetScale::number_of(double target) const {
  constexpr auto most = static_cast<double>(kMaxNumber);  // an end of the range may be rounded
  return static_cast<std::int64_t>(std::clamp(scale_.number_of(target), -most, most));
}

std::uint64_t LeafStatistics::num_records(std::span<const std::uint64_t> row) const {
  return of_targets ? row[0] : std::accumulate(row.begin(), row.end(), std::uint64_t{0});
}

bool LeafStatistics::may_vary(std::span<const std::uint64_t> row) const {
  return of_targets || std::ranges::count(row, 0u) + 1 < std::ssize(row);
}

bool LeafStatistics::is_possible(std::span<const std::uint64_t> row) const {
  if (of_targets) return row[0] <= kMaxTargets && magnitude(row[1]) <= row[0] << kNumberBits;
  std::uint64_t left = kMaxSeen;
  for (const std::uint64_t count : row) {
    if (count > left) return false;
    left -= count;
  }
  return true;
}

bool LeafStatistics::is_part(std::span<const std::uint64_t> part, std::span<const std::uint64_t> whole) const {
  if (of_targets) return part[0] <= whole[0];
  return std::ranges::equal(part, whole, std::less_equal<>());
}

bool LeafStatistics::is_side(std::span<const std::uint64_t> part, std::span<const std::uint64_t> whole) const {
  if (!is_part(part, whole)) return false;
  if (!of_targets) return true;
  const std::array<std::uint64_t, 2> rest = {whole[0] - part[0], whole[1] - part[1]};
  return is_possible(rest);
}

void LeafStatistics::add(std::span<const std::uint64_t> row, std::span<std::uint64_t> seen) const {
  if (of_targets && seen[0] > kManyTargets) {
    const records::TargetSum before = sum_of(seen);
    seen[0] /= 2;
    seen[1] = static_cast<std::uint64_t>(sum_of_some(before, seen[0]));
  }
  std::ranges::transform(seen, row, seen.begin(), std::plus<>());
}

void LeafStatistics::share(std::span<const std::uint64_t> seen, std::span<const std::uint64_t> left,
                           std::span<const std::uint64_t> all, std::uint64_t* shares) const {
  const double of_all = static_cast<double>(num_records(left)) / static_cast<double>(num_records(all));
  // Where a leaf has seen more records than the split was found from, the rest is divided in the same proportion;
  // classes that are absent from the split's records are divided like all records.
  const auto share_of = [&](std::size_t i) {
    const double share = all[i] == 0 ? of_all : static_cast<double>(left[i]) / static_cast<double>(all[i]);
    return seen[i] == all[i] ? left[i] : static_cast<std::uint64_t>(static_cast<double>(seen[i]) * share + 0.5);
  };
  if (!of_targets) {
    for (std::size_t c = 0; c < num_classes; ++c) {
      shares[c] = share_of(c);
      shares[num_classes + c] = seen[c] - shares[c];
    }
    return;
  }
  // Each side gets the mean of its records.
  shares[0] = share_of(0);
  shares[2] = seen[0] - shares[0];
  const records::TargetSum left_sum = sum_of(left), sum = sum_of(all);
  shares[1] = static_cast<std::uint64_t>(sum_of_some(left_sum, shares[0]));
  shares[3] =
      static_cast<std::uint64_t>(sum_of_some({sum.sum - left_sum.sum, sum.weight - left_sum.weight}, shares[2]));
}

}  // namespace fernwood::stream
