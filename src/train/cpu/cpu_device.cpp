// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <iterator>

#include "fernwood/core/error.h"
#include "forest/loops.h"
#include "train/cpu/cpu_backend.h"
#include "train/data/frame_store.h"
#include "train/train_device.h"

namespace fernwood::train {

namespace {

class CpuDevice : public TrainDevice {
 public:
  explicit CpuDevice(const TrainSetting& setting)
      : TrainDevice(setting),
        store_(setting.dataset, setting.forest.classes, setting.forest.preparation, setting.memory.frames_bytes(),
               setting.memory.read_frames_bytes(setting.dataset, setting.forest)),
        loops_(forest::fastest_variant()) {}

  void keep(std::uint32_t index, dataset::LabelledFrame frame, image::FeatureMaps of_backbone) override {
    store_.keep_read(index, {std::move(frame), std::move(of_backbone)});
  }
  dataset::LabelledFrame read(std::uint32_t index) const override { return store_.read(index); }

  void load_frames(const std::function<void()>& loaded) override {
    const std::vector<std::uint32_t> frames = setting_.held_frames();
    std::size_t first_bytes = 0;
    if (!frames.empty())
      store_.visit_one(frames[0], [&](const LoadedFrame& first) { first_bytes = first.size_bytes(); });
    const std::size_t all_bytes = first_bytes * frames.size();
    // If not all frames fit, they are not loaded yet: visits will cache what fits into the memory that trees leave.
    const bool fit = all_bytes <= setting_.memory.frames_bytes();
    if (!fit) store_.set_budget(setting_.memory.waiting_frames_bytes());
    setting_.pool.for_each(frames.size(), [&](std::size_t i, int) {
      if (fit) store_.visit_one(frames[i], [](const LoadedFrame&) {});
      loaded();
    });
    store_.drop_read();
    const LevelBudget budget = setting_.memory.levels(store_.kept_bytes(), store_.num_kept() == frames.size(),
                                                      all_bytes, setting_.ranks.num_shares());
    backend_.emplace(store_, setting_.pool, loops_, budget, setting_.hooks.stop, setting_.meter);
  }

  void set_context(std::vector<image::ContextMaps> maps) override {
    store_.set_context(std::move(maps), setting_.pool);
  }

  std::vector<std::uint32_t> find_leaves(const SampleSet& samples, const std::vector<forest::Node>& nodes) override {
    return fernwood::train::find_leaves(samples, nodes, store_, setting_.pool);
  }

  std::unique_ptr<BoostedSamples> boosted_samples(SampleSet samples, const BoostingSetting& setting) override {
    return make_boosted_samples(std::move(samples), setting, setting_.pool,
                                [this](const SampleSet& all, const auto& nodes) { return find_leaves(all, nodes); });
  }

  LevelBackend& backend() override { return *backend_; }

  void describe(TrainReport& report) const override {
    report.frames = setting_.held_frames().size();
    report.frames_kept = store_.num_kept();
    report.frames_decoded = store_.num_decoded();
    report.frame_bytes = store_.kept_bytes();
    report.device = "cpu";
    report.instruction_set = to_string(loops_.isa);
  }

 private:
  SampleSet choose(const Choose& choose, const std::vector<std::uint32_t>& frames) override {
    return choose_samples(store_, frames, setting_.pool, choose, [](const LoadedFrame& frame, const DrawnPixel& p) {
      return forest::pixel_site(frame.view(), p.x, p.y, p.mirrored);
    });
  }

  FrameStore store_;
  KernelVariant loops_;
  std::optional<CpuBackend> backend_;
};

}  // namespace

std::vector<std::uint32_t> TrainDevice::held_among(const std::vector<std::uint32_t>& frames) const {
  std::vector<std::uint32_t> held;
  std::ranges::set_intersection(frames, setting_.held_frames(), std::back_inserter(held));
  return held;
}

SampleSet TrainDevice::draw_samples(const TrainOptions& options, const std::vector<std::uint32_t>& frames,
                                    std::uint32_t tree) {
  return choose(
      [&](const image::LabelImage& labels, std::uint32_t frame) {
        return draw_pixels(labels, options, tree, frame, setting_.forest.classes.size());
      },
      held_among(frames));
}

SampleSet TrainDevice::context_samples(const std::vector<std::uint32_t>& frames) {
  return choose([](const image::LabelImage& labels, std::uint32_t) { return context_pixels(labels); },
                held_among(frames));
}

std::unique_ptr<TrainDevice> make_cpu_device(const TrainSetting& setting) {
  return std::make_unique<CpuDevice>(setting);
}

#if !FERNWOOD_HAS_CUDA
std::unique_ptr<TrainDevice> make_cuda_device(const TrainSetting&, int) {
  throw Error(ErrorKind::kDevice,
              "this build has no CUDA; configure with -DFERNWOOD_CUDA=ON, or use " + named_option("device", "cpu"));
}
#endif

}  // namespace fernwood::train
