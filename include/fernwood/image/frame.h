// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/core/parallel.h"
#include "fernwood/image/align_depth.h"
#include "fernwood/image/camera.h"
#include "fernwood/image/rigid_motion.h"

namespace fernwood::image {

/// 8-bit sRGB.
struct Rgb {
  std::uint8_t r = 0, g = 0, b = 0;
  bool operator==(const Rgb&) const = default;
};

/// Most rows and columns that a frame may have: pixels are named by 16 bits each way.
inline constexpr std::size_t kMaxFrameSide = 65535;

/// Depths above this are taken for unknown: a channel value has 15 bits and a sign (see ChannelPlanes).
inline constexpr int kMaxDepthMm = 32767;

/// Whether a depth in mm is known: 0 says that it is not, and so does one beyond the limit.
template <typename Number>
FW_HD constexpr bool is_known_depth(Number depth_mm) {
  return depth_mm > 0 && depth_mm <= kMaxDepthMm;
}

/// A depth as frames have it: the nearest whole millimetre; 0, unknown, for NaN and what is out of range. Whatever
/// depth is given in passes through here.
FW_HD std::uint16_t round_depth_mm(double depth_mm) {
  const double above = depth_mm + 0.5;
  return above >= 1 && above < kMaxDepthMm + 1 ? static_cast<std::uint16_t>(above) : std::uint16_t{0};
}
/// The same of metres: a float times 1000 is exact in double precision.
FW_HD std::uint16_t to_depth_mm(float depth_m) { return round_depth_mm(static_cast<double>(depth_m) * 1000); }

/// Most feature maps that a frame may have, of all resolutions.
inline constexpr int kMaxMaps = 32768;

/// Feature maps that somebody else computes for a frame, such as those of a large network, a thermal picture or
/// heights: as fine as the frame or coarser, each reaching over all of it.
struct SuppliedMaps {
  std::size_t num_maps = 0, rows = 0, cols = 0;
  std::vector<float> values;  ///< [map][row][col]; NaN: unknown.

  bool empty() const { return values.empty(); }
  bool operator==(const SuppliedMaps&) const = default;
};

/// One picture of a depth camera, as read: colour and depth registered to it. Either may be empty, not both;
/// when both are there they have the same size.
struct Frame {
  Array2<Rgb> color;                  ///< [rows][cols], or empty.
  Array2<std::uint16_t> depth_mm;     ///< [rows][cols], 0 = unknown, or empty.
  std::optional<Camera> camera = {};  ///< What took it, where that is known; for any size of frames.
  Vector3 up = kImageUp;              ///< About where up is, for example by an accelerometer; of any length but 0.
  SuppliedMaps maps = {};             ///< Or empty.

  std::size_t rows() const { return color.empty() ? depth_mm.rows() : color.rows(); }
  std::size_t cols() const { return color.empty() ? depth_mm.cols() : color.cols(); }
};

/// What frames have.
struct FrameContent {
  bool color = false, depth = false;
  std::size_t num_maps = 0;  ///< See SuppliedMaps.
};

/// A frame whose images lie in memory of somebody else, on the host or on a GPU. They stay there for as long as the
/// function says that takes one.
struct FrameImages {
  FrameImages() = default;
  /// The images of a frame that owns them. @throws Error(kData) when their sizes differ.
  FrameImages(const Frame& frame);

  std::size_t rows = 0, cols = 0;           ///< Of all images, but depth that is to be aligned.
  const Rgb* color = nullptr;               ///< Or null: there is none.
  const std::uint16_t* depth_mm = nullptr;  ///< 0 = unknown. Or null.
  const float* depth_m = nullptr;     ///< Depth in metres in place of depth_mm, as to_depth_mm() takes it. Or null.
  std::size_t color_pitch_bytes = 0;  ///< From row to row; 0: rows follow each other.
  std::size_t depth_pitch_bytes = 0;  ///< The same of depth.
  std::optional<Camera> camera = {};  ///< As in Frame.
  Vector3 up = kImageUp;              ///< As in Frame.
  /// Where the camera is, if known: of places as it sees them to places in the room. Labels of a video follow it.
  std::optional<RigidMotion> pose = {};
  /// Of depth that another camera took, which is moved to this frame's pixels before anything else is done with it: it
  /// has the size that the aligner says. Null: depth is registered to colour.
  std::shared_ptr<const DepthAligner> aligner = {};
  const float* maps = nullptr;  ///< [map][row][col] As SuppliedMaps::values, without gaps. Or null.
  std::size_t num_maps = 0, map_rows = 0, map_cols = 0;

  bool has_depth() const { return depth_mm != nullptr || depth_m != nullptr; }
  std::size_t depth_rows() const { return aligner ? aligner->depth_rows() : rows; }
  std::size_t depth_cols() const { return aligner ? aligner->depth_cols() : cols; }
  /// Whether images are as a Frame has them: rows follow each other, depth is registered, in mm, and lies where such
  /// numbers do.
  bool is_plain() const;
};

/// @throws Error(kData) for sizes and pitches that no image has; the message names them.
void check_frame_images(const FrameImages& frame);

/// The depth of a frame on the host, in mm, as its camera took it. @throws Error as check_frame_images() does.
Array2<std::uint16_t> copy_of_depth(const FrameImages& frame);
/// A frame of its own, from images on the host, with its depth registered to colour. @param pool  Aligns depth; null:
/// the calling thread alone. @throws Error as check_frame_images() does.
Frame copy_of(const FrameImages& frame, ThreadPool* pool = nullptr);

/// How unknown depth is treated before features see it (thesis 5.1.1, 5.6.2).
enum class DepthFilling {
  kNone,      ///< Left unknown; features use the count of known pixels.
  kSimple,    ///< Four passes that copy a known neighbour: right, left, above, below. Under a millisecond.
  kColorized  ///< Levin's colourisation: neighbours of similar grey have similar depth. Seconds a frame.
};

inline constexpr std::array kDepthFillings = {DepthFilling::kNone, DepthFilling::kSimple, DepthFilling::kColorized};
/// As options and files call it.
std::string to_string(DepthFilling filling);

/// The depth of a frame on the host, with what is beyond kMaxDepthMm made unknown, and then filled.
/// @throws Error, as the filling chosen.
Array2<std::uint16_t> filled_depth(const FrameImages& frame, DepthFilling filling);

/// Fills unknown depth by four passes over the image (thesis 5.1.1). Each walks towards one side and gives every depth
/// that is still unknown that of the pixel just visited, which may have been filled itself:
/// 1. each row from its right end: the neighbour to the right; 2. each row from its left end: the neighbour to the
/// left;
/// 3. from the top row down: the neighbour above; 4. from the bottom row up: the neighbour below.
/// Afterwards no depth is unknown if one was known before; else nothing changes.
void fill_depth_simple(Array2<std::uint16_t>& depth_mm);

/// Fills unknown depth by Levin, Lischinski and Weiss, "Colorization using Optimization" (2004), as used for NYU Depth
/// v2: every unknown depth is a weighted mean of its eight neighbours, weighted by likeness of grey; known depths stay.
/// A sparse linear system, solved with Eigen to 0.01 mm, then rounded. Without any known depth nothing changes.
/// @param color  [rows][cols], the same size as the depth.
/// @throws Error(kData) when sizes differ; Error(kUsage) in a build without Eigen.
void fill_depth_colorized(Array2<std::uint16_t>& depth_mm, const Array2<Rgb>& color);

}  // namespace fernwood::image
