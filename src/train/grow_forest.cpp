// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/grow_forest.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/progress.h"
#include "forest/model_bytes.h"
#include "train/boost/boosted_samples.h"
#include "train/checkpoint.h"
#include "train/data/sampler.h"
#include "train/distributed/parallelism.h"
#include "train/grow/grow_tree.h"
#include "train/options/describe_training.h"
#include "train/out_of_bag.h"

namespace fernwood::train {

namespace {

/// [frame of the data set] Fold of each training frame; kNotLearnedFrom for other frames.
std::vector<int> folds_of(const std::vector<std::uint32_t>& frames, const Trainer& trainer,
                          const TrainOptions& options) {
  std::vector<std::uint32_t> groups;
  for (const std::uint32_t frame : frames)
    if (!trainer.groups().empty()) groups.push_back(trainer.groups()[frame]);
  const std::vector<int> folds = fold_frames(frames.size(), options.folds, groups);
  std::vector<int> fold_of_frame(trainer.dataset().size(), kNotLearnedFrom);
  for (std::size_t i = 0; i < frames.size(); ++i) fold_of_frame[frames[i]] = folds[i];
  return fold_of_frame;
}

/// The state of grow_forest().
class ForestGrowth {
 public:
  ForestGrowth(Trainer& trainer, const TrainOptions& options, const std::vector<std::uint32_t>& frames,
               const TrainHooks& hooks, TrainReport& report, TrainProgress::Phase phase)
      : trainer_(trainer),
        ranks_(trainer.ranks()),
        options_(options),
        frames_(frames),
        hooks_(hooks),
        report_(report),
        phase_(phase),
        checkpoint_(hooks, ranks_, report),
        progress_(trainer.meter()),
        fold_of_frame_(folds_of(frames, trainer, options)) {
    for (int stage = 0; stage < options_.cascade; ++stage) of_stages_.push_back(options_of_stage(options_, stage));
    forest_.plan = plan_trees(options_, num_folds_of(fold_of_frame_, options_));
    forest_.model = trainer_.model_of(options_, frames_);
    forest_.reading_json = describe_reading(trainer_.dataset().config(), trainer_.groups());
  }

  GrowingForest grow() {
    resumed_ = checkpoint_.resume(forest_);
    trainer_.load_frames(report_);
    evaluate_resumed_trees();
    while (!is_complete()) {
      begin_stage(forest_.next().stage);
      for (GrownTree& grown : grow_trees()) {
        if (is_complete()) break;  // by a tree grown at the same time
        forest_.trees.push_back(std::move(grown.tree));
        report_.levels.insert(report_.levels.end(), grown.levels.begin(), grown.levels.end());
        checkpoint_.save_if_due(forest_, nullptr);
        evaluate_out_of_bag(forest_.trees.size() - 1);
      }
    }
    checkpoint_.save(forest_, nullptr);
    ranks_.sum_over_work(report_.samples);
    return std::move(forest_);
  }

 private:
  bool is_complete() const {
    return forest_.trees.size() >= forest_.plan.size() || is_flat(report_.out_of_bag, options_.early_stopping_rounds);
  }
  bool is_last_stage(std::size_t tree) const { return forest_.plan[tree].stage == options_.cascade - 1; }
  const TrainOptions& options_of(const PlannedTree& tree) const {
    return of_stages_[static_cast<std::size_t>(tree.stage)];
  }
  /// This rank's part of the responses of a level; other ranks are assumed to progress equally.
  double responses_here(double responses) const { return responses * ranks_.share_of_responses(); }
  /// Boosted trees grow quickly, and have no leaf scores until they are finished: a growing one is not saved.
  const GrowingTree* to_save(const GrowingTree& growing) const { return boosting_ ? nullptr : &growing; }

  void evaluate_resumed_trees();
  void begin_stage(int stage);
  std::vector<GrownTree> grow_trees();
  void check_gathered(const std::vector<GrownTree>& trees) const;
  void evaluate_out_of_bag(std::size_t tree);
  SampleSet draw_samples(std::size_t tree);
  void begin_boosting();
  GrowingTree start_growing(std::optional<GrowingTree> resumed, const SampleSet& samples);
  GrownTree grow_one(std::size_t tree, std::optional<GrowingTree> resumed);
  void begin_level(std::size_t tree, const GrowingTree& growing, const OpenNodes& open);
  LevelReport end_level(const PlannedTree& tree, const GrowingTree& growing, LevelReport level);

