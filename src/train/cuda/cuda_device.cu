// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <future>
#include <optional>

#include "fernwood/core/device.h"
#include "train/cuda/cuda_backend.h"
#include "train/cuda/gpu_boosted_samples.h"
#include "train/cuda/level/respond.h"
#include "train/train_device.h"

namespace fernwood::train {

namespace {

class CudaDevice : public TrainDevice {
 public:
  CudaDevice(const TrainSetting& setting, int gpu)
      : TrainDevice(setting),
        gpu_(gpu),
        frames_(setting.dataset.size(), setting.memory.frames_bytes(),
                [this](std::uint32_t index) { return make_raw(read(index), index); }),
        shapes_(setting.dataset.size()) {}

  void keep(std::uint32_t index, dataset::LabelledFrame frame, image::FeatureMaps) override {
    frames_.keep(index, make_raw(std::move(frame), index));
  }

  dataset::LabelledFrame read(std::uint32_t index) const override {
    dataset::LabelledFrame read;
    if (const RawTrainFrame* raw = frames_.find(index)) {
      read.frame.color = raw->color;
      read.frame.depth_mm = raw->depth_mm;
      read.frame.maps = raw->maps;
      read.labels = raw->labels;
      return read;
    }
    return {setting_.dataset.read_frame(index), setting_.dataset.read_labels(index, setting_.forest.classes)};
  }

  void load_frames(const std::function<void()>& loaded) override {
    cuda::use_gpu(gpu_);
    free_at_start_ = gpu_memory(gpu_).free_bytes;
    preparer_.emplace(setting_.forest.preparation, false, kWindowStep);
    const std::vector<std::uint32_t> all = setting_.held_frames();
    std::future<void> linked = link_to_others();
    setting_.pool.for_each(all.size(), [&](std::size_t i, int) {
      if (shapes_[all[i]].rows == 0) frames_.visit_one(all[i], [](const RawTrainFrame&) {});
      loaded();
    });
    for (const std::uint32_t frame : all) note_size(shapes_[frame]);
    if (linked.valid()) linked.get();  // before memory is divided: links use some
    const std::size_t frames_bytes =
        memory_limit(setting_.resources.gpu_memory_bytes, MemoryPlan::kGpuFrames, Device{gpu_});
    cache_.emplace(frames_, setting_.forest.preparation, slot_, frames_bytes, setting_.pool, gpu_);
    const bool all_there = cache_->policy().num_slots() >= all.size();
    const LevelBudget budget = MemoryPlan::gpu_levels(gpu_memory(gpu_).free_bytes, all_there);
    backend_.emplace(*cache_, budget, setting_.ranks.num_shares(), gpu_, setting_.hooks.stop, setting_.meter);
    const cuda::Stream stream;
    if (all_there) cache_->visit(all, stream, [](std::uint32_t, std::uint32_t) {});
    stream.synchronize();
  }

  void set_context(std::vector<image::ContextMaps> maps) override {
    context_ = std::move(maps);
    frames_.update_kept(setting_.pool,
                        [&](std::uint32_t index, RawTrainFrame& raw) { raw.context = context_[index].values; });
    cache_->forget();
  }

  std::vector<std::uint32_t> find_leaves(const SampleSet& samples, const std::vector<forest::Node>& nodes) override {
    return backend_->find_leaves(samples, nodes);
  }

  std::unique_ptr<BoostedSamples> boosted_samples(SampleSet samples, const BoostingSetting& setting) override {
    cuda::use_gpu(gpu_);
    return std::make_unique<GpuBoostedSamples>(std::move(samples), setting, *cache_, backend_->stream(), gpu_);
  }

  LevelBackend& backend() override { return *backend_; }

  void describe(TrainReport& report) const override {
    report.frames = setting_.held_frames().size();
    report.frames_kept = frames_.num_kept();
    report.frames_decoded = frames_.num_decoded();
    report.frame_bytes = frames_.kept_bytes();
    report.device = to_string(Device{gpu_});
    report.gpu = {.name = gpu_status().gpus[static_cast<std::size_t>(gpu_)].name,
                  .frame_slots = cache_->policy().num_slots(),
                  .hits = cache_->policy().num_hits(),
                  .misses = cache_->policy().num_misses(),
                  .uploaded_bytes = cache_->uploaded_bytes(),
                  .memory_bytes = free_at_start_ - std::min(free_at_start_, gpu_memory(gpu_).free_bytes),
                  .response_bytes = backend_->response_bytes()};
  }

