// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/timer.h"
#include "fernwood/train/train.h"
#include "train/checkpoint.h"
#include "train/cpu_backend.h"
#include "train/grow_tree.h"
#include "train/progress_meter.h"
#include "train/sampler.h"

namespace fernwood {

namespace {

std::vector<std::string> choose_channels(const Dataset& dataset, const TrainOptions& options) {
  if (!options.channels.empty()) return options.channels;
  std::vector<std::string> sets;
  if (dataset.has_color()) sets.emplace_back("lab");
  if (dataset.has_depth()) sets.emplace_back("depth");
  return sets;
}

void check_channels(const Dataset& dataset, const ChannelLayout& channels) {
  const auto missing = [&](const char* what) {
    return Error(ErrorKind::kUsage, dataset.folder().string() + ": the data set has no " + what +
                                        " images, which --channels asks for; leave out the channels that need them");
  };
  if (channels.needs_color() && !dataset.has_color()) throw missing("colour");
  if (channels.needs_depth() && !dataset.has_depth()) throw missing("depth");
}

/// A forest without trees: all that is known before growing.
Forest describe_training(const Dataset& dataset, const TrainOptions& options, ThreadPool& pool) {
  Forest forest;
  forest.preparation = {ChannelLayout(choose_channels(dataset, options)), options.depth_filling};
  check_channels(dataset, forest.preparation.channels);
  forest.leaves = options.leaves;
  const Dataset::Scan scan = dataset.scan_truth(pool);
  forest.classes = scan.classes;
  forest.class_pixels = scan.class_pixels;
  forest.options_json = to_json(options);
  forest.provenance_json =
      nlohmann::json{{"frames", dataset.size()}, {"checksum", to_hex(dataset.content_checksum(pool))}}.dump();
  return forest;
}

std::vector<std::string> find_warnings(const Dataset& dataset, const Forest& forest) {
  std::vector<std::string> warnings;
  std::size_t present = 0;
  for (std::size_t c = 0; c < forest.classes.size(); ++c) {
    present += forest.class_pixels[c] > 0;
    if (forest.class_pixels[c] == 0)
      warnings.push_back(dataset.folder().string() + ": class " + forest.classes.classes[c].name +
                         " has no pixel; it will never be predicted");
  }
  FW_CHECK(present > 0, Data,
           dataset.folder().string()
               << ": no pixel has a class, all are void; check the ground truth and the ignored colours");
  return warnings;
}

/// Grows the trees of a forest one after another on one device.
class ForestGrower {
 public:
  ForestGrower(const Dataset& dataset, const TrainOptions& options, const TrainResources& resources,
               const TrainHooks& hooks, TrainReport& report)
      : dataset_(dataset), options_(options), hooks_(hooks), report_(report), pool_(resources.threads), meter_(hooks) {
    budget_bytes_ =
        resources.memory_budget_bytes > 0 ? resources.memory_budget_bytes : available_memory_bytes() / 4 * 3;
    if (budget_bytes_ == 0) budget_bytes_ = std::size_t{4} << 30;
  }

  Forest grow() {
    const double start = seconds_now();
    meter_.start({}, 1);
    forest_ = describe_training(dataset_, options_, pool_);
    report_.warnings = find_warnings(dataset_, forest_);
    std::optional<GrowingTree> growing = resume();
    FrameStore store(dataset_, forest_.classes, forest_.preparation, budget_bytes_ / 3 * 2);
    load_frames(store);
    report_.seconds_loading = seconds_now() - start;
    while (forest_.trees.size() < static_cast<std::size_t>(options_.trees)) {
      grow_next_tree(store, std::move(growing));
      growing.reset();
    }
    report_.frames = store.num_frames();
    report_.frames_kept = store.num_kept();
    report_.frames_decoded = store.num_decoded();
    report_.frame_bytes = store.kept_bytes();
    report_.threads = pool_.num_threads();
    report_.device = "cpu";
    report_.instruction_set = to_string(available_isas().back());
    return std::move(forest_);
  }

 private:
  std::optional<GrowingTree> resume() {
    if (!hooks_.resume || !std::filesystem::exists(hooks_.checkpoint)) return std::nullopt;
    Checkpoint checkpoint = load_checkpoint(hooks_.checkpoint, forest_);
    forest_.trees = std::move(checkpoint.forest.trees);
    return std::move(checkpoint.growing);
  }

