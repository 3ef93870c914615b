// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Layers of a network on a GPU: a kernel each for dense convolutions, as matrix products, and for depthwise ones. Sums
// are of whole numbers, so their order does not matter; rescale() converts them to activations.

#include <algorithm>
#include <memory>
#include <vector>

#include "backbone/network.h"
#include "backbone/packed_layer.h"
#include "backbone/run_network.h"
#include "core/cuda/buffer.h"
#include "core/cuda/launch.cuh"
#include "core/cuda/runtime.h"
#include "fernwood/backbone/backbone.h"
#include "image/cuda/frame_preparer.h"

namespace fernwood::backbone {

namespace {

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

constexpr int kThreads = 256;
/// A warp of a dense layer computes kTilePixels pixels times kTiles * kTileChannels channels, from kInputStep inputs at
/// a time: matrix products in the tile size of tensor cores, 16 x 8 x 32. Small layers have few warps, which wait for
/// memory, so warps share no more than the first-level cache holds anyway.
constexpr int kTilePixels = 16, kTileChannels = 8, kTiles = 4, kInputStep = 32, kDenseWarps = 4;

/// Adds the products of 16 x 32 activations and 32 x 8 weights to 16 x 8 sums. The PTX manual, "matrix fragments for
/// mma.m16n8k32", defines which elements each lane holds.
__device__ __forceinline__ void multiply(const std::uint32_t (&activations)[4], std::uint32_t weights_low,
                                         std::uint32_t weights_high, std::int32_t (&sums)[4]) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
      : "r"(activations[0]), "r"(activations[1]), "r"(activations[2]), "r"(activations[3]), "r"(weights_low),
        "r"(weights_high));
}

/// Source of a dense layer's inputs.
struct DenseInput {
  const std::uint8_t* values;                 ///< [rows][cols][channels]
  std::int32_t rows, cols;                    ///< Of the inputs.
  std::int32_t channels;                      ///< Of the inputs, a multiple of 4 except for the stem.
  std::int32_t kernel, stride, before, zero;  ///< For the stem; otherwise the kernel is 1.
};

struct DenseArgs {
  DenseInput in;
  GpuLayer layer;
  const std::uint8_t* residual;  ///< [pixel][out], or null.
  std::uint8_t* out;             ///< [pixel][out], output.
  std::int32_t num_pixels, out_cols, zero;
};

/// Four inputs of a pixel, from `first` on. @tparam kStem  Inputs are colours around the pixel; otherwise its channels.
template <bool kStem>
__device__ __forceinline__ std::uint32_t four_inputs(const DenseInput& in, std::int32_t pixel, std::int32_t out_cols,
                                                     std::int32_t first) {
  if constexpr (!kStem) {
    if (first >= in.channels) return 0;
    const std::size_t at = static_cast<std::size_t>(pixel) * static_cast<std::size_t>(in.channels);
    return __ldg(reinterpret_cast<const std::uint32_t*>(in.values + at + first));
  }
  std::uint32_t four = 0;
  const std::int32_t y = pixel / out_cols * in.stride - in.before, x = pixel % out_cols * in.stride - in.before;
  for (std::int32_t i = 0; i < 4; ++i) {
    const std::int32_t tap = (first + i) / 3, color = (first + i) % 3;
    if (tap >= in.kernel * in.kernel) break;
    const std::int32_t row = y + tap / in.kernel, col = x + tap % in.kernel;
    const bool inside = row >= 0 && row < in.rows && col >= 0 && col < in.cols;
    const std::uint32_t value =
        inside ? in.values[3 * (static_cast<std::size_t>(row) * in.cols + col) + color] : in.zero;
    four |= value << 8 * i;
  }
  return four;
}

