// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/cuda/buffer.h"
#include "core/cuda/runtime.h"
#include "image/cuda/registration.h"
#include "predict/cuda/label_stages.h"
#include "predict/steady_fusion.h"

namespace fernwood::predict {

/// Temporal fusion on the current GPU, bit-identical to SteadyFusion: motion, transferred values, smoothing and
/// blending stay in GPU memory. Trees are evaluated for all cells of all frames; results for cells that are not wanted,
/// such as all cells of frames between key frames, are ignored.
class GpuSteadyFusion {
 public:
  /// @param keyframe_every  See keyframe_interval().
  GpuSteadyFusion(const PredictOptions& options, int keyframe_every, std::size_t num_classes);
  ~GpuSteadyFusion();
  GpuSteadyFusion(const GpuSteadyFusion&) = delete;
  GpuSteadyFusion& operator=(const GpuSteadyFusion&) = delete;

  /// Sets the next frame; the next call of fuse() refers to it.
  void start(const image::FrameImages& frame);
  /// Enqueues the fusion of the tree output, after that of the previous frame.
  /// @param guide  The frame's unprocessed images, in GPU memory. @param maps  [class][cells] in GPU memory, in place.
  void fuse(const SmoothingGuide& guide, std::uint8_t* maps, const cuda::Stream& stream);
  /// State after the last fused frame. Waits for it.
  SteadyFrame last();

  /// Results of a frame's launches for later launches and for the host.
  struct Tally {
    image::FoundMotion motion;       ///< To the previous frame.
    image::RigidMotion last_motion;  ///< Initial guess of the next search.
    std::int32_t num_followed = 0, num_wanted = 0;
    KeyFrames keys;
    bool follows = false, is_key = true;
  };

 private:
  /// A frame with the state of its cells, as SteadyFusion::Known.
  struct Known {
    image::GpuSurfaces surfaces;
    std::optional<image::RigidMotion> pose;
    bool has_depth = false;
    std::int32_t rows = 0, cols = 0;
    cuda::GpuBuffer<float> filled;
    cuda::GpuBuffer<std::uint16_t> values;
    cuda::GpuBuffer<std::uint8_t> evidence;

    image::SurfaceView filled_view() const;
  };
  void make_room(Known& known) const;
  /// Enqueues the search for the motion, if one is possible; its result is invalid if the search fails.
  void find_motion(const cuda::Stream& stream);
  void smooth(const SmoothingGuide& guide, std::uint8_t* maps, const cuda::Stream& stream);

  int keyframe_every_;
  std::int32_t num_classes_, num_frames_ = 0;
  std::array<Known, 2> frames_;  // the current one is frames_[num_frames_ % 2]
  image::FrameImages frame_;     // its images are not read
  const char* why_not_ = nullptr;
  image::GpuRegistration registration_;
  GpuSmoother smoother_;
  cuda::GpuBuffer<float> planes_;
  cuda::GpuBuffer<std::uint8_t> wanted_;
  cuda::GpuBuffer<Tally> tally_;  // a single element
  cuda::PinnedBuffer<Tally> host_tally_;
  cuda::Event done_;
};

}  // namespace fernwood::predict
