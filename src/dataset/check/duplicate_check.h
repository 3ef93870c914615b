// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Pictures that are in two splits of a data set, which make a test show what was learnt by heart.

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

/// What tells a picture from others.
struct Fingerprint {
  std::uint64_t file = 0;    ///< Checksum of the file's bytes; 0: not readable.
  std::uint64_t pixels = 0;  ///< Checksum of what was decoded; 0: not decoded.
  /// [16 x 16 bits] whether the picture becomes brighter from one of 17 columns to the next.
  std::array<std::uint64_t, 4> gradients{};
  bool has_gradients = false;  ///< False where brightness hardly changes, so that they would be noise.
};

/// Adds what pixels say.
void add_pixels(const Array2<image::Rgb>& picture, Fingerprint* of);

/// Whether two are one picture: of the same bytes or pixels, or changed by no more than compressing it again does.
bool is_same_picture(const Fingerprint& a, const Fingerprint& b);

/// The folders of other splits beside `folder`, where that is named as a split itself; sorted by name.
std::vector<std::filesystem::path> other_splits(const std::filesystem::path& folder);

/// Which pictures are in another split as well: one sentence; empty when there is none. Files of the other split that
/// cannot be read are passed over: they are an error of its own check.
/// @param names, pictures  [frame]
std::string shared_pictures_note(const std::filesystem::path& folder, const std::vector<FrameFiles>& names,
                                 const std::vector<Fingerprint>& pictures, const std::filesystem::path& other,
                                 ThreadPool& pool);

}  // namespace fernwood::dataset
