// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "backbone/run_network.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/isa.h"
#include "fernwood/core/error.h"
#include "fernwood/core/platform.h"

namespace fernwood::backbone {

FW_ISA_TABLES(LayerKernels, layer_kernels_table)

#if defined(FERNWOOD_HAS_ISA_vnni)
namespace isa_vnni {
extern const LayerKernels layer_kernels_table;
}
#endif
#if defined(FERNWOOD_HAS_ISA_dotprod)
namespace isa_dotprod {
extern const LayerKernels layer_kernels_table;
}
#endif

namespace {

std::vector<KernelSet> find_kernel_sets() {
  std::vector<KernelSet> sets;
  for (const Isa isa : available_isas()) sets.push_back({to_string(isa), &layer_kernels_table_of(isa)});
#if defined(FERNWOOD_HAS_ISA_vnni)
  if (available_isas().back() == Isa::kAvx512 && __builtin_cpu_supports("avx512vnni"))
    sets.push_back({"avx512 with VNNI", &isa_vnni::layer_kernels_table});
#endif
#if defined(FERNWOOD_HAS_ISA_dotprod)
  if (platform::has_dot_products()) sets.push_back({"baseline with dot products", &isa_dotprod::layer_kernels_table});
#endif
  return sets;
}

constexpr std::size_t round_up(std::size_t size, std::size_t step) { return (size + step - 1) / step * step; }

/// Correction of a sum of products whose activations were reduced by `subtracted`.
std::int32_t missing_in_sum(std::int32_t subtracted, const std::int8_t* weights, std::size_t num_weights) {
  return subtracted * std::accumulate(weights, weights + num_weights, std::int32_t{0});
}

/// Writes the rescaling of a channel. @param missing  From missing_in_sum(). @param vector  [5][lanes]
void pack_rescaling(const Rescaling& by, std::int32_t missing, std::int32_t zero, std::size_t lanes, std::size_t lane,
                    std::int32_t* vector) {
  vector[lane] = by.bias + missing + half_of(by.first_shift);
  vector[lanes + lane] = by.first_shift;
  vector[2 * lanes + lane] = by.multiplier;
  vector[3 * lanes + lane] = half_of(by.shift) + (zero << by.shift);
  vector[4 * lanes + lane] = by.shift;
}

/// Minimum rows of a block per thread: each thread also expands some rows of its neighbours.
constexpr std::int32_t kMinRows = 4;

std::size_t product(std::int32_t a, std::int32_t b, std::int32_t c = 1) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * static_cast<std::size_t>(c);
}

/// Inputs of the stem for a row of outputs: [cols][in], where `in` is at least kernel * kernel * 3.
void gather_patches(const std::uint8_t* picture, std::int32_t rows, std::int32_t cols, const Dense& stem,
                    std::int32_t in, std::int32_t y, std::uint8_t zero, std::uint8_t* patches) {
  const std::int32_t out_cols = strided(cols, stem.stride);
  for (std::int32_t x = 0; x < out_cols; ++x) {
    std::uint8_t* patch = patches + product(x, in);
    for (std::int32_t i = 0; i < stem.kernel; ++i)
      for (std::int32_t j = 0; j < stem.kernel; ++j, patch += 3) {
        const std::int32_t row = y * stem.stride - stem.before + i, col = x * stem.stride - stem.before + j;
        if (row < 0 || row >= rows || col < 0 || col >= cols)
          std::memset(patch, zero, 3);
        else
          std::memcpy(patch, picture + 3 * (product(row, cols) + static_cast<std::size_t>(col)), 3);
      }
    std::memset(patch, 0, static_cast<std::size_t>(in - stem.num_inputs()));
  }
}

/// Converts activations [rows][cols][channels] to map values [channel][rows][cols].
void write_maps(const std::uint8_t* activations, std::size_t num_cells, std::size_t channels, std::int16_t* values) {
  for (std::size_t cell = 0; cell < num_cells; ++cell)
    for (std::size_t c = 0; c < channels; ++c)
      values[c * num_cells + cell] = map_value_of(activations[cell * channels + c]);
}

}  // namespace

