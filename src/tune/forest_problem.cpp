// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "tune/forest_problem.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/draw.h"
#include "core/json_text.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/statistics.h"
#include "fernwood/core/text.h"
#include "fernwood/evaluate/evaluate.h"
#include "fernwood/image/channels.h"
#include "forest/leaf.h"
#include "train/data/class_weights.h"
#include "train/data/sampler.h"
#include "train/grow/grow_tree.h"
#include "train/options/describe_training.h"
#include "train/out_of_bag.h"

namespace fernwood::tune {

using namespace search;

namespace {

/// All sets of the base, and all but one; depth, which scales features, always stays.
std::vector<std::string> channel_choices(const std::vector<std::string>& sets) {
  std::vector<std::string> choices = {join(sets, ",")};
  for (const std::string& left_out : sets) {
    std::vector<std::string> others = sets;
    std::erase(others, left_out);
    if (left_out != "depth" && !others.empty()) choices.push_back(join(others, ","));
  }
  return choices;
}

constexpr std::size_t kMinFolds = 3;
constexpr std::size_t kRunsOfAFold = 2;  // few runs: frames at the ends of neighbours may show the same scene

/// Pixels of each frame of the fold in an evaluation.
constexpr int kEvaluatedOfAFrame = 500;
constexpr std::size_t kTimedFrames = 5;
/// Part of the fingerprint: to be increased when the results of a configuration change.
constexpr int kFormulas = 1;

/// Leaves of a tree that was cut back, and their votes. @param leaf_of  [leaf of the tree as grown]
struct EvaluatedTree {
  std::vector<std::uint32_t> leaf_of;
  Array2<float> votes;  ///< [leaf][class]
};

EvaluatedTree cut_back(const forest::Forest& model, const forest::Tree& tree, std::size_t place,
                       const train::TrainOptions& grown, const train::TrainOptions& wanted) {
  if (wanted.max_depth == grown.max_depth && wanted.min_samples == grown.min_samples)
    return {train::all_frames(tree.num_leaves()), forest::leaf_votes(model, tree, place)};
  train::PrunedTree pruned = train::prune_tree(tree, wanted);
  return {std::move(pruned.leaf_of), forest::leaf_votes(model, pruned.tree, place)};
}

}  // namespace

Space forest_space(const train::TrainOptions& base, const dataset::Dataset& dataset) {
  train::TrainOptions named = base;
  if (named.channels.empty())
    for (const image::ChannelSet& set : image::channel_sets())
      if (set.by_default && (dataset.has_color() || !set.needs_color) && (dataset.has_depth() || !set.needs_depth))
        named.channels.emplace_back(set.name);
  return space_of(train::TrainOptions::table(), named, [&](const Option<train::TrainOptions>& row) {
    FW_CHECK(row.name == "channels", Usage, row.name << " has no parameter; add one here");
    return choice_parameter("channels", channel_choices(named.channels), join(named.channels, ","));
  });
}

std::vector<Configuration> free_variants(const Configuration& configuration, const Space& space,
                                         const train::TrainOptions& base) {
  const train::TrainOptions options = apply_configuration(configuration, base);
  std::vector<int> trees = {options.trees}, depths = {options.max_depth}, samples = {options.min_samples};
  if (options.cascade > 1) {
    // earlier stages have the same number of trees
  } else if (options.algorithm == forest::ForestKind::kBoosted) {
    for (const int share : {2, 4})
      if (options.trees >= share) trees.push_back(options.trees / share);
  } else {
    for (int fewer = options.trees - 1; fewer >= 1; --fewer) trees.push_back(fewer);
  }
  if (train::is_prunable(options)) {
    depths.push_back(options.max_depth - 4);
    for (const int times : {3, 9}) samples.push_back(options.min_samples * times);
  }
  std::vector<std::string> weights = {options.class_weights};
  if (options.cascade == 1)  // the output of a stage for the next one depends on the weights
    for (const Parameter& parameter : space.parameters())
      if (parameter.name == "class_weights")
        std::ranges::copy_if(parameter.choices, std::back_inserter(weights),
                             [&](const std::string& word) { return word != options.class_weights; });
  std::vector<Configuration> variants;
  for (const int max_depth : depths)
    for (const int min_samples : samples)
      for (const std::string& class_weights : weights)
        for (const int num_trees : trees) {
          Configuration variant = configuration;
          variant["trees"] = std::to_string(num_trees);
          variant["max_depth"] = std::to_string(max_depth);
          variant["min_samples"] = std::to_string(min_samples);
          variant["class_weights"] = class_weights;
          if (variant == configuration || space.has(variant)) variants.push_back(std::move(variant));
        }
  return variants;
}

std::vector<std::vector<std::uint32_t>> frames_of_groups(std::size_t num_frames,
                                                         const std::vector<std::uint32_t>& groups,
                                                         std::size_t num_runs) {
  std::vector<std::vector<std::uint32_t>> frames;
  std::map<std::uint32_t, std::size_t> place;
  for (std::uint32_t frame = 0; frame < num_frames; ++frame) {
    const auto group = groups.empty() ? static_cast<std::uint32_t>(frame * num_runs / num_frames) : groups[frame];
    const auto [found, is_new] = place.emplace(group, frames.size());
    if (is_new) frames.emplace_back();
    frames[found->second].push_back(frame);
  }
  return frames;
}

std::vector<std::uint32_t> ForestFolds::race_frames(int but) const {
  std::vector<std::uint32_t> frames;
  for (std::size_t b = 0; b < folds.size(); ++b)
    if (static_cast<int>(b) != but) frames.insert(frames.end(), folds[b].begin(), folds[b].end());
  std::ranges::sort(frames);
  return frames;
}

ForestFolds cut_folds(std::size_t num_frames, const std::vector<std::uint32_t>& groups, std::size_t num_folds,
                      double held_out, std::uint64_t seed, const std::string& folder) {
  const std::size_t num_runs = std::min(num_frames, (num_folds + 2) * kRunsOfAFold);
  std::vector<std::vector<std::uint32_t>> group_frames = frames_of_groups(num_frames, groups, num_runs);
  const std::size_t holding = held_out > 0 ? 1 : 0;
  FW_CHECK(
      group_frames.size() >= kMinFolds + holding, Data,
      folder << ": the " << num_frames << " frames are of " << group_frames.size() << " group"
             << (group_frames.size() == 1 ? "" : "s") << "; a search needs " << kMinFolds + holding
             << " or more, so that forests can be evaluated by rooms that they have not seen: give more frames, or "
                "finer groups in groups.txt");
  num_folds = std::min(num_folds, group_frames.size() - holding);
  std::vector<std::size_t> order(group_frames.size());
  for (std::size_t g = 0; g < order.size(); ++g) order[g] = g;
  const auto key = [&](std::size_t g) {
    return std::pair(draw(seed, RngStream::kFrames, (1u << 24) - 2, 1, static_cast<std::uint32_t>(g)).word[0], g);
  };
  std::ranges::sort(order, {}, key);
  ForestFolds cut;
  cut.folds.resize(num_folds);
  const auto wanted = static_cast<std::size_t>(held_out * static_cast<double>(num_frames));
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::vector<std::uint32_t>& frames = group_frames[order[i]];
    const bool folds_need_all = order.size() - i <= num_folds;
    const bool held = (cut.held_out.empty() && holding > 0) || (cut.held_out.size() < wanted && !folds_need_all);
    std::vector<std::uint32_t>& to =
        held ? cut.held_out : *std::ranges::min_element(cut.folds, {}, &std::vector<std::uint32_t>::size);
    to.insert(to.end(), frames.begin(), frames.end());
  }
  std::ranges::sort(cut.held_out);
  for (std::vector<std::uint32_t>& fold : cut.folds) std::ranges::sort(fold);
  return cut;
}