  void load_frames(FrameStore& store) {
    std::vector<std::uint32_t> all = draw_frames(store.num_frames(), {}, 0);
    meter_.start({.phase = TrainProgress::Phase::kLoading, .trees = options_.trees}, static_cast<double>(all.size()));
    store.visit(all, pool_, [&](std::size_t, const LoadedFrame&, int) {
      FW_CHECK(!hooks_.stop.stop_requested(), Interrupted, "training was interrupted");
      meter_.add(1);
    });
  }

  /// Bytes for the bins of a chunk of candidates. With all frames at hand a chunk need not be large, and memory stays
  /// near that of the frames; when frames are decoded again for every chunk, chunks should be few.
  std::size_t bins_budget(const FrameStore& store) const {
    if (store.num_kept() < store.num_frames()) return budget_bytes_ / 4;
    return std::clamp(store.kept_bytes() / 16, std::size_t{16} << 20, std::size_t{256} << 20);
  }

  void grow_next_tree(FrameStore& store, std::optional<GrowingTree> resumed) {
    const auto tree = static_cast<std::uint32_t>(forest_.trees.size());
    double start = seconds_now();
    const SampleSet samples = draw_samples(store, options_, tree, forest_.classes.size(), pool_);
    report_.seconds_sampling += seconds_now() - start;
    report_.samples += samples.size();
    start = seconds_now();
    GrowingTree growing = resumed ? std::move(*resumed) : start_tree(samples, forest_.classes.size(), options_);
    Frontier frontier(samples, growing, store, pool_);
    CpuBackend backend(store, pool_, available_isas().back(), bins_budget(store), hooks_.stop, meter_);
    const GrowHooks grow_hooks{
        [&](const GrowingTree& now_growing, const Frontier& open) { announce(now_growing, open); },
        [&](const GrowingTree& now_growing, const LevelReport& level) { note(now_growing, level); }};
    grow_tree(growing, frontier, tree, options_, forest_.preparation.channels, backend, grow_hooks);
    forest_.trees.push_back(growing.tree());
    report_.seconds_growing += seconds_now() - start;
    if (!hooks_.checkpoint.empty()) save_checkpoint(forest_, nullptr, hooks_.checkpoint);
  }

  void announce(const GrowingTree& growing, const Frontier& open) {
    const auto per_level = static_cast<double>(open.num_samples()) * options_.features;
    const int levels_left = options_.max_depth - growing.level;
    const auto trees_done = static_cast<double>(forest_.trees.size());
    const double this_tree = work_in_tree_ + per_level * levels_left;
    // Trees from before a resume have no known work.
    const double others =
        (options_.trees - trees_done - 1) * (trees_grown_ > 0 ? work_done_ / trees_grown_ : this_tree);
    meter_.start({.phase = TrainProgress::Phase::kGrowing,
                  .tree = static_cast<int>(forest_.trees.size()),
                  .trees = options_.trees,
                  .level = growing.level,
                  .max_depth = options_.max_depth,
                  .nodes = open.num_nodes()},
                 work_done_ + this_tree + others);
  }

  void note(const GrowingTree& growing, const LevelReport& level) {
    work_in_tree_ += static_cast<double>(level.responses);
    if (growing.open.empty()) work_done_ += work_in_tree_, work_in_tree_ = 0, ++trees_grown_;
    report_.levels.push_back(level);
    if (hooks_.level_done) hooks_.level_done(level);
    if (!hooks_.checkpoint.empty()) save_checkpoint(forest_, &growing, hooks_.checkpoint);
  }

  const Dataset& dataset_;
  const TrainOptions& options_;
  const TrainHooks& hooks_;
  TrainReport& report_;
  ThreadPool pool_;
  ProgressMeter meter_;
  std::size_t budget_bytes_ = 0;
  Forest forest_;
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

Forest train_forest(const Dataset& dataset, const TrainOptions& options, const TrainResources& resources,
                    const TrainHooks& hooks, TrainReport* report) {
  options.check();
  FW_CHECK(resources.device == "auto" || resources.device == "cpu", Device,
           "this build trains on the CPU only; give --device cpu, not " << resources.device);
  TrainReport unwanted;
  return ForestGrower(dataset, options, resources, hooks, report ? *report : unwanted).grow();
}

}  // namespace fernwood
