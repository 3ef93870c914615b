// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Common options of searches over frames and over records.

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>

#include "fernwood/core/option_table.h"
#include "fernwood/core/text.h"
#include "fernwood/search/search.h"

namespace fernwood::search {

/// Metric to maximise.
enum class Objective {
  kMean,   ///< Mean of pixel accuracy and average per-class accuracy.
  kPixel,  ///< Share of correctly classified pixels or records.
  kClass   ///< Average per-class accuracy, as in the thesis (eq. 5.1).
};
inline constexpr std::array kObjectives = {Objective::kMean, Objective::kPixel, Objective::kClass};
/// Its name in options and files: "mean", "pixel", "class".
std::string to_string(Objective objective);

/// Options of a search over data, named as on the command line.
struct DataSearchOptions {
  SearchOptions race;
  Objective objective = Objective::kMean;
  int folds = 16;                      ///< Number of cross-validation folds, [3, 100]; fewer for small data.
  double held_out = 0.2;               ///< Share of the data that no race uses, (0, 0.9].
  std::string space_toml, space_file;  ///< Changes of the space, and the name of their file; empty: none.
  /// Reads changes of the space from a file. @throws Error if it cannot be read.
  void read_space(const std::filesystem::path& file);
  static OptionTable<DataSearchOptions> table();
  /// @throws OptionError naming the first option out of range.
  void check() const;
};

/// A warning if too few frames or records are held out for a meaningful accuracy of the winner; else empty.
/// @param unit  "frame" or "record". @param place  Name of the data in the message.
std::optional<Warning> warning_of_few_held_out(std::size_t num_held_out, const std::string& unit,
                                               const std::string& place);

/// Sets options by their names, as `fernwood search` does.
/// @throws Error(kUsage) for an unknown name or an invalid value.
void set_options(const OptionTexts& texts, DataSearchOptions& options);

}  // namespace fernwood::search