EvaluatedForest evaluate_frames(const forest::Forest& forest, const dataset::Dataset& frames,
                                const predict::PredictOptions& labelling, double turned_degrees, ThreadPool& pool,
                                const ProgressCallback& progress) {
  const std::unique_ptr<predict::Predictor> predictor = predict::make_predictor(forest, labelling);
  const evaluate::EvaluationReport report = evaluate::evaluate(
      *predictor, forest, frames, {.turned_degrees = turned_degrees, .finds_objects = false}, pool, progress);
  return {report.metrics.without_void, 1000 * report.median_seconds()};
}

ForestProblem::ForestProblem(train::Trainer& trainer, Space space, ForestFolds folds,
                             const ForestSearchOptions& options)
    : trainer_(trainer), space_(std::move(space)), folds_(std::move(folds)), options_(options) {
  const std::vector<std::uint32_t> frames = folds_.race_frames();
  for (std::size_t i = 0; i < std::min(kTimedFrames, frames.size()); ++i)
    timed_frames_.push_back(trainer_.dataset().read_frame(frames[i * frames.size() / kTimedFrames]));
}

std::string ForestProblem::fingerprint() const {
  nlohmann::json all = {
      {"formulas", kFormulas},
      {"data", nlohmann::json::parse(trainer_.model().provenance_json)},
      {"reading", nlohmann::json::parse(train::describe_reading(trainer_.dataset().config(), trainer_.groups()))},
      {"train", nlohmann::json::parse(train::to_json(options_.train))},
      {"channels", trainer_.model().preparation.channels.set_names()},
      {"filling", to_string(trainer_.model().preparation.depth_filling)},
      {"objective", to_string(options_.objective)},
      {"held_out", folds_.held_out},
      {"folds", folds_.folds}};
  if (const auto& maps = trainer_.model().preparation.maps) all["backbone"] = maps->checksum();
  nlohmann::json ranges = nlohmann::json::array();
  for (const image::MapRange& range : trainer_.model().preparation.supplied_maps)
    ranges.push_back({range.low, range.high});
  if (!ranges.empty()) all["supplied_maps"] = std::move(ranges);
  const std::string text = json_text(all);
  return to_hex(checksum(text.data(), text.size()));
}

