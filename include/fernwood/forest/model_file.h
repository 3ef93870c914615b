// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>

#include "fernwood/core/file.h"
#include "fernwood/core/model_format.h"
#include "fernwood/forest/forest.h"

namespace fernwood::forest {

/// Writes a forest as one file: magic and version, a JSON header, then raw little-endian arrays, each aligned to 64
/// bytes and checksummed. Docs: docs/reference/model_file.md. The file appears whole or not at all.
/// @throws Error(kModel), before a byte is written, when the forest breaks a rule that load_forest checks;
/// Error(kRuntime, kResource) when the file cannot be written.
void save_forest(const Forest& forest, const std::filesystem::path& path, NamedBy named_by = NamedBy::kUser);

/// Reads a model file, checking every array and every index, so that a forest that loads can be used.
/// It may have no trees yet, as in a training checkpoint.
/// @throws Error(kModel) in one sentence for a damaged, truncated, foreign or newer file; Error(kRuntime) if
/// unreadable.
Forest load_forest(const std::filesystem::path& path);

}  // namespace fernwood::forest
