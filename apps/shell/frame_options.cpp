// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/shell/frame_options.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "fernwood/core/device.h"
#include "fernwood/core/error.h"
#include "fernwood/core/model_format.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/image/camera.h"
#include "fernwood/teach/project.h"
#include "shell/console.h"
#include "shell/options.h"

namespace fernwood::apps {

void DatasetArguments::add_to(CLI::App& command) {
  command.add_option("--data", data, "Folder of frames: NAME_colors.png, NAME_depth.png, NAME_ground_truth.png")
      ->required()
      ->option_text("DIR");
  add_table(command, given);
}

dataset::DatasetOptions DatasetArguments::options(bool needs_truth) const {
  dataset::DatasetOptions options = given;
  options.needs_truth = needs_truth;
  return options;
}

dataset::Dataset DatasetArguments::open(bool needs_truth, const std::string& split_hint, bool tells) const {
  ProgressBar bar;
  if (needs_truth) teach::bring_truth_up_to_date(data, bar.counter("carrying labels"));
  return open_frames(data, options(needs_truth), split_hint, tells);
}

void warn_of_other_splits(const std::filesystem::path& folder, const dataset::Dataset& taken) {
  std::error_code ignored;
  if (std::filesystem::equivalent(folder, taken.folder(), ignored)) return;
  const std::string used = taken.folder().filename().string();
  std::vector<std::string> others;
  for (const char* split : {"train", "test", "val", "validation"})
    if (split != used && std::filesystem::is_directory(folder / split, ignored)) others.emplace_back(split);
  if (others.empty()) return;
  spdlog::warn("{}: the frames of {} are taken, those of {} are not; name each folder by itself", folder.string(), used,
               join(others));
}

dataset::Dataset open_frames(const std::filesystem::path& folder, const dataset::DatasetOptions& options,
                             const std::string& split_hint, bool tells) {
  dataset::Dataset data = dataset::Dataset::open(folder, options, split_hint);
  if (tells) warn_each(data.input_warnings());
  return data;
}

dataset::Dataset open_with_known_truth(const std::filesystem::path& folder, const dataset::DatasetOptions& options,
                                       const std::string& split_hint, bool tells) {
  ProgressBar bar;
  teach::bring_truth_up_to_date(folder, bar.counter("carrying labels"));
  dataset::Dataset data = open_frames(folder, options, split_hint, tells);
  data.check_truth_is_current();
  return data;
}

std::shared_ptr<const encoder::Encoder> open_encoder(const encoder::EncoderOptions& options) {
  return options.encoder.empty() ? nullptr : encoder::keep_maps(encoder::start_encoder(options));
}

std::shared_ptr<const encoder::Encoder> open_encoder(const encoder::EncoderOptions& options,
                                                     const forest::Forest& forest, const std::filesystem::path& model,
                                                     bool frames_have_maps, bool keeps) {
  std::shared_ptr<const encoder::Encoder> opened;
  if (!options.encoder.empty()) opened = encoder::start_encoder(options);
  const std::optional<encoder::EncoderInfo>& stored = forest.encoder;
  if (!opened && stored && !stored->checksum.empty() && !frames_have_maps) {
    try {
      opened = encoder::start_encoder(stored->options_json);
    } catch (const Error& failure) {
      throw Error(failure.kind(), model.string() + " needs the encoder " + stored->text() + ": " + failure.sentence() +
                                      ", or name its file with --encoder");
    }
  }
  if (opened) predict::check_encoder(forest, opened->info());
  return opened && keeps ? encoder::keep_maps(std::move(opened)) : opened;
}

dataset::Dataset encoded(dataset::Dataset data, std::shared_ptr<const encoder::Encoder> encoder) {
  return encoder ? data.with_encoder(std::move(encoder)) : data;
}

std::shared_ptr<recordings::FrameSource> encoded(std::shared_ptr<recordings::FrameSource> source,
                                                 std::shared_ptr<const encoder::Encoder> encoder,
                                                 const forest::Forest& forest) {
  return recordings::with_encoder(std::move(source), std::move(encoder), forest.preparation.supplied_maps.size());
}

dataset::Dataset encoded_for(const forest::Forest& forest, const std::filesystem::path& model,
                             const encoder::EncoderOptions& options, dataset::Dataset data) {
  const bool has_maps = data.has_maps();
  return encoded(std::move(data), open_encoder(options, forest, model, has_maps));
}

void TrainArguments::add_to(CLI::App& command) {
  command_ = &command;
  const TakeOption take = append_to(given_);
  add_table(command, train::PresetChoice(), take);
  add_table(command, options, take);
  add_table(command, resources, take);
}

void TrainArguments::finish() {
  train::set_options(given_, /*frames=*/nullptr, options, resources);
  options.check();
  const bool is_boosted = options.algorithm == forest::ForestKind::kBoosted;
  check_dependents(*command_, {is_boosted ? Dependents{{"--score"}, {"--algorithm forest", "--algorithm ferns"}}
                                          : Dependents{{"--learning-rate"}, {"--algorithm boosted"}}});
}

train::TrainOptions TrainArguments::options_for(const dataset::Dataset& dataset) const {
  train::TrainOptions of_data;
  train::TrainResources unused;
  train::set_options(given_, &dataset, of_data, unused);
  return of_data;
}

void add_device_options(CLI::App& command, train::TrainResources& resources) {
  add_row(command, resources, "device",
          "auto, cpu, cuda or cuda:N; for train, predict and evaluate also cuda:0,1 or cuda:all");
  add_threads_option(command, resources.threads);
}

std::string size_text(const dataset::FrameSize& size) {
  return std::to_string(size.cols) + "x" + std::to_string(size.rows);
}

void add_size_option(CLI::App& command, const std::string& name, dataset::FrameSize& size, const std::string& help) {
  const auto set = [name, &size](const std::string& text) {
    int width = 0, height = 0;
    char rest = 0;
    const bool is_read = std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest) == 2;
    require_option(is_read && width >= 0 && height >= 0, name, in_quotes(text),
                   "write width x height, for example 640x480");
    size = {static_cast<std::size_t>(height), static_cast<std::size_t>(width)};
  };
  command.add_option_function<std::string>("--" + name, set, help)->option_text("WxH (" + size_text(size) + ")");
}

