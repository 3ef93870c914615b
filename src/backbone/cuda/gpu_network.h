// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <vector>

#include "backbone/network.h"
#include "core/cuda/buffer.h"
#include "core/cuda/runtime.h"
#include "image/cuda/gpu_map_finder.h"

namespace fernwood::backbone {

/// A convolution in GPU memory, for kernels.
struct GpuLayer {
  const std::int8_t* weights;    ///< Dense: [out][in], `in` a multiple of 32. Depthwise: [group of taps][channels][4].
  const Rescaling* rescaling;    ///< [out]
  const std::int32_t* residual;  ///< [out] or null.
  std::int32_t in, out;          ///< Dense: padded inputs of an output; channels.
};

/// Many kernels launched as one graph: launching each takes longer than most of them run.
class KernelGraph {
 public:
  KernelGraph() = default;
  ~KernelGraph() { reset(); }
  KernelGraph(const KernelGraph&) = delete;
  KernelGraph& operator=(const KernelGraph&) = delete;

  /// Records the work that `enqueue` enqueues on the stream passed to it, replacing earlier records.
  template <typename Enqueue>
  void record(const Enqueue& enqueue) {
    reset();
    cuda::check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "recording work");
    cudaGraph_t graph = nullptr;
    try {
      enqueue(stream_);
    } catch (...) {
      cudaStreamEndCapture(stream_, &graph);
      if (graph) cudaGraphDestroy(graph);
      throw;
    }
    cuda::check(cudaStreamEndCapture(stream_, &graph), "recording work");
    const cudaError_t status = cudaGraphInstantiate(&work_, graph, 0);
    cudaGraphDestroy(graph);
    cuda::check(status, "preparing recorded work");
  }
  bool is_empty() const { return work_ == nullptr; }
  void reset() noexcept {
    if (work_) cudaGraphExecDestroy(work_);
    work_ = nullptr;
  }
  void launch(const cuda::Stream& stream) const { cuda::check(cudaGraphLaunch(work_, stream), "recorded work"); }

 private:
  cuda::Stream stream_;
  cudaGraphExec_t work_ = nullptr;
};

/// Runs a network on the GPU in use, bit-identical to NetworkRunner, for one stream.
class GpuNetwork final : public image::GpuMapFinder {
 public:
  /// @param network  Must outlive this object.
  GpuNetwork(std::shared_ptr<const Network> network, int reduction);
  std::vector<image::MapLevel> levels(std::int32_t rows, std::int32_t cols) const override;
  void find(const image::Rgb* color, std::int32_t rows, std::int32_t cols, std::int16_t* values,
            const cuda::Stream& stream) override;

 private:
  struct GpuBlock {
    GpuLayer expand, depthwise, project;
  };
  /// Arguments of a frame's kernels; equal requests are the same work.
  struct Request {
    const image::Rgb* color = nullptr;
    std::int32_t rows = 0, cols = 0;
    std::int16_t* values = nullptr;
    bool operator==(const Request&) const = default;
  };
  void make_room(std::int32_t rows, std::int32_t cols);
  void enqueue(const Request& request, const cuda::Stream& stream);

  std::shared_ptr<const Network> network_;
  int reduction_;
  std::vector<GpuBlock> blocks_;
  cuda::GpuBuffer<std::int8_t> weights_;
  cuda::GpuBuffer<Rescaling> rescaling_;
  cuda::GpuBuffer<std::int32_t> residual_;
  cuda::GpuBuffer<std::uint8_t> in_, out_, expanded_, filtered_;
  Request last_;
  KernelGraph recorded_;  // of last_, once it has been repeated
};

}  // namespace fernwood::backbone