const std::vector<KernelSet>& kernel_sets() {
  static const std::vector<KernelSet> sets = find_kernel_sets();
  return sets;
}

PackedLayer pack_dense(const Dense& layer, const std::vector<std::int32_t>& residual, std::int32_t zero,
                       const LayerKernels& kernels) {
  const auto lanes = static_cast<std::size_t>(kernels.lanes), out = static_cast<std::size_t>(layer.out);
  const auto inputs = static_cast<std::size_t>(layer.num_inputs());
  const std::size_t in = round_up(inputs, 4), padded = round_up(out, lanes);
  PackedLayer packed = {static_cast<std::int32_t>(in), layer.out, {}, {}, residual};
  packed.weights.resize(in * padded);
  packed.rescaling.resize(5 * padded);
  if (!residual.empty()) packed.residual.resize(padded);
  std::int8_t* next = packed.weights.data();
  for (std::size_t first = 0; first < out; first += kDenseVectors * lanes) {
    const std::size_t num = std::min(padded - first, kDenseVectors * lanes);
    for (std::size_t k = 0; k < in; k += 4)
      for (std::size_t c = first; c < first + num; ++c)
        for (std::size_t i = k; i < k + 4; ++i, ++next)
          if (c < out && i < inputs) *next = layer.weights[c * inputs + i];
  }
  for (std::size_t c = 0; c < padded; ++c)
    pack_rescaling(c < out ? layer.rescaling[c] : Rescaling(),
                   c < out ? missing_in_sum(kernels.subtracted, layer.weights.data() + c * inputs, inputs) : 0, zero,
                   lanes, c % lanes, packed.rescaling.data() + c / lanes * 5 * lanes);
  return packed;
}

PackedLayer pack_depthwise(const Depthwise& layer, const LayerKernels& kernels) {
  const auto lanes = static_cast<std::size_t>(kernels.lanes), channels = static_cast<std::size_t>(layer.channels);
  const auto taps = static_cast<std::size_t>(layer.kernel * layer.kernel);
  const std::size_t chunk = 4 * lanes, padded = round_up(channels, chunk), groups = round_up(taps, kTaps) / kTaps;
  PackedLayer packed = {layer.kernel, layer.channels, {}, {}, {}};
  packed.weights.resize(padded * groups * kTaps);
  packed.rescaling.resize(5 * padded);
  std::int8_t* next = packed.weights.data();
  for (std::size_t first = 0; first < channels; first += chunk) {
    // Within 16 bytes of a vector, groups of four are interleaved: see Lanes::store_four().
    const auto channel = [&](std::size_t v, std::size_t lane) { return first + lane / 4 * 16 + v * 4 + lane % 4; };
    for (std::size_t g = 0; g < groups; ++g)
      for (std::size_t v = 0; v < 4; ++v)
        for (std::size_t lane = 0; lane < lanes; ++lane)
          for (std::size_t tap = g * kTaps; tap < (g + 1) * kTaps; ++tap, ++next)
            if (const std::size_t c = channel(v, lane); c < channels && tap < taps)
              *next = layer.weights[c * taps + tap];
    for (std::size_t v = 0; v < 4; ++v)
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::size_t c = channel(v, lane);
        pack_rescaling(c < channels ? layer.rescaling[c] : Rescaling(),
                       c < channels ? missing_in_sum(kernels.subtracted, layer.weights.data() + c * taps, taps) : 0, 0,
                       lanes, lane, packed.rescaling.data() + (first + v * lanes) * 5);
      }
  }
  return packed;
}

