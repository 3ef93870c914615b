// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/trainer.h"

#include <algorithm>
#include <future>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "core/json_text.h"
#include "core/messages.h"
#include "fernwood/core/error.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"
#include "train/data/class_weights.h"
#include "train/distributed/parallelism.h"
#include "train/head/fit_linear_head.h"
#include "train/options/describe_training.h"

namespace fernwood::train {

namespace {

/// The settings that must be identical on all ranks before they read data together.
std::string options_of_job(const TrainOptions& options, const TrainResources& resources,
                           const dataset::Dataset& dataset, const std::string& reading_json) {
  return to_json(options) + " parallel by " + resources.parallel + ", " + std::to_string(dataset.size()) +
         " frames whose names and sizes have the checksum " + to_hex(dataset.listing_checksum()) + ", read with " +
         reading_json;
}

/// Finds the ranges of feature maps over all frames; frames come from any thread.
class MapRangeFinder {
 public:
  explicit MapRangeFinder(std::size_t num_maps) : ranges_(num_maps, image::kNoRange) {}

  void add(const image::SuppliedMaps& maps) {
    if (ranges_.empty()) return;
    std::vector<image::MapRange> of_frame(ranges_.size(), image::kNoRange);
    image::widen(of_frame, maps);
    const std::lock_guard lock(mutex_);
    join(of_frame);
  }
  /// Ranges over all processes; a map without known values gets the range [0, 0].
  std::vector<image::MapRange> ranges(Communicator* ranks) {
    if (ranks)
      for (const std::vector<image::MapRange>& of_rank : gather_equal(ranges_, *ranks)) join(of_rank);
    for (image::MapRange& range : ranges_)
      if (range.low > range.high) range = {};
    return ranges_;
  }

 private:
  void join(std::span<const image::MapRange> more) {
    for (std::size_t i = 0; i < ranges_.size(); ++i)
      ranges_[i] = {std::min(ranges_[i].low, more[i].low), std::max(ranges_[i].high, more[i].high)};
  }

