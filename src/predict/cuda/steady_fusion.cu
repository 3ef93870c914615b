// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Temporal fusion, one thread for each cell: values are transferred from the previous frame, and blended with those of
// the current one.

#include "predict/cuda/steady_fusion.h"

#include "core/cuda/launch.cuh"
#include "fernwood/core/error.h"

namespace fernwood::predict {

namespace {

using Tally = GpuSteadyFusion::Tally;

constexpr int kThreads = 128;

struct CellArgs {
  std::int32_t rows, cols, num_classes;
  std::uint16_t* values;   ///< [class][cells]
  std::uint8_t* evidence;  ///< [cells]
  std::uint8_t* wanted;    ///< [cells]
  Tally* tally;

  __device__ std::int32_t size() const { return rows * cols; }
  /// Whether a cell is evaluated: all cells are if the frame does not follow the previous one, none between key frames.
  __device__ bool is_evaluated(std::int32_t cell) const { return !tally->follows || (tally->is_key && wanted[cell]); }
};

/// @param given  Motion from poses, valid if has_given.
__global__ void begin_frame_kernel(Tally* tally, image::RigidMotion given, bool has_given, bool begins_video) {
  if (begins_video) tally->keys = {};
  tally->motion = {given, has_given};
  tally->num_followed = tally->num_wanted = 0;
  tally->follows = false;
}

__global__ void fill_kernel(image::SurfaceView frame, float* filled) {
  const std::int32_t cell = blockIdx.x * kThreads + threadIdx.x;
  if (cell < frame.rows * frame.cols) filled[cell] = filled_inverse(frame, cell / frame.cols, cell % frame.cols);
}

struct CarryArgs {
  CellArgs cells;
  image::SurfaceView now, before;
  const std::uint16_t* values_before;
  const std::uint8_t* evidence_before;
};

__global__ void __launch_bounds__(kThreads) carry_kernel(CarryArgs a) {
  const std::int32_t cell = blockIdx.x * kThreads + threadIdx.x, num_cells = a.cells.size();
  bool is_known = false;
  if (cell < num_cells) {
    const std::int32_t row = cell / a.cells.cols, col = cell % a.cells.cols;
    a.cells.evidence[cell] = 0;
    a.cells.wanted[cell] = 1;
    FollowedCells source;
    if (a.cells.tally->motion.is_known) {
      source = followed_cells(a.now, a.before, a.cells.tally->motion.motion, row, col);
      source.drop_unknown(a.evidence_before);
    }
    std::uint16_t* const to = a.cells.values + cell;
    for (std::int32_t k = 0; k < a.cells.num_classes; ++k)
      to[static_cast<std::size_t>(k) * num_cells] =
          source.total == 0
              ? std::uint16_t{0}
              : static_cast<std::uint16_t>(source.mean(a.values_before + static_cast<std::size_t>(k) * num_cells));
    if (source.total > 0) {
      a.cells.evidence[cell] = static_cast<std::uint8_t>(source.mean(a.evidence_before));
      a.cells.wanted[cell] = wants_evaluation(
          a.cells.evidence[cell], leading_classes(to, static_cast<std::size_t>(num_cells), a.cells.num_classes), row,
          col, a.cells.tally->keys.num_keys);
      is_known = a.cells.evidence[cell] > 0;
    }
  }
  const int followed = __syncthreads_count(is_known);
  const int wanted = __syncthreads_count(cell < num_cells && a.cells.wanted[cell]);
  if (threadIdx.x > 0) return;
  atomicAdd(&a.cells.tally->num_followed, followed);
  atomicAdd(&a.cells.tally->num_wanted, wanted);
}

__global__ void decide_kernel(Tally* tally, std::int32_t num_cells, std::int32_t keyframe_every) {
  tally->follows = tally->motion.is_known && fits(tally->num_followed, num_cells);
  tally->last_motion = tally->follows ? tally->motion.motion : image::RigidMotion();
  tally->is_key = tally->keys.count(tally->follows, tally->num_followed, num_cells, keyframe_every);
  if (!tally->is_key) tally->num_wanted = 0;
}

/// Used between key frames. Reads cells with evidence, and writes those without.
__global__ void extrapolate_kernel(CellArgs a, image::SurfaceView now) {
  const std::int32_t cell = blockIdx.x * kThreads + threadIdx.x, num_cells = a.size();
  if (a.tally->is_key || cell >= num_cells || a.evidence[cell] > 0) return;
  const std::int32_t from = nearest_known(now, a.evidence, cell / a.cols, cell % a.cols);
  for (std::int32_t k = 0; k < a.num_classes && from >= 0; ++k)
    a.values[static_cast<std::size_t>(k) * num_cells + cell] = a.values[static_cast<std::size_t>(k) * num_cells + from];
}

__global__ void gather_kernel(CellArgs a, const std::uint8_t* maps, float* planes) {
  const std::int32_t cell = blockIdx.x * kThreads + threadIdx.x, num_cells = a.size();
  if (cell >= num_cells) return;
  const bool is_evaluated = a.is_evaluated(cell);
  for (std::int32_t k = 0; k < a.num_classes; ++k) {
    const std::size_t at = static_cast<std::size_t>(k) * num_cells + cell;
    planes[at] = smoothed_share(is_evaluated ? maps[at] * kFusedStep : a.values[at]);
  }
}

__global__ void scatter_kernel(const float* planes, std::size_t size, std::uint8_t* maps) {
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (at < size) maps[at] = image::context_step(planes[at]);
}

__global__ void __launch_bounds__(kThreads) fuse_kernel(CellArgs a, std::uint8_t* maps) {
  const std::int32_t cell = blockIdx.x * kThreads + threadIdx.x, num_cells = a.size();
  if (cell >= num_cells) return;
  const auto pitch = static_cast<std::size_t>(num_cells);
  std::uint16_t* const fused = a.values + cell;
  std::uint8_t* const found = maps + cell;
  if (a.is_evaluated(cell)) {
    const FusedEvidence evidence =
        fused_evidence(a.tally->follows ? a.evidence[cell] : 0, leading_classes(found, pitch, a.num_classes));
    for (std::int32_t k = 0; k < a.num_classes; ++k)
      fused[k * pitch] = evidence.fused(fused[k * pitch], found[k * pitch]);
    a.evidence[cell] = static_cast<std::uint8_t>(evidence.sum());
  }
  for (std::int32_t k = 0; k < a.num_classes; ++k) found[k * pitch] = step_of(fused[k * pitch]);
}

}  // namespace

image::SurfaceView GpuSteadyFusion::Known::filled_view() const {
  image::SurfaceView view = surfaces.view();
  view.inverse = filled.data();
  return view;
}

GpuSteadyFusion::GpuSteadyFusion(const PredictOptions& options, int keyframe_every, std::size_t num_classes)
    : keyframe_every_(keyframe_every),
      num_classes_(static_cast<std::int32_t>(num_classes)),
      smoother_(options.smoothing),
      tally_(1),
      host_tally_(1) {
  const cuda::Stream stream;
  cuda::copy_to_gpu(std::array{Tally()}.data(), 1, tally_.data(), stream);
  stream.synchronize();
}

GpuSteadyFusion::~GpuSteadyFusion() {
  try {
    done_.synchronize();  // pending work still uses the memory
  } catch (const Error&) {
    // A failure cannot be reported here.
  }
}

void GpuSteadyFusion::start(const image::FrameImages& frame) { frame_ = frame; }

void GpuSteadyFusion::make_room(Known& known) const {
  const auto num_cells = static_cast<std::size_t>(known.rows) * static_cast<std::size_t>(known.cols);
  known.filled.resize(num_cells);
  known.values.resize(static_cast<std::size_t>(num_classes_) * num_cells);
  known.evidence.resize(num_cells);
}

void GpuSteadyFusion::find_motion(const cuda::Stream& stream) {
  const Known &now = frames_[num_frames_ % 2], &before = frames_[(num_frames_ + 1) % 2];
  why_not_ = why_not_followed(now.has_depth, before.has_depth, now.rows == before.rows && now.cols == before.cols);
  const bool has_poses = why_not_ == nullptr && now.pose && before.pose;
  cuda::launch("a frame's beginning", begin_frame_kernel, 1, 1, 0, stream, tally_.data(),
               has_poses ? then(*now.pose, inverse(*before.pose)) : image::RigidMotion(), has_poses,
               frame_.begins_video);
  if (why_not_ == nullptr && !has_poses)
    registration_.find(now.surfaces.view(), before.surfaces.view(), &tally_.data()->last_motion, &tally_.data()->motion,
                       stream);
}

void GpuSteadyFusion::smooth(const SmoothingGuide& guide, std::uint8_t* maps, const cuda::Stream& stream) {
  Known& now = frames_[num_frames_ % 2];
  const auto num_cells = static_cast<std::size_t>(now.rows) * static_cast<std::size_t>(now.cols);
  const std::size_t size = static_cast<std::size_t>(num_classes_) * num_cells;
  planes_.resize(size);
  const CellArgs cells = {now.rows,       now.cols,     num_classes_, now.values.data(), now.evidence.data(),
                          wanted_.data(), tally_.data()};
  cuda::launch("cells to smooth", gather_kernel, cuda::blocks_for(num_cells, kThreads), kThreads, 0, stream, cells,
               static_cast<const std::uint8_t*>(maps), planes_.data());
  smoother_.smooth_cells({guide, static_cast<std::int32_t>(frame_.rows), static_cast<std::int32_t>(frame_.cols)},
                         planes_.data(), num_classes_, stream);
  cuda::launch("smoothed cells", scatter_kernel, cuda::blocks_for(size, kThreads), kThreads, 0, stream,
               static_cast<const float*>(planes_.data()), size, maps);
}

void GpuSteadyFusion::fuse(const SmoothingGuide& guide, std::uint8_t* maps, const cuda::Stream& stream) {
  const auto rows = static_cast<std::int32_t>(frame_.rows), cols = static_cast<std::int32_t>(frame_.cols);
  Known &now = frames_[num_frames_ % 2], &before = frames_[(num_frames_ + 1) % 2];
  const bool grows = now.rows != image::context_cells(rows) || now.cols != image::context_cells(cols);
  if (grows)
    done_.synchronize();  // memory will be reallocated
  else
    done_.wait_event(stream);
  now.rows = image::context_cells(rows);
  now.cols = image::context_cells(cols);
  now.pose = frame_.pose;
  now.has_depth = guide.depth_mm != nullptr;
  if (frame_.begins_video) before.has_depth = false;  // then nothing is followed
  make_room(now);
  const auto num_cells = static_cast<std::size_t>(now.rows) * static_cast<std::size_t>(now.cols);
  wanted_.resize(num_cells);
  const unsigned blocks = cuda::blocks_for(num_cells, kThreads);
  if (now.has_depth) {
    now.surfaces.measure(guide.depth_mm, rows, cols, camera_of(frame_), stream);
    cuda::launch("unknown cells", fill_kernel, blocks, kThreads, 0, stream, now.surfaces.view(), now.filled.data());
  }
  find_motion(stream);
  const CellArgs cells = {now.rows,       now.cols,     num_classes_, now.values.data(), now.evidence.data(),
                          wanted_.data(), tally_.data()};
  cuda::launch("what was known", carry_kernel, blocks, kThreads, 0, stream,
               CarryArgs{cells, now.filled_view(), before.filled_view(), before.values.data(), before.evidence.data()});
  cuda::launch("whether it fits", decide_kernel, 1, 1, 0, stream, tally_.data(), static_cast<std::int32_t>(num_cells),
               keyframe_every_);
  if (keyframe_every_ > 1)
    cuda::launch("unseen cells", extrapolate_kernel, blocks, kThreads, 0, stream, cells, now.filled_view());
  if (smoother_.is_on()) smooth(guide, maps, stream);
  cuda::launch("fused maps", fuse_kernel, blocks, kThreads, 0, stream, cells, maps);
  cuda::copy_to_host(static_cast<const Tally*>(tally_.data()), 1, host_tally_.data(), stream);
  done_.record(stream);
  ++num_frames_;
}

SteadyFrame GpuSteadyFusion::last() {
  if (num_frames_ == 0) return {};
  done_.synchronize();
  const Tally& tally = *host_tally_.data();
  const Known& known = frames_[(num_frames_ + 1) % 2];
  const double num_cells = static_cast<double>(known.rows) * static_cast<double>(known.cols);
  if (why_not_ != nullptr) return {.why_not = why_not_};
  if (!tally.motion.is_known) return {.why_not = kNoMotion};
  if (!tally.follows) return {.why_not = kDoesNotFit};
  return {.motion = tally.motion.motion,
          .followed = tally.num_followed / num_cells,
          .evaluated = tally.num_wanted / num_cells};
}

}  // namespace fernwood::predict
