// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/index_labels.h"

#include <algorithm>

#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

using Indices = Array2<std::uint16_t>;

constexpr int kNumChannels = 3, kBitsOfChannel = 8;
constexpr std::size_t kMaxIndices = 65536;

/// Numbers in three equal channels, as some tools write grey, or in one, as simulators write them.
Indices indices_of_channels(const fs::path& path, const std::vector<std::uint8_t>& bytes) {
  const Array2<image::Rgb> colors = decode_truth(path, bytes);
  Indices indices(colors.rows(), colors.cols());
  unsigned channels = number_channels({});
  for (std::size_t i = 0; i < colors.size(); ++i) {
    const image::Rgb color = colors.data()[i];
    channels &= number_channels(color);
    FW_CHECK(channels != 0, Data,
             path.string() << ": pixel (" << i % colors.cols() << ", " << i / colors.cols() << ") has the colour "
                           << to_string(color)
                           << ", where the labels are numbers; write them as grey or palette image, or write "
                              "labels = \"colors\" into dataset.toml");
    indices.data()[i] = std::max({color.r, color.g, color.b});
  }
  return indices;
}

Indices decode_indices(const fs::path& path, const std::vector<std::uint8_t>& bytes) {
  if (is_array(path, bytes)) return decode_label_array(path, bytes);
  const ImageHeader header = inspect_image(path, bytes);
  FW_CHECK(!header.is_lossy, Data,
           path.string() << ": the ground truth is a " << header.format
                         << " file with lossy compression, which changes the numbers; write it as PNG");
  if (!header.is_grey() && !header.is_palette) return indices_of_channels(path, bytes);
  FW_CHECK(header.bits <= 16 && header.numbers == NumberKind::kUnsigned, Data,
           path.string() << ": the ground truth has " << kind_text(header)
                         << "; class numbers have 8 or 16 bits: convert it");
  Indices indices(header.height, header.width);
  if (!header.fallback) {
    decode_png_indices(path, bytes, header, &indices);
    return indices;
  }
  const auto size = static_cast<std::size_t>(header.bits / 8),
             step = size * static_cast<std::size_t>(header.num_channels);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::uint8_t* at = header.fallback->bytes.data() + i * step;
    indices.data()[i] = size == 1 ? *at : static_cast<std::uint16_t>(at[0] | at[1] << 8);
  }
  return indices;
}

class ListedIndices {
 public:
  explicit ListedIndices(const DatasetConfig& config) : config_(config) {
    for (std::size_t c = 0; c < config.classes.size(); ++c) colors_[config.class_indices[c]] = config.classes[c].color;
    // Without classes, whether 255 is ignored depends on all numbers found: is_255_void().
    std::vector<std::uint16_t> ignored = {kNegativeIndex};
    if (config.ignore_index) ignored.insert(ignored.end(), config.ignore_index->begin(), config.ignore_index->end());
    if (!config.ignore_index && !config.classes.empty()) ignored.push_back(255);
    for (const std::uint16_t index : ignored)
      if (!colors_[index]) colors_[index] = kIgnoredIndexColor;
  }

  /// Empty for a number that is not a class.
  std::optional<image::Rgb> color_of(std::uint16_t index) const {
    return colors_[index] || !config_.classes.empty() ? colors_[index] : index_color(index);
  }

 private:
  const DatasetConfig& config_;
  std::vector<std::optional<image::Rgb>> colors_ = std::vector<std::optional<image::Rgb>>(kMaxIndices);  // [number]
};

[[noreturn]] void fail_unknown_index(const fs::path& path, const Indices& indices, std::size_t at,
                                     const DatasetConfig& config) {
  const auto [least, greatest] = std::ranges::minmax(config.class_indices);
  throw Error(ErrorKind::kData,
              path.string() + ": pixel (" + std::to_string(at % indices.cols()) + ", " +
                  std::to_string(at / indices.cols()) + ") has the number " + std::to_string(indices.data()[at]) +
                  ", which is not a class; those of dataset.toml have the numbers " + std::to_string(least) + " to " +
                  std::to_string(greatest) + ": list it there, with index = " + std::to_string(indices.data()[at]) +
                  " (where all are shifted, give each class its index), or ignore it, ignore_index = [" +
                  std::to_string(indices.data()[at]) + "]");
}

}  // namespace

std::optional<std::uint32_t> index_of(image::Rgb color) {
  if (color == image::Rgb{}) return std::nullopt;
  const std::uint8_t channels[kNumChannels] = {color.r, color.g, color.b};
  std::uint32_t number = 0;
  for (int bit = 0; bit < kBitsOfChannel; ++bit)
    for (int c = kNumChannels - 1; c >= 0; --c) number = number << 1 | (channels[c] >> bit & 1u);
  return number - 1;
}

bool is_255_void(const std::vector<ColorCount>& found) {
  constexpr std::uint32_t kByteVoid = 255, kWordVoid = 65535;
  bool is_wide = false, is_mask = true;
  for (const ColorCount& count : found) {
    const std::uint32_t index = index_of(count.color).value_or(kWordVoid);
    is_wide |= index > kByteVoid && index < kWordVoid;
    is_mask &= index == 0 || index == kByteVoid;
  }
  return !is_wide && !is_mask;
}

