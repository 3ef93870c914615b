// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/check/alignment_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace {

// Aligned and shifted sets of 10 to 40 frames have peaks 13 to 26 standard deviations high, an unregistered Kinect 8 to
// 15, depth of other images up to 5 (docs/notes/benchmarks_data.md).
constexpr double kMinHeight = 7, kMinHalfHeight = 5;
constexpr double kMinCertainty = 3;  // standard errors between the agreement there and at the aligned pose
constexpr std::size_t kMinFrames = 5;
constexpr std::uint32_t kMinEdges = 32;
constexpr double kMinShiftCells = 1.5;  // labels are hardly more accurate
constexpr int kMinScaleSteps = 2;       // 4 %: six cells at the border

struct Pose {
  std::size_t scale = kScaleReach;
  int dx = kShiftReach, dy = kShiftReach;
  double height = 0;  // agreement minus the mean of all shifts at that magnification, in standard deviations

  std::size_t index() const { return static_cast<std::size_t>(dy * kShiftSide + dx); }
};

struct PooledAgreement {
  std::vector<std::uint64_t> sums = std::vector<std::uint64_t>(kNumScales * kNumShifts);
  std::array<std::uint64_t, kNumScales> num_edges{};

  void add(const EdgeAgreement& frame) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += frame.sums[i];
    for (std::size_t i = 0; i < kNumScales; ++i) num_edges[i] += frame.num_edges[i];
  }
  std::span<const std::uint64_t> of_scale(std::size_t scale) const {
    return {sums.data() + scale * kNumShifts, kNumShifts};
  }
  std::uint64_t at(const Pose& pose) const { return sums[pose.scale * kNumShifts + pose.index()]; }
};

double mean_of(std::span<const std::uint64_t> sums) {
  return static_cast<double>(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0})) /
         static_cast<double>(sums.size());
}

/// The pose of best agreement. By chance, sums vary by the square root of the number of edges, so heights are measured
/// in that unit.
Pose best_pose(const PooledAgreement& pooled) {
  Pose best;
  double squares = 0;
  for (std::size_t scale = 0; scale < kNumScales; ++scale) {
    const std::span sums = pooled.of_scale(scale);
    const auto num_edges = static_cast<double>(std::max<std::uint64_t>(1, pooled.num_edges[scale]));
    const double mean = mean_of(sums);
    double squares_of_scale = 0;
    for (const std::uint64_t sum : sums) {
      const double above = static_cast<double>(sum) - mean;
      squares_of_scale += above * above;
    }
    squares += squares_of_scale / num_edges;
    const auto place = static_cast<int>(std::ranges::max_element(sums) - sums.begin());
    const double height = (static_cast<double>(sums[static_cast<std::size_t>(place)]) - mean) / std::sqrt(num_edges);
    if (height > best.height) best = {scale, place % kShiftSide, place / kShiftSide, height};
  }
  const double deviation = std::sqrt(squares / static_cast<double>(pooled.sums.size()));
  if (deviation > 0) best.height /= deviation;
  return best;
}

bool is_same(const Pose& a, const Pose& b) {
  return std::abs(a.dx - b.dx) <= 1 && std::abs(a.dy - b.dy) <= 1 &&
         std::abs(static_cast<int>(a.scale) - static_cast<int>(b.scale)) <= kMinScaleSteps;
}

Pose aligned_pose(const PooledAgreement& pooled) {
  Pose best;
  for (int dy = kShiftReach - 1; dy <= kShiftReach + 1; ++dy)
    for (int dx = kShiftReach - 1; dx <= kShiftReach + 1; ++dx)
      if (const Pose pose{kScaleReach, dx, dy}; pooled.at(pose) > pooled.at(best)) best = pose;
  return best;
}

/// Difference of the mean agreement over the frames between `pose` and `other`, in standard errors.
double certainty(const std::vector<const EdgeAgreement*>& frames, const Pose& pose, const Pose& other) {
  double sum = 0, squares = 0;
  for (const EdgeAgreement* frame : frames) {
    const auto mean_at = [&](const Pose& at) {
      return static_cast<double>(frame->sums[at.scale * kNumShifts + at.index()]) / frame->num_edges[at.scale];
    };
    const double gain = mean_at(pose) - mean_at(other);
    sum += gain;
    squares += gain * gain;
  }
  const auto count = static_cast<double>(frames.size());
  const double variance = std::max(0.0, squares - sum * sum / count) / (count - 1);
  return sum / std::sqrt(count * variance + 1e-9);
}

