// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/steady_fusion.h"

#include <algorithm>
#include <utility>

namespace fernwood::predict {

const char* why_not_followed(bool has_depth, bool has_before, bool has_size_of_before) {
  if (!has_depth) return "frames have no depth, by which places are followed";
  if (!has_before) return "no frame with depth came before it";
  if (!has_size_of_before) return "its size differs from that of the frame before";
  return nullptr;
}

SteadyFusion::SteadyFusion(const PredictOptions& options, int keyframe_every, std::size_t num_classes)
    : keyframe_every_(keyframe_every), num_classes_(num_classes), smoother_(options.smoothing) {}

image::SurfaceView SteadyFusion::Known::filled_view() const {
  image::SurfaceView view = surfaces.view();
  view.inverse = filled.data();
  view.inverse_pitch = view.cols;
  return view;
}

std::optional<image::RigidMotion> SteadyFusion::find_motion(const Known& now, ThreadPool& pool) {
  if (const char* why =
          why_not_followed(now.has_depth, known_.has_depth, known_.rows == now.rows && known_.cols == now.cols)) {
    last_.why_not = why;
    return std::nullopt;
  }
  if (now.pose && known_.pose) return then(*now.pose, inverse(*known_.pose));
  // Initial guesses: the previous motion, and no motion.
  for (const image::RigidMotion& start : {last_motion_, image::RigidMotion()})
    if (const auto motion = register_surfaces(now.surfaces, known_.surfaces, start, &pool)) return motion;
  last_.why_not = kNoMotion;
  return std::nullopt;
}

void SteadyFusion::carry(const image::RigidMotion& motion, Known& now, ThreadPool& pool) {
  const image::SurfaceView view = now.filled_view(), before = known_.filled_view();
  const std::size_t num_cells = now.rows * now.cols;
  pool.for_each(now.rows, [&](std::size_t row, int) {
    for (std::size_t col = 0; col < now.cols; ++col) {
      const std::size_t cell = row * now.cols + col;
      const auto r = static_cast<std::int32_t>(row), c = static_cast<std::int32_t>(col);
      FollowedCells source = followed_cells(view, before, motion, r, c);
      source.drop_unknown(known_.evidence.data());
      if (source.total == 0) continue;
      std::uint16_t* to = now.values.data() + cell;
      for (std::size_t k = 0; k < num_classes_; ++k)
        to[k * num_cells] = static_cast<std::uint16_t>(source.mean(known_.values.data() + k * num_cells));
      now.evidence[cell] = static_cast<std::uint8_t>(source.mean(known_.evidence.data()));
      const LeadingClasses leading = leading_classes(to, num_cells, static_cast<std::int32_t>(num_classes_));
      wanted_[cell] = wants_evaluation(now.evidence[cell], leading, r, c, keys_.num_keys);
    }
  });
}

void SteadyFusion::extrapolate(Known& now, ThreadPool& pool) const {
  const image::SurfaceView view = now.filled_view();
  const std::size_t num_cells = now.rows * now.cols;
  pool.for_each(now.rows, [&](std::size_t row, int) {
    for (std::size_t col = 0; col < now.cols; ++col) {
      const std::size_t cell = row * now.cols + col;
      if (now.evidence[cell] > 0) continue;
      const std::int32_t from =
          nearest_known(view, now.evidence.data(), static_cast<std::int32_t>(row), static_cast<std::int32_t>(col));
      for (std::size_t k = 0; k < num_classes_ && from >= 0; ++k)
        now.values[k * num_cells + cell] = now.values[k * num_cells + static_cast<std::size_t>(from)];
    }
  });
}

const std::vector<std::uint8_t>& SteadyFusion::follow(const image::FrameImages& frame, ThreadPool& pool) {
  const auto cells = [](std::size_t pixels) {
    return static_cast<std::size_t>(image::context_cells(static_cast<std::int32_t>(pixels)));
  };
  const std::size_t num_cells = cells(frame.rows) * cells(frame.cols);
  last_ = {};
  if (frame.begins_video) {
    known_.has_depth = false;  // then nothing is followed
    keys_ = {};
  }
  next_.pose = frame.pose;
  next_.rows = cells(frame.rows);
  next_.cols = cells(frame.cols);
  next_.values.assign(num_classes_ * num_cells, 0);
  next_.evidence.assign(num_cells, 0);
  wanted_.assign(num_cells, 1);
  next_.has_depth = frame.depth_mm != nullptr;
  if (next_.has_depth) {
    const image::Camera camera = camera_of(frame);
    next_.surfaces = {find_surfaces({frame.depth_mm, frame.rows, frame.cols}, camera, &pool), camera};
    next_.filled.resize(num_cells);
    pool.for_each(next_.rows, [&, view = next_.surfaces.view()](std::size_t row, int) {
      for (std::size_t col = 0; col < next_.cols; ++col)
        next_.filled[row * next_.cols + col] =
            filled_inverse(view, static_cast<std::int32_t>(row), static_cast<std::int32_t>(col));
    });
  }
  std::size_t num_known = 0;
  if (const auto motion = find_motion(next_, pool)) {
    carry(*motion, next_, pool);
    num_known = num_cells - static_cast<std::size_t>(std::ranges::count(next_.evidence, 0));
    last_.followed = static_cast<double>(num_known) / static_cast<double>(num_cells);
    last_.motion = *motion;
    if (!fits(static_cast<std::int32_t>(num_known), static_cast<std::int32_t>(num_cells))) {
      last_ = {.why_not = kDoesNotFit};
      std::ranges::fill(next_.evidence, std::uint8_t{0});
      std::ranges::fill(wanted_, std::uint8_t{1});
    }
  }
  last_motion_ = last_.motion.value_or(image::RigidMotion());
  if (!keys_.count(last_.motion.has_value(), static_cast<std::int32_t>(num_known), static_cast<std::int32_t>(num_cells),
                   keyframe_every_)) {
    extrapolate(next_, pool);
    wanted_.clear();
  }
  const auto num_wanted = static_cast<std::size_t>(std::ranges::count(wanted_, 1));
  last_.evaluated = static_cast<double>(num_wanted) / static_cast<double>(num_cells);
  return wanted_;
}

void SteadyFusion::smooth(const image::FrameImages& frame, image::ContextMaps& maps, ThreadPool& pool) {
  const std::size_t rows = next_.rows, cols = next_.cols, num_cells = rows * cols;
  if (planes_.empty() || planes_[0].rows() != rows || planes_[0].cols() != cols)
    planes_.assign(num_classes_, Array2<float>(rows, cols));
  pool.for_each(rows, [&](std::size_t row, int) {
    for (std::size_t k = 0; k < num_classes_; ++k)
      for (std::size_t col = 0, cell = row * cols; col < cols; ++col, ++cell) {
        const std::size_t at = k * num_cells + cell;
        planes_[k](row, col) = smoothed_share(wanted_[cell] ? maps.values[at] * kFusedStep : next_.values[at]);
      }
  });
  smoother_.smooth_cells(frame, planes_, pool);
  pool.for_each(rows, [&](std::size_t row, int) {
    for (std::size_t k = 0; k < num_classes_; ++k)
      for (std::size_t col = 0; col < cols; ++col)
        maps.values[k * num_cells + row * cols + col] = image::context_step(planes_[k](row, col));
  });
}

void SteadyFusion::fuse(const image::FrameImages& frame, image::ContextMaps& maps, ThreadPool& pool) {
  const std::size_t num_cells = next_.rows * next_.cols;
  const bool is_key = !wanted_.empty();
  if (is_key && smoother_.is_on()) smooth(frame, maps, pool);
  if (!is_key) maps = {next_.rows, next_.cols, std::vector<std::uint8_t>(num_classes_ * num_cells)};
  const auto num_classes = static_cast<std::int32_t>(num_classes_);
  pool.for_each(next_.rows, [&](std::size_t row, int) {
    for (std::size_t cell = row * next_.cols; cell < (row + 1) * next_.cols; ++cell) {
      std::uint16_t* fused = next_.values.data() + cell;
      std::uint8_t* found = maps.values.data() + cell;
      if (is_key && wanted_[cell]) {
        const FusedEvidence evidence =
            fused_evidence(next_.evidence[cell], leading_classes(found, num_cells, num_classes));
        for (std::size_t k = 0; k < num_classes_; ++k)
          fused[k * num_cells] = evidence.fused(fused[k * num_cells], found[k * num_cells]);
        next_.evidence[cell] = static_cast<std::uint8_t>(evidence.sum());
      }
      for (std::size_t k = 0; k < num_classes_; ++k) found[k * num_cells] = step_of(fused[k * num_cells]);
    }
  });
  std::swap(known_, next_);
}

}  // namespace fernwood::predict