  std::mutex mutex_;
  std::vector<image::MapRange> ranges_;
};

/// A note about constant feature maps, or an empty string.
std::string constant_maps_note(const std::vector<image::MapRange>& ranges) {
  const auto is_constant = [](const image::MapRange& range) { return range.low == range.high; };
  const auto count = std::ranges::count_if(ranges, is_constant);
  if (count == 0) return "";
  const auto first = std::ranges::find_if(ranges, is_constant) - ranges.begin();
  return format_text(
      "%d of the %zu feature maps that come with the frames are the same everywhere, the first is map %d",
      static_cast<int>(count), ranges.size(), static_cast<int>(first));
}

}  // namespace

Trainer::Trainer(const dataset::Dataset& dataset, const TrainOptions& options, const TrainResources& resources,
                 const TrainHooks& hooks, Communicator* ranks)
    : dataset_(dataset),
      resources_(resources),
      hooks_(hooks),
      start_(seconds_now()),
      alone_(ranks ? nullptr : make_lone_communicator()),
      ranks_(ranks ? *ranks : *alone_),
      pool_(ranks_.neighbours().threads(resources.threads)),
      meter_(hooks, ranks) {
  choice_ = choose_device(resources_.device, ranks_.neighbours().rank, ranks_.neighbours().count);
  memory_.emplace(MemoryPlan::of_machine(resources_, ranks_.neighbours(), choice_.device));
  groups_ = dataset_.groups();
  ranks_.check_alike(options_of_job(options, resources, dataset_, describe_reading(dataset_.config(), groups_)));
  if (ranks_.rank() == 0) {
    std::vector<Warning> of_input;
    add_warnings(of_input, "input", dataset_.input_warnings());
    warn(of_input);
  }
  // A GPU takes a while to start; the frames are read meanwhile.
  std::future<GpuMemory> started;
  if (!choice_.device.is_cpu()) started = std::async(std::launch::async, gpu_memory, choice_.device.gpu);
  meter_.start({.phase = dataset_.encoder() ? TrainProgress::Phase::kEncoding : TrainProgress::Phase::kScanning},
               static_cast<double>(strided_share(ranks).count_of(dataset_.size())));
  read_frames(options, ranks);
  if (started.valid()) static_cast<void>(started.get());
  const RankAbilities abilities{memory_->frames_of(dataset_, model_) <= memory_->frames_bytes(),
                                ranks_.num_ranks() > 1 && gpus_link(options.algorithm)};
  ranks_.divide(choose_parallelism(resources_.parallel, options, abilities, ranks_));
  if (ranks_.num_shares() > 1)
    ranks_.check_alike(std::string("parallel by data on ") + (choice_.device.is_cpu() ? "cpu" : "cuda"));
}

/// The one pass over the data: each frame contributes to the model's description and goes to the device.
void Trainer::read_frames(const TrainOptions& options, Communicator* ranks) {
  model_ = describe_training(dataset_, options);
  dataset::Dataset::FoundClasses found = dataset_.find_classes(pool_, ranks);
  describe_classes(found.classes, options, model_);
  const TrainSetting setting{dataset_, model_, resources_, *memory_, pool_, hooks_, meter_, ranks_};
  device_ = choice_.device.is_cpu() ? make_cpu_device(setting) : make_cuda_device(setting, choice_.device.gpu);
  std::vector<Warning> warnings;
  add_warnings(warnings, "class-colors", found.warnings);
  image::Preparation& preparation = model_.preparation;
  MapRangeFinder map_ranges(preparation.supplied_maps.size());
  std::optional<LinearHeadFit> head;
  if (options.linear_head && preparation.has_maps())
    head.emplace(dataset_, preparation, model_.classes.names(), options.seed);
  // Values of supplied maps are whole numbers in a range that is only known when all frames have been read.
  const bool maps_wait = !preparation.supplied_maps.empty();
  dataset::Dataset::Content content =
      dataset_.read_all(pool_, std::move(found), ranks, [&](std::size_t frame, dataset::LabelledFrame read) {
        // Only encoders take so long that nobody would wait until a checkpoint is found.
        FW_CHECK(!dataset_.encoder() || !hooks_.stop.stop_requested(), Interrupted, "training was interrupted");
        map_ranges.add(read.frame.maps);
        image::FeatureMaps maps = head && !maps_wait ? head->add(frame, read) : image::FeatureMaps();
        device_->keep(static_cast<std::uint32_t>(frame), std::move(read), std::move(maps));
        meter_.add(1);
      });
  class_pixels_ = std::move(content.class_pixels);
  model_.class_pixels = pixels_of(all_frames(dataset_.size()));
  model_.leaves.class_weights = resolve_class_weights(options.class_weights, model_.classes, model_.class_pixels);
  preparation.supplied_maps = map_ranges.ranges(ranks);
  if (const std::string note = constant_maps_note(preparation.supplied_maps); !note.empty())
    warnings.push_back({"constant-maps", dataset_.folder().string() + ": " + note});
  if (head && maps_wait) {
    const Deal own = strided_share(ranks);
    pool_.for_each(own.count_of(dataset_.size()), [&](std::size_t i, int) {
      head->add(own.number(i), device_->read(static_cast<std::uint32_t>(own.number(i))));
    });
  }
  if (head) preparation.head = head->fit(model_.class_pixels, pool_, ranks);
  model_.provenance_json =
      json_text(nlohmann::json{{"frames", dataset_.size()}, {"checksum", to_hex(content.checksum)}});
  warn(warnings);
  warn(find_warnings(dataset_, model_, options.class_weights));
}

/// [class] Labelled pixels of some frames.
std::vector<std::uint64_t> Trainer::pixels_of(const std::vector<std::uint32_t>& frames) const {
  std::vector<std::uint64_t> pixels(class_pixels_.cols(), 0);
  for (const std::uint32_t frame : frames)
    for (std::size_t c = 0; c < pixels.size(); ++c) pixels[c] += class_pixels_(frame, c);
  return pixels;
}

void Trainer::warn(const std::vector<Warning>& warnings) {
  for (const Warning& warning : warnings) {
    warnings_.push_back(warning);
    if (hooks_.warn && ranks_.rank() == 0) hooks_.warn(warning);
  }
}

/// Input of choose_parallelism(): only evaluated for boosted trees with automatic parallelism.
bool Trainer::gpus_link(forest::ForestKind kind) {
  if (resources_.parallel != "auto" || kind != forest::ForestKind::kBoosted) return false;
  if (choice_.device.is_cpu()) return ranks_.can_link_gpus(NcclLibrary("none"), "");
  return ranks_.can_link_gpus(NcclLibrary::find(),
                              gpu_status().gpus[static_cast<std::size_t>(choice_.device.gpu)].bus_id);
}

void Trainer::load_frames(TrainReport& report) {
  if (is_loaded_) return;
  meter_.start({.phase = TrainProgress::Phase::kLoading}, static_cast<double>(ranks_.frames(dataset_.size()).size()));
  device_->load_frames([&] {
    FW_CHECK(!hooks_.stop.stop_requested(), Interrupted, "training was interrupted");
    meter_.add(1);
  });
  is_loaded_ = true;
  report.seconds_loading = seconds_now() - start_;
}

void Trainer::describe(TrainReport& report) const {
  report.device_note = choice_.note.on_command_line();
  report.warnings = warnings_;
  if (model_.preparation.channels.needs_geometry()) report.cameras = dataset_.camera_text();
  report.threads = pool_.num_threads();
  if (is_loaded_) device_->describe(report);
}

void Trainer::describe_ranks(TrainReport& report) {
  if (ranks_.num_ranks() == 1) return;
  report.parallel = to_string(ranks_.parallelism());
  report.gpu_links = ranks_.gpu_links();
  Bytes mine;
  Packer(mine).put(RankReport{seconds_now() - start_, ranks_.seconds_waiting(), ranks_.bytes_sent()});
  for (const Bytes& theirs : ranks_.gather(mine)) report.ranks.push_back(Unpacker(theirs).get<RankReport>());
}

forest::Forest Trainer::model_of(const TrainOptions& options, const std::vector<std::uint32_t>& frames) const {
  forest::Forest model = model_;
  model.kind = options.algorithm;
  model.options_json = to_json(options);
  const image::ChannelLayout all = model_.preparation.channels;
  const std::vector<std::string> sets = options.channels.empty() ? all.set_names() : options.channels;
  model.preparation.channels =
      image::ChannelLayout(sets, options.cascade > 1 ? model_.classes.names() : std::vector<std::string>{});
  const image::ChannelLayout& channels = model.preparation.channels;
  channels_of(model, options.cascade > 1);  // throws for missing channels
  FW_CHECK((channels.depth_channel() < 0) == (all.depth_channel() < 0), Usage,
           "trainings on the same frames either all read the channel depth or none does");
  if (!channels.needs_geometry()) model.preparation.camera.reset();
  model.class_pixels = pixels_of(frames);
  model.leaves = options.leaves;
  model.leaves.class_weights = resolve_class_weights(options.class_weights, model.classes, model.class_pixels);
  return model;
}

TreeChannels Trainer::channels_of(const forest::Forest& model, bool context) const {
  const image::ChannelLayout& all = model_.preparation.channels;
  TreeChannels channels{context ? model.preparation.channels : model.preparation.channels.without_context(),
                        {},
                        model.preparation.num_backbone_maps(),
                        model.preparation.num_supplied_maps(),
                        model.preparation.num_scores()};
  for (int c = 0; c < channels.layout.num_channels(); ++c) {
    int in_frame = 0;
    while (in_frame < all.num_channels() && all.name(in_frame) != channels.layout.name(c)) ++in_frame;
    FW_CHECK(in_frame < all.num_channels() &&
                 (channels.in_frame.empty() || in_frame > static_cast<int>(channels.in_frame.back())),
             Usage,
             "channel " << channels.layout.name(c) << " is not among those of the frames, or not in their order");
    channels.in_frame.push_back(static_cast<std::uint8_t>(in_frame));
  }
  return channels;
}

forest::Forest Trainer::finished(GrowingForest grown) const {
  const TreeChannels channels = channels_of(grown.model, grown.plan.back().stage > 0);
  forest::Forest finished = finished_forest(std::move(grown));
  std::vector<std::uint8_t> names(static_cast<std::size_t>(model_.preparation.channels.num_channels()), 0);
  for (std::size_t c = 0; c < channels.in_frame.size(); ++c) names[channels.in_frame[c]] = static_cast<std::uint8_t>(c);
  for (std::vector<forest::Tree>& stage : finished.stages)
    for (forest::Tree& tree : stage)
      for (forest::Node& node : tree.nodes)
        if (!node.is_leaf()) rename_channels(node.feature, names);
  return finished;
}

}  // namespace fernwood::train
