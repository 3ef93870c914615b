// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Converts ground truth from colours to classes.

#include <filesystem>
#include <optional>

#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

/// The class of each pixel. @param encoding  Encoding of the file, for messages.
/// @throws Error(kData) for a colour that is neither a class nor void, naming the pixel.
image::LabelImage to_labels(const std::filesystem::path& path, const Array2<image::Rgb>& truth,
                            const image::ClassMap& classes, std::optional<LabelEncoding> encoding);

}  // namespace fernwood::dataset
