// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Options shared by several subcommands.

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

/// The source of frames, as given on the command line.
struct DatasetArguments {
  std::filesystem::path data;
  dataset::DatasetOptions given;  ///< Without needs_truth.

  void add_to(CLI::App& command);
  dataset::DatasetOptions options(bool needs_truth) const;
  /// As open_frames(); ground truth of a project of `fernwood teach` is updated first if it is needed.
  dataset::Dataset open(bool needs_truth, const std::string& split_hint, bool tells = true) const;
};

/// Warns of sub-folders of frames that are left out, if a folder was named and one of its sub-folders was used.
void warn_of_other_splits(const std::filesystem::path& folder, const dataset::Dataset& taken);
/// Opens a folder for any command, and prints the probable problems of its frames.
/// @param split_hint  Sub-folder used if the folder itself has no frames.
/// @param tells       False if something else prints them: another rank, or the training that follows.
dataset::Dataset open_frames(const std::filesystem::path& folder, const dataset::DatasetOptions& options,
                             const std::string& split_hint, bool tells = true);
/// As open_frames(), for ground truth that is optional: that of a project of `fernwood teach` is updated first.
/// @throws Error(kData) if it cannot be updated, because another process has the project open or files were edited.
dataset::Dataset open_with_known_truth(const std::filesystem::path& folder, const dataset::DatasetOptions& options,
                                       const std::string& split_hint, bool tells = true);

/// Training options, as given on the command line. Not copyable: the command line parser writes to this object until
/// finish().
struct TrainArguments {
  TrainArguments() = default;
  TrainArguments(const TrainArguments&) = delete;

  train::TrainOptions options;
  train::TrainResources resources;

  void add_to(CLI::App& command);
  /// Starts from the preset or the defaults of the algorithm, and applies the given options.
  /// @throws Error(kUsage), also for an option that has no effect with this algorithm.
  void finish();

 private:
  const CLI::App* command_ = nullptr;
  OptionTexts given_;
};

/// A validator for options whose negative values would wrap around: an error message for `text`, or empty.
std::string check_not_negative(const std::string& text);

/// An option for a number, whose default is shown in the help.
template <typename Number>
CLI::Option* add_number(CLI::App& command, const std::string& name, Number& value, const std::string& help) {
  CLI::Option* option = command.add_option(name, value, help);
  if constexpr (std::is_unsigned_v<Number>) option->check(check_not_negative);
  return option->option_text((std::is_integral_v<Number> ? "N (" : "X (") + CLI::detail::to_string(value) + ")");
}

/// --model, which is required.
void add_model_option(CLI::App& command, std::filesystem::path& model);
/// -j and --threads.
void add_threads_option(CLI::App& command, int& threads);
/// --device and --threads.
void add_device_options(CLI::App& command, train::TrainResources& resources);
/// A size of frames in the syntax of options, width first: "640x480".
std::string size_text(const dataset::FrameSize& size);
/// Adds an option for a size. @param name  Without dashes. @param size  The default.
void add_size_option(CLI::App& command, const std::string& name, dataset::FrameSize& size, const std::string& help);
/// For sizes without another limit. @throws OptionError unless width and height are from 1 to 16384.
void check_size(const std::string& name, const dataset::FrameSize& size);
/// --json, for output in JSON.
void add_json_flag(CLI::App& command, bool& json);

/// Options that have no effect unless one of their partners is given.
struct Dependents {
  std::vector<std::string> names, partners;  ///< With dashes. A partner may have a value: "--schedule adaptive".
};
/// Options of labels that have no effect without --steady or --smooth. @param also  A further partner of both.
std::vector<Dependents> label_dependents(const std::vector<std::string>& also = {});
/// Options of training.
inline const Dependents kBackboneDependents = {{"--backbone-reduction"}, {"--backbone"}};
inline const Dependents kCascadeDependents = {{"--folds"}, {"--cascade"}};
/// For a command's callback. @throws Error(kUsage) if one of the options is given, on the command line or in a file of
/// options, without any of its partners.
void check_dependents(const CLI::App& command, const std::vector<Dependents>& all);

/// All options of predict::PredictOptions.
void add_predict_options(CLI::App& command, predict::PredictOptions& options);
/// Those of them that affect the labels.
void add_labelling_options(CLI::App& command, predict::PredictOptions& options);

/// Column and row of --at "320,240". @throws Error(kUsage).
std::pair<int, int> parse_pixel(const std::string& text);

}  // namespace fernwood::apps
