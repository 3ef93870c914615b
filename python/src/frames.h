// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Frames and labels between arrays of Python and the library.

#include <nanobind/ndarray.h>

#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"
#include "python/src/bindings.h"

namespace fernwood::python {

using AnyArray = nb::ndarray<nb::ro>;

/// Where arrays may lie.
enum class Reach { kHost, kHostOrGpu };

/// The device of an array.
Device device_of(const AnyArray& array);

/// The arrays of a frame, checked. Made, copied and destroyed with the GIL, read without.
struct FrameArrays {
  AnyArray color, depth;  ///< One of them may be invalid: there is none.
  std::optional<image::Camera> camera;
  image::Vector3 up = image::kImageUp;
  /// Of depth that another camera took; null: depth is registered to colour.
  std::shared_ptr<const image::DepthAligner> aligner = {};
  AnyArray maps = {};  ///< Feature maps, float32 [maps][rows][cols] without gaps; or invalid.

  const AnyArray& first() const { return color.is_valid() ? color : depth; }
  Device device() const { return device_of(first()); }
  std::size_t rows() const { return first().shape(0); }
  std::size_t cols() const { return first().shape(1); }
};

/// @param color  None, or uint8 [rows][cols][3] with any strides. @param depth  None, or [rows][cols] of uint16 in
///               millimetres, or of float32 or float64 in metres. @param camera  None, or four numbers, fx, fy, cx, cy
///               in pixels.
/// @param up     None, or three numbers. @param maps  None, or feature maps [maps][rows][cols] of any numbers, those of
/// a
///               GPU float32 and contiguous. @param depth_camera  None, or a fernwood.DepthCamera. @param place  Names
///               the frame in messages.
/// @param reach  Arrays of a GPU have pixels that follow one another in a row, and depth in mm or as float32.
/// @throws Error(kUsage) naming the argument, its value and the remedy, Error(kDevice) for arrays out of reach, or of
///         two devices.
FrameArrays frame_arrays(nb::handle color, nb::handle depth, nb::handle camera, nb::handle up, nb::handle maps,
                         nb::handle depth_camera, const char* place, Reach reach = Reach::kHost);
/// An item of a sequence of frames: an array alone, (color, depth), or an object with these and camera, up, maps
/// and depth_camera.
FrameArrays frame_arrays(nb::handle item, const char* place);
/// Takes the pixels; memory that `frame` has is used again where the size is the same. Needs no GIL.
void copy_frame(const FrameArrays& arrays, image::Frame& frame);
/// The pixels where they lie, for as long as the arrays and the frame stay. On the host only arrays whose rows follow
/// each other, in the library's own types; others are copied into the frame. Needs no GIL.
image::FrameImages borrow_frame(const FrameArrays& arrays, image::Frame& frame);

/// What depths of a frame count as. Some of them are added; those of a GPU are not looked at. Needs no GIL.
dataset::DepthOrigin depth_origin_of(const FrameArrays& arrays);
void add_some(const FrameArrays& arrays, dataset::DepthHistogram& depths);

/// Where labels are to be written: [rows][cols] of uint16 on this device, the pixels of a row following one another.
/// @throws Error(kUsage), Error(kDevice).
nb::ndarray<> label_target(nb::handle out, std::size_t rows, std::size_t cols, Device device);
/// Bytes from row to row of a table whose numbers follow one another in a row.
std::size_t pitch_bytes(const nb::ndarray<>& table);

/// Labels, [rows][cols] of integers. @throws Error(kUsage).
AnyArray label_array(nb::handle labels, const char* place);
/// Classes and kVoid: negative numbers, and 255 among 8 bits, mean void. Needs no GIL. @throws Error(kData) for numbers
/// beyond 65535.
image::LabelImage to_labels(const AnyArray& labels, const char* place);

/// Arrays of NumPy that take what is given.
nb::object to_numpy(image::LabelImage&& labels);
nb::object to_numpy(Array2<image::Rgb>&& color);
nb::object to_numpy(image::SuppliedMaps&& maps);
/// [class][rows][cols] as float32 [rows][cols][class].
nb::object to_numpy(const std::vector<Array2<float>>& planes);

/// Feature maps that a function of Python returned. @throws Error(kUsage).
image::SuppliedMaps to_maps(nb::handle given, const char* place);

/// None, or four numbers: a camera of frames of this size.
std::optional<image::Camera> to_camera(nb::handle given, std::size_t rows, std::size_t cols, const char* place);

}  // namespace fernwood::python
