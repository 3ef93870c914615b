// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/check/alignment_check.h"

#include <algorithm>
#include <cstdlib>

namespace fernwood::dataset {

namespace {

constexpr std::size_t kCellsAcross = 320;

/// A cell where depth, or colour, changes along the rows or along the columns.
struct EdgeCell {
  int x = 0, y = 0;
};
struct DepthEdges {
  std::vector<EdgeCell> along_rows, along_columns;
};
struct ColorEdges {
  Array2<std::uint8_t> along_rows, along_columns;
};

/// Depth of the centre pixel of each cell: means would create depths between both sides of a step.
Array2<int> cell_depths(const Array2<std::uint16_t>& depth_mm, std::size_t cell_px) {
  Array2<int> cells(depth_mm.rows() / cell_px, depth_mm.cols() / cell_px);
  for (std::size_t row = 0; row < cells.rows(); ++row)
    for (std::size_t col = 0; col < cells.cols(); ++col)
      cells(row, col) = depth_mm(row * cell_px + cell_px / 2, col * cell_px + cell_px / 2);
  return cells;
}

/// Unknown depth beside a step is background in the shadow of a structured-light projector, so the step lies where the
/// nearer side ends.
void fill_shadows(std::vector<int>* line) {
  constexpr std::size_t kWidestShadow = 8;
  std::size_t begin = 0;  // after the last known depth
  for (std::size_t i = 0; i < line->size(); ++i) {
    if ((*line)[i] == 0) continue;
    if (begin > 0 && i - begin <= kWidestShadow)
      std::fill(line->begin() + static_cast<std::ptrdiff_t>(begin), line->begin() + static_cast<std::ptrdiff_t>(i),
                std::max((*line)[begin - 1], (*line)[i]));
    begin = i + 1;
  }
}

/// Size of the depth step between both sides of a cell, in 1/1024 of the nearer depth; 0 where there is no step.
int step_at(const std::vector<int>& line, std::size_t i) {
  // Above the noise of cameras (1 % at 3 m), the quantisation of depth stored in 8 bits (40 mm) and the slope of
  // slanted walls.
  constexpr int kMinMm = 100, kMinPercent = 8;
  const int near = std::min(line[i - 1], line[i + 1]), difference = std::abs(line[i + 1] - line[i - 1]);
  if (near == 0 || 100 * difference <= kMinPercent * near + 100 * kMinMm) return 0;
  return difference * 1024 / near;
}

/// Calls take(place) for each step of a line, at the centre of its maximum. Borders of rectified images are skipped,
/// because colour images have them, too.
/// @param number  Number of the line; if two cells are the centre, lines alternate between them.
template <typename Take>
void for_steps(std::vector<int>* line, std::size_t number, const Take& take) {
  constexpr std::size_t kBorder = 8;
  fill_shadows(line);
  int largest = 0;
  std::size_t first = 0, last = 0;
  for (std::size_t i = kBorder; i + kBorder < line->size(); ++i) {
    const int step = step_at(*line, i);
    if (step > largest) first = i;
    if (step >= largest && step > 0) last = i;
    if (step == 0 && largest > 0) take((first + last + number % 2) / 2);
    largest = step == 0 ? 0 : std::max(largest, step);
  }
}

/// Limits the number of edges, so that noisy frames do not take longer than others.
void thin_out(std::vector<EdgeCell>* edges) {
  constexpr std::size_t kMaxEdges = 512;
  if (edges->size() <= kMaxEdges) return;
  for (std::size_t i = 0; i < kMaxEdges; ++i) (*edges)[i] = (*edges)[i * edges->size() / kMaxEdges];
  edges->resize(kMaxEdges);
}

DepthEdges depth_edges(const Array2<int>& depth) {
  DepthEdges edges;
  std::vector<int> line(depth.cols());
  for (std::size_t row = 0; row < depth.rows(); ++row) {
    std::copy_n(depth.row(row), depth.cols(), line.begin());
    for_steps(&line, row, [&](std::size_t col) {
      edges.along_rows.push_back({static_cast<int>(col), static_cast<int>(row)});
    });
  }
  line.resize(depth.rows());
  for (std::size_t col = 0; col < depth.cols(); ++col) {
    for (std::size_t row = 0; row < depth.rows(); ++row) line[row] = depth(row, col);
    for_steps(&line, col, [&](std::size_t row) {
      edges.along_columns.push_back({static_cast<int>(col), static_cast<int>(row)});
    });
  }
  thin_out(&edges.along_rows);
  thin_out(&edges.along_columns);
  return edges;
}

/// [row][3 * col + channel] Means of the pixels of cells, in 1/16.
Array2<int> cell_colors(const Array2<image::Rgb>& color, std::size_t cell_px) {
  Array2<int> cells(color.rows() / cell_px, 3 * (color.cols() / cell_px));
  for (std::size_t row = 0; row < cells.rows() * cell_px; ++row)
    for (std::size_t col = 0; col < cells.cols() / 3 * cell_px; ++col) {
      int* const sums = cells.row(row / cell_px) + 3 * (col / cell_px);
      const image::Rgb pixel = color(row, col);
      sums[0] += pixel.r;
      sums[1] += pixel.g;
      sums[2] += pixel.b;
    }
  const int num_pixels = static_cast<int>(cell_px * cell_px);
  for (int& sum : cells) sum = 16 * sum / num_pixels;
  return cells;
}

/// Maximum difference of a channel between two cells.
int color_difference(const int* a, const int* b) {
  return std::max({std::abs(a[0] - b[0]), std::abs(a[1] - b[1]), std::abs(a[2] - b[2])});
}

/// Sums over the window of `radius` around each item, clipped at the borders.
void sum_windows(const int* values, std::size_t count, std::size_t stride, std::size_t radius, int* sums) {
  int sum = 0;
  for (std::size_t i = 0; i < count + radius; ++i) {
    if (i < count) sum += values[i * stride];
    if (i > 2 * radius) sum -= values[(i - 2 * radius - 1) * stride];
    if (i >= radius) sums[(i - radius) * stride] = sum;
  }
}

/// Strengths from 0 to 255 relative to the surroundings, so that textured carpets and books count no more than walls.
Array2<std::uint8_t> local_strength(const Array2<int>& differences) {
  constexpr std::size_t kRadius = 8;
  constexpr int kNoise = 16 * 3, kWindow = (2 * kRadius + 1) * (2 * kRadius + 1);
  const std::size_t rows = differences.rows(), cols = differences.cols();
  Array2<int> across(rows, cols), sums(rows, cols);
  for (std::size_t row = 0; row < rows; ++row) sum_windows(differences.row(row), cols, 1, kRadius, across.row(row));
  for (std::size_t col = 0; col < cols; ++col) sum_windows(across.data() + col, rows, cols, kRadius, sums.data() + col);
  Array2<std::uint8_t> strength(rows, cols);
  for (std::size_t i = 0; i < strength.size(); ++i) {
    const int own = differences.data()[i] * kWindow;  // at most 16 * 255 * 289
    strength.data()[i] = static_cast<std::uint8_t>(255 * std::int64_t{own} / (own + sums.data()[i] + kNoise * kWindow));
  }
  return strength;
}

ColorEdges color_edges(const Array2<int>& color) {
  const std::size_t rows = color.rows(), cols = color.cols() / 3;
  Array2<int> along_rows(rows, cols), along_columns(rows, cols);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t col = 0; col < cols; ++col) {
      const int* const here = color.row(row) + 3 * col;
      if (col > 0 && col + 1 < cols) along_rows(row, col) = color_difference(here - 3, here + 3);
      if (row > 0 && row + 1 < rows)
        along_columns(row, col) = color_difference(here - color.cols(), here + color.cols());
    }
  return {local_strength(along_rows), local_strength(along_columns)};
}

/// Position of the centre of a cell after magnifying a line of `count` cells about its centre.
int magnified(int cell, std::size_t count, std::int64_t scale) {
  const auto size = static_cast<std::int64_t>(count);
  return static_cast<int>(((2 * cell + 1 - size) * scale + size * kScaleOne) >> 17);
}

/// Adds the edge strengths at the edges, for every shift. @return  The number of edges for which all shifts stay inside
/// the image; using others would favour shifts towards the centre.
std::uint32_t add_strengths(const std::vector<EdgeCell>& edges, const Array2<std::uint8_t>& strength,
                            std::int64_t scale, std::uint32_t* sums) {
  const int rows = static_cast<int>(strength.rows()), cols = static_cast<int>(strength.cols());
  std::uint32_t num_edges = 0;
  for (const EdgeCell& edge : edges) {
    const int x = magnified(edge.x, strength.cols(), scale) - kShiftReach;
    const int y = magnified(edge.y, strength.rows(), scale) - kShiftReach;
    // The outermost cells have no strength.
    if (x < 1 || y < 1 || x + kShiftSide >= cols || y + kShiftSide >= rows) continue;
    ++num_edges;
    for (int dy = 0; dy < kShiftSide; ++dy) {
      const std::uint8_t* const from = strength.row(static_cast<std::size_t>(y + dy)) + x;
      std::uint32_t* const to = sums + dy * kShiftSide;
      for (int dx = 0; dx < kShiftSide; ++dx) to[dx] += from[dx];
    }
  }
  return num_edges;
}

}  // namespace

