// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Pictures and classes on pages.

#include <string>

#include "dataset/dataset_folder.h"
#include "fernwood/dataset/image_io.h"
#include "page/page.h"

namespace fernwood::report {

/// The colour square of a class, and its name.
inline std::string class_label(const image::ClassInfo& info) {
  return page::swatch(dataset::to_hex(info.color)) + escape(info.name);
}
/// Embedded images: photos as JPEG, flat colours as PNG, which is exact and compact.
inline std::string photo(const Array2<image::Rgb>& picture, const std::string& alt) {
  return page::image_element(dataset::encode_jpeg(picture), "image/jpeg", alt);
}
inline std::string flat_picture(const Array2<image::Rgb>& picture, const std::string& alt) {
  return page::image_element(dataset::encode_png(picture), "image/png", alt);
}

}  // namespace fernwood::report
