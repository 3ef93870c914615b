// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <future>
#include <optional>
#include <utility>

#include "core/machine.h"
#include "fernwood/core/device.h"
#include "fernwood/core/error.h"
#include "fernwood/core/progress.h"
#include "fernwood/train/train.h"
#include "train/checkpoint.h"
#include "train/describe_training.h"
#include "train/grow_tree.h"
#include "train/out_of_bag.h"
#include "train/progress_meter.h"
#include "train/sampler.h"
#include "train/stage_plan.h"
#include "train/train_device.h"

namespace fernwood::train {

namespace {

std::size_t memory_budget(const TrainResources& resources) {
  if (resources.memory_budget_bytes > 0) return resources.memory_budget_bytes;
  const std::size_t available = available_memory_bytes() / 4 * 3;
  return available > 0 ? available : std::size_t{4} << 30;
}

/// Grows the trees of a plan one after another on one device.
class ForestGrower {
 public:
  ForestGrower(const dataset::Dataset& dataset, const TrainOptions& options, const TrainResources& resources,
               const TrainHooks& hooks, TrainReport& report)
      : dataset_(dataset),
        options_(options),
        resources_(resources),
        hooks_(hooks),
        report_(report),
        pool_(resources.threads),
        meter_(hooks),
        checkpoint_(hooks),
        progress_(meter_) {
    forest_.plan = plan_trees(options);
  }

  forest::Forest grow() {
    std::optional<GrowingTree> resumed = prepare();
    evaluate_resumed_trees();
    while (!is_complete()) {
      begin_stage(forest_.next().stage);
      forest_.trees.push_back(grow_next_tree(std::exchange(resumed, std::nullopt)));
      save_if_due(nullptr);
      evaluate_out_of_bag(forest_.trees.size() - 1);
    }
    checkpoint_.save(forest_, nullptr);
    report_.checkpoint_failure = checkpoint_.failure();
    report_.threads = pool_.num_threads();
    device_->describe(report_);
    return finished_forest(std::move(forest_));
  }

 private:
  bool is_complete() const {
    return forest_.trees.size() >= forest_.plan.size() || is_flat(report_.out_of_bag, options_.stop_when_flat);
  }

  /// Reads the ground truth, the checkpoint and the frames. @return  The tree to go on with, if there is one.
  std::optional<GrowingTree> prepare() {
    const double start = seconds_now();
    const DeviceChoice choice = choose_device(resources_.device);
    report_.device_note = choice.note;
    // A GPU takes a while to start up; meanwhile the ground truth is read.
    std::future<GpuMemory> started;
    if (!choice.device.is_cpu()) started = std::async(std::launch::async, gpu_memory, choice.device.gpu);
    meter_.start({}, 1);
    forest_.model = describe_training(dataset_, options_, pool_);
    const std::vector<std::uint32_t> groups = dataset_.groups();
    forest_.reading_json = describe_reading(dataset_.config(), groups);
    fold_of_frame_ = fold_frames(dataset_.size(), options_.folds, groups);
    check_folds(fold_of_frame_, options_);
    report_.warnings = find_warnings(dataset_, forest_.model);
    std::optional<GrowingTree> resumed = checkpoint_.resume(forest_);
    if (started.valid()) started.get();
    open_device(choice.device);
    load_frames();
    report_.seconds_loading = seconds_now() - start;
    return resumed;
  }

  void open_device(Device device) {
    const TrainSetting setting{dataset_, forest_.model, options_, resources_, memory_budget(resources_),
                               pool_,    hooks_,        meter_};
    device_ = device.is_cpu() ? make_cpu_device(setting) : make_cuda_device(setting, device.gpu);
  }

  void load_frames() {
    meter_.start({.phase = TrainProgress::Phase::kLoading, .trees = options_.trees},
                 static_cast<double>(dataset_.size()));
    device_->load_frames([&] {
      check_stop();
      meter_.add(1);
    });
  }

  void check_stop() const { FW_CHECK(!hooks_.stop.stop_requested(), Interrupted, "training was interrupted"); }

  /// Before the first tree of a stage in this run: gives the frames the context that the stage before finds in them.
  void begin_stage(int stage) {
    if (stage == stage_) return;
    stage_ = stage;
    if (stage == 0) return;
    const double start = seconds_now();
    device_->set_context(context_of_frames(forest_, stage - 1, fold_of_frame_, *device_, pool_));
    report_.seconds_context += seconds_now() - start;
  }

  /// The sums of their votes are not in the checkpoint.
  void evaluate_resumed_trees() {
    for (std::size_t tree = 0; tree < forest_.trees.size(); ++tree) {
      if (is_last_stage(tree)) begin_stage(forest_.plan[tree].stage);
      check_stop();
      evaluate_out_of_bag(tree);
    }
  }

  bool is_last_stage(std::size_t tree) const { return forest_.plan[tree].stage == options_.stages - 1; }

