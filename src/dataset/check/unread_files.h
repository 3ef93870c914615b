// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Files beside frames that are not read although they appear to belong to the data set.

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

/// A file that is not read, with its probable meaning.
struct UnreadFile {
  std::string file, frame, pattern, extension;  ///< As in LikelyFrameFile.
  FrameRole role = FrameRole::kColor;
  bool is_frame = false;
};

class UnreadFiles {
 public:
  /// @param listing      The listing of the folder; must outlive this object.
  /// @param needs_truth  False: files that look like ground truth are left out.
  UnreadFiles(const std::filesystem::path& folder, const FolderListing& listing, bool needs_truth);

  /// One sentence, with the remedy, for each group of files with the same naming pattern. Frames that lack colour,
  /// depth or truth that other frames have are left to note_on().
  /// @param asked  The folder that the user named: that of the frames, or its parent.
  std::vector<DatasetProblem> problems(const std::filesystem::path& asked, const DatasetConfig& config) const;

  /// Describes the file that may replace one that a frame lacks, to continue the sentence about it; empty if there is
  /// none.
  std::string note_on(const MissingPartner& missing) const;

  /// Describes the contents of a folder without frames, to continue the sentence about it; empty if nothing is found.
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
  void add_unread_recordings(std::vector<DatasetProblem>* problems) const;
  void add_unlisted_frames(std::vector<DatasetProblem>* problems) const;

  const std::filesystem::path folder_;
  const FolderListing& listing_;
  bool needs_truth_;
  std::map<std::string, const FrameFiles*> frames_;
  std::set<FrameRole> roles_read_;
  std::vector<UnreadFile> found_;                       // sorted by name
  std::map<std::string, std::set<FrameRole>> offered_;  // by the name of the frame
  std::map<std::string, std::optional<FrameRole>> role_of_pattern_;
};

}  // namespace fernwood::dataset
