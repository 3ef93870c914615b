// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Results of `fernwood-lab filling`, and their reports.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/bench/bench.h"
#include "fernwood/core/confusion.h"
#include "fernwood/image/frame.h"

namespace fernwood::lab {

inline constexpr std::size_t kNumFillings = image::kDepthFillings.size();

/// A value for each filling in training (row) and at prediction (column), in the order of kDepthFillings.
template <typename T>
using FillingTable = std::array<std::array<T, kNumFillings>, kNumFillings>;

/// Frames for training or testing.
struct FillingData {
  std::string folder;
  std::size_t num_frames = 0;
  std::uint64_t num_pixels = 0, num_unknown = 0;  ///< All pixels, and those with unknown depth.

  double unknown_share() const { return static_cast<double>(num_unknown) / static_cast<double>(num_pixels); }
};

struct FillingResult {
  FillingData train, test;
  std::string options_json;  ///< For the first seed.
  std::vector<std::uint64_t> seeds;
  std::vector<FillingTable<Accuracy>> accuracy;  ///< [seed], without void
  std::array<apps::Times, kNumFillings> fill;    ///< For the test frames, each on one thread.
};

/// Mean and sample standard deviation over the seeds; the deviation is 0 for one seed.
struct Spread {
  double mean = 0, deviation = 0;
};
Spread spread_of(const std::vector<double>& values);

/// Tables 5.9 and 5.10 of the thesis; shares in percent.
std::string filling_text(const FillingResult& result);
/// Keys: lab/README.md.
std::string filling_json(const FillingResult& result);

}  // namespace fernwood::lab
