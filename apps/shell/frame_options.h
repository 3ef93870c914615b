// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Options and work that several commands on frames share.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "fernwood/core/communicator.h"
#include "fernwood/core/file.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/encoder/encoder.h"
#include "fernwood/forest/forest.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/prepared_frame.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/recordings/frame_source.h"
#include "fernwood/train/options.h"
#include "shell/options.h"

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

/// Starts the encoder that the options name, with maps kept in the cache folder; null if they name none.
std::shared_ptr<const encoder::Encoder> open_encoder(const encoder::EncoderOptions& options);
/// Starts the encoder of the maps that a model reads: that of the options, or else that of its training. Null if the
/// frames need none, or it cannot be started from here, which predict::check_images() reports.
/// @param model  Its file, for messages. @param keeps  Whether maps are kept in the cache folder: a camera never shows
/// a
///               frame again. @throws Error(kModel) for another encoder than that of the training.
std::shared_ptr<const encoder::Encoder> open_encoder(const encoder::EncoderOptions& options,
                                                     const forest::Forest& forest, const std::filesystem::path& model,
                                                     bool frames_have_maps, bool keeps = true);
/// Adds the maps of this encoder to frames; null: leaves them as they are.
dataset::Dataset encoded(dataset::Dataset data, std::shared_ptr<const encoder::Encoder> encoder);
std::shared_ptr<recordings::FrameSource> encoded(std::shared_ptr<recordings::FrameSource> source,
                                                 std::shared_ptr<const encoder::Encoder> encoder,
                                                 const forest::Forest& forest);
/// Both steps, for a model.
dataset::Dataset encoded_for(const forest::Forest& forest, const std::filesystem::path& model,
                             const encoder::EncoderOptions& options, dataset::Dataset data);

/// Training options, as given on the command line. Not copyable: the command line parser writes to this object until
/// finish().
struct TrainArguments {
  TrainArguments() = default;
  TrainArguments(const TrainArguments&) = delete;

  train::TrainOptions options;  ///< For unknown frames; options_for() gives those of frames.
  train::TrainResources resources;

  void add_to(CLI::App& command);
  /// Starts from the preset or the defaults of the algorithm, and applies the given options.
  /// @throws Error(kUsage), also for an option that has no effect with this algorithm.
  void finish();
  /// The options with the defaults that depend on the frames, as for train::set_options().
  train::TrainOptions options_for(const dataset::Dataset& dataset) const;

 private:
  const CLI::App* command_ = nullptr;
  OptionTexts given_;
};

/// --device and --threads.
void add_device_options(CLI::App& command, train::TrainResources& resources);
/// A size of frames in the syntax of options, width first: "640x480".
std::string size_text(const dataset::FrameSize& size);
/// Adds an option for a size. @param name  Without dashes. @param size  The default.
void add_size_option(CLI::App& command, const std::string& name, dataset::FrameSize& size, const std::string& help);
/// For sizes without another limit. @throws OptionError unless width and height are from 1 to 16384.
void check_size(const std::string& name, const dataset::FrameSize& size);

/// Options of training.
inline const Dependents kEncoderDependents = {{"--encoder-size", "--encoder-normalization"}, {"--encoder"}};
inline const Dependents kCascadeDependents = {{"--folds"}, {"--cascade"}};

/// All options of predict::PredictOptions.
void add_predict_options(CLI::App& command, predict::PredictOptions& options);

/// Prints on standard error which camera is assumed for frames, if any: see camera_note() for the parameters.
/// @param remedy  Continues that sentence.
void warn_assumed_camera(const image::Preparation& preparation, bool has_camera, const std::string& place,
                         const std::string& remedy = "");

/// Prints on standard error the probable problem of a single depth image; does nothing for an empty path.
void warn_about_input(const std::filesystem::path& depth);

/// Assigns this process its GPU and threads, if several processes share a machine.
void take_share(Communicator& ranks, predict::PredictOptions& options);

/// Checks that processes that label together have the same model, frames and options. @throws Error(kUsage).
/// @param more  Options of the command that affect the results, as on the command line.
void check_same_work(Communicator& ranks, const std::filesystem::path& model, const dataset::Dataset& dataset,
                     const predict::PredictOptions& options, const std::string& more);

/// A single frame given by its files instead of a folder.
struct SingleFrame {
  std::filesystem::path color, depth, maps;

  void add_options(CLI::App& command);
  bool is_given() const { return !color.empty() || !depth.empty() || !maps.empty(); }
  const std::filesystem::path& name_giver() const { return color.empty() ? depth : color; }
  /// Reads the frame for a model, with the maps of its encoder. @param model  Its file, for messages.
  /// @throws Error as reading the files does, as open_encoder() and predict::check_images().
  image::Frame read(const forest::Forest& forest, const std::filesystem::path& model,
                    const encoder::EncoderOptions& options) const;
};

/// Locks a folder that several runs may fill, and warns if another one does: files of one name replace each other, and
/// labels of two models would mix.
OutputLock lock_shared_folder(const std::filesystem::path& folder);

/// An image for people: colour, depth, truth and labels side by side on white, as far as they exist.
/// @param truth   Ground truth in class colours, or empty.
/// @param labels  In class colours.
Array2<image::Rgb> make_panel(const image::Frame& frame, const Array2<image::Rgb>& truth,
                              const Array2<image::Rgb>& labels);

}  // namespace fernwood::apps