Picture reduced_picture(const image::FrameImages& frame, int reduction) {
  const auto rows = static_cast<std::int32_t>(frame.rows), cols = static_cast<std::int32_t>(frame.cols);
  Picture picture = {strided(rows, reduction), strided(cols, reduction), {}};
  picture.colors.resize(product(picture.rows, picture.cols, 3));
  std::uint8_t* out = picture.colors.data();
  if (reduction == 1) {
    static_assert(sizeof(image::Rgb) == 3);
    std::memcpy(out, frame.color, picture.colors.size());
    return picture;
  }
  for (std::int32_t y = 0; y < picture.rows; ++y)
    for (std::int32_t x = 0; x < picture.cols; ++x, out += 3) {
      const Reduced mean = reduced_color(frame.color, rows, cols, reduction, y, x);
      std::memcpy(out, mean.color, sizeof(mean.color));
    }
  return picture;
}

void check_frame_size(const Network& network, int reduction, std::size_t frame_rows, std::size_t frame_cols) {
  constexpr std::size_t kMaxNumbers = std::size_t{1} << 31;
  std::int32_t rows = strided(static_cast<std::int32_t>(frame_rows), reduction);
  std::int32_t cols = strided(static_cast<std::int32_t>(frame_cols), reduction);
  std::size_t maps = 0;
  for (const Block& block : network.blocks) {
    rows = strided(rows, block.expand.stride), cols = strided(cols, block.expand.stride);
    const std::size_t expanded = product(rows, cols, block.expand.out);
    rows = strided(rows, block.depthwise.stride), cols = strided(cols, block.depthwise.stride);
    const std::size_t out = product(rows, cols, block.project.out);
    maps += block.is_map ? out : 0;
    FW_CHECK(std::max({expanded, out, maps}) < kMaxNumbers, Data,
             "a frame of " << frame_cols << " x " << frame_rows << " pixels is too large for the backbone "
                           << network.name << "; use a larger " << named_option("backbone-reduction")
                           << ", or smaller frames");
  }
}

std::vector<image::MapLevel> map_levels(const Network& network, int reduction, std::int32_t picture_rows,
                                        std::int32_t picture_cols) {
  std::vector<image::MapLevel> levels;
  std::int32_t rows = picture_rows, cols = picture_cols, first_map = 0, offset = 0;
  for (std::size_t b = 0; b < network.blocks.size(); ++b) {
    const Block& block = network.blocks[b];
    rows = strided(rows, block.stride()), cols = strided(cols, block.stride());
    if (!block.is_map) continue;
    const auto step = 65536u / static_cast<std::uint32_t>(network.stride_of(b + 1) * reduction);
    levels.push_back({rows, cols, first_map, offset, rows * cols, 1, step, step});
    first_map += block.project.out;
    offset += rows * cols * block.project.out;
  }
  return levels;
}

NetworkRunner::NetworkRunner(const Network& network, const LayerKernels& kernels)
    : network_(network), kernels_(kernels) {
  for (const Block& block : network.blocks)
    blocks_.push_back({pack_dense(block.expand, {}, 0, kernels), pack_depthwise(block.depthwise, kernels),
                       pack_dense(block.project, block.residual, kLinearZero, kernels)});
}

