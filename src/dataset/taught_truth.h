// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The truth of a project of `fernwood teach` is made of strokes.journal, and may be older than that. A note beside it,
// strokes.truth, tells of which state of the journal it was made, and what the pictures were: "BYTES CHECKSUM", the
// checksum of the journal's last line, which stands for all before; then "NAME CHECKSUM" for each frame's picture.

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace fernwood::dataset {

/// What is done to a project, a line each.
inline constexpr const char* kStrokesFile = "strokes.journal";

/// A state of a journal, and the pictures that were made of it.
struct TruthNote {
  std::uint64_t journal_bytes = 0;
  std::uint64_t last_checksum = 0;                                ///< Of the journal's last line.
  std::vector<std::pair<std::string, std::uint64_t>> pictures{};  ///< Names of frames, and checksums of the files.
};

/// The file of a frame's truth.
std::filesystem::path truth_file(const std::filesystem::path& folder, const std::string& frame);

/// Whether a folder has a journal of strokes that its truth was not made of, or lacks a file of that truth: it can be
/// written again.
bool truth_lags(const std::filesystem::path& folder);

/// Why the truth of a folder is not to be used: it lags, or somebody changed a picture that the journal knows nothing
/// of. A sentence with the remedy; empty where it may be used.
std::string truth_problem(const std::filesystem::path& folder);

/// Notes that the truth of a folder is current.
void note_truth(const std::filesystem::path& folder, const TruthNote& note);

/// Before files of it change: a note of before would call them changed by somebody else.
void forget_truth(const std::filesystem::path& folder);

}  // namespace fernwood::dataset
