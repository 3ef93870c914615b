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

/// Why a frame stands alone. Of what is known before a motion is looked for, null: nothing.
const char* why_not_followed(bool has_depth, bool has_before, bool has_size_of_before);
inline constexpr const char* kNoMotion = "the camera's motion cannot be told from its depth";
inline constexpr const char* kDoesNotFit = "what it shows does not fit the frame before";

/// Fuses class probabilities of cells over the frames of a video, on the processor's cores: they are carried along the
/// camera's motion where depth says that the same surface is seen, and blended with what this frame says.
class SteadyFusion {
 public:
  /// @param options  Of which the smoothing is done to what each frame says, before it is blended: what is fused keeps
  ///                 to the surfaces that were followed, and does not jump to the edges of each frame.
  /// @param keyframe_every  See PredictOptions.
  SteadyFusion(const PredictOptions& options, int keyframe_every, std::size_t num_classes);

  /// Begins with a frame: finds its motion and what is known of its cells.
  /// @param frame  Plain.
  /// @return  [cells] Whether a cell is to be evaluated; empty where none is.
  const std::vector<std::uint8_t>& follow(const image::FrameImages& frame, ThreadPool& pool);
  /// Ends with it. @param maps  What trees say of the cells that are to be evaluated, empty where none is; becomes what
  /// all frames say.
  void fuse(const image::FrameImages& frame, image::ContextMaps& maps, ThreadPool& pool);

  const SteadyFrame& last() const { return last_; }

 private:
  /// A frame with what is known of its cells.
  struct Known {
    image::FrameSurfaces surfaces;
    std::optional<image::RigidMotion> pose = {};
    bool has_depth = false;              ///< Else nothing can be followed to it.
    std::size_t rows = 0, cols = 0;      ///< In cells.
    std::vector<float> filled;           ///< [cells] See filled_inverse().
    std::vector<std::uint16_t> values;   ///< [class][cells] in 1 / (255 kFusedStep).
    std::vector<std::uint8_t> evidence;  ///< [cells] 0: nothing is known.

    image::SurfaceView filled_view() const;
  };
  /// Of places of `now` to those of the frame before; nothing, with the reason, where it is not known.
  std::optional<image::RigidMotion> find_motion(const Known& now, ThreadPool& pool);
  /// Takes over what the frame before knows of the cells.
  void carry(const image::RigidMotion& motion, Known& now, ThreadPool& pool);
  /// Gives the cells of which nothing is known the probabilities of known ones.
  void extrapolate(Known& now, ThreadPool& pool) const;
  /// Smooths what is known of all cells, that of this frame included, for those that were evaluated.
  void smooth(const image::FrameImages& frame, image::ContextMaps& maps, ThreadPool& pool);

  int refresh_, keyframe_every_;
  std::size_t num_classes_;
  Smoother smoother_;  // of cells, which it sees so:
  Array2<image::Rgb> cell_color_;
  Array2<std::uint16_t> cell_depth_mm_;
  std::vector<Array2<float>> planes_;  // [class]
  KeyFrames keys_;
  Known known_, next_;  // next_: of the frame in hand, or memory for the next
  image::RigidMotion last_motion_;
  std::vector<std::uint8_t> wanted_;
  SteadyFrame last_;
};

}  // namespace fernwood::predict