/// Computes rows of a block's output. Only the expanded rows that one row of outputs reads are held in memory, so that
/// they stay in a near cache.
void NetworkRunner::run_rows(std::size_t b, const Activations& in, std::int32_t row_begin, std::int32_t row_end,
                             Scratch& scratch, std::uint8_t* out) const {
  const Block& block = network_.blocks[b];
  const PackedBlock& packed = blocks_[b];
  const std::int32_t rows = strided(in.rows, block.expand.stride), cols = strided(in.cols, block.expand.stride);
  const Depthwise& depthwise = block.depthwise;
  const std::int32_t out_cols = strided(cols, depthwise.stride), channels = depthwise.channels;
  const std::int32_t before = depthwise.before;
  const std::int32_t seen = std::max(before + cols, (out_cols - 1) * depthwise.stride + depthwise.kernel);
  const std::size_t row_size = product(seen, channels) + kSlack;
  // After ReLU6, values outside the image are 0.
  scratch.expanded.assign(row_size * static_cast<std::size_t>(depthwise.kernel), 0);
  scratch.outside.assign(row_size, 0);
  scratch.filtered.resize(product(out_cols, channels));
  scratch.patches.resize(product(cols, packed.expand.in));
  const auto slot = [&](std::int32_t row) {
    return scratch.expanded.data() + static_cast<std::size_t>(row % depthwise.kernel) * row_size;
  };
  std::int32_t next = std::max(0, row_begin * depthwise.stride - before);
  for (std::int32_t y = row_begin; y < row_end; ++y) {
    const std::int32_t top = y * depthwise.stride - before, bottom = std::min(top + depthwise.kernel, rows);
    for (; next < bottom; ++next) {
      const std::uint8_t* from = in.values + product(next, in.cols, block.expand.in);
      if (block.expand.kernel > 1) {
        gather_patches(in.values, in.rows, in.cols, block.expand, packed.expand.in, next, network_.input_zero,
                       scratch.patches.data());
        from = scratch.patches.data();
      }
      kernels_.dense(packed.expand.view(), from, static_cast<std::size_t>(cols), nullptr,
                     slot(next) + product(before, channels));
    }
    const std::uint8_t* seen_rows[kMaxKernel];
    for (std::int32_t i = 0; i < depthwise.kernel; ++i) {
      const std::int32_t row = top + i;
      seen_rows[i] = row < 0 || row >= rows ? scratch.outside.data() : slot(row);
    }
    kernels_.depthwise(packed.depthwise.view(), seen_rows, depthwise.stride, static_cast<std::size_t>(out_cols),
                       scratch.filtered.data());
    const std::size_t at = product(y, out_cols, block.project.out);
    kernels_.dense(packed.project.view(), scratch.filtered.data(), static_cast<std::size_t>(out_cols),
                   block.residual.empty() ? nullptr : in.values + at, out + at);
  }
}

std::unique_ptr<NetworkRunner::Workspace> NetworkRunner::take_workspace() const {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return std::make_unique<Workspace>();
  std::unique_ptr<Workspace> workspace = std::move(free_.back());
  free_.pop_back();
  return workspace;
}

image::FeatureMaps NetworkRunner::run(const Picture& picture, int reduction, ThreadPool* pool) const {
  image::FeatureMaps maps;
  maps.levels = map_levels(network_, reduction, picture.rows, picture.cols);
  std::unique_ptr<Workspace> workspace = take_workspace();
  const int threads = pool ? pool->num_threads() : 1;
  workspace->scratch.resize(static_cast<std::size_t>(std::max(threads, 1)));
  Activations in = {picture.colors.data(), picture.rows, picture.cols};
  for (std::size_t b = 0; b < network_.blocks.size(); ++b) {
    const Block& block = network_.blocks[b];
    const std::int32_t rows = strided(in.rows, block.stride()), cols = strided(in.cols, block.stride());
    workspace->out.resize(product(rows, cols, block.project.out));
    const std::int32_t bands = std::clamp(rows / kMinRows, 1, threads);
    const auto run_band = [&](std::size_t i, int worker) {
      const auto band = static_cast<std::int32_t>(i);
      run_rows(b, in, rows * band / bands, rows * (band + 1) / bands,
               workspace->scratch[static_cast<std::size_t>(worker)], workspace->out.data());
    };
    if (pool)
      pool->for_each(static_cast<std::size_t>(bands), run_band);
    else
      run_band(0, 0);
    if (block.is_map) {
      const std::size_t offset = maps.values.size(), num_cells = product(rows, cols);
      maps.values.resize(offset + num_cells * static_cast<std::size_t>(block.project.out));
      write_maps(workspace->out.data(), num_cells, static_cast<std::size_t>(block.project.out),
                 maps.values.data() + offset);
    }
    std::swap(workspace->in, workspace->out);
    in = {workspace->in.data(), rows, cols};
  }
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(workspace));
  return maps;
}

}  // namespace fernwood::backbone
