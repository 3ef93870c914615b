// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The truth of a project of `fernwood teach` is made of strokes.journal, and may be older than that.

#include <cstdint>
#include <filesystem>

namespace fernwood::dataset {

/// What is done to a project, a line each.
inline constexpr const char* kStrokesFile = "strokes.journal";

/// Whether a folder has a journal of strokes that its truth was not made of.
bool truth_lags(const std::filesystem::path& folder);

/// Notes that the truth of a folder was made of so many bytes of its journal.
void note_truth(const std::filesystem::path& folder, std::uint64_t journal_bytes);

}  // namespace fernwood::dataset