const train::SampleSet& ForestProblem::pixels_of(std::size_t fold) {
  const auto found = pixels_.find(fold);
  if (found != pixels_.end()) return found->second;
  train::TrainOptions drawn = options_.train;
  drawn.samples_per_frame = kEvaluatedOfAFrame;
  drawn.sampling = train::Sampling::kPixels;
  drawn.mirror_augmentation = false;
  return pixels_.emplace(fold, trainer_.device().draw_samples(drawn, folds_.folds[fold], train::kNoTree)).first->second;
}

EvaluationResult ForestProblem::measure(const Configuration& trial, const std::vector<Configuration>& variants,
                                        std::size_t fold, bool timed) {
  const train::TrainOptions options = apply_configuration(trial, options_.train);
  train::TrainReport report;
  const train::TrainHooks hooks;  // a stop of the search is checked between evaluations
  const train::GrowingForest grown =
      train::grow_forest(trainer_, options, folds_.race_frames(static_cast<int>(fold)), hooks, report);
  EvaluationResult result;
  result.train_seconds = report.seconds_sampling + report.seconds_growing + report.seconds_context;
  const train::SampleSet& pixels = pixels_of(fold);
  const train::TreeRange last = train::trees_of(grown.plan, options.cascade - 1, -1);
  std::vector<std::vector<std::uint32_t>> leaves;  // [labelling tree][pixel]
  for (std::size_t tree = last.begin; tree < last.end; ++tree)
    leaves.push_back(trainer_.device().find_leaves(pixels, grown.trees[tree].nodes));
  std::map<std::tuple<int, int, std::string>, PrefixAccuracies> evaluated;
  for (const Configuration& variant : variants) {
    const train::TrainOptions wanted = apply_configuration(variant, options_.train);
    const auto key = std::tuple(wanted.max_depth, wanted.min_samples, wanted.class_weights);
    if (!evaluated.contains(key)) evaluated.emplace(key, accuracies_of(grown, pixels, leaves, options, wanted));
    const Accuracy accuracy = evaluated.at(key)[static_cast<std::size_t>(wanted.trees) - 1];
    result.results.push_back({loss_of(accuracy, options_.objective), accuracy.pixel, accuracy.class_average});
  }
  if (timed) result.latency_ms = time_variants(trainer_.finished(grown), variants);
  return result;
}

