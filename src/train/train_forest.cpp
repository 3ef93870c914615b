// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <future>

#include "fernwood/core/device.h"
#include "fernwood/core/error.h"
#include "fernwood/core/machine.h"
#include "fernwood/core/progress.h"
#include "fernwood/train/train.h"
#include "train/checkpoint.h"
#include "train/context_of_frames.h"
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

/// Grows the trees of a forest one after another on one device.
class ForestGrower {
 public:
  ForestGrower(const dataset::Dataset& dataset, const TrainOptions& options, const TrainResources& resources,
               const TrainHooks& hooks, TrainReport& report)
      : dataset_(dataset),
        options_(options),
        resources_(resources),
        hooks_(hooks),
        report_(report),
        plan_(plan_trees(options)),
        pool_(resources.threads),
        meter_(hooks) {}

  forest::Forest grow() {
    const double start = seconds_now();
    const DeviceChoice choice = choose_device(resources_.device);
    report_.device_note = choice.note;
    // A GPU takes a while to start up; meanwhile the ground truth is looked at.
    std::future<GpuMemory> started;
    if (!choice.device.is_cpu()) started = std::async(std::launch::async, gpu_memory, choice.device.gpu);
    meter_.start({}, 1);
    forest_ = describe_training(dataset_, options_, pool_);
    fold_of_frame_ = fold_frames(dataset_.size(), options_.folds, dataset_.groups());
    check_folds(fold_of_frame_, options_);
    report_.warnings = find_warnings(dataset_, forest_);
    std::optional<GrowingTree> growing = resume();
    if (started.valid()) started.get();
    open_device(choice.device);
    load_frames();
    report_.seconds_loading = seconds_now() - start;
    judge_resumed_trees();
    while (forest_.trees.size() < plan_.size() && !is_flat(report_.out_of_bag, options_.stop_when_flat)) {
      begin_stage(plan_[forest_.trees.size()].stage);
      grow_next_tree(std::move(growing));
      growing.reset();
      judge(forest_.trees.size() - 1);
    }
    save_now(nullptr);
    report_.threads = pool_.num_threads();
    device_->describe(report_);
    part_stages(plan_, options_.stages, forest_);
    return std::move(forest_);
  }

 private:
  std::optional<GrowingTree> resume() {
    if (!hooks_.resume || !std::filesystem::exists(hooks_.checkpoint)) return std::nullopt;
    Checkpoint checkpoint = load_checkpoint(hooks_.checkpoint, forest_);
    forest_.trees = std::move(checkpoint.forest.trees);
    return std::move(checkpoint.growing);
  }

  void open_device(Device device) {
    const TrainSetting setting{dataset_, forest_, options_, resources_, memory_budget(resources_),
                               pool_,    hooks_,  meter_};
    device_ = device.is_cpu() ? make_cpu_device(setting) : make_cuda_device(setting, device.gpu);
  }

  void load_frames() {
    meter_.start({.phase = TrainProgress::Phase::kLoading, .trees = options_.trees},
                 static_cast<double>(dataset_.size()));
    device_->load_frames([&] {
      FW_CHECK(!hooks_.stop.stop_requested(), Interrupted, "training was interrupted");
      meter_.add(1);
    });
  }

  /// Before the first tree of a stage in this run: shows the frames what the stage before thinks of them.
  void begin_stage(int stage) {
    if (stage == stage_) return;
    stage_ = stage;
    if (stage == 0) return;
    const double start = seconds_now();
    device_->set_context(context_of_frames(forest_, plan_, stage - 1, fold_of_frame_, *device_, pool_));
    report_.seconds_context += seconds_now() - start;
  }

  /// The sums of their votes are not in the checkpoint.
  void judge_resumed_trees() {
    for (std::size_t tree = 0; tree < forest_.trees.size(); ++tree) {
      if (is_last_stage(tree)) begin_stage(plan_[tree].stage);
      FW_CHECK(!hooks_.stop.stop_requested(), Interrupted, "training was interrupted");
      judge(tree);
    }
  }

  bool is_last_stage(std::size_t tree) const { return plan_[tree].stage == options_.stages - 1; }

  void judge(std::size_t tree) {
    if (sees_all_frames(dataset_.size(), options_) || !is_last_stage(tree)) return;
    const double start = seconds_now();
    if (!out_of_bag_) out_of_bag_.emplace(forest_, options_, dataset_.size(), *device_, pool_);
    report_.out_of_bag.push_back(out_of_bag_->vote(tree));
    report_.out_of_bag.back().tree = plan_[tree].index;
    report_.seconds_out_of_bag += seconds_now() - start;
  }

