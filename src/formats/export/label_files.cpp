// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// A file of class numbers for each frame, beside classes.txt with a name a line.

#include "dataset/export/formats.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

std::string line_problem(const std::string& name) {
  if (name.find_first_of("\n\r") == std::string::npos) return {};
  return "holds a line break, and classes.txt has a name a line; rename it, or take the format coco";
}

std::string class_names(const image::ClassMap& classes) {
  std::string text;
  for (const image::ClassInfo& info : classes.classes) text += info.name + "\n";
  return text;
}

void write_png_frame(const fs::path& out, const ExportedFrame& frame, const image::ClassMap& classes) {
  write_labels(out / (frame.name + ".png"), frame.labels, classes);
}

void write_npy_frame(const fs::path& out, const ExportedFrame& frame, const image::ClassMap&) {
  write_npy(out / (frame.name + ".npy"), frame.labels);
}

}  // namespace fernwood::dataset
