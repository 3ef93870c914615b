// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/align_depth.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "core/isa.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/device.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "fernwood/image/frame.h"
#include "image/align_depth_formula.h"

namespace fernwood::image {

FW_ISA_TABLES(AlignKernels, align_kernels_table)

Projection projection_of(const DepthAligner& aligner) {
  constexpr float kMmPerMetre = 1000;
  const CameraPair& cameras = aligner.cameras();
  const std::size_t cols = aligner.color_cols(), rows = aligner.color_rows();
  const Camera color = scaled(cameras.color, cols, rows);
  const bool is_distorted = cameras.color_distortion != Distortion{};
  Projection to = {color.fx,
                   color.fy,
                   color.cx,
                   color.cy,
                   0,
                   0,
                   0,
                   {},
                   is_distorted,
                   static_cast<float>(cols),
                   static_cast<float>(rows)};
  to.tx = cameras.translation_m[0] * kMmPerMetre;
  to.ty = cameras.translation_m[1] * kMmPerMetre;
  to.tz = cameras.translation_m[2] * kMmPerMetre;
  std::ranges::copy(cameras.color_distortion, to.distortion);
  return to;
}

namespace {

/// Inverse of the lens distortion: the undistorted normalised coordinates of `seen`, by fixed-point iteration as in
/// OpenCV's undistortPoints().
ImagePoint undistorted(const Distortion& k, ImagePoint seen) {
  if (k == Distortion{}) return seen;
  constexpr int kSteps = 30;
  ImagePoint p = seen;
  for (int step = 0; step < kSteps; ++step) {
    const ImagePoint at = distorted(k.data(), p);
    p = {p.x + (seen.x - at.x), p.y + (seen.y - at.y)};
  }
  return p;
}

const AlignKernels& kernels() {
  static const AlignKernels& chosen = align_kernels_table_of(available_isas().back());
  return chosen;
}

}  // namespace

std::string problem_of(const CameraPair& cameras) {
  for (const auto& [name, camera] : {std::pair("depth", &cameras.depth), std::pair("colour", &cameras.color)})
    if (const std::string problem = problem_of(*camera); !problem.empty())
      return std::string("the ") + name + " camera: " + problem;
  for (const Distortion* distortion : {&cameras.depth_distortion, &cameras.color_distortion})
    for (const float k : *distortion)
      if (!(std::abs(k) <= 1e3f)) return "a distortion is not a number from -1000 to 1000; use k1, k2, p1, p2, k3 ...";
  for (const float t : cameras.translation_m)
    if (!(std::abs(t) <= 10.0f)) return "the translation is more than 10 m; pass it in metres";
  const std::array<float, 9>& r = cameras.rotation;
  for (int row = 0; row < 3; ++row)
    for (int other = row; other < 3; ++other) {
      float product = 0;
      for (int i = 0; i < 3; ++i)
        product += r[static_cast<std::size_t>(3 * row + i)] * r[static_cast<std::size_t>(3 * other + i)];
      if (!(std::abs(product - (row == other ? 1.0f : 0.0f)) <= 0.01f))
        return "the rotation is not a rotation matrix; use nine numbers, row by row, of orthogonal rows of length 1";
    }
  return "";
}

bool have_same_proportions(std::size_t cols, std::size_t rows, std::size_t other_cols, std::size_t other_rows) {
  const std::size_t a = cols * other_rows, b = rows * other_cols;
  return 200 * (std::max(a, b) - std::min(a, b)) <= std::max(a, b);
}

Array2<std::uint16_t> scaled_depth(const Array2<std::uint16_t>& depth_mm, std::size_t cols, std::size_t rows) {
  const auto under_middle = [](std::size_t at, std::size_t size, std::size_t of) {
    return (2 * at + 1) * of / (2 * size);
  };
  std::vector<std::size_t> from(cols);
  for (std::size_t col = 0; col < cols; ++col) from[col] = under_middle(col, cols, depth_mm.cols());
  Array2<std::uint16_t> scaled(rows, cols);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint16_t* const source = depth_mm.row(under_middle(row, rows, depth_mm.rows()));
    for (std::size_t col = 0; col < cols; ++col) scaled(row, col) = source[from[col]];
  }
  return scaled;
}

