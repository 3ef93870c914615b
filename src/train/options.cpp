// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/train/options.h"

#include <nlohmann/json.hpp>

#include "core/check_range.h"
#include "fernwood/core/error.h"
#include "forest/fern.h"
#include "train/class_weights.h"

namespace fernwood::train {

void TrainOptions::check() const {
  check_range("trees", trees, 1, 10000);
  check_range("samples-per-frame", samples_per_frame, 1, 1000000);
  check_range("features", features, 1, 1000000);
  check_range("thresholds", thresholds, 1, 255);
  check_range("max-depth", max_depth, 1, 64);
  if (kind == forest::ForestKind::kFerns) {
    FW_CHECK(max_depth <= forest::kMaxFernDepth, Usage,
             "--max-depth is " << max_depth << "; ferns have at most " << forest::kMaxFernDepth << " levels");
    FW_CHECK(candidates == CandidateScope::kLevel, Usage,
             "--candidates is node; the nodes of a fern share one test per level, give level");
  }
  check_range("min-samples", min_samples, 1, 2147483647);
  FW_CHECK(learning_rate > 0 && learning_rate <= 1, Usage,
           "--learning-rate is " << learning_rate << "; give a number above 0, up to 1");
  FW_CHECK(
      kind != forest::ForestKind::kBoosted || leaves.histogram_bias == 0, Usage,
      "--histogram-bias is " << leaves.histogram_bias
                             << "; leaves of boosted trees have no histograms, leave it out or give --kind forest");
  check_range("box-radius", box_radius, 1, 127);
  check_range("region-size", region_size, 1, 127);
  check_range("stages", stages, 1, 4);
  check_range("folds", folds, 2, 100);
  check_range("frames-per-tree", frames_per_tree, 0, 2147483647);
  check_range("stop-when-flat", stop_when_flat, 0, 10000);
  FW_CHECK(absolute_share >= 0 && absolute_share <= 1, Usage,
           "--absolute-share is " << absolute_share << "; give a number from 0 to 1");
  FW_CHECK(leaves.histogram_bias >= 0 && leaves.histogram_bias < 1, Usage,
           "--histogram-bias is " << leaves.histogram_bias << "; give a number from 0 to below 1");
  check_class_weights(class_weights);
  const bool by_pixels = class_weights == "balanced" || class_weights == "sqrt" || class_weights == "cbrt";
  FW_CHECK(
      !by_pixels || leaves.reweight || sampling == Sampling::kPixels, Usage,
      "--class-weights is " << class_weights
                            << ", which undoes that classes are rare, and so do --sampling classes and --no-reweight "
                               "together; leave out --no-reweight or the weights");
}

std::string to_string(Sampling value) { return value == Sampling::kPixels ? "pixels" : "classes"; }
std::string to_string(CandidateScope value) { return value == CandidateScope::kLevel ? "level" : "node"; }
std::string to_string(ThresholdSource value) { return value == ThresholdSource::kResponses ? "responses" : "grid"; }
std::string to_string(ScoreKind value) {
  if (value == ScoreKind::kLossReduction) return "loss-reduction";
  return value == ScoreKind::kInformationGain ? "information-gain" : "normalized-information-gain";
}

std::string to_json(const TrainOptions& options) {
  nlohmann::json json = {{"kind", to_string(options.kind)},
                         {"trees", options.trees},
                         {"samples_per_frame", options.samples_per_frame},
                         {"features", options.features},
                         {"thresholds", options.thresholds},
                         {"max_depth", options.max_depth},
                         {"min_samples", options.min_samples},
                         {"box_radius", options.box_radius},
                         {"region_size", options.region_size},
                         {"absolute_share", options.absolute_share},
                         {"seed", options.seed},
                         {"sampling", to_string(options.sampling)},
                         {"candidates", to_string(options.candidates)},
                         {"threshold_source", to_string(options.threshold_source)},
                         {"score", to_string(options.score_used())},
                         {"flip", options.flip},
                         {"frames_per_tree", options.frames_per_tree},
                         {"stop_when_flat", options.stop_when_flat}};
  if (options.kind == forest::ForestKind::kBoosted) json["learning_rate"] = options.learning_rate;
  if (options.stages > 1) json.update({{"stages", options.stages}, {"folds", options.folds}});
  return json.dump();
}

TrainOptions defaults_of(forest::ForestKind kind) {
  TrainOptions options;
  options.kind = kind;
  if (kind == forest::ForestKind::kBoosted) return options;
  options.trees = 5;
  options.samples_per_frame = 1500;
  options.features = 1000;
  options.thresholds = 50;
  options.max_depth = 18;
  options.min_samples = 200;
  options.class_weights = "data";
  return options;
}

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = [] {
    // Set one by one: g++ 12 takes braces here for uninitialized.
    const TrainOptions forest = defaults_of(forest::ForestKind::kForest);
    TrainOptions fast, best, thesis = forest;
    fast.trees = 30;
    fast.learning_rate = 0.3f;
    fast.samples_per_frame = 300;
    fast.features = 300;
    fast.max_depth = 6;
    best.trees = 240;
    best.learning_rate = 0.1f;
    best.samples_per_frame = 1500;
    best.features = 1000;
    best.max_depth = 8;
    thesis.trees = 3;
    thesis.samples_per_frame = 2000;
    thesis.features = 2000;
    thesis.max_depth = 15;
    thesis.min_samples = 100;
    thesis.region_size = 10;
    thesis.absolute_share = 0.2f;  // with means in place of the predecessor's sums, differences alone lose a point
    thesis.sampling = Sampling::kPixels;
    thesis.flip = false;
    thesis.channels = {"lab", "depth"};
    std::vector<Preset> rows;
    rows.push_back({"fast", fast});
    rows.push_back({"balanced", TrainOptions()});
    rows.push_back({"best", best});
    rows.push_back({"forest", forest});
    rows.push_back({"thesis", thesis});
    return rows;
  }();
  return all;
}

}  // namespace fernwood::train