ForestProblem::PrefixAccuracies ForestProblem::accuracies_of(const train::GrowingForest& grown,
                                                             const train::SampleSet& pixels,
                                                             const std::vector<std::vector<std::uint32_t>>& leaves,
                                                             const train::TrainOptions& options,
                                                             const train::TrainOptions& wanted) const {
  forest::Forest model = grown.model;
  model.leaves.class_weights = train::resolve_class_weights(wanted.class_weights, model.classes, model.class_pixels);
  const std::size_t first = grown.trees.size() - leaves.size();
  std::vector<EvaluatedTree> trees(leaves.size());
  trainer_.pool().for_each(trees.size(), [&](std::size_t t, int) {
    trees[t] = cut_back(model, grown.trees[first + t], t, options, wanted);
  });
  const std::size_t num_classes = model.classes.size();
  Array2<float> sums(pixels.size(), num_classes);
  PrefixAccuracies accuracies;
  for (std::size_t t = 0; t < trees.size(); ++t) {
    std::vector<std::uint64_t> right(num_classes, 0), all(num_classes, 0);
    for (std::size_t p = 0; p < pixels.size(); ++p) {
      const float* row = trees[t].votes.row(trees[t].leaf_of[leaves[t][p]]);
      forest::BestClass best;
      for (std::size_t c = 0; c < num_classes; ++c) best.offer(static_cast<std::int32_t>(c), sums(p, c) += row[c]);
      ++all[pixels.labels[p]];
      right[pixels.labels[p]] += best.label == pixels.labels[p];
    }
    accuracies.push_back(fernwood::accuracy_of(right, all));
  }
  return accuracies;
}

double ForestProblem::median_ms(const forest::Forest& forest) {
  const std::unique_ptr<predict::Predictor> predictor =
      predict::make_predictor(forest, {.device = options_.resources.device, .threads = options_.resources.threads});
  predictor->predict(timed_frames_.front());  // warm-up: chooses the layout, allocates memory
  std::vector<double> seconds;
  for (const image::Frame& frame : timed_frames_) {
    const double start = seconds_now();
    predictor->predict(frame);
    seconds.push_back(seconds_now() - start);
  }
  return 1000 * median_of(std::move(seconds));
}

/// Fewer trees: interpolated between one tree and all. Pruned trees are assumed to take as long as whole ones.
std::vector<double> ForestProblem::time_variants(const forest::Forest& forest,
                                                 const std::vector<Configuration>& variants) {
  const std::size_t num_trees = forest.labelling_trees().size();
  const double all_ms = median_ms(forest);
  forest::Forest one = forest;
  one.labelling_trees().resize(1);
  const double one_ms = num_trees > 1 ? std::min(median_ms(one), all_ms) : all_ms;
  std::vector<double> times;
  for (const Configuration& variant : variants) {
    const int fewer = apply_configuration(variant, options_.train).trees - 1;
    times.push_back(num_trees > 1 ? one_ms + (all_ms - one_ms) * fewer / static_cast<double>(num_trees - 1) : all_ms);
  }
  return times;
}

}  // namespace fernwood::tune
