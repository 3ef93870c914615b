// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Conversion of frames and labels between Python's arrays and the library's types.

#include <nanobind/ndarray.h>

#include <optional>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/image/camera.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"
#include "python/src/bindings.h"

namespace fernwood::python {

using AnyArray = nb::ndarray<nb::ro>;

/// Where the memory of an array may be.
enum class Reach { kHost, kHostOrGpu };

/// The device of an array.
Device device_of(const AnyArray& array);

/// The checked arrays of a frame. Created, copied and destroyed with the GIL; may be read without.
struct FrameArrays {
  AnyArray color, depth;  ///< One of them may be invalid: the frame has no such image.
  std::optional<image::Camera> camera;
  image::Vector3 up = image::kImageUp;
  /// For depth of another camera; null: depth is registered to colour.
  std::shared_ptr<const image::DepthAligner> aligner = {};
  AnyArray maps = {};  ///< Feature maps, float32 [maps][rows][cols] without gaps; or invalid.

  const AnyArray& first() const { return color.is_valid() ? color : depth; }
  Device device() const { return device_of(first()); }
  std::size_t rows() const { return first().shape(0); }
  std::size_t cols() const { return first().shape(1); }
};

/// @param color  None, or uint8 [rows][cols][3] with any strides.
/// @param depth  None, or [rows][cols] of uint16 in millimetres, or of float32 or float64 in metres.
/// @param camera  None, or four numbers, fx, fy, cx, cy in pixels.
/// @param up     None, or three numbers.
/// @param maps  None, or feature maps [maps][rows][cols] of any numeric type; on a GPU, float32 and contiguous.
/// @param depth_camera  None, or a fernwood.DepthCamera.
/// @param place  Name of the frame in messages.
/// @param reach  Arrays on a GPU must have contiguous rows, and depth in mm or as float32.
/// @throws Error(kUsage) naming the argument, its value and the remedy, Error(kDevice) for arrays out of reach, or on
///         two devices.
FrameArrays frame_arrays(nb::handle color, nb::handle depth, nb::handle camera, nb::handle up, nb::handle maps,
                         nb::handle depth_camera, const char* place, Reach reach = Reach::kHost);
/// An item of a sequence of frames: only an array, (color, depth), or an object with these and camera, up, maps and
/// depth_camera.
FrameArrays frame_arrays(nb::handle item, const char* place);
/// Copies the pixels; memory of `frame` is reused if the size is the same. Needs no GIL.
void copy_frame(const FrameArrays& arrays, image::Frame& frame);
/// A view of the pixels in place, valid while the arrays and the frame exist. On the host only arrays without gaps, in
/// the library's own types, are viewed; others are copied into `frame`. Needs no GIL.
image::FrameImages borrow_frame(const FrameArrays& arrays, image::Frame& frame);

/// Origin of the depths of a frame. add_some() adds a sample of them to a histogram, but none from a GPU. Neither needs
/// the GIL.
dataset::DepthOrigin depth_origin_of(const FrameArrays& arrays);
void add_some(const FrameArrays& arrays, dataset::DepthHistogram& depths);

/// The array to write labels to: [rows][cols] of uint16 on this device, with contiguous rows.
/// @throws Error(kUsage), Error(kDevice).
nb::ndarray<> label_target(nb::handle out, std::size_t rows, std::size_t cols, Device device);
/// Bytes from row to row of a table with contiguous rows.
std::size_t pitch_bytes(const nb::ndarray<>& table);

/// Labels, [rows][cols] of integers. @throws Error(kUsage).
AnyArray label_array(nb::handle labels, const char* place);
/// Class indices and kVoid: negative numbers, and 255 in 8-bit labels, mean void. Needs no GIL. @throws Error(kData)
/// for numbers above 65535.
image::LabelImage to_labels(const AnyArray& labels, const char* place);

/// NumPy arrays that own the moved data.
nb::object to_numpy(image::LabelImage&& labels);
nb::object to_numpy(Array2<image::Rgb>&& color);
nb::object to_numpy(image::SuppliedMaps&& maps);
/// [class][rows][cols] as float32 [rows][cols][class].
nb::object to_numpy(const std::vector<Array2<float>>& planes);

/// Feature maps returned by a Python function. @throws Error(kUsage).
image::SuppliedMaps to_maps(nb::handle given, const char* place);

/// The camera of frames of this size, from None or four numbers.
std::optional<image::Camera> to_camera(nb::handle given, std::size_t rows, std::size_t cols, const char* place);

/// None, or fx, fy, cx, cy in pixels, scaled to frames of this size.
nb::object camera_numbers(const std::optional<image::Camera>& camera, std::size_t rows, std::size_t cols);

/// None, or twelve numbers: rotation and translation, row by row.
nb::object motion_numbers(const std::optional<image::RigidMotion>& motion);

}  // namespace fernwood::python
