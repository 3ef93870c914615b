// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What `fernwood-lab filling` measures, and how it tells of it.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/bench/bench.h"
#include "fernwood/evaluate/confusion.h"
#include "fernwood/image/frame.h"

namespace fernwood::lab {

inline constexpr std::size_t kNumFillings = image::kDepthFillings.size();

/// A number for each filling in training (row) and at prediction (column), in the order of kDepthFillings.
template <typename T>
using FillingTable = std::array<std::array<T, kNumFillings>, kNumFillings>;

/// Frames of one side of the study.
struct FillingData {
  std::string folder;
  std::size_t num_frames = 0;
  std::uint64_t num_pixels = 0, num_unknown = 0;  ///< Pixels, and those without depth.

  double unknown_share() const { return static_cast<double>(num_unknown) / static_cast<double>(num_pixels); }
};

struct FillingResult {
  FillingData train, test;
  std::string options_json;  ///< Of the first seed.
  std::vector<std::uint64_t> seeds;
  std::vector<FillingTable<forest::Accuracy>> accuracy;  ///< [seed], without void.
  std::array<apps::Times, kNumFillings> fill;            ///< Of the test frames, one thread each.
};

/// Mean, and standard deviation of a sample (0 of one), over the seeds.
struct Spread {
  double mean = 0, deviation = 0;
};
Spread spread_of(const std::vector<double>& values);

/// The tables of the thesis (5.9, 5.10), shares in percent.
std::string filling_text(const FillingResult& result);
/// Keys: docs/reference/laboratory.md.
std::string filling_json(const FillingResult& result);

}  // namespace fernwood::lab