/// @tparam kSplits  The warps of a block divide the inputs of the same pixels, if there are too few pixels to fill the
/// GPU; otherwise each has its own pixels.
template <bool kStem, bool kSplits>
__global__ void __launch_bounds__(32 * kDenseWarps) dense_kernel(const __grid_constant__ DenseArgs a) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int32_t first_pixel = (kSplits ? blockIdx.x : blockIdx.x * kDenseWarps + warp) * kTilePixels;
  const std::int32_t first_channel = blockIdx.y * kTileChannels * kTiles;
  if (first_pixel >= a.num_pixels) return;
  // A lane holds inputs of two pixels and, for each tile, weights of one channel and two sums.
  const std::int32_t pixels[2] = {first_pixel + lane / 4, first_pixel + lane / 4 + 8};
  const int word = lane % 4;
  const auto inputs = [&](std::int32_t pixel, std::int32_t first) {
    return pixel < a.num_pixels ? four_inputs<kStem>(a.in, pixel, a.out_cols, first) : 0u;
  };
  std::int32_t sums[kTiles][4] = {};
#pragma unroll 4
  for (std::int32_t k = kSplits ? warp * kInputStep : 0; k < a.layer.in;
       k += kSplits ? kDenseWarps * kInputStep : kInputStep) {
    const std::int32_t low = k + 4 * word, high = low + kInputStep / 2;
    const std::uint32_t activations[4] = {inputs(pixels[0], low), inputs(pixels[1], low), inputs(pixels[0], high),
                                          inputs(pixels[1], high)};
#pragma unroll
    for (int t = 0; t < kTiles; ++t) {
      const std::int32_t channel = first_channel + t * kTileChannels + lane / 4;
      const std::size_t at = static_cast<std::size_t>(channel) * static_cast<std::size_t>(a.layer.in);
      const auto weights = [&](std::int32_t first) {
        return channel < a.layer.out ? __ldg(reinterpret_cast<const std::uint32_t*>(a.layer.weights + at + first)) : 0u;
      };
      multiply(activations, weights(low), weights(high), sums[t]);
    }
  }
  if constexpr (kSplits) {  // each warp sums and writes one tile
    static_assert(kTiles == kDenseWarps);
    __shared__ std::int32_t parts[kDenseWarps][kTiles][32][4];
#pragma unroll
    for (int t = 0; t < kTiles; ++t)
#pragma unroll
      for (int i = 0; i < 4; ++i) parts[warp][t][lane][i] = sums[t][i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      sums[0][i] = 0;
      for (int w = 0; w < kDenseWarps; ++w) sums[0][i] += parts[w][warp][lane][i];
    }
  }
#pragma unroll
  for (int t = 0; t < (kSplits ? 1 : kTiles); ++t) {
    const std::int32_t tile = kSplits ? warp : t;
    const std::int32_t channel = first_channel + tile * kTileChannels + 2 * word;  // and channel + 1: `out` is even
    if (channel >= a.layer.out) continue;
    const Rescaling by[2] = {a.layer.rescaling[channel], a.layer.rescaling[channel + 1]};
#pragma unroll
    for (int p = 0; p < 2; ++p) {
      if (pixels[p] >= a.num_pixels) continue;
      const std::size_t at = static_cast<std::size_t>(pixels[p]) * static_cast<std::size_t>(a.layer.out) +
                             static_cast<std::size_t>(channel);
      std::int32_t both[2] = {sums[t][2 * p], sums[t][2 * p + 1]};
      if (a.residual) {
        const uchar2 input = *reinterpret_cast<const uchar2*>(a.residual + at);
        both[0] += static_cast<std::int32_t>(input.x) * a.layer.residual[channel];
        both[1] += static_cast<std::int32_t>(input.y) * a.layer.residual[channel + 1];
      }
      *reinterpret_cast<uchar2*>(a.out + at) =
          make_uchar2(rescale(both[0], by[0], a.zero), rescale(both[1], by[1], a.zero));
    }
  }
}

struct DepthwiseArgs {
  GpuLayer layer;
  const std::uint8_t* in;  ///< [rows][cols][channels]
  std::uint8_t* out;       ///< [out_rows][out_cols][channels], output.
  std::int32_t rows, cols, out_rows, out_cols, stride, before;
};

/// Adds four products of unsigned and signed bytes.
__device__ __forceinline__ std::int32_t dot4(std::uint32_t activations, std::uint32_t weights, std::int32_t sum) {
  std::int32_t result;
  asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(activations), "r"(weights), "r"(sum));
  return result;
}

