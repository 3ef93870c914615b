// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/adwin.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fernwood/core/arithmetic.h"
#include "fernwood/core/error.h"

namespace fernwood::stream {

namespace {

constexpr double kLn2 = 0.6931471805599453;
constexpr std::uint64_t kMaxSizes = 53;  ///< No window has more portions than 2^53.

}  // namespace

AdwinBound::AdwinBound(const Errors& window, double delta)
    : variance_(window.rate() * (1 - window.rate())),
      log_(kLn2 * exact_log2(2 / delta * std::max(1.0, kLn2 * exact_log2(static_cast<double>(window.records))))) {}

double AdwinBound::operator()(std::uint64_t older, std::uint64_t newer) const {
  const double inverse = 1 / static_cast<double>(older) + 1 / static_cast<double>(newer);
  return std::sqrt(2 * inverse * variance_ * log_) + 2.0 / 3 * inverse * log_;
}

bool Adwin::add(const Errors& errors, double delta) {
  waiting_ += errors;
  if (waiting_.records < kPortionRecords) return false;
  buckets_.push_back({waiting_, 0});
  window_ += std::exchange(waiting_, {});
  merge_buckets();
  const double before = window_.rate();
  return cut(delta) && window_.rate() > before;
}

/// If there is one bucket too many of a size, its two oldest are merged, which may be one too many of the next size.
void Adwin::merge_buckets() {
  std::size_t end = buckets_.size();  // end of the buckets of a size
  while (end > 0) {
    const std::uint64_t size = buckets_[end - 1].size;
    std::size_t begin = end;
    while (begin > 0 && buckets_[begin - 1].size == size) --begin;
    if (end - begin <= static_cast<std::size_t>(kBuckets)) return;
    buckets_[begin].errors += buckets_[begin + 1].errors;
    ++buckets_[begin].size;
    buckets_.erase(buckets_.begin() + static_cast<std::ptrdiff_t>(begin) + 1);
    end = begin + 1;
  }
}

/// Drops the oldest bucket while any division of the window shows a difference. @return Whether any was dropped.
bool Adwin::cut(double delta) {
  const auto differs = [&] {
    const AdwinBound bound(window_, delta);
    Errors older, newer = window_;
    for (std::size_t i = 0; i + 1 < buckets_.size(); ++i) {
      older += buckets_[i].errors;
      newer -= buckets_[i].errors;
      if (std::abs(older.rate() - newer.rate()) > bound(older.records, newer.records)) return true;
    }
    return false;
  };
  std::size_t num_dropped = 0;
  for (; differs(); ++num_dropped) {
    window_ -= buckets_.front().errors;
    buckets_.erase(buckets_.begin());
  }
  return num_dropped > 0;
}

void Adwin::pack(Packer& packer) const {
  packer.put(buckets_);
  packer.put(waiting_);
}

void Adwin::unpack(Unpacker& unpacker) {
  unpacker.get(buckets_);
  unpacker.get(waiting_);
  window_ = {};
  bool possible =
      is_possible(waiting_) && waiting_.records < kPortionRecords && buckets_.size() < kMaxSizes * (kBuckets + 1);
  for (std::size_t i = 0; i < buckets_.size() && possible; ++i) {
    const Bucket& bucket = buckets_[i];
    possible = is_possible(bucket.errors) && bucket.errors.records >= kPortionRecords && bucket.size < kMaxSizes &&
               (i == 0 || bucket.size <= buckets_[i - 1].size);
    if (possible) window_ += bucket.errors;
    possible = possible && is_possible(window_);
  }
  FW_CHECK(possible, Model, "the errors of a node are not a window");
}

}  // namespace fernwood::stream
