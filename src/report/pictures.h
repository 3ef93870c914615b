// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Pictures and classes on pages.

#include <string>

#include "fernwood/image/labels.h"

namespace fernwood::report {

/// The colour square of a class, and its name.
std::string class_label(const image::ClassInfo& info);
/// Embedded images: photos as JPEG, flat colours as PNG, which is exact and compact.
std::string photo(const Array2<image::Rgb>& picture, const std::string& alt);
std::string flat_picture(const Array2<image::Rgb>& picture, const std::string& alt);

}  // namespace fernwood::report
