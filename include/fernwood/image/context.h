// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fernwood/core/arithmetic.h"

namespace fernwood::image {

/// Distance of the pixels at which a stage is evaluated for the context of the next one, in each direction. A coarse
/// grid suffices, because class probabilities change slowly and regions average them.
inline constexpr int kContextStep = 4;

/// Number of cells along a side of a frame.
FW_HD constexpr std::int32_t context_cells(std::int32_t pixels) { return (pixels + kContextStep - 1) / kContextStep; }

/// Representative pixel of a cell of `step` pixels along a side of a frame: the middle one, but at most the last pixel.
FW_HD constexpr std::int32_t cell_pixel(std::int32_t cell, std::int32_t step, std::int32_t pixels) {
  const std::int32_t middle = cell * step + step / 2;
  return middle < pixels ? middle : pixels - 1;
}
FW_HD constexpr std::int32_t context_pixel(std::int32_t cell, std::int32_t pixels) {
  return cell_pixel(cell, kContextStep, pixels);
}

/// Converts a probability to steps of 1 / 255.
FW_HD std::uint8_t context_step(float probability) {
  return static_cast<std::uint8_t>(static_cast<std::int32_t>(probability * 255.0f + 0.5f));
}

/// Class probabilities of a frame, predicted by the previous stage.
struct ContextMaps {
  std::size_t rows = 0, cols = 0;    ///< Number of cells.
  std::vector<std::uint8_t> values;  ///< [class][rows][cols] in steps of 1 / 255.
};

/// View of one class of ContextMaps.
struct ContextMap {
  const std::uint8_t* values = nullptr;  ///< [rows][cols]
  std::int32_t rows = 0, cols = 0;
};

/// The two cells between whose centres a pixel lies, along one side, and the weight of the second in eighths.
struct ContextPlace {
  std::int32_t first, second, weight;
};
FW_HD ContextPlace context_place(std::int32_t pixel, std::int32_t cells) {
  static_assert(kContextStep == 4, "cells have their middle 2 pixels from their edge, and a pixel is 2 eighths of one");
  const std::int32_t eighths = 2 * pixel - 3;  // from the middle of the first cell to the middle of the pixel
  const std::int32_t at = eighths < 0 ? 0 : eighths, first = at / 8 < cells - 1 ? at / 8 : cells - 1;
  return {first, first + 1 < cells ? first + 1 : first, at % 8};
}

/// Value of a context channel that stands for a probability of 1.
inline constexpr std::int16_t kMaxContext = 8 * 8 * 255;

/// Value of a pixel in the channel of a class, interpolated bilinearly between cells, in units of 1 / kMaxContext.
FW_HD std::int16_t context_value(const ContextMap& map, const ContextPlace& across, const ContextPlace& down) {
  const std::uint8_t* above = map.values + down.first * map.cols;
  const std::uint8_t* below = map.values + down.second * map.cols;
  const std::int32_t top = above[across.first] * (8 - across.weight) + above[across.second] * across.weight;
  const std::int32_t bottom = below[across.first] * (8 - across.weight) + below[across.second] * across.weight;
  return static_cast<std::int16_t>(top * (8 - down.weight) + bottom * down.weight);
}

/// Converts a value of a context channel to a probability.
FW_HD float context_share(std::int16_t value) { return static_cast<float>(value) / kMaxContext; }

/// Computes the values of a row of pixels, in a few operations per pixel.
/// @param values  [cols] Receives the results, equal to those of context_value().
void context_row(const ContextMap& map, const ContextPlace& down, std::int32_t cols, std::int16_t* values);

}  // namespace fernwood::image
