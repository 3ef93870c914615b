// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/backbone/backbone.h"
#include "fernwood/core/option_table.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/forest/forest.h"

namespace fernwood::train {

/// How pixels are chosen within a frame.
enum class Sampling {
  kPixels,  ///< Every labelled pixel is as likely as any other.
  kClasses  ///< The same number of pixels for each class present in the frame (thesis 3.1.2, 4.3).
};
inline constexpr std::array kSamplings = {Sampling::kPixels, Sampling::kClasses};

/// Impurity score of a split (thesis eq. 3.2; for the normalised score see split_score).
enum class ScoreKind {
  kInformationGain,
  kNormalizedInformationGain,
  kLossReduction  ///< The only score of boosted trees; not available for other kinds of forests.
};
inline constexpr std::array kScoreKinds = {ScoreKind::kInformationGain, ScoreKind::kNormalizedInformationGain};

/// Value of TrainOptions::backbone: trees read no feature maps of a network.
inline constexpr const char* kNoBackbone = "none";

/// Options of a training. The field names, with dashes, are the options of `fernwood train` and the keys of its
/// configuration file.
struct TrainOptions {
  forest::ForestKind algorithm = forest::ForestKind::kBoosted;
  int trees = 80;               ///< [1, 10000]
  int samples_per_frame = 500;  ///< Pixels drawn from each frame for each tree, [1, 10^6]
  int features = 500;           ///< Candidate features tried at each node, [1, 10^6]
  int thresholds = 30;          ///< Thresholds tried for each candidate, [1, 255]
  int max_depth = 7;            ///< Levels below the root, [1, 64]
  int min_samples = 40;         ///< A node with fewer samples becomes a leaf, >= 1
  float learning_rate = 0.2f;   ///< Shrinkage of boosting: factor of each tree's scores, (0, 1]
  int max_offset = 120;         ///< Largest |dx|, |dy| of a region's centre, in pixels at 1 m, [1, 127]
  int max_half_extent = 30;     ///< Largest half extent of a region, in pixels at 1 m, [1, 127]
  float unary_feature_fraction =
      0.4f;                   ///< Fraction of the candidates that read one region only, [0, 1]; 0 in the thesis.
  std::uint64_t seed = 4711;  ///< The same seed gives the same forest on every device.
  Sampling sampling = Sampling::kClasses;
  ScoreKind score = ScoreKind::kNormalizedInformationGain;
  bool mirror_augmentation = true;  ///< For a random half of the samples, the frame is mirrored left to right.
  int frames_per_tree = 0;          ///< Frames drawn at random for each tree; the same for all boosted trees; 0: all
  /// Training stops when this number of consecutive trees together raised the out-of-bag accuracy by less than 0.1
  /// points, [0, 10000]; 0: all `trees` are grown.
  int early_stopping_rounds = 0;
  /// Number of forests grown one after another; each also reads the class probabilities of the previous one, [1, 4].
  int cascade = 1;
  /// Cross-fitting folds between stages, [2, 100]: a stage is trained on class probabilities by trees that have not
  /// seen the fold of the frame.
  int folds = 4;
  /// Channel sets; empty: those with image::ChannelSet::by_default that the colour and depth of the data permit.
  std::vector<std::string> channels = {};
  /// Name or path of a backbone, whose feature maps are further channels, as for backbone::find_backbone(), or
  /// kNoBackbone. The model contains a copy of it. The default here differs from that of set_options(), which depends
  /// on the frames: who sets members gets exactly what they say, and no file of the installation is read.
  std::string backbone = kNoBackbone;
  bool linear_head = true;     ///< A linear classifier reads all feature maps together, see image::LinearHead.
  bool supplied_maps = true;   ///< Features read the maps supplied with the frames, see image::SuppliedMaps.
  int backbone_reduction = 2;  ///< Factor by which frames are reduced in each direction for the backbone: 1, 2 or 4.
  image::DepthFilling depth_filling = image::DepthFilling::kNone;
  forest::LeafOptions leaves;  ///< Its class_weights are ignored: they are computed from the text below and the data.
  /// Class weights in leaves, in addition to re-weighting: "data", all equal; "balanced", "sqrt" or "cbrt", the inverse
  /// of the class frequency in the data, its square root or its cube root, scaled to a mean of 1; or "name=weight,…"
  /// with weights in [kMinClassWeight, kMaxClassWeight], 1 for other classes.
  std::string class_weights = "cbrt";

