// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What a device finds in a frame for ObjectFinder, which merges the pieces and describes the objects on the host.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"
#include "objects/boxes.h"
#include "objects/object_formulas.h"
#include "objects/pieces.h"

namespace fernwood::objects {

/// Connected pixels of a frame, and what they add up to.
struct Survey {
  LevelFrame level;
  std::vector<Piece> pieces;        ///< In the order of their first pixels.
  std::vector<Contact> contacts;    ///< In any order.
  std::vector<PixelSums> of_stuff;  ///< [class]
};

/// Numbers and measures of a frame's objects, once pieces have been merged.
struct Measured {
  image::InstanceImage numbers;
  std::vector<ObjectSums> sums;  ///< [object]
};

/// Surveys frames in the memory of a GPU, with results identical to the CPU's.
class GpuSurveyor {
 public:
  virtual ~GpuSurveyor() = default;
  /// @param frame          With depth in mm.
  /// @param probabilities  [class][rows][cols] or null.
  virtual Survey survey(const image::FrameImages& frame, const image::Camera& camera, const std::uint16_t* labels,
                        const float* probabilities, void* stream) = 0;
  /// Of the frame surveyed last. @param object_of  [piece] or kNoObject.
  virtual Measured measure(const std::vector<std::uint32_t>& object_of, std::size_t num_objects) = 0;
};

/// @param is_thing  [class] @throws Error(kDevice) without CUDA.
std::unique_ptr<GpuSurveyor> make_gpu_surveyor(const std::vector<std::uint8_t>& is_thing, double gap_m, int gpu);

}  // namespace fernwood::objects