/// One thread per four channels of a pixel. Processes four taps at a time, with those of a channel collected in one
/// word.
template <int kKernel>
__global__ void __launch_bounds__(kThreads) depthwise_kernel(const __grid_constant__ DepthwiseArgs a) {
  constexpr int kAll = kKernel * kKernel, kGroups = (kAll + kTaps - 1) / kTaps;
  const std::int32_t fours = a.layer.out / 4, item = blockIdx.x * kThreads + threadIdx.x;
  if (item >= a.out_rows * a.out_cols * fours) return;
  const std::int32_t four = item % fours, pixel = item / fours;
  const std::int32_t top = pixel / a.out_cols * a.stride - a.before, left = pixel % a.out_cols * a.stride - a.before;
  const auto* values = reinterpret_cast<const std::uint32_t*>(a.in) + four;
  const auto* weights = reinterpret_cast<const uint4*>(a.layer.weights) + four;
  std::int32_t sums[4] = {};
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    std::uint32_t taps[kTaps];
#pragma unroll
    for (int t = 0; t < kTaps; ++t) {
      const int tap = g * kTaps + t;
      const std::int32_t row = top + tap / kKernel, col = left + tap % kKernel;
      const bool inside = tap < kAll && row >= 0 && row < a.rows && col >= 0 && col < a.cols;
      taps[t] = inside ? __ldg(values + (row * a.cols + col) * fours) : 0u;
    }
    const uint4 of_channels = __ldg(weights + g * fours);
    const std::uint32_t low_first = __byte_perm(taps[0], taps[1], 0x5140),
                        low_second = __byte_perm(taps[2], taps[3], 0x5140);
    const std::uint32_t high_first = __byte_perm(taps[0], taps[1], 0x7362),
                        high_second = __byte_perm(taps[2], taps[3], 0x7362);
    sums[0] = dot4(__byte_perm(low_first, low_second, 0x5410), of_channels.x, sums[0]);
    sums[1] = dot4(__byte_perm(low_first, low_second, 0x7632), of_channels.y, sums[1]);
    sums[2] = dot4(__byte_perm(high_first, high_second, 0x5410), of_channels.z, sums[2]);
    sums[3] = dot4(__byte_perm(high_first, high_second, 0x7632), of_channels.w, sums[3]);
  }
  const Rescaling* by = a.layer.rescaling + 4 * four;
  reinterpret_cast<uchar4*>(a.out)[item] = make_uchar4(rescale(sums[0], by[0], 0), rescale(sums[1], by[1], 0),
                                                       rescale(sums[2], by[2], 0), rescale(sums[3], by[3], 0));
}

__global__ void reduce_kernel(const image::Rgb* color, std::int32_t rows, std::int32_t cols, std::int32_t reduction,
                              std::uint8_t* picture) {
  const std::int32_t out_cols = strided(cols, reduction), item = blockIdx.x * kThreads + threadIdx.x;
  if (item >= strided(rows, reduction) * out_cols) return;
  const Reduced mean = reduced_color(color, rows, cols, reduction, item / out_cols, item % out_cols);
  for (int i = 0; i < 3; ++i) picture[3 * item + i] = mean.color[i];
}

__global__ void write_maps_kernel(const std::uint8_t* activations, std::int32_t count, std::int16_t* values) {
  const std::int32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i < count) values[i] = map_value_of(activations[i]);
}

void dense(const Dense& layer, const DenseArgs& args, const cuda::Stream& stream) {
  const unsigned columns = cuda::blocks_for(static_cast<std::size_t>(args.layer.out), kTileChannels * kTiles);
  const unsigned tiles = cuda::blocks_for(static_cast<std::size_t>(args.num_pixels), kTilePixels);
  const bool stem = layer.kernel > 1;
  const bool splits = !stem && args.layer.in > kInputStep && tiles * columns < 4 * cuda::num_multiprocessors();
  const dim3 grid(splits ? tiles : cuda::blocks_for(tiles, kDenseWarps), columns);
  cuda::launch("dense convolution",
               stem     ? dense_kernel<true, false>
               : splits ? dense_kernel<false, true>
                        : dense_kernel<false, false>,
               grid, 32 * kDenseWarps, 0, stream, args);
}

