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

/// Temporal fusion on the GPU in use, bit for bit as SteadyFusion has it: motion, what is carried, smoothing and
/// blending stay in GPU memory. Trees are asked about all cells of all frames; those that are not wanted, as all of
/// frames that are no key frames, are not looked at.
class GpuSteadyFusion {
 public:
  /// @param keyframe_every  See PredictOptions.
  GpuSteadyFusion(const PredictOptions& options, int keyframe_every, std::size_t num_classes);
  ~GpuSteadyFusion();
  GpuSteadyFusion(const GpuSteadyFusion&) = delete;
  GpuSteadyFusion& operator=(const GpuSteadyFusion&) = delete;

  /// The next frame; its maps are the next that are fused.
  void start(const image::FrameImages& frame);
  /// Enqueues the fusion of what trees say, behind that of the frame before.
  /// @param guide  The frame's images as they are, in GPU memory. @param maps  [class][cells] in GPU memory, changed.
  void fuse(const SmoothingGuide& guide, std::uint8_t* maps, const cuda::Stream& stream);
  /// Of the frame fused last. Waits for it.
  SteadyFrame last();

  /// What a frame's launches leave to each other and to the host.
  struct Tally {
    image::FoundMotion motion;       ///< To the frame before.
    image::RigidMotion last_motion;  ///< As the next search begins.
    std::int32_t num_followed = 0, num_wanted = 0;
    KeyFrames keys;
    bool follows = false, is_key = true;
  };

 private:
  /// A frame with what is known of its cells, as SteadyFusion::Known.
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
  /// Enqueues the search for the motion, where there may be one; what is told then is wrong if the search fails.
  void find_motion(const cuda::Stream& stream);
  void smooth(const SmoothingGuide& guide, std::uint8_t* maps, const cuda::Stream& stream);

  int refresh_, keyframe_every_;
  std::int32_t num_classes_, num_frames_ = 0;
  std::array<Known, 2> frames_;  // the one in hand is frames_[num_frames_ % 2]
  image::FrameImages frame_;     // its images are not read
  const char* why_not_ = nullptr;
  image::GpuRegistration registration_;
  GpuSmoother smoother_;  // of cells
  cuda::GpuBuffer<image::Rgb> cell_color_;
  cuda::GpuBuffer<std::uint16_t> cell_depth_;
  cuda::GpuBuffer<float> planes_;
  cuda::GpuBuffer<std::uint8_t> wanted_;
  cuda::GpuBuffer<Tally> tally_;  // one
  cuda::PinnedBuffer<Tally> host_tally_;
  cuda::Event done_;
};

}  // namespace fernwood::predict