std::int64_t scale_at(std::size_t index) {
  const int power = static_cast<int>(index) - kScaleReach;
  std::int64_t scale = kScaleOne;
  for (int i = 0; i < std::abs(power); ++i) scale = scale * 51 / 50;
  return power >= 0 ? scale : kScaleOne * kScaleOne / scale;
}

EdgeAgreement edge_agreement(const Array2<image::Rgb>& color, const Array2<std::uint16_t>& depth_mm) {
  EdgeAgreement agreement;
  const std::size_t cell_px = std::max<std::size_t>(1, (color.cols() + kCellsAcross / 2) / kCellsAcross);
  if (std::min(color.rows(), color.cols()) / cell_px <= kShiftSide + 2) return agreement;
  agreement.cell_px = cell_px;
  const DepthEdges steps = depth_edges(cell_depths(depth_mm, cell_px));
  const ColorEdges edges = color_edges(cell_colors(color, cell_px));
  agreement.sums.resize(kNumScales * kNumShifts);
  for (std::size_t i = 0; i < kNumScales; ++i) {
    std::uint32_t* const sums = agreement.sums.data() + i * kNumShifts;
    agreement.num_edges[i] = add_strengths(steps.along_rows, edges.along_rows, scale_at(i), sums) +
                             add_strengths(steps.along_columns, edges.along_columns, scale_at(i), sums);
  }
  return agreement;
}

}  // namespace fernwood::dataset
