// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Objects of a frame: pixels of one class whose surfaces are connected in space. No network and no training is needed;
// the result is the same on every device and for any number of threads.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/core/option_table.h"
#include "fernwood/core/parallel.h"
#include "fernwood/image/camera.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"

namespace fernwood::objects {

struct ObjectOptions {
  /// Names of the classes that are things; empty: as the model states, see image::ClassInfo::is_thing().
  std::vector<std::string> things = {};
  /// Parts of an object are joined behind occluders of this width, and small ones with larger ones within this
  /// distance, in metres, [0, 2].
  double gap_m = 0.4;
  double min_area_cm2 = 50;  ///< Objects with a smaller visible area are dropped, in cm2, [0, 10000].
  /// Least mean probability of its class that a piece has to be an object of it, [0, 1]. Unset: 12 times that of
  /// chance, at most 0.5, because the probabilities of many classes are lower.
  std::optional<double> min_confidence = std::nullopt;

  double least_confidence(std::size_t num_classes) const {
    return min_confidence.value_or(std::min(0.5, 12.0 / static_cast<double>(num_classes)));
  }
  static OptionTable<ObjectOptions> table();
  void check() const;  ///< @throws OptionError naming the option out of its range.
};

/// A box with three orthogonal axes.
struct Box {
  image::Vector3 center = {};               ///< In metres.
  std::array<image::Vector3, 3> axes = {};  ///< Of length 1: two level ones, the longer side first, and up.
  image::Vector3 size = {};                 ///< Extents along the axes, in metres.

  bool operator==(const Box&) const = default;
  double volume_m3() const {
    return static_cast<double>(size.x) * static_cast<double>(size.y) * static_cast<double>(size.z);
  }
};

/// The pixels of an object, or all pixels of a class of stuff. Lengths are in metres, places in coordinates of the
/// camera.
struct Object {
  std::uint16_t number = 0;          ///< From 1, roughly from top to bottom; of stuff image::kNoInstance.
  std::uint16_t label = 0;           ///< Class.
  std::vector<float> probabilities;  ///< [class] Mean over the pixels; empty if those of pixels are not given.
  float confidence = 0;              ///< Mean probability of `label`; 0 without probabilities.
  std::uint32_t num_pixels = 0;
  std::int32_t left = 0, top = 0, right = 0, bottom = 0;  ///< First and last column and row.
  bool touches_border = false;                            ///< Whether the object is cut off by the edge of the frame.
  float area_m2 = 0;          ///< Of the visible surface. This and what follows is 0 where all depth is unknown.
  float distance_m = 0;       ///< From the camera to the nearest point.
  image::Vector3 place = {};  ///< Mean of the visible points.
  Box box = {};               ///< Contains the visible points.
  bool operator==(const Object&) const = default;
};

/// An object in other coordinates, such as those of the room. @param motion  To these, from those of the object.
Object moved(Object object, const image::RigidMotion& motion);

/// The objects of a frame.
struct FrameObjects {
  image::InstanceImage numbers;  ///< [rows][cols] Object::number, or image::kNoInstance.
  std::vector<Object> objects;   ///< [number - 1]
  std::vector<Object> stuff;     ///< Classes of stuff that are visible, in the order of classes.
  bool operator==(const FrameObjects&) const = default;
};

/// Labels of a frame in the memory of a GPU.
struct LabelsOnGpu {
  const std::uint16_t* labels;           ///< [rows][cols]
  const float* probabilities = nullptr;  ///< [class][rows][cols] or null.
};

/// Finds the objects of frames. Pixels of a thing class are joined
/// - to their neighbours of the same class, unless the step of depth between them exceeds what noise and slant explain;
/// - to pixels of the same class, and of similar depth, that an occluder of at most ObjectOptions::gap_m separates.
/// Small pieces are merged with larger ones: those of their class nearby, and those whose class is improbable with what
/// they touch. May be used from only one thread at a time.
class ObjectFinder {
 public:
  /// @throws OptionError as ObjectOptions::check(), and for a thing that is not a class.
  explicit ObjectFinder(const image::ClassMap& classes, const ObjectOptions& options = {});
  ~ObjectFinder();

  /// @param frame          Depth and camera are read; without a camera, image::assumed_camera().
  /// @param probabilities  [class][rows][cols] Predicted probabilities, or empty.
  /// @param cuts           [rows][cols] 1 where a person has drawn a boundary between objects, across which nothing is
  ///                       joined; its own pixels belong to the nearest object of their class. Or empty.
  /// @throws Error(kData) for a frame without depth, and for images of different sizes.
  FrameObjects find(const image::FrameImages& frame, const image::LabelImage& labels,
                    std::span<const Array2<float>> probabilities, ThreadPool& pool,
                    const Array2<std::uint8_t>& cuts = {});
  /// The same for images in the memory of a GPU. Waits for the result.
  /// @param frame   Its depth must be in mm and registered.
  /// @param stream  A cudaStream_t, in which the work is enqueued; null: the default stream.
  /// @throws Error(kData) for a frame without depth, Error(kDevice) without CUDA.
  FrameObjects find_on_gpu(const image::FrameImages& frame, const LabelsOnGpu& labels, Device gpu,
                           void* stream = nullptr);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace fernwood::objects
