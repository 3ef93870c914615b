// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "fernwood/core/error.h"
#include "fernwood/image/frame.h"

namespace fernwood::image {

namespace {

void check_pitch(const char* name, const void* pixels, std::size_t rows, std::size_t row_bytes,
                 std::size_t pitch_bytes) {
  FW_CHECK(pixels == nullptr || pitch_bytes <= PTRDIFF_MAX / rows, Data,
           name << ": " << rows << " rows that begin " << pitch_bytes
                << " bytes after one another are more than memory has; give the pitch in bytes, or 0");
  FW_CHECK(pixels == nullptr || pitch_bytes == 0 || pitch_bytes >= row_bytes, Data,
           name << ": a row of " << row_bytes << " bytes begins " << pitch_bytes
                << " bytes after the one before; give a pitch of at least that, or 0");
}

/// Copies an image whose pixels need not be aligned for their type.
template <typename Pixel>
Array2<Pixel> copy_image(const Pixel* pixels, std::size_t pitch_bytes, std::size_t rows, std::size_t cols) {
  Array2<Pixel> image(rows, cols);
  const auto* from = reinterpret_cast<const std::uint8_t*>(pixels);
  const std::size_t row_bytes = cols * sizeof(Pixel);
  for (std::size_t row = 0; row<rows; ++row, from += pitch_bytes> 0 ? pitch_bytes : row_bytes)
    std::memcpy(static_cast<void*>(image.row(row)), from, row_bytes);
  return image;
}

/// Cell indices have 32 bits, and the step from pixel to pixel is at most one cell.
void check_maps(const FrameImages& frame) {
  if (frame.maps == nullptr) return;
  FW_CHECK(frame.num_maps >= 1 && frame.num_maps <= kMaxMaps, Data,
           "the frame has " << frame.num_maps << " feature maps; 1 to " << kMaxMaps << " are possible");
  FW_CHECK(frame.map_rows >= 1 && frame.map_cols >= 1 && frame.map_rows <= frame.rows && frame.map_cols <= frame.cols,
           Data,
           "the feature maps are " << frame.map_cols << " x " << frame.map_rows << " cells and the frame is "
                                   << frame.cols << " x " << frame.rows
                                   << " pixels; maps are [map][row][col], as fine as the frame or coarser");
  FW_CHECK(frame.num_maps * frame.map_rows * frame.map_cols < std::size_t{1} << 31, Data,
           frame.num_maps << " feature maps of " << frame.map_cols << " x " << frame.map_rows
                          << " cells are more than 2^31 numbers; give fewer or coarser ones");
}

}  // namespace

FrameImages::FrameImages(const Frame& frame)
    : rows(frame.rows()),
      cols(frame.cols()),
      color(frame.color.empty() ? nullptr : frame.color.data()),
      depth_mm(frame.depth_mm.empty() ? nullptr : frame.depth_mm.data()),
      camera(frame.camera),
      up(frame.up),
      maps(frame.maps.empty() ? nullptr : frame.maps.values.data()),
      num_maps(frame.maps.num_maps),
      map_rows(frame.maps.rows),
      map_cols(frame.maps.cols) {
  FW_CHECK(color == nullptr || depth_mm == nullptr || (frame.depth_mm.rows() == rows && frame.depth_mm.cols() == cols),
           Data,
           "colour is " << cols << " x " << rows << " pixels and depth is " << frame.depth_mm.cols() << " x "
                        << frame.depth_mm.rows() << " pixels; register them to one size");
}

bool FrameImages::is_plain() const {
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(depth_mm) % alignof(std::uint16_t) == 0 &&
                          reinterpret_cast<std::uintptr_t>(maps) % alignof(float) == 0;
  return aligner == nullptr && (color_pitch_bytes == 0 || color_pitch_bytes == cols * sizeof(Rgb)) &&
         (depth_pitch_bytes == 0 || depth_pitch_bytes == cols * sizeof(std::uint16_t)) && depth_m == nullptr &&
         is_aligned;
}

void check_frame_images(const FrameImages& frame) {
  FW_CHECK(frame.color != nullptr || frame.has_depth(), Data,
           "the frame has neither colour nor depth; give at least one");
  FW_CHECK(frame.depth_mm == nullptr || frame.depth_m == nullptr, Data,
           "the frame has its depth in millimetres and in metres; give one of them");
  FW_CHECK(frame.rows >= 1 && frame.cols >= 1 && frame.rows <= kMaxFrameSide && frame.cols <= kMaxFrameSide, Data,
           "the frame is " << frame.cols << " x " << frame.rows << " pixels; 1 to " << kMaxFrameSide
                           << " rows and columns are possible, make it smaller");
  check_pitch("the colour", frame.color, frame.rows, frame.cols * sizeof(Rgb), frame.color_pitch_bytes);
  if (const DepthAligner* const aligner = frame.aligner.get())
    FW_CHECK(frame.has_depth() && aligner->color_cols() == frame.cols && aligner->color_rows() == frame.rows, Data,
             "the frame is " << frame.cols << " x " << frame.rows << " pixels "
                             << (frame.has_depth() ? "and" : "without depth, and") << " depth is aligned to "
                             << aligner->color_cols() << " x " << aligner->color_rows()
                             << "; give depth, and an aligner for this size");
  check_pitch("the depth in mm", frame.depth_mm, frame.depth_rows(), frame.depth_cols() * sizeof(std::uint16_t),
              frame.depth_pitch_bytes);
  check_pitch("the depth in m", frame.depth_m, frame.depth_rows(), frame.depth_cols() * sizeof(float),
              frame.depth_pitch_bytes);
  check_maps(frame);
}

Array2<std::uint16_t> copy_of_depth(const FrameImages& frame) {
  check_frame_images(frame);
  const std::size_t rows = frame.depth_rows(), cols = frame.depth_cols();
  if (frame.depth_mm != nullptr) return copy_image(frame.depth_mm, frame.depth_pitch_bytes, rows, cols);
  if (frame.depth_m == nullptr) return {};
  const Array2<float> depth_m = copy_image(frame.depth_m, frame.depth_pitch_bytes, rows, cols);
  Array2<std::uint16_t> depth_mm(rows, cols);
  std::ranges::transform(depth_m, depth_mm.begin(), [](float depth) { return to_depth_mm(depth); });
  return depth_mm;
}

Frame copy_of(const FrameImages& frame, ThreadPool* pool) {
  check_frame_images(frame);
  Frame out{.color = {}, .depth_mm = copy_of_depth(frame), .camera = frame.camera, .up = frame.up, .maps = {}};
  if (frame.aligner) out.depth_mm = frame.aligner->align(out.depth_mm, pool);
  if (frame.maps != nullptr) {
    out.maps = {frame.num_maps, frame.map_rows, frame.map_cols,
                std::vector<float>(frame.num_maps * frame.map_rows * frame.map_cols)};
    std::memcpy(out.maps.values.data(), frame.maps, out.maps.values.size() * sizeof(float));
  }
  if (frame.color != nullptr) out.color = copy_image(frame.color, frame.color_pitch_bytes, frame.rows, frame.cols);
  return out;
}

}  // namespace fernwood::image
