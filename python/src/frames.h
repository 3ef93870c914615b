// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Frames and labels between arrays of Python and the library.

#include <nanobind/ndarray.h>

#include <optional>
#include <string>
#include <vector>

#include "fernwood/dataset/dataset.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"
#include "python/src/bindings.h"

namespace fernwood::python {

using AnyArray = nb::ndarray<nb::ro>;

/// The arrays of a frame, checked. Made, copied and destroyed with the GIL, read without.
struct FrameArrays {
  AnyArray color, depth;  ///< One of them may be invalid: there is none.
  std::optional<image::Camera> camera;
  image::Vector3 up = image::kImageUp;

  const AnyArray& first() const { return color.is_valid() ? color : depth; }
  std::size_t rows() const { return first().shape(0); }
  std::size_t cols() const { return first().shape(1); }
};

/// @param color  None, or uint8 [rows][cols][3] with any strides. @param depth  None, or [rows][cols] of uint16 in
///               millimetres, or of float32 or float64 in metres. @param camera  None, or four numbers, fx, fy, cx, cy
///               in pixels.
/// @param up     None, or three numbers. @param place  Names the frame in messages.
/// @throws Error(kUsage) naming the argument, its value and the remedy, Error(kDevice) for arrays of a GPU.
FrameArrays frame_arrays(nb::handle color, nb::handle depth, nb::handle camera, nb::handle up, const char* place);
/// An item of a sequence of frames: an array alone, (color, depth), or an object with these and camera and up.
FrameArrays frame_arrays(nb::handle item, const char* place);
/// Takes the pixels; memory that `frame` has is used again where the size is the same. Needs no GIL.
void copy_frame(const FrameArrays& arrays, image::Frame& frame);

/// Labels, [rows][cols] of integers. @throws Error(kUsage).
AnyArray label_array(nb::handle labels, const char* place);
/// Classes and kVoid: negative numbers, and 255 among 8 bits, mean void. Needs no GIL. @throws Error(kData) for numbers
/// beyond 65535.
image::LabelImage to_labels(const AnyArray& labels, const char* place);

/// Arrays of NumPy that take what is given.
nb::object to_numpy(image::LabelImage&& labels);
nb::object to_numpy(Array2<image::Rgb>&& color);
/// [class][rows][cols] as float32 [rows][cols][class].
nb::object to_numpy(const std::vector<Array2<float>>& planes);

/// None, or four numbers: a camera of frames of this size.
std::optional<image::Camera> to_camera(nb::handle given, std::size_t rows, std::size_t cols, const char* place);

}  // namespace fernwood::python
