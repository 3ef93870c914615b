// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>

#include "fernwood/core/model_format.h"
#include "fernwood/records/record_forest.h"

namespace fernwood::records {

/// Writes a forest over attributes as one file, in the container that forests over pixels have too. Docs:
/// docs/model_file.md. Equal forests give equal files; the file appears whole or not at all.
/// @throws Error(kModel), before a byte is written, when the forest breaks a rule that load_records checks;
/// Error(kRuntime, kResource) when the file cannot be written.
void save_records(const RecordForest& forest, const std::filesystem::path& path);

/// Reads a model file and checks it, so that a forest that loads can be used.
/// @throws Error(kModel) in one sentence for a damaged, truncated, foreign or newer file; Error(kRuntime) if
/// unreadable.
RecordForest load_records(const std::filesystem::path& path);

}  // namespace fernwood::records
