// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Export of the labels of a data set, ground truth or predictions of a model, to files of other tools.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/core/progress.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::formats {

/// "coco", "cvat", "label-studio": one file for all frames; "labelme", "supervisely", "voc", "png", "npy": a folder.
const std::vector<std::string>& label_formats();
/// The formats for a help text, each with a summary.
std::string label_formats_text();
/// Whether a format is one file for all frames.
bool is_one_file(const std::string& format);

/// Labels to be written: ground truth, or predictions of a model.
struct LabelSource {
  image::ClassMap classes;
  /// Returns class indices, or kVoid, in the size of the frame; called on many threads concurrently.
  std::function<image::LabelImage(std::size_t frame)> labels;
  /// Returns the object of each pixel, see dataset::Dataset::read_instances(), or an empty image for a frame whose
  /// objects are unknown; empty: all are.
  std::function<image::InstanceImage(std::size_t frame)> instances = {};
};
/// The ground truth of a data set, with its instances. @param data  Must outlive the result. @throws Error(kData) for
/// ground truth that cannot be read.
LabelSource truth_of(const dataset::Dataset& data, ThreadPool& pool);

/// Exports a format of one file, and returns its text. Each object of a thing is a region; the pixels of a class in a
/// frame form one region where it is stuff, or where their objects are unknown:
/// - "coco": JSON of the COCO data set, regions as run lengths in the compressed text of its tools, category ids from 1
/// - "cvat": XML, "CVAT for images 1.1", masks
/// - "label-studio": a list of tasks with brush labels, for a labelling interface with `<BrushLabels name="tag"
///   toName="image">` and `<Image name="image">`
/// Frames without a labelled pixel are listed without regions.
/// @throws Error(kUsage) for an unknown format, or one that is a folder, Error(kData) for a name that the format cannot
///         store, and for two frames of one name; any exception of the source.
std::string export_text(const dataset::Dataset& data, const LabelSource& source, const std::string& format,
                        ThreadPool& pool, const ProgressCallback& progress = {});

/// Exports any format, to a file (see export_text()) or to a folder:
/// - "labelme": PICTURE.json with a mask for each region of the frame, and the path of the picture relative to the
///   folder
/// - "supervisely": a project with one data set and bitmaps; pictures are linked into it
/// - "voc": SegmentationClass/NAME.png (palette files: class numbers, 255 is void), labelmap.txt with the classes'
///   colours, ImageSets/Segmentation/trainval.txt; pictures are linked into JPEGImages
/// - "png": NAME.png (the same palette files), and "npy": NAME.npy (uint16, 65535 is void), each with classes.txt, one
///   name per line
/// A folder of an earlier export is continued if its list of classes is the same; trainval.txt keeps the names whose
/// labels are there.
/// @throws Error as export_text(), kData for a frame whose name is not a file name, kUsage for a folder that lists
///         other classes, and kRuntime or kResource when writing fails.
void export_labels(const dataset::Dataset& data, const LabelSource& source, const std::string& format,
                   const std::filesystem::path& out, ThreadPool& pool, const ProgressCallback& progress = {});

/// A warning if pictures are outside of the data set's folder, behind links, because formats with pictures take these.
std::vector<std::string> linked_pictures(const dataset::Dataset& data);

/// Returns a ZIP archive with the files of a format that is a folder, without pictures.
/// @throws Error as export_labels().
std::string export_archive(const dataset::Dataset& data, const LabelSource& source, const std::string& format,
                           ThreadPool& pool, const ProgressCallback& progress = {});

}  // namespace fernwood::formats