  Trainer& trainer_;
  Ranks& ranks_;
  const TrainOptions& options_;
  std::vector<TrainOptions> of_stages_;
  const std::vector<std::uint32_t>& frames_;
  const TrainHooks& hooks_;
  TrainReport& report_;
  const TrainProgress::Phase phase_;
  CheckpointKeeper checkpoint_;
  GrowingProgress progress_;
  const std::vector<int> fold_of_frame_;  // [frame of the data set]
  int stage_ = -1;                        // stage being grown
  GrowingForest forest_;
  std::optional<GrowingTree> resumed_;
  std::optional<Boosting> boosting_;  // boosting for the stage and fold being grown
  std::optional<OutOfBag> out_of_bag_;
};

/// Restores the sums of votes, which are not in the checkpoint.
void ForestGrowth::evaluate_resumed_trees() {
  for (std::size_t tree = 0; tree < forest_.trees.size(); ++tree) {
    if (is_last_stage(tree)) begin_stage(forest_.plan[tree].stage);
    FW_CHECK(!hooks_.stop.stop_requested(), Interrupted, "training was interrupted");
    evaluate_out_of_bag(tree);
  }
}

/// Before the first tree of a stage in this run: sets the context that the previous stage predicts for the frames.
void ForestGrowth::begin_stage(int stage) {
  if (stage == stage_) return;
  stage_ = stage;
  if (stage == 0) return;
  const double start = seconds_now();
  trainer_.device().set_context(
      context_of_frames(forest_, stage - 1, fold_of_frame_, trainer_.device(), trainer_.pool()));
  report_.seconds_context += seconds_now() - start;
}

/// Grows the next trees of the plan, in one stage: one, or one on each rank.
std::vector<GrownTree> ForestGrowth::grow_trees() {
  const std::size_t tree = forest_.trees.size() + ranks_.own_tree();
  std::optional<GrownTree> grown;
  if (tree < forest_.plan.size() && forest_.plan[tree].stage == stage_)
    grown = grow_one(tree, tree == forest_.trees.size() ? std::move(resumed_) : std::nullopt);
  resumed_.reset();
  const auto is_of_stage = [&](const auto& planned) { return planned.stage == stage_; };
  const auto begin = forest_.plan.begin() + static_cast<std::ptrdiff_t>(forest_.trees.size());
  const auto end = std::find_if_not(begin, forest_.plan.end(), is_of_stage);
  std::vector<GrownTree> trees = ranks_.gather_trees(std::move(grown), static_cast<std::size_t>(end - begin));
  if (ranks_.trees_at_once() > 1) check_gathered(trees);
  return trees;
}

/// Checks trees of other ranks like those of a file: training reads trees without further checks.
void ForestGrowth::check_gathered(const std::vector<GrownTree>& trees) const {
  forest::Forest model = trainer_.model();  // with the channels that the trees refer to
  model.kind = options_.algorithm;
  const image::ChannelLayout& all = model.preparation.channels;
  const int num_channels = (stage_ > 0 ? all : all.without_context()).num_channels();
  for (std::size_t rank = 0; rank < trees.size(); ++rank)
    forest::check_tree(
        trees[rank].tree, "tree " + std::to_string(forest_.trees.size() + rank), num_channels, model,
        {"message of rank " + std::to_string(rank), "; start all ranks with the same program, options and data"});
}

void ForestGrowth::evaluate_out_of_bag(std::size_t tree) {
  if (sees_all_frames(frames_.size(), options_) || !is_last_stage(tree)) return;
  const double start = seconds_now();
  if (!out_of_bag_) out_of_bag_.emplace(forest_, options_, frames_, trainer_.device(), trainer_.pool(), ranks_);
  report_.out_of_bag.push_back(out_of_bag_->vote(tree));
  report_.seconds_out_of_bag += seconds_now() - start;
}

SampleSet ForestGrowth::draw_samples(std::size_t tree) {
  const std::uint32_t drawing = drawing_tree(forest_.plan, tree, options_);
  const std::vector<std::uint32_t> frames = frames_outside(fold_of_frame_, forest_.plan[tree].fold);
  SampleSet samples =
      trainer_.device().draw_samples(options_of(forest_.plan[tree]), draw_frames(frames, options_, drawing), drawing);
  std::uint64_t all = samples.size();
  ranks_.sum_over_samples(std::span(&all, 1));
  check_num_samples(all);
  report_.samples += samples.size();
  return samples;
}

/// Before the first tree of a forest in this run: draws the samples of all its trees and adds the scores of the trees
/// restored from a checkpoint.
void ForestGrowth::begin_boosting() {
  const PlannedTree& next = forest_.next();
  const TreeRange forest = trees_of(forest_.plan, next.stage, next.fold);
  const double start = seconds_now();
  SampleSet samples = draw_samples(forest_.trees.size());
  report_.seconds_sampling += seconds_now() - start;
  const std::size_t num_classes = forest_.model.classes.size();
  const BoostingSetting setting{num_classes, options_.seed, ranks_.first_places(samples)};
  boosting_.reset();  // frees the memory of the previous forest
  boosting_.emplace(trainer_.device().boosted_samples(std::move(samples), setting), num_classes, options_of(next),
                    ranks_);
  for (std::size_t tree = forest.begin; tree < forest_.trees.size(); ++tree) boosting_->add(forest_.trees[tree]);
}

GrowingTree ForestGrowth::start_growing(std::optional<GrowingTree> resumed, const SampleSet& samples) {
  if (resumed) {
    check_leaf_counts(*resumed, samples, trainer_.device().find_leaves(samples, resumed->nodes), hooks_.checkpoint,
                      ranks_);
    return std::move(*resumed);
  }
  std::vector<std::uint32_t> counts = count_rows(samples, forest_.model.classes.size(), options_);
  ranks_.sum_over_samples(std::span(counts));
  return start_tree(counts, options_);
}

/// @param tree  Position in the plan.
GrownTree ForestGrowth::grow_one(std::size_t tree, std::optional<GrowingTree> resumed) {
  const PlannedTree& planned = forest_.plan[tree];
  if (options_.algorithm == forest::ForestKind::kBoosted && (planned.index == 0 || !boosting_)) begin_boosting();
  const auto number = static_cast<std::uint32_t>(tree);
  const double start = seconds_now();
  const SampleSet samples = boosting_ ? boosting_->misclassified(number) : draw_samples(tree);
  const double drawn = seconds_now();
  report_.seconds_sampling += drawn - start;
  GrowingTree growing = start_growing(std::move(resumed), samples);
  TreeLevels levels(trainer_.device().backend(), ranks_, trainer_.pool(), options_of(planned), number,
                    trainer_.channels_of(forest_.model, stage_ > 0));
  levels.start(samples, growing);
  GrownTree grown;
  const GrowHooks grow_hooks{[&](const GrowingTree& now, const OpenNodes& open) { begin_level(tree, now, open); },
                             [&](const GrowingTree& now, const LevelReport& level) {
                               grown.levels.push_back(end_level(planned, now, level));
                             }};
  try {
    grow_tree(growing, options_of(planned), levels, grow_hooks);
  } catch (...) {                                 // including memory exhaustion
    checkpoint_.save(forest_, to_save(growing));  // complete up to the last level
    throw;
  }
  grown.tree = growing.tree();
  if (boosting_) boosting_->finish(grown.tree);
  report_.seconds_growing += seconds_now() - drawn;
  return grown;
}

void ForestGrowth::begin_level(std::size_t tree, const GrowingTree& growing, const OpenNodes& open) {
  const std::size_t trees = forest_.plan.size();
  TrainProgress progress{.phase = phase_,
                         .stage = stage_,
                         .stages = options_.cascade,
                         .tree = static_cast<int>(tree),
                         .trees = static_cast<int>(trees),
                         .level = growing.level,
                         .max_depth = options_of(forest_.plan[tree]).max_depth,
                         .nodes = open.size()};
  if (!report_.out_of_bag.empty() && report_.out_of_bag.back().pixels > 0)
    progress.out_of_bag = report_.out_of_bag.back().accuracy.pixel;
  progress_.begin_level(
      progress, responses_here(static_cast<double>(open.num_samples()) * options_of(forest_.plan[tree]).features),
      (trees - tree - 1) / ranks_.trees_at_once());
}

LevelReport ForestGrowth::end_level(const PlannedTree& tree, const GrowingTree& growing, LevelReport level) {
  level.tree = tree.index;
  level.stage = tree.stage;
  if (tree.fold >= 0) level.fold = tree.fold;
  progress_.end_level(responses_here(static_cast<double>(level.responses)), growing.open.empty());
  if (hooks_.level_done) hooks_.level_done(level);
  checkpoint_.save_if_due(forest_, to_save(growing));
  return level;
}

}  // namespace

void check_training(const TrainOptions& options, std::size_t num_frames, const TrainHooks& hooks,
                    const Communicator* ranks) {
  options.check();
  check_early_stopping(options, num_frames);
  if (!ranks || ranks->rank() == 0) check_checkpoint_path(hooks.checkpoint, hooks.resume);
}

GrowingForest grow_forest(Trainer& trainer, const TrainOptions& options, const std::vector<std::uint32_t>& frames,
                          const TrainHooks& hooks, TrainReport& report, TrainProgress::Phase phase) {
  return ForestGrowth(trainer, options, frames, hooks, report, phase).grow();
}

forest::Forest train_forest(const dataset::Dataset& dataset, const TrainOptions& options,
                            const TrainResources& resources, const TrainHooks& hooks, TrainReport* report,
                            Communicator* ranks) {
  const DefaultFloats floats;
  if (const int size = ranks_to_start(resources, ranks); size > 1)
    return train_by_ranks(size, hooks, report, [&](const TrainHooks& own, TrainReport* written, Communicator& all) {
      return train_forest(dataset, options, resources, own, written, &all);
    });
  check_training(options, dataset.size(), hooks, ranks);
  TrainReport unwanted;
  TrainReport& written = report ? *report : unwanted;
  written = {};
  Trainer trainer(dataset, options, resources, hooks, ranks);
  trainer.describe(written);  // for a report of a training that fails
  GrowingForest grown = grow_forest(trainer, options, all_frames(dataset.size()), hooks, written);
  trainer.describe(written);
  trainer.describe_ranks(written);
  return trainer.finished(std::move(grown));
}

}  // namespace fernwood::train
