// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "report/pictures.h"

#include "dataset/dataset_folder.h"
#include "fernwood/dataset/image_io.h"
#include "page/page.h"

namespace fernwood::report {

using namespace page;

std::string class_label(const image::ClassInfo& info) {
  return page::swatch(dataset::to_hex(info.color)) + escape(info.name);
}

std::string photo(const Array2<image::Rgb>& picture, const std::string& alt) {
  return page::image_element(dataset::encode_jpeg(picture), "image/jpeg", alt);
}

std::string flat_picture(const Array2<image::Rgb>& picture, const std::string& alt) {
  return page::image_element(dataset::encode_png(picture), "image/png", alt);
}

}  // namespace fernwood::report
