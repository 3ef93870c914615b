// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/truth_labels.h"

#include "dataset/check/blended_colors.h"
#include "dataset/dataset_folder.h"
#include "dataset/index_labels.h"
#include "fernwood/core/error.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail_unknown_color(const fs::path& path, const Array2<image::Rgb>& truth, const image::Rgb* pixel,
                                     const ColorLookup& lookup, const image::ClassMap& classes,
                                     std::optional<LabelEncoding> encoding) {
  const auto index = static_cast<std::size_t>(pixel - truth.data());
  const std::string place = path.string() + ": pixel (" + std::to_string(index % truth.cols()) + ", " +
                            std::to_string(index / truth.cols()) + ") has the ";
  if (encoding == LabelEncoding::kIndex)
    throw Error(ErrorKind::kData,
                place + "number " + std::to_string(index_of(*pixel).value_or(0)) +
                    ", which is not a class; the classes are " + to_string(classes.classes) +
                    ": name the classes of the numbers in dataset.toml, in the model's names and colours, or ignore it "
                    "there, ignore_index = [" +
                    std::to_string(index_of(*pixel).value_or(0)) + "]");
  const bool is_blend = is_blend_of_neighbours(truth, index / truth.cols(), index % truth.cols(),
                                               [&](image::Rgb color) { return lookup.find(color).has_value(); });
  const std::string remedy =
      is_blend
          ? "it is blended of those beside it, as where labels were resized with interpolation, smoothed or stored "
            "as JPEG: resize them with nearest neighbour, or ignore it with "
          : "list it in dataset.toml before training, or ignore it with ";
  throw Error(ErrorKind::kData, place + "colour " + to_string(*pixel) + ", which is not a class; the classes are " +
                                    to_string(classes.classes) + (is_blend ? "; " : ": ") + remedy +
                                    named_option("ignored-colors", to_option(*pixel)));
}

}  // namespace

image::LabelImage to_labels(const fs::path& path, const Array2<image::Rgb>& truth, const ColorLookup& lookup,
                            const image::ClassMap& classes, std::optional<LabelEncoding> encoding) {
  // Adjacent pixels mostly have the same class, so a colour is looked up only where it changes.
  image::LabelImage labels(truth.rows(), truth.cols());
  const image::Rgb* const end = truth.data() + truth.size();
  std::uint16_t* out = labels.data();
  for (const image::Rgb* at = truth.data(); at != end;) {
    const image::Rgb color = *at;
    const std::optional<std::uint16_t> label = lookup.find(color);
    if (!label) fail_unknown_color(path, truth, at, lookup, classes, encoding);
    for (; at != end && *at == color; ++at) *out++ = *label;
  }
  return labels;
}

}  // namespace fernwood::dataset
