// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Converts maps supplied with a frame to 16-bit numbers, with the values of a cell side by side. Each block transposes
// a tile of 32 maps and 32 cells in shared memory, so that threads read adjacent cells and write adjacent maps.

#include "core/cuda/launch.cuh"
#include "image/cuda/prepare_kernels.h"

namespace fernwood::image {

namespace {

constexpr int kTile = 32, kTileRows = 8;

__global__ void scale_maps_kernel(ScaleMapsArgs a) {
  __shared__ std::int16_t tile[kTile][kTile + 2];  // [map][cell] an odd number of words spreads columns over all banks
  const std::int32_t first_cell = static_cast<std::int32_t>(blockIdx.x) * kTile;
  const std::int32_t first_map = static_cast<std::int32_t>(blockIdx.y) * kTile;
  const auto lane = static_cast<std::int32_t>(threadIdx.x);
  for (auto i = static_cast<std::int32_t>(threadIdx.y); i < kTile; i += kTileRows) {
    const std::int32_t map = first_map + i, cell = first_cell + lane;
    if (map < a.num_maps && cell < a.num_cells)
      tile[i][lane] = cell_value(a.maps[static_cast<std::size_t>(map) * a.num_cells + cell], a.scales[map]);
  }
  __syncthreads();
  for (auto i = static_cast<std::int32_t>(threadIdx.y); i < kTile; i += kTileRows) {
    const std::int32_t map = first_map + lane, cell = first_cell + i;
    if (map < a.num_maps && cell < a.num_cells)
      a.values[static_cast<std::size_t>(cell) * a.num_maps + map] = tile[lane][i];
  }
}

}  // namespace

void scale_maps(const ScaleMapsArgs& args, const cuda::Stream& stream) {
  const auto tiles = [](std::int32_t count) { return static_cast<unsigned>((count + kTile - 1) / kTile); };
  cuda::launch("scaling maps", scale_maps_kernel, dim3(tiles(args.num_cells), tiles(args.num_maps)),
               dim3(kTile, kTileRows), 0, stream, args);
}

}  // namespace fernwood::image
