// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/smoothing.h"

#include <algorithm>
#include <cmath>

#include "fernwood/core/error.h"

namespace fernwood::predict {

namespace {

/// Number of columns that a thread processes at a time, so that whole cache lines are read.
constexpr std::size_t kColumnsAtATime = 64;

/// exp(value), computed only with + - * / so that it is identical everywhere. @param value  <= 0, may be large.
double exponential(double value) {
  constexpr int kHalvings = 12, kTerms = 12;
  double x = std::max(value, -700.0) / (1 << kHalvings), sum = 1;
  for (int k = kTerms; k >= 1; --k) sum = 1 + sum * x / k;
  for (int k = 0; k < kHalvings; ++k) sum *= sum;
  return sum;
}

/// Fills table[i] with exp(first + i step).
void fill(float* table, std::int32_t last, double first, double step) {
  for (std::int32_t i = 0; i <= last; ++i) table[i] = static_cast<float>(exponential(first + i * step));
}

/// Copies one row of all planes with classes contiguous, so that they are vector lanes.
void gather_row(const std::vector<Array2<float>>& planes, std::size_t y, float* line) {
  const std::size_t num_planes = planes.size();
  for (std::size_t c = 0; c < num_planes; ++c)
    for (std::size_t x = 0; x < planes[c].cols(); ++x) line[x * num_planes + c] = planes[c](y, x);
}

void scatter_row(const float* line, std::size_t y, std::vector<Array2<float>>& planes) {
  const std::size_t num_planes = planes.size();
  for (std::size_t c = 0; c < num_planes; ++c)
    for (std::size_t x = 0; x < planes[c].cols(); ++x) planes[c](y, x) = line[x * num_planes + c];
}

/// Filters forward and backward. @param line  [cols][num_planes] @param left  [cols] weights of the links to the left.
void smooth_row(float* line, const float* left, std::size_t cols, std::size_t num_planes) {
  for (std::size_t x = 1; x < cols; ++x) {
    float* at = line + x * num_planes;
    for (std::size_t c = 0; c < num_planes; ++c) at[c] = smoothed(at[c], (at - num_planes)[c], left[x]);
  }
  for (std::size_t x = cols - 1; x > 0; --x) {
    float* at = line + (x - 1) * num_planes;
    for (std::size_t c = 0; c < num_planes; ++c) at[c] = smoothed(at[c], (at + num_planes)[c], left[x]);
  }
}

/// Filters some columns of row `y` from row `from`. @param up  Weights of the links between the two rows.
void smooth_from(Array2<float>& plane, std::size_t y, std::size_t from, const float* up, std::size_t begin,
                 std::size_t end) {
  float* at = plane.row(y);
  const float* source = plane.row(from);
  for (std::size_t x = begin; x < end; ++x) at[x] = smoothed(at[x], source[x], up[x]);
}

void choose_labels(const std::vector<forest::ClassPriorCorrection>& correction, std::size_t y, Prediction& out) {
  for (std::size_t x = 0; x < out.labels.cols(); ++x) {
    forest::BestClass best;
    for (std::size_t c = 0; c < out.probabilities.size(); ++c)
      best.offer(static_cast<std::int32_t>(c), correction[c].of(out.probabilities[c](y, x)));
    out.labels(y, x) = best.label;
  }
}

}  // namespace

LinkTables link_tables(const Smoothing& smoothing) {
  LinkTables tables;
  // Extents of the passes are e, e/2, e/4, …; their squares add up to that of the total (eq. 14); ln a = -sqrt(2) / e
  // (eq. 21).
  double squares = 0;
  for (int run = 0; run < kSmoothingRuns; ++run) squares += 1.0 / (std::int64_t{1} << (2 * run));
  const double extent = smoothing.extent(), log_a = -1.4142135623730951 * std::sqrt(squares) / extent;
  const double per_color = extent / kColorEdge, per_depth = extent / kDepthEdge / kDepthStepsPerUnit;
  fill(tables.color, kMaxColorSteps, log_a, log_a * per_color);
  fill(tables.depth, kMaxDepthSteps, 0, log_a * per_depth);
  return tables;
}

Smoother::Smoother(const Smoothing& smoothing) : on_(smoothing.extent() > 0) {
  if (on_) tables_ = link_tables(smoothing);
}

void Smoother::smooth_planes(const image::FrameImages& frame, std::vector<Array2<float>>& planes, ThreadPool& pool) {
  lines_.resize(static_cast<std::size_t>(pool.num_threads()));
  find_links(frame, pool);
  for (int run = 0; run < kSmoothingRuns; ++run) {
    if (run > 0) shorten_links(pool);
    run_along_rows(planes, pool);
    run_along_columns(planes, pool);
  }
}

void Smoother::smooth(const image::FrameImages& frame, const PredictRequest& request,
                      const std::vector<forest::ClassPriorCorrection>& correction, ThreadPool& pool, Prediction& out) {
  smooth_planes(frame, out.probabilities, pool);
  pool.for_each(frame.rows, [&](std::size_t y, int) { choose_labels(correction, y, out); });
  if (!request.probabilities) out.probabilities.clear();
}

void Smoother::find_links(const image::FrameImages& frame, ThreadPool& pool) {
  const std::size_t rows = frame.rows, cols = frame.cols;
  if (left_.rows() != rows || left_.cols() != cols) left_ = up_ = Array2<float>(rows, cols);
  const SmoothingGuide guide{frame.color, frame.depth_mm};
  pool.for_each(rows, [&](std::size_t y, int) {
    for (std::size_t x = 0, p = y * cols; x < cols; ++x, ++p) {
      left_(y, x) = x > 0 ? link_weight(tables_, guide, p, p - 1) : 0.0f;
      up_(y, x) = y > 0 ? link_weight(tables_, guide, p, p - cols) : 0.0f;
    }
  });
}

void Smoother::shorten_links(ThreadPool& pool) {
  pool.for_each(left_.rows(), [&](std::size_t y, int) {
    for (Array2<float>* links : {&left_, &up_})
      for (std::size_t x = 0; x < links->cols(); ++x) (*links)(y, x) = weight_of_next_run((*links)(y, x));
  });
}

void Smoother::run_along_rows(std::vector<Array2<float>>& planes, ThreadPool& pool) {
  pool.for_each(left_.rows(), [&](std::size_t y, int worker) {
    std::vector<float>& line = lines_[static_cast<std::size_t>(worker)];
    line.resize(left_.cols() * planes.size());
    gather_row(planes, y, line.data());
    smooth_row(line.data(), left_.row(y), left_.cols(), planes.size());
    scatter_row(line.data(), y, planes);
  });
}

void Smoother::run_along_columns(std::vector<Array2<float>>& planes, ThreadPool& pool) {
  const std::size_t rows = up_.rows(), cols = up_.cols();
  pool.for_each((cols + kColumnsAtATime - 1) / kColumnsAtATime, [&](std::size_t block, int) {
    const std::size_t begin = block * kColumnsAtATime, end = std::min(begin + kColumnsAtATime, cols);
    for (Array2<float>& plane : planes) {
      for (std::size_t y = 1; y < rows; ++y) smooth_from(plane, y, y - 1, up_.row(y), begin, end);
      for (std::size_t y = rows - 1; y > 0; --y) smooth_from(plane, y - 1, y, up_.row(y), begin, end);
    }
  });
}

}  // namespace fernwood::predict