void check_size(const std::string& name, const dataset::FrameSize& size) {
  constexpr std::size_t kMaxPixels = 16384;
  const auto fits = [](std::size_t side) { return side >= 1 && side <= kMaxPixels; };
  require_option(fits(size.cols) && fits(size.rows), name, size_text(size),
                 "give a width and a height from 1 to " + std::to_string(kMaxPixels) + " pixels");
}

void add_predict_options(CLI::App& command, predict::PredictOptions& options) {
  add_table(command, options);
  add_table(command, options.smoothing);
}

void warn_assumed_camera(const image::Preparation& preparation, bool has_camera, const std::string& place,
                         const std::string& remedy) {
  const std::string note = image::camera_note(preparation, has_camera, place);
  if (!note.empty()) spdlog::warn(note + remedy);
}

void warn_about_input(const std::filesystem::path& depth) {
  if (depth.empty()) return;
  if (const std::string note = dataset::depth_file_note(depth); !note.empty()) spdlog::warn(note);
}

void take_share(Communicator& ranks, predict::PredictOptions& options) {
  if (ranks.size() == 1) return;
  const NodeLocalRanks local_ranks = find_node_local_ranks(ranks);
  options.threads = local_ranks.threads(options.threads);
  options.device = to_string(choose_device(options.device, local_ranks.rank, local_ranks.count).device);
}

void check_same_work(Communicator& ranks, const std::filesystem::path& model, const dataset::Dataset& dataset,
                     const predict::PredictOptions& options, const std::string& more) {
  if (ranks.size() == 1) return;
  check_alike(predict::describe_labelling(options) + more + " for a model of checksum " + model_checksum(model) +
                  " and " + std::to_string(dataset.size()) + " frames whose names and sizes have the checksum " +
                  to_hex(dataset.listing_checksum()),
              ranks);
}

void SingleFrame::add_options(CLI::App& command) {
  command.add_option("--color", color, "Colour of a single frame")->option_text("FILE");
  command.add_option("--depth", depth, "Depth of a single frame, 16-bit PNG in millimetres")->option_text("FILE");
  command.add_option("--maps", maps, "Feature maps of a single frame, where the model was trained with such (.npy)")
      ->option_text("FILE");
}

image::Frame SingleFrame::read(const forest::Forest& forest, const std::filesystem::path& model,
                               const encoder::EncoderOptions& options) const {
  image::Frame frame;
  if (!color.empty()) frame.color = dataset::read_color(color);
  if (!depth.empty()) frame.depth_mm = dataset::read_depth(depth);
  if (!maps.empty()) frame.maps = dataset::read_maps(maps);
  FW_CHECK(maps.empty() || options.encoder.empty(), Usage, "give maps either by --maps or by --encoder");
  if (const auto encoder = open_encoder(options, forest, model, !maps.empty())) frame.maps = encoder->encode(frame);
  predict::check_images(forest, {!color.empty(), !depth.empty(), frame.maps.num_maps}, model.string());
  return frame;
}

OutputLock lock_shared_folder(const std::filesystem::path& folder) {
  std::optional<OutputLock> lock = OutputLock::try_lock(folder);
  if (!lock)
    spdlog::warn(
        "{}: another run is writing to this folder, and files of the same name replace each other; give each run a "
        "folder",
        folder.string());
  return lock ? std::move(*lock) : OutputLock();
}

Array2<image::Rgb> make_panel(const image::Frame& frame, const Array2<image::Rgb>& truth,
                              const Array2<image::Rgb>& labels) {
  constexpr std::size_t kGap = 8;  // white columns between two images
  std::vector<Array2<image::Rgb>> pictures;
  if (!frame.color.empty()) pictures.push_back(frame.color);
  if (!frame.depth_mm.empty()) pictures.push_back(dataset::colorize_depth(frame.depth_mm));
  if (!truth.empty()) pictures.push_back(truth);
  pictures.push_back(labels);
  std::size_t rows = 0, cols = kGap * (pictures.size() - 1);
  for (const Array2<image::Rgb>& picture : pictures) {
    rows = std::max(rows, picture.rows());
    cols += picture.cols();
  }
  Array2<image::Rgb> panel(rows, cols, image::Rgb{255, 255, 255});
  std::size_t left = 0;
  for (const Array2<image::Rgb>& picture : pictures) {
    for (std::size_t row = 0; row < picture.rows(); ++row)
      std::copy_n(picture.row(row), picture.cols(), panel.row(row) + left);
    left += picture.cols() + kGap;
  }
  return panel;
}

}  // namespace fernwood::apps