 private:
  /// Links the GPUs while frames are loaded, when ranks exchange nothing else; does nothing where ranks do not add up
  /// counts. A rank whose loading fails leaves after this exchange, which has a time limit.
  std::future<void> link_to_others() {
    if (setting_.ranks.num_shares() == 1) return {};
    // Loaded in this thread: it sets an environment variable, which no other thread may read meanwhile.
    return std::async(std::launch::async, [this, nccl = NcclLibrary::find()] {
      cuda::use_gpu(gpu_);
      setting_.ranks.link_gpus(nccl, gpu_status().gpus[static_cast<std::size_t>(gpu_)].bus_id);
    });
  }

  SampleSet choose(const Choose& choose, const std::vector<std::uint32_t>& frames) override {
    const bool scaled = setting_.forest.preparation.channels.depth_channel() >= 0;
    return choose_samples(frames_, frames, setting_.pool, choose,
                          [&](const RawTrainFrame& frame, const DrawnPixel& p) -> forest::PixelSite {
                            if (!scaled) return {p.x, p.y, p.mirrored ? -1.0f : 1.0f};
                            const std::uint16_t depth_mm = frame.depth_mm(p.y, p.x);
                            return forest::site_at_depth(p.x, p.y, image::is_known_depth(depth_mm) ? depth_mm : 0,
                                                         p.mirrored);
                          });
  }

  /// What the size of a frame on the GPU depends on. It is noted of all frames, also of those that are not held.
  struct FrameShape {
    std::int32_t rows = 0, cols = 0;  ///< 0: not read yet.
    std::int32_t map_rows = 0, map_cols = 0;
    bool depth_complete = false;
  };

  RawTrainFrame make_raw(dataset::LabelledFrame read, std::uint32_t index) {
    RawTrainFrame raw = make_raw_frame(std::move(read.frame), std::move(read.labels), setting_.forest.preparation);
    if (!context_.empty()) raw.context = context_[index].values;
    shapes_[index] = {raw.rows, raw.cols, static_cast<std::int32_t>(raw.maps.rows),
                      static_cast<std::int32_t>(raw.maps.cols), raw.depth_complete};
    return raw;
  }

  /// Updates the size of the largest frame on the GPU.
  void note_size(const FrameShape& shape) {
    const image::ChannelLayout& channels = setting_.forest.preparation.channels;
    std::size_t packed = 0;  // number of packed planes
    for (int c = 0; c < channels.num_channels(); ++c) packed += channels.follows_depth(c) && !shape.depth_complete;
    slot_.num_sums = std::max(slot_.num_sums, preparer_->num_sums(shape.rows, shape.cols, shape.depth_complete) +
                                                  packed * preparer_->plane_size(shape.rows, shape.cols));
    slot_.num_map_values =
        std::max(slot_.num_map_values,
                 preparer_->num_map_values(
                     {.rows = shape.rows, .cols = shape.cols, .map_rows = shape.map_rows, .map_cols = shape.map_cols}));
  }

  int gpu_;
  std::size_t free_at_start_ = 0;
  RawFrames frames_;
  std::vector<image::ContextMaps> context_;  // [frame], or empty
  std::vector<FrameShape> shapes_;           // [frame of the data set]
  std::optional<image::FramePreparer> preparer_;
  FrameSlot slot_;
  std::optional<FrameCache> cache_;
  std::optional<CudaBackend> backend_;
};

}  // namespace

std::unique_ptr<TrainDevice> make_cuda_device(const TrainSetting& setting, int gpu) {
  return std::make_unique<CudaDevice>(setting, gpu);
}

std::vector<std::uint32_t> LeafFinder::find(const SampleSet& samples, const std::vector<forest::Node>& nodes,
                                            const cuda::Stream& stream) {
  std::vector<std::uint32_t> leaves(samples.size(), 0);
  if (nodes.size() == 1 || leaves.empty()) return leaves;  // avoids visiting the frames
  cuda::upload(nodes, nodes_, stream);
  cuda::upload(samples.frames, frames_, stream);
  cuda::upload(samples.frame_starts, starts_, stream);
  cuda::upload(samples.sites, sites_, stream);
  leaves_.resize(leaves.size());
  cache_.visit(samples.frames, stream, [&](std::uint32_t begin, std::uint32_t end) {
    find_leaves_cuda({.frames = cache_.table(),
                      .tree_frames = frames_.data(),
                      .frame_of = nullptr,
                      .starts = starts_.data(),
                      .begin = begin,
                      .end = end,
                      .sites = {sites_.data(), sites_.size()}},
                     nodes_.data(), leaves_.data(), stream);
  });
  cuda::copy_to_host(leaves_.data(), leaves_.size(), leaves.data(), stream);
  stream.synchronize();
  return leaves;
}

}  // namespace fernwood::train
