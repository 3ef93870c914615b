// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "fernwood/dataset/dataset.h"
#include "fernwood/image/align_depth.h"
#include "fernwood/image/frame.h"

namespace fernwood::dataset {

/// Warnings about cameras that are probably mistaken, by image::plausibility_problem() and by the proportions of the
/// frames: one sentence each. @param place  Origin of the frames. @param size  Of a frame; {}: unknown.
std::vector<std::string> camera_warnings(const DatasetConfig& config, const std::string& place, const FrameSize& size);
/// The same for frames in files. @param first  The first of them.
std::vector<std::string> camera_warnings(const DatasetConfig& config, const std::filesystem::path& folder,
                                         const FrameFiles& first);

/// Depth at the size of colour: aligned if two cameras are given, else scaled if both have the same proportions. @param
/// depth, color  Files, for messages. @throws Error(kData) if neither is possible.
Array2<std::uint16_t> depth_for_color(Array2<std::uint16_t> depth_mm, const FrameSize& size,
                                      const DatasetConfig& config, const std::filesystem::path& depth,
                                      const std::filesystem::path& color);

/// Assumptions about depth that dataset.toml does not determine: whether arrays are in metres or millimetres, and that
/// depth of another size shows the same view as colour. A sentence each. Reads the headers of the first frame.
std::vector<std::string> depth_notes(const std::filesystem::path& folder, const FrameFiles& files,
                                     const DatasetConfig& config);

/// @throws Error(kData) if maps are finer than their frame.
void check_fits(const std::filesystem::path& path, const image::SuppliedMaps& maps, std::size_t rows, std::size_t cols);
/// @throws Error(kData) unless a frame has the same number of maps as the first one.
void check_as_many(const std::filesystem::path& path, std::size_t num_maps, std::size_t num_of_first);

/// Reads a frame; all files of data sets and recordings become a Frame through this function.
/// @throws Error(kData) for invalid images, or images of different sizes; Error(kRuntime) for files that cannot be
/// read.
image::Frame read_frame_files(const FrameFiles& files, const DatasetConfig& config);
/// Reads the ground truth of a frame; its size must be that of the frame's other images.
Array2<image::Rgb> read_truth_of(const std::filesystem::path& folder, const FrameFiles& files,
                                 const DatasetConfig& config);

/// Frames in the files of a folder. @param files  [number]
std::shared_ptr<const DatasetFrames> frames_in_files(std::filesystem::path folder,
                                                     std::shared_ptr<const std::vector<FrameFiles>> files,
                                                     DatasetConfig config);

}  // namespace fernwood::dataset