DepthAligner::DepthAligner(const CameraPair& cameras, std::size_t depth_cols, std::size_t depth_rows,
                           std::size_t color_cols, std::size_t color_rows)
    : cameras_(cameras),
      depth_cols_(depth_cols),
      depth_rows_(depth_rows),
      color_cols_(color_cols),
      color_rows_(color_rows) {
  const DefaultFloats floats;
  const std::string problem = problem_of(cameras);
  FW_CHECK(problem.empty(), Usage, "depth cannot be aligned to colour: " << problem);
  for (const std::size_t side : {depth_cols, depth_rows, color_cols, color_rows})
    FW_CHECK(side >= 1 && side <= kMaxFrameSide, Usage,
             "depth of " << depth_cols << " x " << depth_rows << " pixels cannot be aligned to colour of " << color_cols
                         << " x " << color_rows << "; 1 to " << kMaxFrameSide << " rows and columns are possible");
  rays_.resize(3 * (depth_rows + 1) * (depth_cols + 1));
  const Camera depth = scaled(cameras.depth, depth_cols, depth_rows);
  const std::array<float, 9>& r = cameras.rotation;
  const std::size_t num_corners = (depth_rows + 1) * (depth_cols + 1);
  for (std::size_t row = 0; row <= depth_rows; ++row)
    for (std::size_t col = 0; col <= depth_cols; ++col) {
      const ImagePoint seen = {(static_cast<float>(col) - 0.5f - depth.cx) / depth.fx,
                               (static_cast<float>(row) - 0.5f - depth.cy) / depth.fy};
      const ImagePoint p = undistorted(cameras.depth_distortion, seen);
      const std::size_t corner = row * (depth_cols + 1) + col;
      for (std::size_t i = 0; i < 3; ++i)
        rays_[i * num_corners + corner] = r[3 * i] * p.x + r[3 * i + 1] * p.y + r[3 * i + 2];
    }
}

void DepthAligner::align_rows(const Array2<std::uint16_t>& depth_mm, std::size_t begin, std::size_t end,
                              Array2<std::uint16_t>& nearest) const {
  const Projection to = projection_of(*this);
  const std::size_t num_corners = (depth_rows_ + 1) * (depth_cols_ + 1);
  std::vector<std::int32_t> columns(2 * depth_cols_);
  std::vector<std::uint32_t> rows(depth_cols_);
  const SquareBounds bounds = {columns.data(), columns.data() + depth_cols_, rows.data()};
  std::vector<std::uint16_t> line(color_cols_, kNoDepth);
  const ZBuffer buffer = {nearest.data(), line.data(), static_cast<std::int32_t>(color_cols_)};
  for (std::size_t at = begin; at < end; ++at) {
    const float* const upper = rays_.data() + at * (depth_cols_ + 1);
    const float* const lower = upper + depth_cols_ + 2;  // one row down and one column right
    const DepthRow row = {depth_mm.row(at), upper, lower, num_corners, depth_cols_};
    kernels().find_bounds(to, row, bounds);
    kernels().draw_squares(row, bounds, buffer);
  }
}

Array2<std::uint16_t> DepthAligner::align(const Array2<std::uint16_t>& depth_mm, ThreadPool* pool) const {
  const DefaultFloats floats;
  FW_CHECK(depth_mm.cols() == depth_cols_ && depth_mm.rows() == depth_rows_, Data,
           "the depth image is " << depth_mm.cols() << " x " << depth_mm.rows() << " pixels, " << depth_cols_ << " x "
                                 << depth_rows_ << " are expected; pass images of one size");
  const std::size_t num_bands = pool ? static_cast<std::size_t>(pool->num_threads()) : 1;
  std::vector<Array2<std::uint16_t>> nearest(num_bands);
  for_each(pool, num_bands, [&](std::size_t band) {
    nearest[band] = Array2<std::uint16_t>(color_rows_, color_cols_, kNoDepth);
    align_rows(depth_mm, band * depth_rows_ / num_bands, (band + 1) * depth_rows_ / num_bands, nearest[band]);
  });
  Array2<std::uint16_t> aligned = std::move(nearest[0]);
  for_each(pool, color_rows_, [&](std::size_t row) {
    std::uint16_t* const out = aligned.row(row);
    for (std::size_t band = 1; band < num_bands; ++band) {
      const std::uint16_t* const more = nearest[band].row(row);
      for (std::size_t col = 0; col < color_cols_; ++col) out[col] = std::min(out[col], more[col]);
    }
    for (std::size_t col = 0; col < color_cols_; ++col) out[col] = out[col] == kNoDepth ? std::uint16_t{0} : out[col];
  });
  return aligned;
}

std::shared_ptr<const DepthAligner> aligner_for(const CameraPair& cameras, std::size_t depth_cols,
                                                std::size_t depth_rows, std::size_t color_cols,
                                                std::size_t color_rows) {
  static std::mutex mutex;
  static std::shared_ptr<const DepthAligner> kept;
  const std::lock_guard lock(mutex);
  const bool serves = kept && kept->cameras() == cameras && kept->depth_cols() == depth_cols &&
                      kept->depth_rows() == depth_rows && kept->color_cols() == color_cols &&
                      kept->color_rows() == color_rows;
  if (!serves) kept = std::make_shared<const DepthAligner>(cameras, depth_cols, depth_rows, color_cols, color_rows);
  return kept;
}

#if !FERNWOOD_HAS_CUDA

std::vector<double> time_alignment_on_gpu(const DepthAligner&, const Array2<std::uint16_t>&, int, int,
                                          Array2<std::uint16_t>*) {
  throw Error(ErrorKind::kDevice, gpu_status().problem);
}

#endif

}  // namespace fernwood::image
