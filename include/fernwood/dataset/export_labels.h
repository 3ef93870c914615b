// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The labels of a data set, its truth or those of a model, in files that other tools read.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/core/progress.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

/// "coco", "cvat", "label-studio": one file for all frames; "labelme", "supervisely", "voc", "png", "npy": a folder.
const std::vector<std::string>& label_formats();
/// The same for help: what each is.
std::string label_formats_text();
/// Whether a format is one file for all frames.
bool is_one_file(const std::string& format);

/// Labels to be written: the truth, or those of a model.
struct LabelSource {
  image::ClassMap classes;
  /// Indices of the classes, or kVoid, of the size of the frame; called on many threads at once.
  std::function<image::LabelImage(std::size_t frame)> labels;
};
/// The truth. @param data  Outlives what is returned. @throws Error(kData) for truth that cannot be read.
LabelSource truth_of(const Dataset& data, ThreadPool& pool);

/// The text of a format of one file. A class of a frame is one region, whether it is one thing or many:
/// - "coco": JSON of the COCO data set, regions as run lengths in the compressed text of its tools, category ids from 1
/// - "cvat": XML, "CVAT for images 1.1", masks
/// - "label-studio": a list of tasks with brush labels, for a labelling interface with `<BrushLabels name="tag"
///   toName="image">` and `<Image name="image">`
/// Frames without a labelled pixel are in it, without regions.
/// @throws Error(kUsage) for a format that is none, or not one file, and what the source throws.
std::string export_text(const Dataset& data, const LabelSource& source, const std::string& format, ThreadPool& pool,
                        const ProgressCallback& progress = {});

/// Writes a format: to a file, or to a folder:
/// - "labelme": PICTURE.json with a mask for each class of the frame; it names the picture by its path from the folder
/// - "supervisely": a project of one data set, with bitmaps; pictures are linked into it
/// - "voc": SegmentationClass/NAME.png (palette files: class numbers, 255 is void), labelmap.txt with the classes'
///   colours, ImageSets/Segmentation/trainval.txt; pictures are linked into JPEGImages
/// - "png": NAME.png (the same palette files), and "npy": NAME.npy (uint16, 65535 is void), beside classes.txt with a
///   name a line
/// @throws Error as export_text(), and kRuntime or kResource when it cannot be written.
void export_labels(const Dataset& data, const LabelSource& source, const std::string& format,
                   const std::filesystem::path& out, ThreadPool& pool, const ProgressCallback& progress = {});

/// A ZIP archive with the files of a format that is a folder, without pictures.
/// @throws Error as export_labels().
std::string export_archive(const Dataset& data, const LabelSource& source, const std::string& format, ThreadPool& pool,
                           const ProgressCallback& progress = {});

}  // namespace fernwood::dataset