std::size_t area(std::int32_t rows, std::int32_t cols, std::int32_t channels) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) * static_cast<std::size_t>(channels);
}

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

}  // namespace

GpuNetwork::GpuNetwork(std::shared_ptr<const Network> network, int reduction)
    : network_(std::move(network)), reduction_(reduction) {
  std::vector<std::int8_t> weights;
  std::vector<Rescaling> rescaling;
  std::vector<std::int32_t> residual;
  // Offsets first: addresses in GPU memory are known only after all data are collected.
  struct Offsets {
    std::size_t weights, rescaling, residual;
    std::int32_t in, out;
  };
  std::vector<Offsets> offsets;
  const auto add_dense = [&](const Dense& layer, const std::vector<std::int32_t>& factors) {
    const auto inputs = static_cast<std::size_t>(layer.num_inputs());
    const std::size_t padded = (inputs + kInputStep - 1) / kInputStep * kInputStep;
    offsets.push_back(
        {weights.size(), rescaling.size(), residual.size(), static_cast<std::int32_t>(padded), layer.out});
    for (std::size_t c = 0; c < static_cast<std::size_t>(layer.out); ++c) {
      const auto first = layer.weights.begin() + static_cast<std::ptrdiff_t>(c * inputs);
      weights.insert(weights.end(), first, first + static_cast<std::ptrdiff_t>(inputs));
      weights.resize(weights.size() + padded - inputs, 0);
    }
    rescaling.insert(rescaling.end(), layer.rescaling.begin(), layer.rescaling.end());
    residual.insert(residual.end(), factors.begin(), factors.end());
  };
  for (const Block& block : network_->blocks) {
    add_dense(block.expand, {});
    const Depthwise& depthwise = block.depthwise;
    offsets.push_back({weights.size(), rescaling.size(), residual.size(), depthwise.kernel, depthwise.channels});
    const auto taps = static_cast<std::size_t>(depthwise.kernel * depthwise.kernel);
    for (std::size_t first = 0; first < taps; first += kTaps)
      for (std::size_t c = 0; c < static_cast<std::size_t>(depthwise.channels); ++c)
        for (std::size_t t = first; t < first + kTaps; ++t)
          weights.push_back(t < taps ? depthwise.weights[c * taps + t] : std::int8_t{0});
    rescaling.insert(rescaling.end(), depthwise.rescaling.begin(), depthwise.rescaling.end());
    add_dense(block.project, block.residual);
  }
  const cuda::Stream stream;
  cuda::upload(weights, weights_, stream);
  cuda::upload(rescaling, rescaling_, stream);
  cuda::upload(residual, residual_, stream);
  const auto layer = [&](std::size_t i) {
    const Offsets& at = offsets[i];
    return GpuLayer{weights_.data() + at.weights, rescaling_.data() + at.rescaling, residual_.data() + at.residual,
                    at.in, at.out};
  };
  for (std::size_t b = 0; b < network_->blocks.size(); ++b)
    blocks_.push_back({layer(3 * b), layer(3 * b + 1), layer(3 * b + 2)});
}

std::vector<image::MapLevel> GpuNetwork::levels(std::int32_t rows, std::int32_t cols) const {
  std::vector<image::MapLevel> levels =
      map_levels(*network_, reduction_, strided(rows, reduction_), strided(cols, reduction_));
  std::size_t block = 0;
  for (image::MapLevel& level : levels) {
    while (!network_->blocks[block].is_map) ++block;
    level.next_map = 1;  // the values of a cell lie side by side
    level.next_cell = network_->blocks[block++].project.out;
  }
  return levels;
}

