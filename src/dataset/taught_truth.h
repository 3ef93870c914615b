// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The ground truth of a project of `fernwood teach` is generated from strokes.journal, and may be older than it. The
// file strokes.truth beside it stores the state of the journal from which it was generated, and checksums of the
// images: "BYTES CHECKSUM", with the checksum of the journal's last line, which depends on all lines before; then "NAME
// CHECKSUM" for each frame's image.

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace fernwood::dataset {

/// The actions in a project, one per line.
inline constexpr const char* kStrokesFile = "strokes.journal";
/// The state of which its ground truth is.
inline constexpr const char* kTruthNoteFile = "strokes.truth";

/// A state of a journal, and the images generated from it.
struct TruthNote {
  std::uint64_t journal_bytes = 0;
  std::uint64_t last_checksum = 0;                                ///< Of the journal's last line.
  std::vector<std::pair<std::string, std::uint64_t>> pictures{};  ///< Names of frames, and checksums of their files.
};

/// The ground-truth file of a frame, and that of its instances.
std::filesystem::path truth_file(const std::filesystem::path& folder, const std::string& frame);
std::filesystem::path instances_file(const std::filesystem::path& folder, const std::string& frame);

/// Whether a folder has a journal of strokes newer than its ground truth, or lacks a file of it: it can be generated
/// again.
bool truth_lags(const std::filesystem::path& folder);

/// Why the ground truth of a folder must not be used: it is older than the journal, or an image was changed outside the
/// journal. A sentence with the remedy; empty if it may be used.
std::string truth_problem(const std::filesystem::path& folder);

/// Records that the ground truth of a folder is current.
void note_truth(const std::filesystem::path& folder, const TruthNote& note);

/// To be called before files of it change: otherwise the old note would report them as changed by others.
void forget_truth(const std::filesystem::path& folder);

}  // namespace fernwood::dataset
