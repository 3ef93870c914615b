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

namespace fernwood::image {

/// An sRGB colour with 8 bits per component.
struct Rgb {
  std::uint8_t r = 0, g = 0, b = 0;
  bool operator==(const Rgb&) const = default;
};

/// Maximum number of rows and of columns of a frame: pixel coordinates have 16 bits.
inline constexpr std::size_t kMaxFrameSide = 65535;

/// Depths above this are treated as unknown: a channel value has 15 bits and a sign (see ChannelImage).
inline constexpr int kMaxDepthMm = 32767;

/// Whether a depth in mm is known: neither 0 nor above the limit.
template <typename Number>
FW_HD constexpr bool is_known_depth(Number depth_mm) {
  return depth_mm > 0 && depth_mm <= kMaxDepthMm;
}

/// Converts a depth to the representation in frames: the nearest whole millimetre, or 0 (unknown) for NaN and values
/// out of range. Depth in any unit is converted here.
FW_HD std::uint16_t round_depth_mm(double depth_mm) {
  const double above = depth_mm + 0.5;
  return above >= 1 && above < kMaxDepthMm + 1 ? static_cast<std::uint16_t>(above) : std::uint16_t{0};
}
/// Converts a depth in metres; a float times 1000 is exact in double precision.
FW_HD std::uint16_t to_depth_mm(float depth_m) { return round_depth_mm(static_cast<double>(depth_m) * 1000); }

/// Maximum number of feature maps of a frame, over all resolutions.
inline constexpr int kMaxMaps = 32768;

/// Feature maps that the user supplies with a frame, such as those of a large network, a thermal image or heights.
/// Their resolution is at most that of the frame, and each covers all of it.
struct SuppliedMaps {
  std::size_t num_maps = 0, rows = 0, cols = 0;
  std::vector<float> values;  ///< [map][row][col]; NaN: unknown.

  bool empty() const { return values.empty(); }
  bool operator==(const SuppliedMaps&) const = default;
};

/// A frame of a depth camera, as read: colour, and depth registered to it. Either may be empty, but not both; otherwise
/// they have the same size.
struct Frame {
  Array2<Rgb> color;                  ///< [rows][cols], or empty.
  Array2<std::uint16_t> depth_mm;     ///< [rows][cols], 0 = unknown, or empty.
  std::optional<Camera> camera = {};  ///< Intrinsics at any image size; empty: unknown.
  Vector3 up = kImageUp;              ///< Approximate up direction, e.g. by an accelerometer; of any length but 0.
  SuppliedMaps maps = {};             ///< May be empty.

  std::size_t rows() const { return color.empty() ? depth_mm.rows() : color.rows(); }
  std::size_t cols() const { return color.empty() ? depth_mm.cols() : color.cols(); }
  std::size_t size_bytes() const {
    return color.size() * sizeof(Rgb) + depth_mm.size() * sizeof(std::uint16_t) + maps.values.size() * sizeof(float);
  }
};

/// Kinds of images that frames contain.
struct FrameContent {
  bool color = false, depth = false;
  std::size_t num_maps = 0;  ///< See SuppliedMaps.
};

/// A view of the images of a frame, on the host or on a GPU. The memory belongs to the caller and must stay valid for
/// as long as the called function requires.
struct FrameImages {
  FrameImages() = default;
  /// Views the images of `frame`. @throws Error(kData) if their sizes differ.
  FrameImages(const Frame& frame);

