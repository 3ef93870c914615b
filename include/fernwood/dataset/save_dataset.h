// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A data set as a folder in the native layout.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/core/progress.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

/// dataset.toml of `config`.
std::string config_text(const DatasetConfig& config);

/// Writes frames and labels without loss to a folder in the native layout, with dataset.toml and, where frames have
/// groups, groups.txt: what is trained on the folder is, byte for byte, what is trained on `data`. Frames keep their
/// names where these are file names in ascending order; else their number precedes the name.
/// @param labelled  Indices of the frames that have labels, ascending.
/// @param folder    New or empty.
/// @throws Error(kUsage) for a folder that holds files, frames of different cameras, and a black class, for black is
///         void; Error(kData) for what cannot be read, kRuntime or kResource for what cannot be written.
void save_dataset(const Dataset& data, const std::vector<std::uint32_t>& labelled, const std::filesystem::path& folder,
                  ThreadPool& pool, const ProgressCallback& progress = {});

}  // namespace fernwood::dataset
