// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Findings in single frames, and the parts of a data-set report that need all frames: each function adds to the report
// and its problems.

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "dataset/check/alignment_check.h"
#include "dataset/check/unread_files.h"
#include "dataset/dataset_folder.h"
#include "fernwood/core/array.h"
#include "fernwood/core/parallel.h"
#include "fernwood/dataset/check.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/image/frame.h"

namespace fernwood::dataset {

// Images that occur in two splits of a data set, so that a test measures memorisation.

/// Fingerprint by which equal images are recognised.
struct Fingerprint {
  std::uint64_t file = 0;    ///< Checksum of the bytes of the file; 0: not readable.
  std::uint64_t pixels = 0;  ///< Checksum of the decoded pixels; 0: not decoded.
  /// [16 x 16 bits] Whether brightness increases from each of 17 columns to the next.
  std::array<std::uint64_t, 4> gradients{};
  bool has_gradients = false;  ///< False where brightness hardly varies, so that the bits would be noise.
};

/// Adds the parts of the fingerprint that need pixels.
void add_pixels(const Array2<image::Rgb>& picture, Fingerprint* of);

/// Whether two fingerprints are of the same image: equal bytes or pixels, or differences no larger than those of
/// recompression.
bool is_same_picture(const Fingerprint& a, const Fingerprint& b);

/// The folders of other splits beside `folder`, if its own name is that of a split; sorted by name.
std::vector<std::filesystem::path> other_splits(const std::filesystem::path& folder);

/// One sentence naming the images that also occur in another split; empty if none do. Unreadable files of the other
/// split are skipped: its own check reports them.
/// @param names, pictures  [frame]
std::string shared_pictures_note(const std::filesystem::path& folder, const std::vector<FrameFiles>& names,
                                 const std::vector<Fingerprint>& pictures, const std::filesystem::path& other,
                                 ThreadPool& pool);

/// Findings in the files of one frame.
struct FrameFindings {
  std::size_t width = 0, height = 0;  ///< 0 when no image could be read.
  Fingerprint fingerprint;            ///< Of the colour file, else of the depth file; its pixels only on request.
  EdgeAgreement agreement;            ///< On request, if the frame has colour and depth.
  bool has_depth = false;             ///< A depth image was read.
  double missing_share = 0;
  std::size_t num_maps = 0;  ///< 0 without maps, or if they could not be read.
  std::vector<ColorCount> truth_colors;
  std::vector<DatasetProblem> problems;
};

/// Occurrences of a colour in the ground truth.
struct ColorUse {
  ColorCount count;  ///< Over all frames.
  std::size_t num_frames = 0, first_frame = 0;
};
using ColorUses = std::map<std::uint32_t, ColorUse>;  // by 0xrrggbb

void summarize_partners(bool needs_truth, const UnreadFiles& unread, DatasetReport* report);
/// Checks that all frames have the same number of feature maps.
void summarize_maps(const std::vector<FrameFindings>& findings, DatasetReport* report);
void summarize_sizes(const std::vector<FrameFindings>& findings, DatasetReport* report);
/// @param depth_counts  [65536] pixels of each value as stored.
void summarize_depth(const std::vector<FrameFindings>& findings, const std::vector<std::uint64_t>& depth_counts,
                     DatasetReport* report);
void summarize_classes(const ColorUses& uses, const std::vector<image::Rgb>& ignored_colors, DatasetReport* report);
/// Checks whether depth is aligned to colour.
void summarize_alignment(const std::vector<FrameFindings>& findings, DatasetReport* report);
void summarize_duplicates(DatasetReport* report);
/// Images that also occur in other splits beside the folder, whose files are read.
void summarize_shared_pictures(const std::vector<FrameFindings>& findings, ThreadPool& pool, DatasetReport* report);

}  // namespace fernwood::dataset