Array2<image::Rgb> decode_truth(const fs::path& path, const std::vector<std::uint8_t>& bytes,
                                const DatasetConfig& config) {
  if (config.labels != LabelEncoding::kIndex) return decode_truth(path, bytes);
  const Indices indices = decode_indices(path, bytes);
  const ListedIndices listed(config);
  Array2<image::Rgb> colors(indices.rows(), indices.cols());
  for (std::size_t i = 0; i < indices.size();) {
    const std::uint16_t index = indices.data()[i];
    const std::optional<image::Rgb> color = listed.color_of(index);
    if (!color) fail_unknown_index(path, indices, i, config);
    for (; i < indices.size() && indices.data()[i] == index; ++i) colors.data()[i] = *color;
  }
  return colors;
}

Array2<image::Rgb> read_truth(const fs::path& path, const DatasetConfig& config) {
  return decode_truth(path, read_file(path), config);
}

namespace {

/// [pixel] Whether it is transparent, in a PNG file with a palette or with RGBA.
std::vector<bool> find_transparent(const fs::path& path, const std::vector<std::uint8_t>& bytes,
                                   const ImageHeader& header) {
  std::vector<bool> transparent(header.width * header.height);
  if (header.is_palette) {
    const std::vector<std::uint8_t> alphas = png_content(bytes, "tRNS");
    Indices indices(header.height, header.width);
    decode_png_indices(path, bytes, header, &indices);
    for (std::size_t i = 0; i < transparent.size(); ++i)
      transparent[i] = indices.data()[i] < alphas.size() && alphas[indices.data()[i]] == 0;
  } else {
    Array2<std::uint32_t> rgba(header.height, header.width);
    decode_png_rgba(path, bytes, header, &rgba);
    for (std::size_t i = 0; i < transparent.size(); ++i) transparent[i] = rgba.data()[i] >> 24 == 0;
  }
  return transparent;
}

/// Pixels of a PNG file that are transparent and have a colour or a number all the same.
std::int64_t count_transparent(const fs::path& path, const DatasetConfig& config) {
  const ImageHeader header = read_image_header(path);
  if (!header.is_png || !(header.is_palette || header.num_channels == 4)) return 0;
  const std::vector<std::uint8_t> bytes = read_file(path);
  const std::vector<bool> transparent = find_transparent(path, bytes, header);
  if (std::ranges::find(transparent, true) == transparent.end()) return 0;
  const Array2<image::Rgb> truth = decode_truth(path, bytes, config);
  std::int64_t count = 0;
  for (std::size_t i = 0; i < truth.size(); ++i)
    count += transparent[i] && truth.data()[i] != image::Rgb{} && truth.data()[i] != kIgnoredIndexColor ? 1 : 0;
  return count;
}

}  // namespace

std::vector<std::string> transparency_notes(const fs::path& folder, const std::vector<FrameFiles>& frames,
                                            const DatasetConfig& config) {
  constexpr std::size_t kMaxRead = 5;
  for (const FrameFiles& files : take_evenly(frames, kMaxRead)) try {
      if (const auto count = files.truth.empty() ? 0 : count_transparent(files.truth, config); count > 0)
        return {folder.string() + ": " + std::to_string(count) + " pixels of " + files.truth.filename().string() +
                " are transparent and have a colour or a number, by which they are read since transparency is ignored; "
                "make them black, or list that under ignored_colors or ignore_index in dataset.toml"};
    } catch (const Error&) {  // reported when the file is read
    }
  return {};
}

namespace {

/// How a file encodes classes; empty for one that cannot be read, which reading it later reports.
std::optional<LabelEncoding> truth_encoding_of(const fs::path& truth) {
  try {
    if (lower_case(truth.extension().string()) == ".npy") return LabelEncoding::kIndex;
    const ImageHeader header = read_image_header(truth);
    return header.is_grey() && !header.is_palette ? LabelEncoding::kIndex : LabelEncoding::kColors;
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// What is void among numbers, to continue a sentence. The numbers are not read yet, so the rule of is_255_void() is
/// told as a whole.
std::string void_rule(const DatasetConfig& config) {
  if (config.ignore_index) return "";
  if (config.classes.empty()) return ", 255 for void unless a number exceeds it or all are 0 or 255";
  return config.classes.size() <= 255 ? ", 255 for void" : "";
}

}  // namespace

std::string settle_labels(const fs::path& folder, const std::vector<FrameFiles>& frames, DatasetConfig* config) {
  if (config->labels) return "";
  config->labels = LabelEncoding::kColors;
  const auto first = std::ranges::find_if(frames, [](const FrameFiles& files) { return !files.truth.empty(); });
  if (first == frames.end()) return "";
  const std::string file = first->truth.filename().string();
  const std::optional<LabelEncoding> encoding = truth_encoding_of(first->truth);
  if (encoding != LabelEncoding::kIndex) {
    FW_CHECK(!encoding || !config->ignore_index, Data,
             folder.string() << ": dataset.toml has ignore_index, and the ground truth (" << file
                             << ") is taken for colours, which have no numbers; write labels = \"index\" there if it "
                                "is a palette image whose indices are the classes, else ignored_colors instead of "
                                "ignore_index");
    return "";
  }
  config->labels = LabelEncoding::kIndex;
  // Classes listed in dataset.toml have their positions as numbers.
  for (std::size_t c = 0; c < config->classes.size(); ++c)
    config->class_indices.push_back(static_cast<std::uint16_t>(c));
  return folder.string() + ": the ground truth (" + file + ") is taken for class numbers, " +
         (config->classes.empty() ? "each a class of its own" : "in the order of the classes in dataset.toml") +
         void_rule(*config) + "; write labels = \"index\" into dataset.toml to say so, with names of the classes";
}

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
          ? "it is blended of those next to it, as where labels were resized with interpolation, smoothed or stored "
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
