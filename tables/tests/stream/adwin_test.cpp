// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/adwin.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/draw.h"
#include "fernwood/core/error.h"

namespace fernwood::stream {
namespace {

/// Errors of `records` records, each wrong with probability `rate`.
Errors drawn_errors(std::uint32_t series, std::uint32_t at, std::uint32_t records, double rate) {
  Errors errors{records, 0};
  for (std::uint32_t i = 0; i < records; ++i) errors.wrong += draw(1, RngStream::kSample, series, at, i).unit(0) < rate;
  return errors;
}

/// Reference for Adwin by its definition: keeps all portions, and computes all sums from them.
class PlainWindow {
 public:
  bool add(const Errors& errors, double delta) {
    waiting_ += errors;
    if (waiting_.records < Adwin::kPortionRecords) return false;
    portions_.push_back(waiting_);
    waiting_ = {};
    sizes_.push_back(1);
    for (std::size_t size = 1; std::ranges::count(sizes_, size) > Adwin::kBuckets; size *= 2) {
      const auto first = std::ranges::find(sizes_, size);
      *first *= 2;
      sizes_.erase(first + 1);
    }
    const double before = sum(0, portions_.size()).rate();
    bool was_cut = false;
    while (differs(delta)) {
      portions_.erase(portions_.begin(), portions_.begin() + static_cast<std::ptrdiff_t>(sizes_[0]));
      sizes_.erase(sizes_.begin());
      was_cut = true;
    }
    return was_cut && window().rate() > before;
  }
  Errors window() const { return sum(0, portions_.size()); }

 private:
  Errors sum(std::size_t begin, std::size_t end) const {
    Errors errors;
    for (std::size_t i = begin; i < end; ++i) errors += portions_[i];
    return errors;
  }
  bool differs(double delta) const {
    std::size_t at = 0;
    for (std::size_t bucket = 0; bucket + 1 < sizes_.size(); ++bucket) {
      at += sizes_[bucket];
      const Errors older = sum(0, at), newer = sum(at, portions_.size()), all = window();
      const double n0 = static_cast<double>(older.records), n1 = static_cast<double>(newer.records), n = n0 + n1;
      const double m = 1 / (1 / n0 + 1 / n1), log = std::log(2 * std::log(n) / delta);
      const double bound = std::sqrt(2 / m * all.rate() * (1 - all.rate()) * log) + 2 / (3 * m) * log;
      if (std::abs(older.rate() - newer.rate()) > bound) return true;
    }
    return false;
  }

  std::vector<Errors> portions_;
  std::vector<std::size_t> sizes_;  ///< [bucket] Number of portions.
  Errors waiting_;
};

TEST(AdwinBound, IsThatOfThePaper) {
  // n0 = 100, n1 = 300, half of the 400 records wrong, delta = 0.01: 1 / m = 4 / 300, v = 1 / 4, ln(2 ln(400) / 0.01) =
  // 7.088626; sqrt(2 * 4 / 300 / 4 * 7.088626) + 2 / 3 * 4 / 300 * 7.088626 = 0.217387 + 0.063010.
  EXPECT_NEAR(AdwinBound({400, 200}, 0.01)(100, 300), 0.280397, 1e-5);
}

TEST(Adwin, KeepsTheWindowOfItsDefinition) {
  int num_cut = 0, num_risen = 0;
  for (std::uint32_t series = 0; series < 40; ++series) {
    Adwin adwin;
    PlainWindow plain;
    for (std::uint32_t at = 0; at < 300; ++at) {
      // Error rates change every 90 additions, to random values; additions have random sizes.
      const Draw size = draw(2, RngStream::kSample, series, 0, at),
                 rate = draw(2, RngStream::kSample, series, 1, at / 90);
      const Errors errors = drawn_errors(series, at, size.below(0, 60), 0.6 * rate.unit(0));
      const std::uint64_t before = adwin.window().records;
      const bool risen = adwin.add(errors, 0.05);
      ASSERT_EQ(risen, plain.add(errors, 0.05)) << series << " " << at;
      ASSERT_EQ(adwin.window(), plain.window()) << series << " " << at;
      num_cut += adwin.window().records < before;
      num_risen += risen;
    }
  }
  EXPECT_GT(num_cut, 40);
  EXPECT_GT(num_risen, 20);
  EXPECT_LT(num_risen, num_cut);
}

TEST(Adwin, IsReadBackAsItWasAndRefusesWhatItCannotBe) {
  Adwin adwin;
  for (std::uint32_t at = 0; at < 77; ++at) adwin.add(drawn_errors(3, at, 45, 0.3), 0.002);
  Bytes bytes;
  Packer packer(bytes);
  adwin.pack(packer);
  Adwin other;
  Unpacker unpacker(bytes);
  other.unpack(unpacker);
  EXPECT_EQ(other, adwin);
  bytes[8] = 0;  // gives the oldest bucket fewer records than errors
  bytes[9] = 0;
  Unpacker damaged(bytes);
  EXPECT_THROW(other.unpack(damaged), Error);
}

}  // namespace
}  // namespace fernwood::stream
