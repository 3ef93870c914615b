// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/core/option_table.h"
#include "fernwood/core/text.h"
#include "fernwood/forest/forest.h"

namespace fernwood::train {

/// How pixels are chosen within a frame.
enum class Sampling {
  kPixels,  ///< Every labelled pixel is as likely as any other.
  kClasses  ///< Every class present in the frame gets the same number (thesis 3.1.2, 4.3).
};
inline constexpr std::array kSamplings = {Sampling::kPixels, Sampling::kClasses};

/// When candidates are drawn (thesis 5.3).
enum class CandidateScope { kLevel, kNode };
inline constexpr std::array kCandidateScopes = {CandidateScope::kLevel, CandidateScope::kNode};

/// Where the thresholds of a candidate come from.
enum class ThresholdSource {
  kResponses,  ///< Responses of random samples (thesis 3.1.1).
  kGrid        ///< Plus and minus a geometric series, shifted by a random factor for each candidate.
};
inline constexpr std::array kThresholdSources = {ThresholdSource::kResponses, ThresholdSource::kGrid};

/// Impurity score of a split (thesis eq. 3.2; for the normalised one see split_score).
enum class ScoreKind {
  kInformationGain,
  kNormalizedInformationGain,
  kLossReduction  ///< That of boosting, which has no other, and which no other kind has.
};
inline constexpr std::array kScoreKinds = {ScoreKind::kInformationGain, ScoreKind::kNormalizedInformationGain};

/// How a forest is grown. The field names are the flags of `fernwood train` and the keys of its configuration file.
struct TrainOptions {
  forest::ForestKind algorithm = forest::ForestKind::kBoosted;
  int trees = 80;               ///< [1, 10000]
  int samples_per_frame = 500;  ///< Pixels drawn from each frame for each tree, [1, 10^6]
  int features = 500;           ///< Candidates tried at each node, [1, 10^6]
  int thresholds = 30;          ///< Thresholds tried for each candidate, [1, 255]
  int max_depth = 7;            ///< Levels below the root, [1, 64]
  int min_samples = 40;         ///< A node with fewer samples becomes a leaf, >= 1
  float learning_rate = 0.2f;   ///< Of boosting: what a tree's answers are multiplied by, (0, 1]
  int max_offset = 120;         ///< Largest |dx|, |dy| of a region's centre, in pixels at 1 m, [1, 127]
  int max_half_extent = 30;     ///< Largest half extent of a region, in pixels at 1 m, [1, 127]
  float unary_feature_fraction =
      0.4f;                   ///< Share of candidates that are one region's mean alone, [0, 1]; the thesis has 0.
  std::uint64_t seed = 4711;  ///< Same seed, same forest, on every device.
  Sampling sampling = Sampling::kClasses;
  CandidateScope candidates = CandidateScope::kLevel;
  ThresholdSource threshold_source = ThresholdSource::kGrid;
  ScoreKind score = ScoreKind::kNormalizedInformationGain;
  bool mirror_augmentation = true;  ///< Half of the samples, at random, see their frame mirrored left to right.
  int frames_per_tree = 0;          ///< Frames that each tree sees, drawn at random, for boosted trees the same; 0: all
  /// No tree is added once so many together raised accuracy on frames that trees have not seen by less than 0.1 points,
  /// [0, 10000]; 0: `trees` are grown in any case.
  int early_stopping_rounds = 0;
  /// Forests grown one after another: each but the first also reads the class probabilities of the one before, [1, 4].
  int cascade = 1;
  /// Parts that the frames are cut into for a next stage: what it reads of a frame comes from trees that have not seen
  /// the frame's part, [2, 100].
  int folds = 4;
  /// Channel sets; empty: those with image::ChannelSet::by_default, as far as the data have colour and depth.
  std::vector<std::string> channels = {};
  /// A backbone file, whose feature maps are further channels; empty: there are none. Its file goes into the model.
  std::string backbone;
  bool linear_head = true;     ///< Feature maps are also read together, by a linear classifier, see image::LinearHead.
  bool supplied_maps = true;   ///< Features read the maps that come with frames, see image::SuppliedMaps.
  int backbone_reduction = 2;  ///< The backbone sees frames reduced by it each way: 1, 2 or 4.
  image::DepthFilling depth_filling = image::DepthFilling::kNone;
  forest::LeafOptions leaves;  ///< Its class weights are not looked at: they follow from the text below and the data.
  /// How much classes weigh in leaves, besides what re-weighting does: "data", all alike; "balanced", "sqrt" or "cbrt",
  /// by the inverse of their frequency in the data, its square or its cube root, with a mean of 1; or "name=weight,…"
  /// with weights in [kLeastClassWeight, kMostClassWeight], other classes 1.
  std::string class_weights = "cbrt";

  /// What splits are scored by.
  ScoreKind score_used() const { return algorithm == forest::ForestKind::kBoosted ? ScoreKind::kLossReduction : score; }
  /// A row for each option: names, ranges, help texts, keys in model files.
  static OptionTable<TrainOptions> table();
  /// @throws OptionError naming the first option out of its range, Error(kUsage) for options that contradict.
  void check() const;
};

/// The smallest bound of memory that training gets on with: below it each level visits all frames for a few candidates
/// at a time. Callers of the library may set less, for tests.
inline constexpr std::size_t kLeastMemoryBytes = std::size_t{1} << 20;

/// How the work is done; changes nothing about the forest.
struct TrainResources {
  std::string device = "auto";    ///< "auto", "cpu" or "cuda:0" …
  int threads = 0;                ///< CPU threads; 0: all
  std::string gather = "auto";    ///< Of the CPU's loops, one of forest::gather_names().
  std::string parallel = "auto";  ///< What ranks divide among them: "auto", "trees", "features" or "data"
  std::size_t memory_budget_bytes =
      0;  ///< Bound of what training holds; 0: three quarters of the memory free at the start
  std::size_t gpu_memory_bytes = 0;  ///< Bound of the prepared frames that a GPU holds; 0: what its memory has room for

  static OptionTable<TrainResources> table();
};

/// Options that go together.
struct Preset {
  std::string_view name;
  TrainOptions options;
  TrainOptions
      with_backbone;  ///< What it is where a backbone is named: `options`, unless its maps ask for other trees.
};
/// The preset of a training that names neither preset nor algorithm.
inline constexpr const char* kDefaultPreset = "balanced";
/// kDefaultPreset, which are the defaults, "fast", "best", "forest", a few deep trees each for itself, and "thesis",
/// what CURFIL read and did.
const std::vector<Preset>& presets();
std::vector<std::string> preset_names();

/// With what a training begins, in texts of set_options().
struct PresetChoice {
  std::string preset = kDefaultPreset;  ///< One of preset_names().
  static OptionTable<PresetChoice> table();
};

/// What suits a kind: kDefaultPreset for boosted trees, "forest" for the others, with the kind.
TrainOptions defaults_of(forest::ForestKind kind);

/// Sets options by their names, as `fernwood train` and its --config file do: "preset", "algorithm" and whether there
/// is a "backbone" first, wherever they stand; with none of these three the others change what `options` has. @throws
/// Error(kUsage) for an unknown name, or a value that is none; ranges are left to TrainOptions::check().
void set_options(const OptionTexts& texts, TrainOptions& options, TrainResources& resources);

/// The options as a JSON object with sorted keys, as stored in model files, and back.
std::string to_json(const TrainOptions& options);

std::string to_string(Sampling value);
std::string to_string(CandidateScope value);
std::string to_string(ThresholdSource value);
std::string to_string(ScoreKind value);

}  // namespace fernwood::train
