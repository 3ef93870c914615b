// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cuda/frame_labeller.h"

#include <cstdint>
#include <string>

#include "fernwood/core/error.h"
#include "image/prepare_steps.h"
#include "predict/cpu_predictor.h"

namespace fernwood::predict {

namespace {

/// Checks that memory belongs to this GPU, or is managed, and is aligned. @param what  For the error message.
/// @param pitch_bytes  Distance between rows. @param number_bytes  Size of a value.
void check_place(const char* what, const void* memory, std::size_t pitch_bytes, std::size_t number_bytes, int gpu) {
  if (memory == nullptr) return;
  FW_CHECK(reinterpret_cast<std::uintptr_t>(memory) % number_bytes == 0 && pitch_bytes % number_bytes == 0, Data,
           what << ": not all rows begin at multiples of " << number_bytes
                << " bytes, as a GPU needs them; pass memory that is aligned");
  cudaPointerAttributes attributes{};
  cuda::check(cudaPointerGetAttributes(&attributes, memory), "asking where memory lies");
  const bool on_gpu = attributes.type == cudaMemoryTypeDevice;
  FW_CHECK((on_gpu && attributes.device == gpu) || attributes.type == cudaMemoryTypeManaged, Device,
           what << " lies in the memory of " << (on_gpu ? to_string(Device{attributes.device}) : "the host")
                << ", and the predictor labels on " << to_string(Device{gpu})
                << "; pass memory of that GPU, or make a predictor with that device");
}

}  // namespace

ResidentLabeller::ResidentLabeller(const image::Preparation& preparation, const GpuStages& stages,
                                   const PredictOptions& options, int gpu, GpuSteadyFusion* steady)
    : preparation_(preparation), gpu_(gpu), labeller_(preparation, stages, options, steady) {}

ResidentLabeller::~ResidentLabeller() {
  try {
    done_.synchronize();  // pending work still uses the memory
  } catch (const Error&) {
    // A failure cannot be reported here.
  }
}

void ResidentLabeller::check_places(const image::FrameImages& frame, const PredictionTarget& target) const {
  check_place("the colour", frame.color, 0, 1, gpu_);
  check_place("the depth in mm", frame.depth_mm, frame.depth_pitch_bytes, sizeof(std::uint16_t), gpu_);
  check_place("the depth in m", frame.depth_m, frame.depth_pitch_bytes, sizeof(float), gpu_);
  check_place("the feature maps", frame.maps, 0, sizeof(float), gpu_);
  check_place("what labels are written to", target.labels, target.labels_pitch_bytes, sizeof(std::uint16_t), gpu_);
  check_place("what probabilities are written to", target.probabilities, 0, sizeof(float), gpu_);
}

void ResidentLabeller::label(const image::FrameImages& frame, const PredictionTarget& target,
                             const cuda::Stream& stream) {
  image::check_frame(frame, preparation_);
  check_target(frame, target);
  check_places(frame, target);
  // The memory of the previous frame is reused. If it must be reallocated, the host waits until its work is complete;
  // else only this stream waits.
  if (frame.rows == rows_ && frame.cols == cols_ && frame.aligner == aligner_)
    done_.wait_event(stream);
  else
    done_.synchronize();
  rows_ = cols_ = 0;  // until all work is enqueued successfully
  try {
    enqueue(frame, target, stream);
    done_.record(stream);
  } catch (...) {
    cudaStreamSynchronize(stream);  // completes what was enqueued before; the failure is already being reported
    throw;
  }
  rows_ = frame.rows;
  cols_ = frame.cols;
  aligner_ = frame.aligner;
}

void ResidentLabeller::enqueue(const image::FrameImages& frame, const PredictionTarget& target,
                               const cuda::Stream& stream) {
  const image::RawFrame raw = images_.take(frame, preparation_, stream);
  const std::size_t pixels = frame.rows * frame.cols, row_bytes = frame.cols * sizeof(std::uint16_t);
  const bool in_place = target.labels_pitch_bytes == 0 || target.labels_pitch_bytes == row_bytes;
  if (!in_place) labels_.resize(pixels);
  std::uint16_t* const labels = in_place ? target.labels : labels_.data();
  labeller_.make_room(raw);
  labeller_.prepare(raw, stream);
  labeller_.label({raw.color, raw.depth_mm}, labels, stream);
  if (!in_place)
    cuda::copy_rows_on_gpu(static_cast<const std::uint16_t*>(labels), row_bytes, target.labels,
                           target.labels_pitch_bytes, frame.rows, frame.cols, stream);
  if (target.probabilities == nullptr) return;
  labeller_.compute_probabilities(stream, [&](std::size_t first_class, std::size_t num_classes, const float* planes) {
    cuda::copy_on_gpu(planes, num_classes * pixels, target.probabilities + first_class * pixels, stream);
  });
}

}  // namespace fernwood::predict