  /// Pixel accuracy, once a pixel was voted on.
  std::optional<double> accuracy_out_of_bag() const {
    if (report_.out_of_bag.empty() || report_.out_of_bag.back().pixels == 0) return std::nullopt;
    return report_.out_of_bag.back().accuracy.pixel;
  }

  void grow_next_tree(std::optional<GrowingTree> resumed) {
    const auto tree = static_cast<std::uint32_t>(forest_.trees.size());
    double start = seconds_now();
    const std::vector<std::uint32_t> frames = frames_outside(fold_of_frame_, plan_[tree].fold);
    const SampleSet samples = device_->draw_samples(options_, draw_frames(frames, options_, tree), tree);
    report_.seconds_sampling += seconds_now() - start;
    report_.samples += samples.size();
    start = seconds_now();
    GrowingTree growing = resumed ? std::move(*resumed) : start_tree(samples, forest_.classes.size(), options_);
    device_->backend().start(samples, growing, OpenNodes(growing));
    const GrowHooks grow_hooks{
        [&](const GrowingTree& now_growing, const OpenNodes& open) { announce(now_growing, open); },
        [&](const GrowingTree& now_growing, const LevelReport& level) { note(now_growing, level); }};
    try {
      const image::ChannelLayout& channels = forest_.preparation.channels;
      grow_tree(growing, tree, options_, stage_ > 0 ? channels : channels.without_context(), device_->backend(), pool_,
                grow_hooks);
    } catch (const Error&) {
      save_now(&growing);  // complete up to the last level
      throw;
    }
    forest_.trees.push_back(growing.tree());
    report_.seconds_growing += seconds_now() - start;
    save_if_due(nullptr);
  }

  void save_now(const GrowingTree* growing) {
    if (hooks_.checkpoint.empty()) return;
    save_checkpoint(forest_, growing, hooks_.checkpoint);
    last_saved_ = seconds_now();
  }

  /// A power failure may cost this much work; a level on a GPU takes less time than writing it down.
  void save_if_due(const GrowingTree* growing) {
    constexpr double kSecondsBetween = 2.0;
    if (seconds_now() - last_saved_ >= kSecondsBetween) save_now(growing);
  }

  void announce(const GrowingTree& growing, const OpenNodes& open) {
    const auto per_level = static_cast<double>(open.num_samples()) * options_.features;
    const int levels_left = options_.max_depth - growing.level;
    const auto trees_done = static_cast<double>(forest_.trees.size());
    const double this_tree = work_in_tree_ + per_level * levels_left;
    // Trees from before a resume have no known work.
    const double others = (static_cast<double>(plan_.size()) - trees_done - 1) *
                          (trees_grown_ > 0 ? work_done_ / trees_grown_ : this_tree);
    meter_.start({.phase = TrainProgress::Phase::kGrowing,
                  .stage = stage_,
                  .stages = options_.stages,
                  .tree = static_cast<int>(forest_.trees.size()),
                  .trees = static_cast<int>(plan_.size()),
                  .level = growing.level,
                  .max_depth = options_.max_depth,
                  .nodes = open.size(),
                  .out_of_bag = accuracy_out_of_bag()},
                 work_done_ + this_tree + others);
  }

  void note(const GrowingTree& growing, LevelReport level) {
    const PlannedTree& planned = plan_[forest_.trees.size()];
    level.tree = planned.index;
    level.stage = planned.stage;
    if (planned.fold >= 0) level.fold = planned.fold;
    work_in_tree_ += static_cast<double>(level.responses);
    if (growing.open.empty()) work_done_ += work_in_tree_, work_in_tree_ = 0, ++trees_grown_;
    report_.levels.push_back(level);
    if (hooks_.level_done) hooks_.level_done(level);
    save_if_due(&growing);
  }

  const dataset::Dataset& dataset_;
  const TrainOptions& options_;
  const TrainResources& resources_;
  const TrainHooks& hooks_;
  TrainReport& report_;
  std::vector<PlannedTree> plan_;
  std::vector<int> fold_of_frame_;
  int stage_ = -1;  // that is grown
  ThreadPool pool_;
  ProgressMeter meter_;
  forest::Forest forest_;  // its trees are those of the plan, until all are grown
  std::unique_ptr<TrainDevice> device_;
  std::optional<OutOfBag> out_of_bag_;
  double last_saved_ = -1e9;
  double work_done_ = 0, work_in_tree_ = 0;  // responses of whole trees, of the growing one
  int trees_grown_ = 0;                      // in this run
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