void GpuNetwork::make_room(std::int32_t rows, std::int32_t cols) {
  std::size_t most_out = area(rows, cols, 3), most_expanded = 0, most_filtered = 0;
  for (const Block& block : network_->blocks) {
    rows = strided(rows, block.expand.stride), cols = strided(cols, block.expand.stride);
    most_expanded = std::max(most_expanded, area(rows, cols, block.expand.out));
    rows = strided(rows, block.depthwise.stride), cols = strided(cols, block.depthwise.stride);
    most_filtered = std::max(most_filtered, area(rows, cols, block.expand.out));
    most_out = std::max(most_out, area(rows, cols, block.project.out));
  }
  in_.resize(most_out);
  out_.resize(most_out);
  expanded_.resize(most_expanded);
  filtered_.resize(most_filtered);
}

void GpuNetwork::find(const image::Rgb* color, std::int32_t rows, std::int32_t cols, std::int16_t* values,
                      const cuda::Stream& stream) {
  check_frame_size(*network_, reduction_, static_cast<std::size_t>(rows), static_cast<std::size_t>(cols));
  make_room(strided(rows, reduction_), strided(cols, reduction_));
  const Request request = {color, rows, cols, values};
  if (request != last_) {
    recorded_.reset();
    enqueue(request, stream);
  } else {
    if (recorded_.is_empty()) recorded_.record([&](const cuda::Stream& noting) { enqueue(request, noting); });
    recorded_.launch(stream);
  }
  last_ = request;
}

void GpuNetwork::enqueue(const Request& request, const cuda::Stream& stream) {
  std::int32_t rows = strided(request.rows, reduction_), cols = strided(request.cols, reduction_);
  const std::uint8_t* in = reinterpret_cast<const std::uint8_t*>(request.color);
  // The buffers alternate; the first one contains the reduced image.
  std::uint8_t *next_in = in_.data(), *next_out = out_.data();
  std::int16_t* values = request.values;
  if (reduction_ > 1) {
    cuda::launch("reducing an image", reduce_kernel, cuda::blocks_for(area(rows, cols, 1), kThreads), kThreads, 0,
                 stream, request.color, request.rows, request.cols, reduction_, next_in);
    in = next_in;
  }
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Block& block = network_->blocks[b];
    const GpuBlock& layers = blocks_[b];
    const Dense& expand = block.expand;
    const std::int32_t wide_rows = strided(rows, expand.stride), wide_cols = strided(cols, expand.stride);
    dense(expand,
          {.in = {in, rows, cols, expand.in, expand.kernel, expand.stride, expand.before, network_->input_zero},
           .layer = layers.expand,
           .residual = nullptr,
           .out = expanded_.data(),
           .num_pixels = wide_rows * wide_cols,
           .out_cols = wide_cols,
           .zero = 0},
          stream);
    const Depthwise& depthwise = block.depthwise;
    const std::int32_t out_rows = strided(wide_rows, depthwise.stride), out_cols = strided(wide_cols, depthwise.stride);
    cuda::launch("depthwise convolution", depthwise.kernel == 3 ? depthwise_kernel<3> : depthwise_kernel<5>,
                 cuda::blocks_for(area(out_rows, out_cols, depthwise.channels / 4), kThreads), kThreads, 0, stream,
                 DepthwiseArgs{layers.depthwise, expanded_.data(), filtered_.data(), wide_rows, wide_cols, out_rows,
                               out_cols, depthwise.stride, depthwise.before});
    dense(block.project,
          {.in = {filtered_.data(), out_rows, out_cols, block.project.in, 1, 1, 0, 0},
           .layer = layers.project,
           .residual = block.residual.empty() ? nullptr : in,
           .out = next_out,
           .num_pixels = out_rows * out_cols,
           .out_cols = out_cols,
           .zero = kLinearZero},
          stream);
    if (block.is_map) {
      const std::size_t count = area(out_rows, out_cols, block.project.out);
      cuda::launch("writing maps", write_maps_kernel, cuda::blocks_for(count, kThreads), kThreads, 0, stream,
                   static_cast<const std::uint8_t*>(next_out), static_cast<std::int32_t>(count), values);
      values += count;
    }
    std::swap(next_in, next_out);
    in = next_in;
    rows = out_rows, cols = out_cols;
  }
}

std::shared_ptr<image::GpuMapFinder> Backbone::on_gpu() const {
  return std::make_shared<GpuNetwork>(network_, reduction_);
}

}  // namespace fernwood::backbone
