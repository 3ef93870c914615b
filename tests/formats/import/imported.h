// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Imports small files for tests.

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "dataset/frame_files.h"
#include "fernwood/core/parallel.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/formats/import.h"

namespace fernwood::formats {

/// Class names of a frame's pixels, row by row; "-" is void.
inline std::vector<std::string> names_of_pixels(const ImportPlan& plan, std::size_t frame, std::size_t rows,
                                                std::size_t cols) {
  std::vector<std::string> names;
  const image::LabelImage labels = plan.frames.at(frame).truth({rows, cols}).labels;
  for (const std::uint16_t label : labels)
    names.push_back(label == image::kVoid ? "-" : plan.config.classes.at(label).name);
  return names;
}

/// Numbers of the objects of a frame's pixels, one digit each, for example "1102".
inline std::string instance_digits(const ImportPlan& plan, std::size_t frame, std::size_t rows, std::size_t cols) {
  std::string text;
  const image::InstanceImage instances = plan.frames.at(frame).truth({rows, cols}).instances;
  for (const std::uint16_t instance : instances) text += std::to_string(instance);
  return text;
}

/// The first letters of names_of_pixels() as one string, for example "aab-".
inline std::string letters(const ImportPlan& plan, std::size_t frame, std::size_t rows, std::size_t cols) {
  std::string text;
  for (const std::string& name : names_of_pixels(plan, frame, rows, cols)) text += name[0];
  return text;
}

inline ImportPlan import_text(const dataset::TestFolder& folder, const std::string& format, const std::string& file,
                              const std::string& text) {
  return plan_import(format, {.in = folder.write(file, text)});
}

/// Writes colour images of 4 x 2 pixels.
inline void add_pictures(const dataset::TestFolder& folder, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    std::filesystem::create_directories((folder / name).parent_path());
    dataset::write_png(folder / name, Array2<image::Rgb>(2, 4, {1, 2, 3}));
  }
}

/// Writes colour and depth images of 2 x 2 pixels.
inline void write_files(const dataset::TestFolder& folder, const std::string& color, const std::string& depth,
                        std::uint16_t depth_value) {
  for (const std::string& file : {color, depth}) std::filesystem::create_directories((folder / file).parent_path());
  dataset::write_png(folder / color, Array2<image::Rgb>(2, 2, {1, 2, 3}));
  dataset::write_png16(folder / depth, Array2<std::uint16_t>(2, 2, depth_value));
}

/// Imports a folder and opens the result.
inline dataset::Dataset imported(const dataset::TestFolder& folder, const std::string& format,
                                 const std::string& split = "") {
  ThreadPool pool(1);
  const ImportPlan plan = plan_import(format, {.in = folder.path()});
  const std::filesystem::path out = folder.path().string() + "_out";
  std::filesystem::remove_all(out);
  write_import(plan, out, pool);
  dataset::DatasetOptions options;
  options.needs_truth = false;
  return dataset::Dataset::open(out, options, split);
}

/// A NumPy array [rows][cols] as written by numpy.save(). @param type  For example "<f4" or "|u1".
template <typename Number>
dataset::Bytes npy_image(const std::string& type, std::size_t rows, std::size_t cols,
                         const std::vector<Number>& numbers) {
  std::string text = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                     std::to_string(cols) + "), }";
  text.resize(117, ' ');
  text += '\n';
  const std::string before = std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(text.size()) + '\0' + text;
  dataset::Bytes bytes(before.begin(), before.end());
  const auto* const first = reinterpret_cast<const std::uint8_t*>(numbers.data());
  bytes.insert(bytes.end(), first, first + numbers.size() * sizeof(Number));
  return bytes;
}

}  // namespace fernwood::formats
