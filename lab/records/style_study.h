// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Penha et al. (WSCAD 2023): ways to write trees down for a GPU, on trees that ask one attribute.

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/core/progress.h"
#include "lab/records/timing.h"

namespace fernwood::lab {

/// What records are like.
enum class StyleInput {
  kBest,   ///< All take the same path.
  kWorst,  ///< Neighbours take different paths, through all leaves in turn.
  kRandom  ///< Leaves are drawn.
};
inline constexpr std::array kStyleInputs = {StyleInput::kBest, StyleInput::kWorst, StyleInput::kRandom};
std::string to_string(StyleInput input);

struct StyleOptions {
  std::uint64_t num_records = 0;
  std::vector<int> depths = {2, 3, 4, 5, 6, 7, 8, 9, 10}, trees = {1, 2, 3, 4, 10};
  TimingOptions timing = {};

  static OptionTable<StyleOptions> table();
};

/// The time of one way for one forest and input.
struct StyleTime {
  std::string way;
  int depth = 0, trees = 0;
  StyleInput input = StyleInput::kBest;
  double seconds = 0;  ///< Mean.
};

struct StyleStudy {
  StyleOptions options;
  double copy_seconds = 0;  ///< Of moving the same bytes: a float in, a class out; 0: not known.
  std::vector<StyleTime> times;
};

/// A tree that gives the leaf's number for values 0 ... 2^depth - 1, or the sum over several with shifted thresholds.
records::RecordForest style_forest(int depth, int num_trees);
StyleStudy run_style_study(const StyleOptions& options, const ProgressCallback& progress);

/// Tables, with the paper's figures beside ours.
std::string style_study_text(const StyleStudy& study);
nlohmann::json style_study_json(const StyleStudy& study);

}  // namespace fernwood::lab
