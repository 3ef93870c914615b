// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Penha et al. (WSCAD 2023): code styles of trees for a GPU, for trees that test a single attribute.

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/core/progress.h"
#include "lab/records/timing.h"

namespace fernwood::lab {

/// Distribution of the records.
enum class StyleInput {
  kBest,   ///< All records take the same path.
  kWorst,  ///< Adjacent records take different paths, through all leaves in turn.
  kRandom  ///< Random leaves.
};
inline constexpr std::array kStyleInputs = {StyleInput::kBest, StyleInput::kWorst, StyleInput::kRandom};
std::string to_string(StyleInput input);

struct StyleOptions {
  std::uint64_t num_records = 0;
  std::vector<int> depths = {2, 3, 4, 5, 6, 7, 8, 9, 10}, trees = {1, 2, 3, 4, 10};
  TimingOptions timing = {};

  static OptionTable<StyleOptions> table();
};

/// Run time of one way for a forest and an input.
struct StyleTime {
  std::string way;
  int depth = 0, trees = 0;
  StyleInput input = StyleInput::kBest;
  double seconds = 0;  ///< Mean.
};

struct StyleStudy {
  StyleOptions options;
  double copy_seconds = 0;  ///< Time to copy the same bytes (a float in, a class out); 0: unknown.
  std::vector<StyleTime> times;
};

/// A tree whose class for the values 0 ... 2^depth - 1 is the leaf's number, or the sum of several trees with shifted
/// thresholds.
records::RecordForest style_forest(int depth, int num_trees);
StyleStudy run_style_study(const StyleOptions& options, const ProgressCallback& progress);

/// Tables with the paper's results beside ours.
std::string style_study_text(const StyleStudy& study);
nlohmann::json style_study_json(const StyleStudy& study);

}  // namespace fernwood::lab
