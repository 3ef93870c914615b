// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/smoothing.h"

#include <algorithm>
#include <cmath>

namespace fernwood::predict {

namespace {

/// Filters the lines of a plane, forward and back, all lines at once. The result is transposed, so that rows and
/// columns are filtered in turn.
/// @param from  [line][step] @param links  [step][line] weights of the links to the previous step.
/// @param to    [step][line], output.
void smooth_lines(const float* from, const Array2<float>& links, float* to) {
  const std::size_t steps = links.rows(), lines = links.cols();
  for (std::size_t line = 0; line < lines; ++line) to[line] = from[line * steps];
  for (std::size_t step = 1; step < steps; ++step) {
    const float *const before = to + (step - 1) * lines, *const weights = links.row(step);
    for (std::size_t line = 0; line < lines; ++line)
      to[step * lines + line] = smoothed(from[line * steps + step], before[line], weights[line]);
  }
  for (std::size_t step = steps - 1; step > 0; --step) {
    const float *const after = to + step * lines, *const weights = links.row(step);
    float* const at = to + (step - 1) * lines;
    for (std::size_t line = 0; line < lines; ++line) at[line] = smoothed(at[line], after[line], weights[line]);
  }
}

/// Pixels of a row of the guide, with a plane for each colour, so that loops over them are vectorised. 0 where an image
/// is missing: then it makes no difference.
class GuideRow {
 public:
  explicit GuideRow(std::size_t cols) : red_(cols), green_(cols), blue_(cols), depth_mm_(cols) {}

  /// @param column_of  Column of the frame for each column of this row.
  template <typename ColumnOf>
  void read(const image::FrameImages& frame, std::int32_t y, const ColumnOf& column_of) {
    const std::size_t first = static_cast<std::size_t>(y) * frame.cols;
    for (std::size_t x = 0; x < frame.cols && frame.color != nullptr; ++x) {
      const image::Rgb color = frame.color[first + column_of(x)];
      red_[x] = color.r, green_[x] = color.g, blue_[x] = color.b;
    }
    for (std::size_t x = 0; x < frame.cols && frame.depth_mm != nullptr; ++x)
      depth_mm_[x] = frame.depth_mm[first + column_of(x)];
  }

  /// Exponents of the links to the pixels of another row, without the distance in pixels. @param exponents  [cols]
  void compare(const GuideRow& other, const LinkScale& scale, float* exponents) const {
    for (std::size_t x = 0; x < red_.size(); ++x)
      exponents[x] = scale.exponent(
          0, color_difference({red_[x], green_[x], blue_[x]}, {other.red_[x], other.green_[x], other.blue_[x]}),
          depth_difference(depth_mm_[x], other.depth_mm_[x]));
  }

 private:
  std::vector<std::uint8_t> red_, green_, blue_;
  std::vector<std::uint16_t> depth_mm_;
};

constexpr std::size_t kMaxBandRows =
    image::kContextStep + image::kContextStep / 2;  // the first band begins at the border

/// Scratch memory of a thread.
struct BandScratch {
  explicit BandScratch(std::size_t cols)
      : pixels(cols),
        first(cols),
        second(cols),
        exponents(2, cols),
        wide(2, cols),
        down(kMaxBandRows, cols),
        highest(kMaxBandRows, cols),
        labels(kMaxBandRows, cols) {}

