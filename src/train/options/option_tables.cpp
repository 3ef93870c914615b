// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The options of training, and the functions derived from their tables.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/json_text.h"
#include "core/result_json.h"
#include "fernwood/backbone/backbone.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/train/options.h"
#include "forest/fern.h"
#include "train/data/class_weights.h"
#include "train/distributed/ranks.h"
#include "train/stage_plan.h"

namespace fernwood::train {

namespace {

using forest::ForestKind, forest::LeafOptions;

constexpr std::string_view kModel = "Model", kSampling = "Samples", kFeatures = "Features", kLeaves = "Leaves",
                           kCascade = "Cascade", kWork = "Resources";

/// The text of the option "backbone" that stands for its default.
constexpr const char* kDefaultByData = "auto";

std::vector<std::string> parallelism_names() {
  std::vector<std::string> names = names_of(kParallelisms);
  names.insert(names.begin(), "auto");
  return names;
}

std::vector<std::string> channel_set_names() {
  std::vector<std::string> names;
  for (const image::ChannelSet& set : image::channel_sets()) names.emplace_back(set.name);
  return names;
}

bool is_boosted(const TrainOptions& options) { return options.algorithm == ForestKind::kBoosted; }
bool has_backbone(const TrainOptions& options) { return options.has_backbone(); }
bool leaves_maps(const TrainOptions& options) { return !options.supplied_maps; }
bool leaves_head(const TrainOptions& options) { return !options.linear_head; }
bool has_stages(const TrainOptions& options) { return options.cascade > 1; }

/// Boosted forests have many shallow trees.
OptionSearch search_of_trees(const TrainOptions& base) {
  return is_boosted(base) ? search_scaled() : search_range(1, 8);
}
OptionSearch search_of_depth(const TrainOptions& base) {
  return is_boosted(base) ? search_range(3, 10) : search_range(8, 24);
}
OptionSearch search_of_rate(const TrainOptions& base) {
  return is_boosted(base) ? search_range(0.03, 0.3) : OptionSearch();
}

using O = TrainOptions;
using R = TrainResources;

// The order of the rows is also the order of the parameters in a search.
constexpr std::array kTrainRows = {
    choice_option<forest::kForestKinds, &O::algorithm>(
        "algorithm",
        "Trees with a test in each node (forest), with one test per level (ferns), or trees that each correct "
        "the previous ones (boosted); without {preset}, it also sets the defaults of the other options")
        .in_group(kModel)
        .stored(),
    option<&O::trees>("trees", "Number of trees")
        .in(from_to(1, 10000))
        .in_group(kModel)
        .stored()
        .searches(search_of_trees),
    option<&O::samples_per_frame>("samples-per-frame", "Pixels drawn from each frame for each tree")
        .in(from_to(1, 1000000))
        .in_group(kSampling)
        .stored()
        .searches(search_scaled()),
    option<&O::features>("features", "Candidate features tried at each node")
        .in(from_to(1, 1000000))
        .in_group(kFeatures)
        .stored()
        .searches(search_scaled()),
    option<&O::thresholds>("thresholds", "Thresholds tried for each candidate feature")
        .in(from_to(1, 255))
        .in_group(kFeatures)
        .stored()
        .searches(search_log_range(10, 100)),
    option<&O::max_depth>("max-depth", "Maximum depth of a tree: levels below the root")
        .in(from_to(1, 64))
        .in_group(kModel)
        .stored()
        .searches(search_of_depth),
    option<&O::min_samples>("min-samples", "A node with fewer samples becomes a leaf")
        .in(at_least(1))
        .in_group(kModel)
        .stored()
        .searches(search_log_range(10, 1000)),
    option<&O::max_offset>("max-offset", "Maximum offset of a region, in pixels at a depth of 1 m")
        .in(from_to(1, 127))
        .in_group(kFeatures)
        .stored()
        .searches(search_log_range(20, 127)),
    option<&O::max_half_extent>("max-half-extent", "Maximum half extent of a region, in pixels at a depth of 1 m")
        .in(from_to(1, 127))
        .in_group(kFeatures)
        .stored()
        .searches(search_log_range(3, 80)),
    option<&O::unary_feature_fraction>("unary-feature-fraction",
                                       "Fraction of the candidate features that read one region only")
        .in(from_to(0, 1))
        .in_group(kFeatures)
        .stored()
        .searches(search_range(0, 1)),
    choice_option<kSamplings, &O::sampling>(
        "sampling", "Draw samples uniformly over the pixels of a frame, or the same number for each class in it")
        .in_group(kSampling)
        .stored()
        .searches(search_choices()),
    option<&O::channels>("channels", "Channels that features read")
        .names(channel_set_names)
        .default_means("all but rgb and facing")
        .in_group(kFeatures)
        .in_model()
        .searches(search_custom()),
    option<&O::supplied_maps>("supplied-maps", "Read the maps that come with the frames (NAME_maps.npy)")
        .in_group(kFeatures)
        .stored(leaves_maps),
    option<&O::linear_head>("linear-head", "Fit a linear classifier to feature maps first; its scores are further maps")
        .in_group(kFeatures)
        .stored(leaves_head),
    option<&O::backbone>(
        "backbone",
        "Pretrained network whose feature maps are further channels: a name, such as lite0, the file "
        "of fernwood backbone import, or none. With it, the presets balanced and best grow other trees")
        .takes("NAME|FILE")
        .default_means("where there is colour lite0, for the preset best lite2")
        .in_group(kFeatures),
    option<&O::backbone_reduction>("backbone-reduction",
                                   "Resolution at which the backbone reads frames: full (1), half (2) or quarter (4)")
        .in(from_to(1, 4))
        .in_group(kFeatures)
        .stored(has_backbone),
    option<&O::cascade>("cascade",
                        "Number of cascaded forests; each also reads class probabilities of the previous one")
        .in(from_to(1, 4))
        .in_group(kCascade)
        .stored(has_stages)
        .searches(search_words("1,2")),
    option<&O::class_weights>(
        "class-weights",
        "Class weights in leaves: none (data), by the inverse class frequency (balanced), its square "
        "root (sqrt) or cube root (cbrt), or by name")
        .takes("data|balanced|sqrt|cbrt|NAME=X,...")
        .in_group(kLeaves)
        .in_model()
        .searches(search_words("data,sqrt")),
    option<&O::learning_rate>("learning-rate", "Shrinkage of each tree of a boosted forest")
        .in(above_to(0, 1))
        .in_group(kModel)
        .stored(is_boosted)
        .searches(search_of_rate),
    option<&O::folds>("folds", "Number of cross-fitting folds between cascaded forests")
        .in(from_to(2, 100))
        .in_group(kCascade)
        .stored(has_stages),
    option<&O::seed>("seed", "Random seed; the same seed gives the same forest on every device")
        .in_group(kModel)
        .stored(),
    option<&O::frames_per_tree>("frames-per-tree", "Frames drawn at random for each tree; 0: all")
        .in(at_least(0))
        .in_group(kSampling)
        .stored(),
    option<&O::early_stopping_rounds>(
        "early-stopping-rounds",
        "Stop when this number of trees together raised the accuracy on held-out frames by less "
        "than 0.1 points; 0: off")
        .in(from_to(0, 10000))
        .in_group(kModel)
        .stored(),
    choice_option<kScoreKinds, &O::score>("score", "Split criterion of forests and ferns").in_group(kFeatures).stored(),
    option<&O::mirror_augmentation>("mirror-augmentation", "Mirror the frames of half of the samples left to right")
        .in_group(kSampling)
        .stored(),
    choice_option<image::kDepthFillings, &O::depth_filling>("depth-filling", "Method that fills unknown depth")
        .in_group(kFeatures)
        .in_model(),
    option<&O::leaves, &LeafOptions::reweight>("reweight", "Weight classes in leaves by their frequency in the data")
        .in_group(kLeaves)
        .in_model(),
};

constexpr std::array kResourceRows = {
    option<&R::device>("device", "Device: auto, cpu, cuda, cuda:N, a list cuda:0,1, or cuda:all")
        .takes("NAME")
        .in_group(kWork),
    option<&R::threads>("threads", "CPU threads; 0: all").abbreviated('j').in_group(kWork),
    option<&R::parallel>("parallel", "Parallelisation across GPUs or MPI ranks: by trees, candidate features or frames")
        .one_of(parallelism_names)
        .in_group(kWork),
    size_option<kMinMemoryBytes, &R::memory_budget_bytes>("memory-budget", "Memory that training may use, such as 4GiB")
        .default_means("3/4 of the free memory")
        .in_group(kWork),
    size_option<kMinMemoryBytes, &R::gpu_memory_bytes>("gpu-memory",
                                                       "Memory of a GPU for prepared frames; others are uploaded "
                                                       "when they are needed")
        .default_means("what fits")
        .in_group(kWork),
};

constexpr std::array kPresetRows = {
    option<&PresetChoice::preset>("preset", "Preset; the other options override it")
        .one_of(preset_names)
        .in_group(kModel)
        .in_model(),
};

/// The text of an option, the last one if it is set repeatedly.
std::optional<std::string> text_of(const OptionTexts& texts, std::string_view option) {
  std::optional<std::string> found;
  for (const auto& [name, text] : texts)
    if (name == option) found = text;
  return found;
}

const Preset& preset_of(const OptionTexts& texts) {
  return presets()[find_name("preset", text_of(texts, "preset").value_or(kDefaultPreset), preset_names())];
}

/// The defaults of a training, before other options change them.
TrainOptions starting_options(const OptionTexts& texts, bool has_backbone) {
  const std::optional<std::string> algorithm = text_of(texts, "algorithm");
  const ForestKind kind = algorithm ? parse_name("algorithm", *algorithm, forest::kForestKinds) : ForestKind::kBoosted;
  const Preset& preset = preset_of(texts);
  const bool is_of_kind = !text_of(texts, "preset") && kind != ForestKind::kBoosted;
  TrainOptions options = is_of_kind ? defaults_of(kind) : has_backbone ? preset.with_backbone : preset.options;
  if (preset.backbone != kNoBackbone) options.backbone = kDefaultByData;
  return options;
}

TrainOptions options_of(const OptionTexts& texts, bool has_backbone, TrainResources& resources) {
  TrainOptions options = starting_options(texts, has_backbone);
  for (const auto& [name, text] : texts)
    if (name != "preset") set_option(name, text, options, resources);
  return options;
}

bool reads_color(const TrainOptions& options) {
  return options.channels.empty() || std::ranges::any_of(image::channel_sets(), [&](const image::ChannelSet& set) {
           return set.needs_color && std::ranges::find(options.channels, set.name) != options.channels.end();
         });
}

/// What kDefaultByData stands for.
std::string choose_backbone(std::string_view of_preset, const TrainOptions& options, bool has_color) {
  const std::vector<std::string> installed = backbone::backbone_names();
  for (const std::string_view name : {of_preset, std::string_view(backbone::kDefaultBackbone)})
    if (has_color && reads_color(options) && std::ranges::find(installed, name) != installed.end())
      return std::string(name);
  return kNoBackbone;
}

}  // namespace

OptionTable<TrainOptions> TrainOptions::table() { return kTrainRows; }
OptionTable<TrainResources> TrainResources::table() { return kResourceRows; }
OptionTable<PresetChoice> PresetChoice::table() { return kPresetRows; }

void TrainOptions::check() const {
  check_options(table(), *this);
  require_option(algorithm != ForestKind::kFerns || max_depth <= forest::kMaxFernDepth, "max-depth", max_depth,
                 "ferns have at most " + std::to_string(forest::kMaxFernDepth) + " levels");
  check_class_weights(class_weights);
  const bool by_pixels = class_weights == "balanced" || class_weights == "sqrt" || class_weights == "cbrt";
  require_option(
      !by_pixels || leaves.reweight || sampling == Sampling::kPixels, "class-weights", class_weights,
      OptionSentence{"that undoes that classes are rare, and so do {} and {} together, leave out {} or the weights",
                     {{"sampling", "classes"}, {"reweight", "false"}, {"reweight", "false"}}});
}

std::filesystem::path TrainOptions::backbone_file() const {
  return has_backbone() ? backbone::find_backbone(backbone) : std::filesystem::path();
}

std::string to_json(const TrainOptions& options) {
  nlohmann::json json = model_json(TrainOptions::table(), options);
  json["score"] = to_string(options.score_used());
  return json_text(json);
}

void set_options(const OptionTexts& texts, const dataset::Dataset* frames, TrainOptions& options,
                 TrainResources& resources) {
  options = options_of(texts, false, resources);
  const std::string backbone = options.backbone == kDefaultByData
                                   ? choose_backbone(preset_of(texts).backbone, options, frames && frames->has_color())
                                   : options.backbone;
  if (backbone != kNoBackbone) options = options_of(texts, true, resources);
  options.backbone = backbone;
  const bool is_of_preset = std::ranges::find(texts, "cascade", &OptionTexts::value_type::first) == texts.end();
  if (frames && options.cascade > 1 && is_of_preset &&
      std::ranges::max(fold_frames(frames->size(), options.folds, frames->groups())) == 0)
    options.cascade = 1;
}

}  // namespace fernwood::train
