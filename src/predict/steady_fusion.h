// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/image/context.h"
#include "fernwood/predict/predictor.h"
#include "image/registration.h"
#include "predict/smoothing.h"
#include "predict/steady_formula.h"

namespace fernwood::predict {

/// Reason why a frame does not follow the previous one, known before the search for a motion; null: none.
const char* why_not_followed(bool has_depth, bool has_before, bool has_size_of_before);
inline constexpr const char* kNoMotion = "the camera motion could not be estimated from depth";
inline constexpr const char* kDoesNotFit = "what it shows does not fit the frame before";

/// Fuses class probabilities of cells over the frames of a video, on the CPU: they are transferred along the camera's
/// motion where depth shows the same surface, and blended with those of the current frame.
class SteadyFusion {
 public:
  /// @param options  Its smoothing is applied to the probabilities of each frame before blending, so that fused values
  ///                 stay on the surfaces that were followed, and do not jump to the edges of each frame.
  /// @param keyframe_every  See keyframe_interval().
  SteadyFusion(const PredictOptions& options, int keyframe_every, std::size_t num_classes);

  /// Begins a frame: finds its motion, and transfers values and evidence to its cells.
  /// @param frame  With plain images.
  /// @return  [cells] Whether a cell must be evaluated; empty if none must be.
  const std::vector<std::uint8_t>& follow(const image::FrameImages& frame, ThreadPool& pool);
  /// Ends a frame. @param maps  Tree output for the cells to evaluate, empty if there are none; replaced by the fused
  /// probabilities.
  void fuse(const image::FrameImages& frame, image::ContextMaps& maps, ThreadPool& pool);

  const SteadyFrame& last() const { return last_; }

 private:
  /// A frame with the state of its cells.
  struct Known {
    image::FrameSurfaces surfaces;
    std::optional<image::RigidMotion> pose = {};
    bool has_depth = false;              ///< If not, nothing can be followed to it.
    std::size_t rows = 0, cols = 0;      ///< In cells.
    std::vector<float> filled;           ///< [cells] See filled_inverse().
    std::vector<std::uint16_t> values;   ///< [class][cells] in 1 / (255 kFusedStep).
    std::vector<std::uint8_t> evidence;  ///< [cells] 0: unknown.

    image::SurfaceView filled_view() const;
  };
  /// Motion from places of `now` to those of the previous frame; if unknown, nullopt, and the reason is stored in
  /// last_.
  std::optional<image::RigidMotion> find_motion(const Known& now, ThreadPool& pool);
  /// Transfers values and evidence from the previous frame.
  void carry(const image::RigidMotion& motion, Known& now, ThreadPool& pool);
  /// Copies probabilities of known cells to unknown ones.
  void extrapolate(Known& now, ThreadPool& pool) const;
  /// Smooths over all cells, with the current frame's output where it was evaluated and transferred values elsewhere.
  void smooth(const image::FrameImages& frame, image::ContextMaps& maps, ThreadPool& pool);

  int keyframe_every_;
  std::size_t num_classes_;
  Smoother smoother_;
  std::vector<Array2<float>> planes_;  // [class]
  KeyFrames keys_;
  Known known_, next_;  // next_: the current frame, or memory for the next
  image::RigidMotion last_motion_;
  std::vector<std::uint8_t> wanted_;
  SteadyFrame last_;
};

}  // namespace fernwood::predict
