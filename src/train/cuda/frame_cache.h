// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "fernwood/dataset/dataset.h"
#include "image/cuda/frame_preparer.h"
#include "train/cuda/level/respond.h"
#include "train/data/frame_store.h"
#include "train/data/lru_cache.h"

namespace fernwood::train {

/// A frame as training on a GPU needs it: raw pixels, with depth filled as asked for. Most are brought to the GPU once,
/// so that their memory is not page-locked: that takes longer than to copy them, and threads take turns at it.
struct RawTrainFrame {
  std::int32_t rows = 0, cols = 0;
  Array2<image::Rgb> color;        ///< [rows][cols], or empty
  Array2<std::uint16_t> depth_mm;  ///< [rows][cols], or empty
  image::Camera camera;            ///< See camera_of().
  image::Vector3 up;               ///< As in Frame.
  image::SuppliedMaps maps;        ///< As in Frame, where the model reads them.
  bool depth_complete = false;
  std::int32_t highest_depth_mm = 0;
  std::vector<std::uint8_t> context;  ///< [class][cell rows][cell cols] See ContextMaps; or empty
  image::LabelImage labels;

  std::size_t pixel_bytes() const {
    return color.size() * sizeof(image::Rgb) + depth_mm.size() * sizeof(std::uint16_t) + context.size() +
           maps.values.size() * sizeof(float);
  }
  std::size_t size_bytes() const { return pixel_bytes() + labels.size() * sizeof(std::uint16_t); }
};

/// Its images are those of `frame` where they are as training needs them.
/// @throws Error(kData) when the frame lacks what the channels need.
RawTrainFrame make_raw_frame(image::Frame frame, image::LabelImage labels, const image::Preparation& preparation);

using RawFrames = CachedFrames<RawTrainFrame>;

/// Numbers that a prepared frame takes in GPU memory.
struct FrameSlot {
  std::size_t num_sums = 0;        ///< Of planes, packed ones too.
  std::size_t num_map_values = 0;  ///< Of feature maps.
};

/// The image cache: prepared frames in GPU memory, as many as there is room for. Others are brought when they are
/// visited, their raw pixels copied and prepared beside the work on frames that are there already.
class FrameCache {
 public:
  /// @param slot          What the largest frame takes.
  /// @param memory_bytes  Bound of the frames held. @throws Error(kResource) when that is less than two.
  FrameCache(RawFrames& frames, const image::Preparation& preparation, FrameSlot slot, std::size_t memory_bytes,
             ThreadPool& pool, int gpu);

  /// Called while frames [begin, end) of those visited are there; enqueues its work in the stream.
  using Work = std::function<void(std::uint32_t begin, std::uint32_t end)>;
  /// Visits frames in batches, forth at one visit and back at the next, so that the last become the first.
  /// @param indices  [frames] in the data set
  void visit(const std::vector<std::uint32_t>& indices, const cuda::Stream& stream, const Work& work);

  /// Frames are brought anew: what they are prepared from has changed.
  void forget();

  /// [frame of the data set]; valid for frames that are there.
  View1<const TrainFrame> table() const { return {table_.data(), table_.size()}; }
  const LruCache& policy() const { return policy_; }
  std::size_t uploaded_bytes() const { return uploaded_bytes_; }

 private:
  /// Raw pixels on their way, through page-locked memory; of one thread at a time.
  struct Staging {
    /// The frame may go afterwards. Waits on the host while the copies before are still to be done.
    void upload(const RawTrainFrame& raw, const cuda::Stream& copies);

    std::mutex mutex;
    cuda::UploadedBuffer<image::Rgb> color;
    cuda::UploadedBuffer<std::uint16_t> depth_mm;
    cuda::UploadedBuffer<std::uint8_t> context;
    cuda::UploadedBuffer<float> maps;
    cuda::Event copied, prepared;
  };
  /// What brings frames, beside other loaders. Copies run ahead of the preparation, as far as there is staging room:
  /// preparation waits for multiprocessors that the response kernel does not share.
  struct Loader {
    explicit Loader(const image::Preparation& preparation) : preparer(preparation, false, kWindowStep) {}
    std::mutex mutex;  // of the preparation; frames are copied side by side
    cuda::Stream copies, work;
    cuda::Event done;
    image::FramePreparer preparer;
    // Few, for their pages are locked before the first frames go: at 1.4 GB/s, those of three loaders in 26 ms where a
    // frame has 1.5 MB. More would bring no frame sooner: to copy takes less time than to prepare.
    std::array<Staging, 8> ring;
    std::atomic<std::size_t> next = 0;
  };
  void bring(const std::vector<std::uint32_t>& missing, const std::vector<std::size_t>& slots);
  void bring_one(std::uint32_t index, std::size_t slot, const RawTrainFrame& raw, Loader& loader);
  /// Enqueues what makes planes and table entry of a frame from its pixels. @param slot  Of the planes.
  void prepare(std::uint32_t index, std::size_t slot, const RawTrainFrame& raw, const Staging& pixels, Loader& loader);
  void bring_batch(std::span<const std::uint32_t> indices);

  RawFrames& frames_;
  image::ChannelLayout channels_;
  ThreadPool& pool_;
  int gpu_;
  FrameSlot slot_;
  LruCache policy_{0};
  cuda::GpuBuffer<std::uint32_t> planes_;     // [slot][num_sums]
  cuda::GpuBuffer<std::int16_t> map_values_;  // [slot][num_map_values]
  cuda::GpuBuffer<TrainFrame> table_;
  std::vector<std::unique_ptr<Loader>> loaders_;
  std::array<cuda::Event, 2> worked_;  // on the batches, turn by turn
  bool forth_ = true;
  std::atomic<std::size_t> uploaded_bytes_ = 0;
};

}  // namespace fernwood::train