  void evaluate_out_of_bag(std::size_t tree) {
    if (sees_all_frames(dataset_.size(), options_) || !is_last_stage(tree)) return;
    const double start = seconds_now();
    if (!out_of_bag_) out_of_bag_.emplace(forest_, options_, dataset_.size(), *device_, pool_);
    report_.out_of_bag.push_back(out_of_bag_->vote(tree));
    report_.seconds_out_of_bag += seconds_now() - start;
  }

  /// Pixel accuracy, once a pixel was voted on.
  std::optional<double> accuracy_out_of_bag() const {
    if (report_.out_of_bag.empty() || report_.out_of_bag.back().pixels == 0) return std::nullopt;
    return report_.out_of_bag.back().accuracy.pixel;
  }

  SampleSet draw_samples(std::uint32_t tree) {
    const double start = seconds_now();
    const std::vector<std::uint32_t> frames = frames_outside(fold_of_frame_, forest_.next().fold);
    SampleSet samples = device_->draw_samples(options_, draw_frames(frames, options_, tree), tree);
    report_.seconds_sampling += seconds_now() - start;
    report_.samples += samples.size();
    return samples;
  }

  forest::Tree grow_next_tree(std::optional<GrowingTree> resumed) {
    const auto tree = static_cast<std::uint32_t>(forest_.trees.size());
    const SampleSet samples = draw_samples(tree);
    const double start = seconds_now();
    if (resumed)
      check_leaf_counts(*resumed, samples, device_->find_leaves(samples, resumed->nodes), checkpoint_.path());
    GrowingTree growing = resumed ? std::move(*resumed) : start_tree(samples, forest_.model.classes.size(), options_);
    device_->backend().start(samples, growing, OpenNodes(growing));
    const GrowHooks grow_hooks{[&](const GrowingTree& now, const OpenNodes& open) { begin_level(now, open); },
                               [&](const GrowingTree& now, const LevelReport& level) { end_level(now, level); }};
    try {
      const image::ChannelLayout& channels = forest_.model.preparation.channels;
      grow_tree(growing, tree, options_, stage_ > 0 ? channels : channels.without_context(), device_->backend(), pool_,
                grow_hooks);
    } catch (...) {                         // memory may have run out, too
      checkpoint_.save(forest_, &growing);  // complete up to the last level
      report_.checkpoint_failure = checkpoint_.failure();
      throw;
    }
    report_.seconds_growing += seconds_now() - start;
    return growing.tree();
  }

  void begin_level(const GrowingTree& growing, const OpenNodes& open) {
    progress_.begin_level({.phase = TrainProgress::Phase::kGrowing,
                           .stage = stage_,
                           .stages = options_.stages,
                           .tree = static_cast<int>(forest_.trees.size()),
                           .trees = static_cast<int>(forest_.plan.size()),
                           .level = growing.level,
                           .max_depth = options_.max_depth,
                           .nodes = open.size(),
                           .out_of_bag = accuracy_out_of_bag()},
                          static_cast<double>(open.num_samples()) * options_.features);
  }

  void end_level(const GrowingTree& growing, LevelReport level) {
    const PlannedTree& planned = forest_.next();
    level.tree = planned.index;
    level.stage = planned.stage;
    if (planned.fold >= 0) level.fold = planned.fold;
    progress_.end_level(level, growing.open.empty());
    report_.levels.push_back(level);
    if (hooks_.level_done) hooks_.level_done(level);
    save_if_due(&growing);
  }

  void save_if_due(const GrowingTree* growing) {
    checkpoint_.save_if_due(forest_, growing);
    report_.checkpoint_failure = checkpoint_.failure();
  }

  const dataset::Dataset& dataset_;
  const TrainOptions& options_;
  const TrainResources& resources_;
  const TrainHooks& hooks_;
  TrainReport& report_;
  ThreadPool pool_;
  ProgressMeter meter_;
  CheckpointKeeper checkpoint_;
  GrowingProgress progress_;
  std::vector<int> fold_of_frame_;
  int stage_ = -1;  // that is grown
  GrowingForest forest_;
  std::unique_ptr<TrainDevice> device_;
  std::optional<OutOfBag> out_of_bag_;
};

}  // namespace

StageSeconds& StageSeconds::operator+=(const StageSeconds& other) {
  probe += other.probe;
  respond += other.respond;
  bin += other.bin;
  aggregate += other.aggregate;
  score += other.score;
  split += other.split;
  return *this;
}

std::uint64_t TrainReport::responses() const {
  std::uint64_t sum = 0;
  for (const LevelReport& level : levels) sum += level.responses;
  return sum;
}

StageSeconds TrainReport::stages() const {
  StageSeconds sum;
  for (const LevelReport& level : levels) sum += level.stages;
  return sum;
}

forest::Forest train_forest(const dataset::Dataset& dataset, const TrainOptions& options,
                            const TrainResources& resources, const TrainHooks& hooks, TrainReport* report) {
  options.check();
  check_stop_when_flat(options, dataset.size());
  TrainReport unwanted;
  TrainReport& written = report ? *report : unwanted;
  written = {};
  return ForestGrower(dataset, options, resources, hooks, written).grow();
}

}  // namespace fernwood::train
