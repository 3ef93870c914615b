// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backbone/network.h"
#include "backbone/packed_layer.h"
#include "fernwood/core/arithmetic.h"
#include "fernwood/image/feature_maps.h"
#include "fernwood/image/frame.h"

namespace fernwood::backbone {

/// A layer packed for kernels of a vector width.
struct PackedLayer {
  std::int32_t in = 0, out = 0;
  std::vector<std::int8_t> weights;
  std::vector<std::int32_t> rescaling, residual;

  LayerView view() const {
    return {in, out, weights.data(), rescaling.data(), residual.empty() ? nullptr : residual.data()};
  }
};

/// An instruction set and its kernels.
struct KernelSet {
  std::string name;  ///< "avx2"
  const LayerKernels* kernels;
};

/// Kernel sets that this processor can run, slowest first.
const std::vector<KernelSet>& kernel_sets();

/// @param residual  As in Block. @param zero  0, or kLinearZero. @param kernels  The kernels that the layer is packed
/// for.
PackedLayer pack_dense(const Dense& layer, const std::vector<std::int32_t>& residual, std::int32_t zero,
                       const LayerKernels& kernels);
PackedLayer pack_depthwise(const Depthwise& layer, const LayerKernels& kernels);

/// The input image of a network: rows and columns of colours, reduced.
struct Picture {
  std::int32_t rows = 0, cols = 0;
  std::vector<std::uint8_t> colors;  ///< [rows][cols][3]
};

/// A colour of a reduced image.
struct Reduced {
  std::uint8_t color[3];
};

/// The mean of a part of an image, halves up. @param color  Its first pixel. @param step  From row to row.
FW_HD Reduced mean_color(const image::Rgb* color, std::size_t step, std::int32_t rows, std::int32_t cols) {
  const std::int32_t count = rows * cols;
  std::int32_t red = 0, green = 0, blue = 0;
  for (std::int32_t row = 0; row < rows; ++row)
    for (std::int32_t col = 0; col < cols; ++col) {
      const image::Rgb& of = color[static_cast<std::size_t>(row) * step + static_cast<std::size_t>(col)];
      red += of.r, green += of.g, blue += of.b;
    }
  return {{static_cast<std::uint8_t>((red + count / 2) / count), static_cast<std::uint8_t>((green + count / 2) / count),
           static_cast<std::uint8_t>((blue + count / 2) / count)}};
}

/// The mean of `reduction` times `reduction` pixels; at the right and lower border, of those inside the image.
/// @param color  [rows][cols] @param y, x  In the reduced image.
FW_HD Reduced reduced_color(const image::Rgb* color, std::int32_t rows, std::int32_t cols, std::int32_t reduction,
                            std::int32_t y, std::int32_t x) {
  const std::int32_t row = y * reduction, col = x * reduction, down = rows - row, across = cols - col;
  const auto step = static_cast<std::size_t>(cols);
  const image::Rgb* const first = color + static_cast<std::size_t>(row) * step + static_cast<std::size_t>(col);
  // With constants, compilers replace loops and divisions.
  if (reduction == 2 && down >= 2 && across >= 2) return mean_color(first, step, 2, 2);
  return mean_color(first, step, down < reduction ? down : reduction, across < reduction ? across : reduction);
}

/// Reduces a frame by a factor in each direction, see reduced_color(). @param frame  In host memory and plain, with
/// colour.
Picture reduced_picture(const image::FrameImages& frame, int reduction);

/// @throws Error(kData) for frames so large that the output of a block has 2^31 numbers or more.
void check_frame_size(const Network& network, int reduction, std::size_t rows, std::size_t cols);

/// The levels of the maps of a network. @param picture_rows, picture_cols  Of the reduced image.
std::vector<image::MapLevel> map_levels(const Network& network, int reduction, std::int32_t picture_rows,
                                        std::int32_t picture_cols);

/// Runs a network on a processor. Thread-safe.
class NetworkRunner {
 public:
  /// @param network  Must outlive this object.
  explicit NetworkRunner(const Network& network, const LayerKernels& kernels = *kernel_sets().back().kernels);
  image::FeatureMaps run(const Picture& picture, int reduction, ThreadPool* pool) const;

 private:
  struct PackedBlock {
    PackedLayer expand, depthwise, project;
  };
  /// Buffers of a thread.
  struct Scratch {
    std::vector<std::uint8_t> patches, expanded, outside, filtered;
  };
  struct Workspace {
    std::vector<std::uint8_t> in, out;
    std::vector<Scratch> scratch;  // [worker]
  };
  /// Activations [rows][cols][channels].
  struct Activations {
    const std::uint8_t* values;
    std::int32_t rows, cols;
  };
  void run_rows(std::size_t b, const Activations& in, std::int32_t row_begin, std::int32_t row_end, Scratch& scratch,
                std::uint8_t* out) const;
  std::unique_ptr<Workspace> take_workspace() const;

  const Network& network_;
  const LayerKernels& kernels_;
  std::vector<PackedBlock> blocks_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Workspace>> free_;  // one per frame
};

}  // namespace fernwood::backbone
