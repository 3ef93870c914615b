// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Images that occur in two splits of a data set, so that a test measures memorisation.

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/core/parallel.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/image/frame.h"

namespace fernwood::dataset {

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

}  // namespace fernwood::dataset
