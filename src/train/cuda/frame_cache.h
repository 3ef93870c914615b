// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <span>

#include "fernwood/dataset/dataset.h"
#include "image/cuda/frame_preparer.h"
#include "train/cuda/respond.h"
#include "train/frame_store.h"
#include "train/lru_cache.h"

namespace fernwood::train {

/// A frame as training on a GPU needs it: raw pixels in page-locked memory, with depth filled as asked for.
struct RawTrainFrame {
  std::int32_t rows = 0, cols = 0;
  cuda::PinnedBuffer<image::Rgb> color;        ///< [rows][cols], or empty
  cuda::PinnedBuffer<std::uint16_t> depth_mm;  ///< [rows][cols], or empty
  image::Camera camera;                        ///< See camera_of().
  image::Vector3 up;                           ///< As in Frame.
  bool depth_complete = false;
  std::int32_t highest_depth_mm = 0;
  cuda::PinnedBuffer<std::uint8_t> context;  ///< [class][cell rows][cell cols] See ContextMaps; or empty
  image::LabelImage labels;

  std::size_t pixel_bytes() const { return color.size_bytes() + depth_mm.size_bytes() + context.size_bytes(); }
  std::size_t size_bytes() const { return pixel_bytes() + labels.size() * sizeof(std::uint16_t); }
};

/// @param labels  Moved into the result.
/// @throws Error(kData) when the frame lacks what the channels need.
RawTrainFrame make_raw_frame(const image::Frame& frame, image::LabelImage labels,
                             const image::Preparation& preparation);

using RawFrames = KeptFrames<RawTrainFrame>;

/// The image cache: prepared frames in GPU memory, as many as there is room for. Others are brought when they are
/// visited, their raw pixels copied and prepared beside the work on frames that are there already.
class FrameCache {
 public:
  /// @param slot_size     Numbers that the largest frame takes.
  /// @param memory_bytes  Bound of the frames held. @throws Error(kResource) when that is less than two.
  FrameCache(RawFrames& frames, const image::Preparation& preparation, std::size_t slot_size, std::size_t memory_bytes,
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
  /// Raw pixels on their way.
  struct Staging {
    cuda::GpuBuffer<image::Rgb> color;
    cuda::GpuBuffer<std::uint16_t> depth_mm;
    cuda::GpuBuffer<std::uint8_t> context;
    cuda::Event copied, prepared;
  };
  /// What brings frames, beside other loaders. Copies run ahead of the preparation, as far as there is staging room:
  /// preparation waits for multiprocessors that the response kernel does not share.
  struct Loader {
    explicit Loader(const image::Preparation& preparation) : preparer(preparation, false, kWindowStep) {}
    std::mutex mutex;
    cuda::Stream copies, work;
    cuda::Event done;
    image::FramePreparer preparer;
    std::array<Staging, 32> ring;
    std::size_t next = 0;
  };
  void bring(const std::vector<std::uint32_t>& missing, const std::vector<std::size_t>& slots);
  void bring_one(std::uint32_t index, std::size_t slot, const RawTrainFrame& raw, Loader& loader);
  void bring_batch(std::span<const std::uint32_t> indices);

  RawFrames& frames_;
  image::ChannelLayout channels_;
  ThreadPool& pool_;
  int gpu_;
  std::size_t slot_size_;  // numbers
  LruCache policy_{0};
  cuda::GpuBuffer<std::uint32_t> planes_;  // [slot][slot_size]
  cuda::GpuBuffer<TrainFrame> table_;
  std::vector<std::unique_ptr<Loader>> loaders_;
  std::array<cuda::Event, 2> worked_;  // on the batches, turn by turn
  bool forth_ = true;
  std::atomic<std::size_t> uploaded_bytes_ = 0;
};

}  // namespace fernwood::train
