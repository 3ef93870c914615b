// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/stream/exact_sketch.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "fernwood/core/arithmetic.h"
#include "fernwood/core/error.h"
#include "stream/sketches/log_linear.h"

namespace fernwood::lab {

void ExactSketch::add_run(std::vector<float> run) {
  if (run.empty()) return;
  total_ += run.size();
  runs_.push_back(std::move(run));
  while (runs_.size() > 1 && runs_[runs_.size() - 2].size() < 2 * runs_.back().size()) {
    std::vector<float> last = std::move(runs_.back()), both(last.size() + runs_[runs_.size() - 2].size());
    runs_.pop_back();
    std::ranges::merge(runs_.back(), last, both.begin());
    runs_.back() = std::move(both);
  }
}

void ExactSketch::update(std::span<const float> values) {
  stream::check_known(values);
  std::vector<float> run(values.begin(), values.end());
  for (float& value : run) value += 0.0f;  // -0 + 0 is 0
  std::ranges::sort(run);
  add_run(std::move(run));
}

void ExactSketch::merge(std::span<const ExactSketch> others) {
  std::vector<std::vector<float>> added;  // copied first: `others` may contain this object
  for (const ExactSketch& other : others) added.insert(added.end(), other.runs_.begin(), other.runs_.end());
  std::ranges::sort(added, std::greater(), &std::vector<float>::size);
  for (std::vector<float>& run : added) add_run(std::move(run));
}

std::uint64_t ExactSketch::count_below(double b) const {
  std::uint64_t count = 0;
  for (const std::vector<float>& run : runs_) count += std::ranges::lower_bound(run, b) - run.begin();
  return count;
}

std::uint64_t ExactSketch::count_to(double b) const {
  std::uint64_t count = 0;
  for (const std::vector<float>& run : runs_) count += std::ranges::upper_bound(run, b) - run.begin();
  return count;
}

float ExactSketch::value_of_rank(std::uint64_t rank) const {
  FW_CHECK(rank >= 1 && rank <= total_, Usage, "rank " << rank << " is asked of " << total_ << " values");
  // Binary search over all floats, in ascending order.
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::uint32_t low = ordered_bits(-kInfinity), high = ordered_bits(kInfinity);
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (count_to(static_cast<double>(float_of_ordered(middle))) >= rank)
      high = middle;
    else
      low = middle + 1;
  }
  // The ordered bits just below those of 0 are -0, which counts all zeros: return 0 itself.
  return float_of_ordered(low) + 0.0f;
}

double ExactSketch::quantile(double share) const {
  FW_CHECK(total_ > 0, Data, "a sketch has counted nothing, so it has no quantiles; update it first");
  const double rank = static_cast<double>(total_) * share;
  const auto whole = static_cast<std::uint64_t>(rank);
  const std::uint64_t up = static_cast<double>(whole) < rank ? whole + 1 : whole;
  return static_cast<double>(value_of_rank(std::clamp<std::uint64_t>(up, 1, total_)));
}

std::vector<double> ExactSketch::uniform(int parts) const {
  std::vector<double> places;
  if (total_ == 0) return places;
  for (int j = 1; j < parts; ++j) places.push_back(quantile(static_cast<double>(j) / parts));
  return places;
}

std::size_t ExactSketch::size_bytes() const {
  std::size_t bytes = sizeof(*this) + runs_.capacity() * sizeof(std::vector<float>);
  for (const std::vector<float>& run : runs_) bytes += run.capacity() * sizeof(float);
  return bytes;
}

}  // namespace fernwood::lab