/// Subcell position of the peak, by a parabola through it and its neighbours. @return  (-0.5, 0.5)
double beside_peak(std::uint64_t before, std::uint64_t peak, std::uint64_t after) {
  const auto l = static_cast<double>(before), m = static_cast<double>(peak), r = static_cast<double>(after);
  const double bend = 2 * m - l - r;
  return bend > 0 ? (r - l) / (2 * bend) : 0;
}

/// Shift of the peak in cells; it must not lie at the border. @param step  Distance between successive shifts of this
/// direction in the array.
double shift_cells(const PooledAgreement& pooled, const Pose& pose, int place, std::size_t step) {
  const std::uint64_t* const peak = pooled.sums.data() + pose.scale * kNumShifts + pose.index();
  return place - kShiftReach + beside_peak(*(peak - step), *peak, *(peak + step));
}

}  // namespace

std::optional<Misalignment> find_misalignment(std::span<const EdgeAgreement> frames) {
  std::vector<const EdgeAgreement*>
      telling;  // with the cell size of the first one, and enough edges at every magnification
  for (const EdgeAgreement& frame : frames)
    if (frame.cell_px > 0 && std::ranges::min(frame.num_edges) >= kMinEdges &&
        (telling.empty() || frame.cell_px == telling.front()->cell_px))
      telling.push_back(&frame);
  if (telling.size() < kMinFrames) return std::nullopt;
  PooledAgreement all, halves[2];
  for (std::size_t i = 0; i < telling.size(); ++i) {
    all.add(*telling[i]);
    halves[i % 2].add(*telling[i]);
  }
  const Pose found = best_pose(all);
  // If agreement still increases at the border of the search, it is not a peak.
  const auto is_end = [](int place) { return place <= 1 || place >= kShiftSide - 2; };
  if (found.height < kMinHeight || is_end(found.dx) || is_end(found.dy)) return std::nullopt;
  for (const PooledAgreement& half : halves)
    if (const Pose pose = best_pose(half); pose.height < kMinHalfHeight || !is_same(pose, found)) return std::nullopt;
  if (certainty(telling, found, aligned_pose(all)) < kMinCertainty) return std::nullopt;
  const double right = -shift_cells(all, found, found.dx, 1), down = -shift_cells(all, found, found.dy, kShiftSide);
  const bool is_magnified = std::abs(static_cast<int>(found.scale) - kScaleReach) >= kMinScaleSteps;
  if (!is_magnified && right * right + down * down < kMinShiftCells * kMinShiftCells) return std::nullopt;
  const auto cell_px = static_cast<double>(telling.front()->cell_px);
  return Misalignment{cell_px * right, cell_px * down,
                      is_magnified ? static_cast<double>(kScaleOne) / static_cast<double>(scale_at(found.scale)) : 1,
                      telling.size()};
}

std::string to_string(const Misalignment& found) {
  const auto pixels = [](double count, const char* positive, const char* negative) {
    const int whole = static_cast<int>(std::lround(std::abs(count)));
    return whole == 0 ? std::vector<std::string>{}
                      : std::vector{std::to_string(whole) + (whole == 1 ? " pixel " : " pixels ") +
                                    (count > 0 ? positive : negative)};
  };
  std::vector<std::string> shifts = pixels(found.right_px, "right of", "left of");
  for (std::string& shift : pixels(found.down_px, "below", "above")) shifts.push_back(std::move(shift));
  std::string text = "depth seems to ";
  if (found.magnification != 1)
    text += format_text("show everything %.2f times as large as colour", found.magnification) +
            (shifts.empty() ? "" : " and in the middle to ");
  if (!shifts.empty()) text += "lie " + join(shifts, " and ") + " colour";
  return text + " (by the edges in " + std::to_string(found.num_frames) + " frames)";
}

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
