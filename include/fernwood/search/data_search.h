// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What searches over frames and over records have in common.

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>

#include "fernwood/core/option_table.h"
#include "fernwood/core/text.h"
#include "fernwood/search/search.h"

namespace fernwood::search {

/// What is to be high.
enum class Objective {
  kMean,   ///< Of pixel accuracy and average per-class accuracy.
  kPixel,  ///< Share of the pixels, or records, that get their class.
  kClass   ///< Average per-class accuracy, as in the thesis (eq. 5.1).
};
inline constexpr std::array kObjectives = {Objective::kMean, Objective::kPixel, Objective::kClass};
/// As options and files call it: "mean", "pixel", "class".
std::string to_string(Objective objective);

/// How data are raced over. Field names are those of the command line.
struct DataSearchOptions {
  SearchOptions race;
  Objective objective = Objective::kMean;
  int folds = 16;         ///< That data are cut into, each held back in turn, [3, 100]; fewer of little data.
  double held_out = 0.2;  ///< Share of the data that no race sees, (0, 0.9]
  std::string space_toml, space_file;  ///< Changes of the space and the file that they are from; empty: none.
  /// Takes changes of the space from a file. @throws Error  It cannot be read.
  void read_space(const std::filesystem::path& file);
  static OptionTable<DataSearchOptions> table();
  /// @throws OptionError naming the first option out of its range.
  void check() const;
};

/// A warning when so few frames or records are held out that the winner's accuracy on them says next to nothing; else
/// empty. @param unit  "frame" or "record". @param place  The data, for the message.
std::optional<Warning> warning_of_few_held_out(std::size_t num_held_out, const std::string& unit,
                                               const std::string& place);

/// Sets options by their names, as `fernwood search` does.
/// @throws Error(kUsage) for an unknown name, or a text that is not a value.
void set_options(const OptionTexts& texts, DataSearchOptions& options);

}  // namespace fernwood::search
