// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What an import of small files gives, for tests.

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "dataset/frame_files.h"
#include "fernwood/core/parallel.h"
#include "fernwood/dataset/import.h"

namespace fernwood::dataset {

/// Names of the classes of a frame's pixels, row after row; "-" is void.
inline std::vector<std::string> names_of_pixels(const ImportPlan& plan, std::size_t frame, std::size_t rows,
                                                std::size_t cols) {
  std::vector<std::string> names;
  for (const std::uint16_t label : plan.frames.at(frame).labels({rows, cols}))
    names.push_back(label == image::kVoid ? "-" : plan.config.classes.at(label).name);
  return names;
}

/// The same as one text, of the first letters: "aab-".
inline std::string letters(const ImportPlan& plan, std::size_t frame, std::size_t rows, std::size_t cols) {
  std::string text;
  for (const std::string& name : names_of_pixels(plan, frame, rows, cols)) text += name[0];
  return text;
}

inline ImportPlan import_text(const TestFolder& folder, const std::string& format, const std::string& file,
                              const std::string& text) {
  return plan_import(format, {.in = folder.write(file, text)});
}

}  // namespace fernwood::dataset