  std::size_t rows = 0, cols = 0;           ///< Size of all images, except depth that is to be aligned.
  const Rgb* color = nullptr;               ///< Null: no colour.
  const std::uint16_t* depth_mm = nullptr;  ///< Depth in millimetres, 0 = unknown; null: none.
  const float* depth_m = nullptr;           ///< Depth in metres in place of depth_mm, for to_depth_mm(); null: none.
  std::size_t color_pitch_bytes = 0;        ///< Distance between the starts of successive rows; 0: rows without gaps.
  std::size_t depth_pitch_bytes = 0;        ///< The same for depth.
  std::optional<Camera> camera = {};        ///< As in Frame.
  Vector3 up = kImageUp;                    ///< As in Frame.
  /// Transform from camera coordinates to those of the room, if known. The labels of a video are transferred along it.
  std::optional<RigidMotion> pose = {};
  /// Whether the frames before are of another video: nothing is transferred from them, and steady labels begin anew.
  bool begins_video = false;
  /// For depth of another camera, with the size that the aligner expects: depth is transformed to this frame's pixels
  /// before any other processing. Null: depth is registered to colour.
  std::shared_ptr<const DepthAligner> aligner = {};
  const float* maps = nullptr;  ///< [map][row][col] As SuppliedMaps::values, without gaps; null: none.
  std::size_t num_maps = 0, map_rows = 0, map_cols = 0;

  bool has_depth() const { return depth_mm != nullptr || depth_m != nullptr; }
  std::size_t depth_rows() const { return aligner ? aligner->depth_rows() : rows; }
  std::size_t depth_cols() const { return aligner ? aligner->depth_cols() : cols; }
  /// Whether the images have the layout of a Frame: no gaps between rows, registered depth in mm, and aligned pointers.
  bool is_plain() const;
};

/// @throws Error(kData) for missing images and for invalid or contradicting sizes and pitches; the message states them.
void check_frame_images(const FrameImages& frame);

/// Copies the depth of a frame on the host, in mm and not aligned. @throws Error as check_frame_images() does.
Array2<std::uint16_t> copy_of_depth(const FrameImages& frame);
/// Copies images on the host to a frame, with depth registered to colour.
/// @param pool  Threads that align depth; null: only the calling thread. @throws Error as check_frame_images() does.
Frame copy_of(const FrameImages& frame, ThreadPool* pool = nullptr);

/// Treatment of unknown depth before features read it (thesis 5.1.1, 5.6.2).
enum class DepthFilling {
  kNone,      ///< Left unknown; features use the count of known pixels.
  kSimple,    ///< Four passes that copy a known neighbour: right, left, above, below. Under a millisecond.
  kColorized  ///< Levin's colourisation: neighbours of similar grey have similar depth. Takes seconds per frame.
};

inline constexpr std::array kDepthFillings = {DepthFilling::kNone, DepthFilling::kSimple, DepthFilling::kColorized};
/// Name in options and files.
std::string to_string(DepthFilling filling);

/// The depth of a frame on the host, filled; depth beyond kMaxDepthMm counts as unknown.
/// @throws Error as the chosen filling does.
Array2<std::uint16_t> filled_depth(const FrameImages& frame, DepthFilling filling);

/// Fills unknown depth by four passes over the image (thesis 5.1.1). In each pass, a depth that is still unknown is
/// replaced by that of the previously visited neighbour, which may have been filled itself:
/// 1. rows from right to left: the right neighbour;
/// 2. rows from left to right: the left neighbour;
/// 3. from the top row down: the neighbour above;
/// 4. from the bottom row up: the neighbour below.
/// Afterwards all depth is known if at least one pixel was known before; otherwise nothing changes.
void fill_depth_simple(Array2<std::uint16_t>& depth_mm);

/// Fills unknown depth by Levin, Lischinski and Weiss, "Colorization using Optimization" (2004), as used for NYU Depth
/// v2: each unknown depth is the mean of its eight neighbours, weighted by the similarity of their grey values; known
/// depths stay. This sparse linear system is solved with Eigen to 0.01 mm, and the solution is rounded. Without any
/// known depth nothing changes.
/// @param color  [rows][cols], the same size as the depth.
/// @throws Error(kData) when sizes differ; Error(kUsage) in a build without Eigen.
void fill_depth_colorized(Array2<std::uint16_t>& depth_mm, const Array2<Rgb>& color);

}  // namespace fernwood::image
