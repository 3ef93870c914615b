// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Files beside frames that nothing reads, though they look as if they were meant for the data set.

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dataset/dataset_folder.h"
#include "dataset/frame_file_names.h"
#include "fernwood/dataset/check.h"

namespace fernwood::dataset {

/// A file that is not read, with what it was probably meant to be.
struct UnreadFile {
  std::string file, frame, pattern, extension;  ///< As of LikelyFrameFile.
  FrameRole role = FrameRole::kColor;
  bool is_frame = false;
};

class UnreadFiles {
 public:
  /// @param listing      Of the folder; stays the caller's.
  /// @param needs_truth  Else files that look like truth are left out.
  UnreadFiles(const std::filesystem::path& folder, const FolderListing& listing, bool needs_truth);

  /// One sentence for all files that are named alike, with what to do. Frames whose colour, depth or truth other frames
  /// have are left to note_on().
  /// @param asked  The folder that was asked for: the one of the frames, or the one above.
  std::vector<DatasetProblem> problems(const std::filesystem::path& asked, const DatasetConfig& config) const;

  /// What is there in place of a file that a frame lacks, to go on from the sentence about it; empty when nothing is.
  std::string note_on(const MissingPartner& missing) const;

  /// Of a folder without frames: what it holds instead, to go on from the sentence about it; empty when nothing is.
  std::string note_on_no_frames() const;

 private:
  struct Group {
    const UnreadFile* first;
    std::size_t num_files = 0;
  };

  bool is_read(FrameRole role) const { return roles_read_.contains(role); }
  std::optional<UnreadFile> likely_file(const std::string& file);
  std::optional<LikelyFrameFile> by_extension(const std::string& file) const;
  std::optional<FrameRole> role_of(const std::string& file, const LikelyFrameFile& likely);
  bool is_whole(const std::string& frame) const;
  std::vector<Group> groups() const;
  std::string consequence(FrameRole role) const;
  std::string sentence_of(const Group& group) const;
  void add_folders(const std::filesystem::path& folder, const std::vector<std::string>& sub_folders,
                   std::vector<DatasetProblem>* problems) const;
  void add_unlisted_frames(std::vector<DatasetProblem>* problems) const;

  const std::filesystem::path folder_;
  const FolderListing& listing_;
  bool needs_truth_;
  std::map<std::string, const FrameFiles*> frames_;
  std::set<FrameRole> roles_read_;
  std::vector<UnreadFile> found_;                       // in the order of their names
  std::map<std::string, std::set<FrameRole>> offered_;  // by the name of a frame
  std::map<std::string, std::optional<FrameRole>> role_of_pattern_;
};

}  // namespace fernwood::dataset
