// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Small frame files for the tests of data sets.

#include <gmock/gmock.h>

#include <string>

#include "dataset/test_files.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/check.h"

namespace fernwood::dataset {

inline constexpr image::Rgb kBlack{0, 0, 0}, kFloor{7, 54, 66}, kProp{181, 137, 0}, kRed{255, 0, 0};

/// One problem on a line, after its severity.
inline std::string messages_of(const std::vector<DatasetProblem>& problems) {
  return join(problems, "\n", [](const DatasetProblem& problem) {
    return (problem.severity == Severity::kError ? "error: " : "warning: ") + problem.message.on_command_line();
  });
}

inline void add_color(const TestFolder& folder, const std::string& frame, std::size_t rows = 2, std::size_t cols = 3,
                      image::Rgb color = {10, 20, 30}) {
  write_png(folder / (frame + "_colors.png"), Array2<image::Rgb>(rows, cols, color));
}
inline void add_depth(const TestFolder& folder, const std::string& frame, std::size_t rows = 2, std::size_t cols = 3,
                      std::uint16_t depth_mm = 2000) {
  write_png16(folder / (frame + "_depth.png"), Array2<std::uint16_t>(rows, cols, depth_mm));
}
inline void add_truth(const TestFolder& folder, const std::string& frame, const std::vector<image::Rgb>& pixels,
                      std::size_t rows = 2, std::size_t cols = 3) {
  write_png(folder / (frame + "_ground_truth.png"), rgb_image(rows, cols, pixels));
}
/// Writes a frame of 2 x 3 pixels; the last character of its name is its red value, so that frames differ.
inline void add_frame(const TestFolder& folder, const std::string& frame,
                      const std::vector<image::Rgb>& truth = std::vector<image::Rgb>(6, kFloor)) {
  add_color(folder, frame, 2, 3, {static_cast<std::uint8_t>(frame.back()), 1, 2});
  add_depth(folder, frame);
  add_truth(folder, frame, truth);
}

}  // namespace fernwood::dataset
