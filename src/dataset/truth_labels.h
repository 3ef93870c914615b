// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Converts ground truth from colours to classes.

#include <filesystem>
#include <optional>

#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

/// The class of each pixel. @param classes  Those of `lookup`. @param encoding  Encoding of the file. Both for
/// messages.
/// @throws Error(kData) for a colour that is neither a class nor void, naming the pixel.
image::LabelImage to_labels(const std::filesystem::path& path, const Array2<image::Rgb>& truth,
                            const ColorLookup& lookup, const image::ClassMap& classes,
                            std::optional<LabelEncoding> encoding);

}  // namespace fernwood::dataset
