// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/trainer.h"

#include <algorithm>
#include <future>
#include <span>

#include "fernwood/core/error.h"
#include "train/data/class_weights.h"
#include "train/distributed/parallelism.h"
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

}  // namespace

Trainer::Trainer(const dataset::Dataset& dataset, const TrainOptions& options, const TrainResources& resources,
                 const TrainHooks& hooks, Communicator* ranks)
    : dataset_(dataset),
      resources_(resources),
      hooks_(hooks),
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
  // A GPU takes a while to start; the ground truth is read meanwhile.
  std::future<GpuMemory> started;
  if (!choice_.device.is_cpu()) started = std::async(std::launch::async, gpu_memory, choice_.device.gpu);
  meter_.start({}, 1);
  const bool on_cpu = choice_.device.is_cpu();
  read_frames_.emplace(dataset_.size(), memory_->read_frames_bytes(dataset_));
  std::vector<Warning> of_truth;
  model_ = describe_training(dataset_, options, pool_, ranks, *read_frames_, of_truth);
  warn(of_truth);
  warn(find_warnings(dataset_, model_, options.class_weights));
  if (started.valid()) static_cast<void>(started.get());
  const RankAbilities abilities{memory_->frames_of(dataset_, model_) <= memory_->frames_bytes(),
                                ranks_.num_ranks() > 1 && gpus_link(options.algorithm)};
  ranks_.divide(choose_parallelism(resources_.parallel, options, abilities, ranks_));
  if (ranks_.num_shares() > 1) ranks_.check_alike(std::string("parallel by data on ") + (on_cpu ? "cpu" : "cuda"));
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

void Trainer::load_frames() {
  const TrainSetting setting{dataset_, model_, resources_, *memory_, pool_, hooks_, meter_, ranks_, &*read_frames_};
  device_ = choice_.device.is_cpu() ? make_cpu_device(setting) : make_cuda_device(setting, choice_.device.gpu);
  meter_.start({.phase = TrainProgress::Phase::kLoading}, static_cast<double>(setting.held_frames().size()));
  device_->load_frames([&] {
    FW_CHECK(!hooks_.stop.stop_requested(), Interrupted, "training was interrupted");
    meter_.add(1);
  });
  read_frames_->clear();  // frames that were cached but not loaded
  shared_levels_ = share_levels(*device_, ranks_);
}

void Trainer::describe(TrainReport& report) const {
  report.device_note = choice_.note.on_command_line();
  report.warnings = warnings_;
  if (model_.preparation.channels.needs_geometry()) report.cameras = dataset_.camera_text();
  report.threads = pool_.num_threads();
  if (device_) device_->describe(report);
}

void Trainer::describe_ranks(double seconds, TrainReport& report) {
  if (ranks_.num_ranks() == 1) return;
  report.parallel = to_string(ranks_.parallelism());
  report.gpu_links = ranks_.gpu_links();
  Bytes mine;
  Packer(mine).put(RankReport{seconds, ranks_.seconds_waiting(), ranks_.bytes_sent()});
  for (const Bytes& theirs : ranks_.gather(mine)) report.ranks.push_back(Unpacker(theirs).get<RankReport>());
}

forest::Forest Trainer::model_of(const TrainOptions& options, const std::vector<std::uint32_t>& frames) {
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
  if (frames.size() < dataset_.size()) {
    if (pixels_.rows() == 0) {
      pixels_ = device_->count_pixels(all_frames(dataset_.size()));
      ranks_.sum_over_samples(std::span(pixels_.data(), pixels_.size()));
    }
    std::ranges::fill(model.class_pixels, 0u);
    for (const std::uint32_t frame : frames)
      for (std::size_t c = 0; c < model.class_pixels.size(); ++c) model.class_pixels[c] += pixels_(frame, c);
  }
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

}  // namespace fernwood::train
