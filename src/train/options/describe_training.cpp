// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/options/describe_training.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/json_text.h"
#include "fernwood/backbone/backbone.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "fernwood/image/camera.h"
#include "train/data/class_weights.h"

namespace fernwood::train {

namespace {

/// Share of the labelled pixels above which one class outweighs the others.
constexpr double kImbalancedShare = 0.9;

std::vector<std::string> choose_channels(const dataset::Dataset& dataset, const TrainOptions& options) {
  if (!options.channels.empty()) return options.channels;
  std::vector<std::string> sets;
  for (const image::ChannelSet& set : image::channel_sets())
    if (set.by_default && (dataset.has_color() || !set.needs_color) && (dataset.has_depth() || !set.needs_depth))
      sets.emplace_back(set.name);
  return sets;
}

void check_channels(const dataset::Dataset& dataset, const image::ChannelLayout& channels) {
  const auto missing = [&](const char* what) {
    return Error(ErrorKind::kUsage, dataset.folder().string() + ": the data set has no " + what + " images, which " +
                                        named_option("channels") + " asks for; leave out the channels that need them");
  };
  if (channels.needs_color() && !dataset.has_color()) throw missing("colour");
  if (channels.needs_depth() && !dataset.has_depth()) throw missing("depth");
}

/// The camera that the model stores for frames without their own, used in training and prediction.
std::optional<image::Camera> camera_to_remember(const dataset::Dataset& dataset, const image::ChannelLayout& channels) {
  if (!channels.needs_geometry()) return std::nullopt;
  if (const std::optional<image::Camera> camera = dataset.camera()) return camera;
  const dataset::FrameSize size = dataset.frame_size(0);
  return image::assumed_camera(size.cols, size.rows);
}

}  // namespace

OptionSentence class_imbalance_note(const forest::Forest& forest, const std::string& class_weights) {
  if (class_weights != "data" && class_weights != "cbrt") return "";
  const auto most = std::ranges::max_element(forest.class_pixels);
  const double all =
      static_cast<double>(std::accumulate(forest.class_pixels.begin(), forest.class_pixels.end(), std::uint64_t{0}));
  const double share = static_cast<double>(*most) / all;
  if (!(share > kImbalancedShare)) return "";
  const std::string& name = forest.classes.classes[static_cast<std::size_t>(most - forest.class_pixels.begin())].name;
  return format_text("%.1f %% of the labelled pixels are %s; where the others matter more than their pixels, use ",
                     100 * share, name.c_str()) +
         named_option("optimize", "iou");
}

/// The backbone selected by the options, or null.
std::shared_ptr<const image::MapSource> load_maps(const dataset::Dataset& dataset, const TrainOptions& options) {
  if (!options.has_backbone()) return nullptr;
  FW_CHECK(dataset.has_color(), Data,
           dataset.folder().string() << " has no colour images, which " << named_option("backbone") << " sees; use "
                                     << named_option("backbone", kNoBackbone));
  return backbone::load_backbone(options.backbone, options.backbone_reduction);
}

forest::Forest describe_training(const dataset::Dataset& dataset, const TrainOptions& options) {
  forest::Forest forest;
  forest.kind = options.algorithm;
  forest.leaves = options.leaves;
  forest.options_json = to_json(options);
  const image::ChannelLayout channels(choose_channels(dataset, options));
  check_channels(dataset, channels);
  forest.preparation = {channels, options.depth_filling, camera_to_remember(dataset, channels),
                        load_maps(dataset, options)};
  const std::size_t num_maps = static_cast<std::size_t>(forest.preparation.num_maps()) + dataset.num_maps();
  require_together(num_maps <= image::kMaxMaps,
                   "the backbone and the frames have " + std::to_string(num_maps) + " feature maps together, at most " +
                       std::to_string(image::kMaxMaps) + " are possible; leave out {}, or use {}",
                   {{"backbone"}, {"supplied-maps", "false"}});
  forest.preparation.supplied_maps.assign(options.supplied_maps ? dataset.num_maps() : 0, image::kNoRange);
  if (options.supplied_maps) forest.encoder = dataset.encoder();
  return forest;
}

void describe_classes(const image::ClassMap& classes, const TrainOptions& options, forest::Forest& forest) {
  forest.classes = classes;
  image::ChannelLayout& channels = forest.preparation.channels;
  if (options.cascade > 1) channels = image::ChannelLayout(channels.set_names(), classes.names());
  require_option(channels.num_channels() <= image::kMaxChannels, "cascade", options.cascade,
                 "that gives each of the " + std::to_string(classes.size()) + " classes a channel, and there can be " +
                     std::to_string(image::kMaxChannels) + " channels in all: use 1, or merge classes");
  // Checks the names of classes before frames are read; their pixels are not known yet.
  static_cast<void>(resolve_class_weights(options.class_weights, classes, std::vector<std::uint64_t>(classes.size())));
}

std::string describe_reading(const dataset::DatasetConfig& config, const std::vector<std::uint32_t>& groups) {
  nlohmann::json reading = {{"depth_scale", config.depth_scale_to_mm.value_or(1)},
                            {"depth_missing", config.depth_missing},
                            {"up", {config.up.x, config.up.y, config.up.z}},
                            {"camera", nullptr},
                            {"groups", nullptr}};
  if (const auto& camera = config.camera)
    reading["camera"] = {camera->cols, camera->rows, camera->fx, camera->fy, camera->cx, camera->cy};
  std::string own_cameras;
  for (const auto& [frame, camera] : config.frame_cameras) own_cameras += frame + " " + image::to_string(camera) + "\n";
  if (!own_cameras.empty()) reading["frame_cameras"] = to_hex(checksum(own_cameras.data(), own_cameras.size()));
  if (!groups.empty()) reading["groups"] = to_hex(checksum(groups.data(), groups.size() * sizeof(groups[0])));
  return json_text(reading);
}

constexpr std::size_t kMaxNamed = 10;  // number of classes named in a warning

std::vector<Warning> find_warnings(const dataset::Dataset& dataset, const forest::Forest& forest,
                                   const std::string& class_weights) {
  std::vector<Warning> warnings;
  std::vector<std::string> empty;
  for (std::size_t c = 0; c < forest.classes.size(); ++c)
    if (forest.class_pixels[c] == 0) empty.push_back(forest.classes.classes[c].name);
  const std::size_t present = forest.classes.size() - empty.size(), num_empty = empty.size();
  if (num_empty == 1)
    warnings.push_back({"empty-class", dataset.folder().string() + ": class " + empty[0] +
                                           " has no pixel; it will never be predicted"});
  if (num_empty > kMaxNamed) {
    empty.resize(kMaxNamed);
    empty.push_back("...");
  }
  if (num_empty > 1)
    warnings.push_back({"empty-class", dataset.folder().string() + ": " + std::to_string(num_empty) +
                                           " classes have no pixel; they will never be predicted: " + join(empty)});
  FW_CHECK(present > 0, Data,
           dataset.folder().string()
               << ": no pixel has a class, all are void; check the ground truth and the ignored colours");
  if (present == 1)
    warnings.push_back(
        {"single-class",
         dataset.folder().string() +
             ": all labelled pixels are of one class, so there is nothing to learn; if black (or 255) is a class and "
             "not void, list black in dataset.toml with color = [0, 0, 0], or pass labels as 0 and 1"});
  if (const OptionSentence imbalance = class_imbalance_note(forest, class_weights); present > 1 && !imbalance.empty())
    warnings.push_back({kImbalanceWarning, dataset.folder().string() + ": " + imbalance});
  const std::string note = dataset.camera_note(forest.preparation);
  if (!note.empty()) warnings.push_back({"assumed-camera", note});
  return warnings;
}

}  // namespace fernwood::train
