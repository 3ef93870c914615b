// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/sketches/log_linear.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fernwood::stream {

namespace {

constexpr std::uint32_t kPageKeys = 64;
constexpr std::int32_t kNoPage = INT32_MIN;
constexpr std::size_t kBlockValues = 512;

/// Interpolates between the ends of a bucket, which are equal where values are infinite.
double between(double low, double high, double share) { return low == high ? low : low + (high - low) * share; }

}  // namespace

LogLinearSketch::LogLinearSketch(int fraction_bits, float centre) : fraction_bits_(fraction_bits), centre_(centre) {
  FW_CHECK(fraction_bits >= 0 && fraction_bits <= kMaxFractionBits, Usage,
           "a sketch's keys have " << fraction_bits << " bits of the fraction; use 0 to " << kMaxFractionBits);
  FW_CHECK(std::isfinite(centre), Usage, "a sketch's centre is " << centre << "; use a finite value");
  page_starts_.assign((1u << (9 + fraction_bits)) / kPageKeys, kNoPage);
}

void LogLinearSketch::add_page(std::uint32_t page) {
  page_starts_[page] = static_cast<std::int32_t>(counts_.size()) - static_cast<std::int32_t>(page * kPageKeys);
  counts_.resize(counts_.size() + kPageKeys);
}

void LogLinearSketch::update(float value, std::uint64_t count) {
  check_known({&value, 1});
  if (count > 0) add_bucket({key_at(value), count});
}

void LogLinearSketch::add_bucket(const Bucket& bucket) {
  const std::uint32_t page = bucket.key / kPageKeys;
  FW_CHECK(page < page_starts_.size(), Usage,
           "a bucket has the key " << bucket.key << ", and keys of " << fraction_bits_ << " bits end at "
                                   << page_starts_.size() * kPageKeys - 1 << "; use one of such a sketch");
  if (page_starts_[page] == kNoPage) add_page(page);
  counts_[bucket.key + page_starts_[page]] += bucket.count;
  total_ += bucket.count;
}

void LogLinearSketch::update(std::span<const float> values) {
  check_known(values);
  // The keys of a block are computed first, in a loop for vector instructions.
  std::array<std::uint32_t, kBlockValues> keys;
  for (std::size_t begin = 0; begin < values.size(); begin += kBlockValues) {
    const auto block = values.subspan(begin, std::min(kBlockValues, values.size() - begin));
    for (std::size_t i = 0; i < block.size(); ++i) keys[i] = key_of(block[i] - centre_, fraction_bits_);
    const std::int32_t* starts = page_starts_.data();
    std::uint64_t* counts = counts_.data();
    for (const std::uint32_t key : std::span(keys).first(block.size())) {
      if (starts[key / kPageKeys] == kNoPage) [[unlikely]] {
        add_page(key / kPageKeys);
        counts = counts_.data();
      }
      ++counts[static_cast<std::int32_t>(key) + starts[key / kPageKeys]];
    }
  }
  total_ += values.size();
}

void LogLinearSketch::merge(std::span<const LogLinearSketch> others) {
  for (const LogLinearSketch& other : others)
    FW_CHECK(other.fraction_bits_ == fraction_bits_ && other.centre_ == centre_, Usage,
             "a sketch of " << other.fraction_bits_ << " bits around " << other.centre_ << " does not fit one of "
                            << fraction_bits_ << " bits around " << centre_ << "; make both with the same");
  for (const LogLinearSketch& other : others) {
    for (std::uint32_t page = 0; page < page_starts_.size(); ++page) {
      if (other.page_starts_[page] == kNoPage) continue;
      if (page_starts_[page] == kNoPage) add_page(page);
      const std::uint32_t first = page * kPageKeys;
      for (std::uint32_t key = first; key < first + kPageKeys; ++key)
        counts_[key + page_starts_[page]] += other.counts_[key + other.page_starts_[page]];
    }
    total_ += other.total_;
  }
}

std::uint64_t LogLinearSketch::count_at(std::uint32_t key) const {
  const std::int32_t start = page_starts_[key / kPageKeys];
  return start == kNoPage ? 0 : counts_[key + start];
}

std::uint64_t LogLinearSketch::count_before(std::uint32_t key) const {
  std::uint64_t count = 0;
  for (std::uint32_t page = 0; page * kPageKeys < key; ++page) {
    if (page_starts_[page] == kNoPage) continue;
    const std::uint32_t end = std::min(key, (page + 1) * kPageKeys);
    for (std::uint32_t k = page * kPageKeys; k < end; ++k) count += counts_[k + page_starts_[page]];
  }
  return count;
}

double LogLinearSketch::low_end(std::uint32_t key) const {
  return static_cast<double>(centre_) + static_cast<double>(lowest_value(key, fraction_bits_));
}
double LogLinearSketch::high_end(std::uint32_t key) const {
  return static_cast<double>(centre_) + static_cast<double>(highest_value(key, fraction_bits_));
}

RankBounds LogLinearSketch::rank_bounds(float b) const {
  const std::uint32_t key = key_at(b);
  const std::uint64_t before = count_before(key), here = count_at(key);
  return {b - centre_ >= highest_value(key, fraction_bits_) ? before + here : before, before + here};
}

double LogLinearSketch::sum(double b) const {
  const std::uint32_t key = key_of(static_cast<float>(b - static_cast<double>(centre_)), fraction_bits_);
  const double low = low_end(key), high = high_end(key);
  // Because of rounding, b may be outside its bucket.
  const double share = b >= high ? 1 : b <= low ? 0 : (b - low) / (high - low);
  return static_cast<double>(count_before(key)) + static_cast<double>(count_at(key)) * share;
}

std::vector<LogLinearSketch::Bucket> LogLinearSketch::buckets() const {
  std::vector<Bucket> found;
  for (std::uint32_t page = 0; page < page_starts_.size(); ++page) {
    if (page_starts_[page] == kNoPage) continue;
    for (std::uint32_t key = page * kPageKeys; key < (page + 1) * kPageKeys; ++key)
      if (const std::uint64_t count = count_at(key)) found.push_back({key, count});
  }
  return found;
}

/// @param ranks  Ascending, in [0, total()].
std::vector<double> LogLinearSketch::places(std::span<const double> ranks) const {
  std::vector<double> found;
  double before = 0;
  for (const Bucket& bucket : buckets()) {
    const auto count = static_cast<double>(bucket.count);
    for (; found.size() < ranks.size() && ranks[found.size()] <= before + count;)
      found.push_back(between(low_end(bucket.key), high_end(bucket.key), (ranks[found.size()] - before) / count));
    before += count;
  }
  return found;
}

double LogLinearSketch::quantile(double share) const {
  FW_CHECK(total_ > 0, Data, "a sketch has counted nothing, so it has no quantiles; update it first");
  const double rank = static_cast<double>(total_) * share;
  return places({&rank, 1}).front();
}

std::vector<double> LogLinearSketch::uniform(int parts) const {
  std::vector<double> ranks;
  for (int j = 1; j < parts; ++j) ranks.push_back(static_cast<double>(total_) * j / parts);
  return places(ranks);
}

std::size_t LogLinearSketch::size_bytes() const {
  return sizeof(*this) + page_starts_.size() * sizeof(page_starts_[0]) + counts_.capacity() * sizeof(counts_[0]);
}

}  // namespace fernwood::stream
