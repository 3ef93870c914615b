// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Writes data sets as folders in the native layout.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/core/progress.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

/// The text of dataset.toml for `config`.
std::string config_text(const DatasetConfig& config);
/// Writes frame_cameras.txt to a folder of frames, if any frame has a camera of its own.
void write_frame_cameras(const std::filesystem::path& folder, const std::map<std::string, image::Camera>& cameras);

/// Writes a frame losslessly in the native layout: NAME_colors.png, NAME_depth.png and, where its up direction differs
/// from `usual_up` (that of dataset.toml), NAME_up.txt. The camera is not written: it belongs in dataset.toml.
/// @throws Error as write_file_atomically().
void write_frame(const std::filesystem::path& folder, const std::string& name, const image::Frame& frame,
                 const image::Vector3& usual_up = image::kImageUp);

/// Writes frames and labels losslessly to a folder in the native layout, with dataset.toml and, where frames have
/// groups, groups.txt: models trained on the folder are byte for byte those trained on `data`. Frames keep their names
/// where these are file names in ascending order; otherwise each name is preceded by the frame's number.
/// @param labelled  Indices of the frames that have labels, ascending.
/// @param folder    New or empty. It is first written beside its place, so that it is never incomplete.
/// @throws Error(kUsage) for a folder that contains files, and for a black class, because black is void; Error(kData)
/// for a frame that cannot be read; Error(kRuntime) or Error(kResource) when
///         writing fails.
void save_dataset(const Dataset& data, const std::vector<std::uint32_t>& labelled, const std::filesystem::path& folder,
                  ThreadPool& pool, const ProgressCallback& progress = {});

}  // namespace fernwood::dataset
