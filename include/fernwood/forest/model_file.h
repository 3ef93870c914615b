// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>

#include "fernwood/core/file.h"
#include "fernwood/core/model_format.h"
#include "fernwood/forest/forest.h"

namespace fernwood::forest {

/// Writes a forest to one file: magic and version, a JSON header, then raw little-endian arrays, each aligned to 64
/// bytes and checksummed (see docs/reference/model_file.md). The file is written atomically: completely or not at all.
/// @throws Error(kModel), before a byte is written, if load_forest() would reject the forest;
/// Error(kRuntime, kResource) if the file cannot be written.
void save_forest(const Forest& forest, const std::filesystem::path& path, NamedBy named_by = NamedBy::kUser);

/// Reads a model file and checks every array and index, so that any loaded forest can be used. A forest without trees,
/// as in a training checkpoint, is valid.
/// @throws Error(kModel), in one sentence, for a damaged, truncated, foreign or newer file; Error(kRuntime) if the file
/// cannot be read.
Forest load_forest(const std::filesystem::path& path);

}  // namespace fernwood::forest