  GuideRow pixels, first, second;  ///< Pixels of a row, and of the cells on both sides of each.
  Array2<float> exponents;         ///< [side][cols] of the links to the cells on both sides
  Array2<float> wide;              ///< [side][cols] values of one class
  Array2<float> down, highest;     ///< [pixel row][cols] shares of the lower row of cells; highest values so far
  Array2<std::int32_t> labels;     ///< [pixel row][cols]
};

/// Values of a row of pixels between the cells of a row. @param shares, wide  [cols]
void widen(const float* cells, const std::vector<NeighbouringCells>& between, const float* shares, float* wide) {
  const auto value = [&](std::size_t x) {
    return smoothed(cells[between[x].first], cells[between[x].second], shares[x]);
  };
  constexpr std::size_t kStep = image::kContextStep;
  std::size_t x = 0;
  for (; x < kStep / 2 && x < between.size(); ++x) wide[x] = value(x);
  for (; x + kStep <= between.size(); x += kStep) {
    const float first = cells[between[x].first], second = cells[between[x].second];
    for (std::size_t i = 0; i < kStep; ++i) wide[x + i] = smoothed(first, second, shares[x + i]);
  }
  for (; x < between.size(); ++x) wide[x] = value(x);
}

/// Interpolates a row of pixels of one class between two rows of cells, and offers the class to each pixel, as
/// forest::BestClass does to a single one. @param probabilities  [cols], or null.
void offer_row(std::int32_t label, forest::ClassPriorCorrection correction, std::size_t i, BandScratch& scratch,
               float* probabilities) {
  const float *const upper = scratch.wide.row(0), *const lower = scratch.wide.row(1),
                     *const shares = scratch.down.row(i);
  float* const highest = scratch.highest.row(i);
  std::int32_t* const labels = scratch.labels.row(i);
  const std::size_t cols = scratch.wide.cols();
  for (std::size_t x = 0; x < cols; ++x) {
    const float weighed = correction.of(smoothed(upper[x], lower[x], shares[x]));
    const float highest_before = highest[x];
    const std::int32_t label_before = labels[x];
    labels[x] = weighed > highest_before ? label : label_before;
    highest[x] = weighed > highest_before ? weighed : highest_before;
  }
  for (std::size_t x = 0; x < cols && probabilities != nullptr; ++x)
    probabilities[x] = smoothed(upper[x], lower[x], shares[x]);
}

/// Shares of the second of the cells between which pixels lie, by scratch.first and scratch.second.
/// @param between  [cols], or a single one for all. @param shares  [cols], output.
template <typename Between>
void find_shares(const LinkScale& scale, const Between& between, BandScratch& scratch, float* shares) {
  float *const first = scratch.exponents.row(0), *const second = scratch.exponents.row(1);
  scratch.pixels.compare(scratch.first, scale, first);
  scratch.pixels.compare(scratch.second, scale, second);
  for (std::size_t x = 0; x < scratch.exponents.cols(); ++x)
    shares[x] = share_of_second(between(x).to_first, between(x).to_second, first[x], second[x]);
}

}  // namespace

LinkScale link_scale(const Smoothing& smoothing) {
  // Extents of the passes are e, e/2, e/4, …; their squares add up to that of the total (eq. 14); ln a = -sqrt(2) / e
  // (eq. 21).
  double squares = 0;
  for (int run = 0; run < kSmoothingRuns; ++run) squares += 1.0 / (std::int64_t{1} << (2 * run));
  const double of_extent = 1.4142135623730951 * std::sqrt(squares);
  return {static_cast<float>(of_extent / smoothing.extent()), static_cast<float>(of_extent / kColorEdge),
          static_cast<float>(of_extent / kDepthEdge)};
}

Smoother::Smoother(const Smoothing& smoothing) : on_(smoothing.extent() > 0) {
  if (on_) scale_ = link_scale(smoothing);
}

void Smoother::find_links(const image::FrameImages& frame, ThreadPool& pool) {
  const auto rows = static_cast<std::int32_t>(frame.rows), cols = static_cast<std::int32_t>(frame.cols);
  const auto cell_rows = static_cast<std::size_t>(image::context_cells(rows));
  const auto cell_cols = static_cast<std::size_t>(image::context_cells(cols));
  for (int run = 0; run < kSmoothingRuns; ++run) {
    left_[run] = Array2<float>(cell_cols, cell_rows);
    up_[run] = Array2<float>(cell_rows, cell_cols);
  }
  pool.for_each(cell_rows, [&](std::size_t row, int) {
    for (std::size_t col = 0; col < cell_cols; ++col) {
      const CellLinks links = cell_links(scale_, {frame.color, frame.depth_mm}, rows, cols,
                                         static_cast<std::int32_t>(row), static_cast<std::int32_t>(col));
      float left = links.left, up = links.up;
      for (int run = 0; run < kSmoothingRuns; ++run) {
        left_[run](col, row) = left;
        up_[run](row, col) = up;
        left = weight_of_next_run(left);
        up = weight_of_next_run(up);
      }
    }
  });
}

void Smoother::smooth_cells(const image::FrameImages& frame, std::vector<Array2<float>>& planes, ThreadPool& pool) {
  find_links(frame, pool);
  pool.for_each(planes.size(), [&](std::size_t c, int) {
    std::vector<float> by_columns(planes[c].size());
    for (int run = 0; run < kSmoothingRuns; ++run) {
      smooth_lines(planes[c].data(), left_[run], by_columns.data());
      smooth_lines(by_columns.data(), up_[run], planes[c].data());
    }
  });
}

void Smoother::smooth(const image::FrameImages& frame, const image::ContextMaps& maps,
                      const std::vector<forest::ClassPriorCorrection>& correction, float min_confidence,
                      ThreadPool& pool, Prediction& out) {
  const std::size_t num_cells = maps.rows * maps.cols;
  planes_.assign(correction.size(), Array2<float>(maps.rows, maps.cols));
  pool.for_each(planes_.size(), [&](std::size_t c, int) {
    std::transform(maps.values.data() + c * num_cells, maps.values.data() + (c + 1) * num_cells, planes_[c].data(),
                   [](std::uint8_t steps) { return share_of_steps(steps); });
  });
  smooth_cells(frame, planes_, pool);

  const auto rows = static_cast<std::int32_t>(frame.rows), cols = static_cast<std::int32_t>(frame.cols);
  std::vector<NeighbouringCells> across(frame.cols);
  for (std::size_t x = 0; x < frame.cols; ++x) across[x] = neighbouring_cells(static_cast<std::int32_t>(x), cols);
  const auto this_column = [](std::size_t x) { return x; };
  std::vector<BandScratch> scratches(static_cast<std::size_t>(pool.num_threads()), BandScratch(frame.cols));
  Array2<float> shares_across(maps.rows, frame.cols);
  pool.for_each(maps.rows, [&](std::size_t row, int worker) {
    BandScratch& scratch = scratches[static_cast<std::size_t>(worker)];
    const auto column = [&](std::int32_t cell) { return static_cast<std::size_t>(image::context_pixel(cell, cols)); };
    const std::int32_t y = image::context_pixel(static_cast<std::int32_t>(row), rows);
    scratch.pixels.read(frame, y, this_column);
    scratch.first.read(frame, y, [&](std::size_t x) { return column(across[x].first); });
    scratch.second.read(frame, y, [&](std::size_t x) { return column(across[x].second); });
    find_shares(
        scale_, [&](std::size_t x) { return across[x]; }, scratch, shares_across.row(row));
  });
  // Pixels between two rows of cells, or between one and the border.
  pool.for_each(maps.rows, [&](std::size_t band, int worker) {
    BandScratch& scratch = scratches[static_cast<std::size_t>(worker)];
    const auto begin = static_cast<std::size_t>(first_row_of_band(static_cast<std::int32_t>(band)));
    const auto next = static_cast<std::size_t>(first_row_of_band(static_cast<std::int32_t>(band) + 1));
    const std::size_t end = std::min(next, frame.rows);
    const std::size_t cell_rows[] = {band, std::min(band + 1, maps.rows - 1)};
    scratch.first.read(frame, image::context_pixel(static_cast<std::int32_t>(cell_rows[0]), rows), this_column);
    scratch.second.read(frame, image::context_pixel(static_cast<std::int32_t>(cell_rows[1]), rows), this_column);
    for (std::size_t y = begin; y < end; ++y) {
      const NeighbouringCells down = neighbouring_cells(static_cast<std::int32_t>(y), rows);
      scratch.pixels.read(frame, static_cast<std::int32_t>(y), this_column);
      find_shares(
          scale_, [&](std::size_t) { return down; }, scratch, scratch.down.row(y - begin));
    }
    std::ranges::fill(scratch.highest, 0.0f);
    std::ranges::fill(scratch.labels, image::kVoid);
    for (std::size_t c = 0; c < planes_.size(); ++c) {
      for (std::size_t side = 0; side < 2; ++side)
        widen(planes_[c].row(cell_rows[side]), across, shares_across.row(cell_rows[side]), scratch.wide.row(side));
      for (std::size_t y = begin; y < end; ++y)
        offer_row(static_cast<std::int32_t>(c), correction[c], y - begin, scratch,
                  out.probabilities.empty() ? nullptr : out.probabilities[c].row(y));
    }
    for (std::size_t y = begin; y < end; ++y) std::copy_n(scratch.labels.row(y - begin), frame.cols, out.labels.row(y));
    if (min_confidence == 0) return;
    const auto value_between = [&](std::uint16_t label, std::size_t cell_row, std::size_t x) {
      const float* const cells = planes_[label].row(cell_row);
      return smoothed(cells[across[x].first], cells[across[x].second], shares_across(cell_row, x));
    };
    for (std::size_t y = begin; y < end; ++y)
      for (std::size_t x = 0; x < frame.cols; ++x) {
        std::uint16_t& label = out.labels(y, x);
        if (label == image::kVoid) continue;
        const float probability = smoothed(value_between(label, cell_rows[0], x), value_between(label, cell_rows[1], x),
                                           scratch.down(y - begin, x));
        label = forest::confident_label(label, probability, min_confidence);
      }
  });
}

}  // namespace fernwood::predict
