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

namespace fernwood::train {

/// A frame in the form that training on a GPU reads: raw pixels, with depth filled as requested. Its memory is not
/// page-locked, because most frames are copied to the GPU only once: locking takes longer than copying, and serialises
/// threads.
struct RawTrainFrame {
  std::int32_t rows = 0, cols = 0;
  Array2<image::Rgb> color;        ///< [rows][cols], or empty
  Array2<std::uint16_t> depth_mm;  ///< [rows][cols], or empty
  image::Camera camera;            ///< See camera_of().
  image::Vector3 up;               ///< As in Frame.
  image::SuppliedMaps maps;        ///< As in Frame, if the model reads them.
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

/// Reuses the images of `frame` where they need no change.
/// @throws Error(kData) when the frame lacks data that the channels need.
RawTrainFrame make_raw_frame(image::Frame frame, image::LabelImage labels, const image::Preparation& preparation);

using RawFrames = CachedFrames<RawTrainFrame>;

/// Size of a prepared frame in GPU memory, in elements.
struct FrameSlot {
  std::size_t num_sums = 0;        ///< Sums of all planes, including packed ones.
  std::size_t num_map_values = 0;  ///< Values of all feature maps.
};

/// Cache of prepared frames in GPU memory, as many as fit. Other frames are loaded when they are visited: their raw
/// pixels are copied and prepared concurrently with the work on frames that are already loaded.
class FrameCache {
 public:
  /// @param slot          Size of the largest frame.
  /// @param memory_bytes  Limit for the cached frames. @throws Error(kResource) if fewer than two fit.
  FrameCache(RawFrames& frames, const image::Preparation& preparation, FrameSlot slot, std::size_t memory_bytes,
             ThreadPool& pool, int gpu);

  /// Called while frames [begin, end) of the visit are loaded; enqueues its work in the stream.
  using Work = std::function<void(std::uint32_t begin, std::uint32_t end)>;
  /// Visits frames in batches, in alternating directions, so that the last frames of one visit are the first of the
  /// next.
  /// @param indices  [frames] in the data set
  void visit(const std::vector<std::uint32_t>& indices, const cuda::Stream& stream, const Work& work);

  /// Invalidates all frames, because the data from which they are prepared have changed.
  void forget();

  /// [frame of the data set]; valid for loaded frames.
  View1<const TrainFrame> table() const { return {table_.data(), table_.size()}; }
  const LruCache& policy() const { return policy_; }
  std::size_t uploaded_bytes() const { return uploaded_bytes_; }

 private:
  /// Buffers for raw pixels in transit through page-locked memory; used by one thread at a time.
  struct Staging {
    /// The frame may be destroyed afterwards. Blocks the host while earlier copies from these buffers are pending.
    void upload(const RawTrainFrame& raw, const cuda::Stream& copies);

    std::mutex mutex;
    cuda::UploadedBuffer<image::Rgb> color;
    cuda::UploadedBuffer<std::uint16_t> depth_mm;
    cuda::UploadedBuffer<std::uint8_t> context;
    cuda::UploadedBuffer<float> maps;
    cuda::Event copied, prepared;
  };
  /// Loads frames, concurrently with other loaders. Copies run ahead of the preparation as far as staging buffers
  /// allow: preparation waits for multiprocessors that the response kernel does not share.
  struct Loader {
    explicit Loader(const image::Preparation& preparation) : preparer(preparation, false, kWindowStep) {}
    std::mutex mutex;  // guards the preparation; frames are copied concurrently
    cuda::Stream copies, work;
    cuda::Event done;
    image::FramePreparer preparer;
    // A small number, because their pages are locked before the first frames are copied: at 1.4 GB/s, those of three
    // loaders in 26 ms where a frame has 1.5 MB. More would not load frames sooner: copying takes less time than
    // preparing.
    std::array<Staging, 8> ring;
    std::atomic<std::size_t> next = 0;
  };
  void bring(const std::vector<std::uint32_t>& missing, const std::vector<std::size_t>& slots);
  void bring_one(std::uint32_t index, std::size_t slot, const RawTrainFrame& raw, Loader& loader);
  /// Enqueues the computation of planes and table entry of a frame from its pixels. @param slot  Slot of the planes.
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
  std::array<cuda::Event, 2> worked_;  // work on the batches, alternately
  bool forth_ = true;
  std::atomic<std::size_t> uploaded_bytes_ = 0;
};

}  // namespace fernwood::train
