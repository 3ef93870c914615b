// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Options that several subcommands share.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fernwood/dataset/dataset.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/train/options.h"

namespace fernwood::apps {

/// Where frames come from, as given on the command line.
struct DatasetArguments {
  std::filesystem::path data;
  dataset::DatasetOptions given;  ///< But for needs_truth.

  void add_to(CLI::App& command);
  dataset::DatasetOptions options(bool needs_truth) const;
  /// @param split_hint  Sub-folder taken when `data` itself has no frames.
  dataset::Dataset open(bool needs_truth, const std::string& split_hint) const;
};

/// Warns of sub-folders of frames that are left out, where a folder was named and one of its sub-folders was taken.
void warn_of_other_splits(const std::filesystem::path& folder, const dataset::Dataset& taken);
/// Frames whose truth is taken where they have any: that of a project of `fernwood teach` is brought up to date before.
/// @throws Error(kData) where it cannot be, since another process teaches or somebody changed it.
dataset::Dataset open_with_known_truth(const std::filesystem::path& folder, const dataset::DatasetOptions& options,
                                       const std::string& split_hint);

/// How a forest is grown, as given on the command line. Not copied: the command line writes here until finish().
struct TrainArguments {
  TrainArguments() = default;
  TrainArguments(const TrainArguments&) = delete;

  train::TrainOptions options;
  train::TrainResources resources;

  void add_to(CLI::App& command);
  /// Begins with the preset or the defaults of the algorithm, and changes what was given. @throws Error(kUsage).
  void finish();

 private:
  OptionTexts given_;
};

/// A check for options whose negative values would wrap around: what is wrong with `text`, or nothing.
std::string check_not_negative(const std::string& text);

/// An option for a number, whose default is told by the help.
template <typename Number>
CLI::Option* add_number(CLI::App& command, const std::string& name, Number& value, const std::string& help) {
  CLI::Option* option = command.add_option(name, value, help);
  if constexpr (std::is_unsigned_v<Number>) option->check(check_not_negative);
  return option->option_text((std::is_integral_v<Number> ? "N (" : "X (") + CLI::detail::to_string(value) + ")");
}

/// --model, which must be given.
void add_model_option(CLI::App& command, std::filesystem::path& model);
/// -j and --threads.
void add_threads_option(CLI::App& command, int& threads);
/// --device and --threads.
void add_device_options(CLI::App& command, train::TrainResources& resources);
/// A size of frames as options have it, width first: "640x480".
std::string size_text(const dataset::FrameSize& size);
/// An option for it. @param name  Without dashes. @param size  The default.
void add_size_option(CLI::App& command, const std::string& name, dataset::FrameSize& size, const std::string& help);
/// Where nothing else limits a size. @throws OptionError unless width and height are from 1 to 16384.
void check_size(const std::string& name, const dataset::FrameSize& size);
/// --json, which prints the answer as such.
void add_json_flag(CLI::App& command, bool& json);

/// Options that would change nothing unless one of others is given, their partners.
struct Dependents {
  std::vector<std::string> names, partners;  ///< With dashes.
};
/// Of the labels: what has no effect without --steady or --smooth. @param also  A further partner of both.
std::vector<Dependents> label_dependents(const std::vector<std::string>& also = {});
/// Of options of training.
inline const Dependents kBackboneDependents = {{"--backbone-reduction"}, {"--backbone"}};
/// For a command's callback. @throws Error(kUsage) where one is given, by the command line or a file of options, and
/// none of its partners.
void check_dependents(const CLI::App& command, const std::vector<Dependents>& all);

/// All options of predict::PredictOptions.
void add_predict_options(CLI::App& command, predict::PredictOptions& options);
/// Those that the labels depend on.
void add_labelling_options(CLI::App& command, predict::PredictOptions& options);

/// Column and row of --at "320,240". @throws Error(kUsage).
std::pair<int, int> parse_pixel(const std::string& text);

}  // namespace fernwood::apps