  bool has_backbone() const { return backbone != kNoBackbone; }
  /// File of the backbone; empty without one. @throws Error as backbone::find_backbone().
  std::filesystem::path backbone_file() const;
  /// Score by which splits are compared: kLossReduction for boosted trees, `score` for other kinds.
  ScoreKind score_used() const { return algorithm == forest::ForestKind::kBoosted ? ScoreKind::kLossReduction : score; }
  /// One row per option: name, range, help text, key in model files.
  static OptionTable<TrainOptions> table();
  /// @throws OptionError naming the first option out of its range, Error(kUsage) for options that contradict each
  /// other.
  void check() const;
};

/// Smallest practical memory budget: with less, each level visits all frames for a few candidates at a time. Callers of
/// the library may set less, for tests.
inline constexpr std::size_t kMinMemoryBytes = std::size_t{1} << 20;

/// Resources of a training; they do not change the forest.
struct TrainResources {
  std::string device = "auto";    ///< "auto", "cpu" or "cuda:0" …
  int threads = 0;                ///< CPU threads; 0: all
  std::string parallel = "auto";  ///< Work that ranks divide: "auto", "trees", "features" or "data"
  std::size_t memory_budget_bytes =
      0;  ///< Maximum memory of the training; 0: three quarters of the memory free at the start
  std::size_t gpu_memory_bytes = 0;  ///< Maximum memory of a GPU for prepared frames; 0: as much as fits

  static OptionTable<TrainResources> table();
};

/// Named set of training options.
struct Preset {
  std::string_view name;
  TrainOptions options;
  TrainOptions with_backbone;  ///< The options used with a backbone: `options`, unless feature maps need other trees.
  /// The backbone that set_options() adds; kNoBackbone: none.
  std::string_view backbone = backbone::kDefaultBackbone;
};
/// Preset of a training that names neither a preset nor an algorithm.
inline constexpr const char* kDefaultPreset = "balanced";
/// "fast", kDefaultPreset (the defaults of TrainOptions), "best", "forest" (a few deep, independent trees) and "thesis"
/// (channels and training as in CURFIL).
const std::vector<Preset>& presets();
std::vector<std::string> preset_names();

/// The option "preset" of set_options(), which selects the initial options of a training.
struct PresetChoice {
  std::string preset = kDefaultPreset;  ///< One of preset_names().
  static OptionTable<PresetChoice> table();
};

/// Default options of a kind of forest: kDefaultPreset for boosted trees, "forest" for the others with `algorithm` set.
TrainOptions defaults_of(forest::ForestKind kind);

/// Sets options by name, as `fernwood train` and its --config file do. "preset", "algorithm" and the presence of a
/// backbone, wherever they stand, determine the initial options.
/// @param frames  Those of the training; null: unknown, as without colour. If they have colour and "channels" does not
///                name only others, the default of "backbone", "auto", is Preset::backbone or, where that is not
///                installed, backbone::kDefaultBackbone; without either it is kNoBackbone. If the frames cannot be
///                divided into folds, such as a single frame, the cascade of a preset is left out.
/// @throws Error(kUsage) for an unknown name or an invalid value; ranges are left to TrainOptions::check().
/// Error(kData)
///         for wrong groups of the frames.
void set_options(const OptionTexts& texts, const dataset::Dataset* frames, TrainOptions& options,
                 TrainResources& resources);

/// The options as a JSON object with sorted keys, as stored in model files.
std::string to_json(const TrainOptions& options);

std::string to_string(Sampling value);
std::string to_string(ScoreKind value);

}  // namespace fernwood::train
