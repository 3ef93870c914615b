// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/image_io.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "dataset/files/image_file.h"
#include "dataset/frame_file_names.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

using ByteVector = std::vector<std::uint8_t>;

bool is_8_bit(const ImageHeader& header) { return header.bits <= 8 && header.numbers == NumberKind::kUnsigned; }

const char* depth_remedy(const ImageHeader& header) {
  if (header.format == "JPEG") return "JPEG has changed the values, so export the depth again from its source";
  if (header.is_palette || (header.num_channels >= 3 && header.bits <= 8))
    return "this is an image of depth in colours, so export the depth itself from its source";
  if (header.numbers == NumberKind::kFloat) return "convert it, metres times 1000, to uint16";
  if (header.numbers == NumberKind::kSigned || header.bits > 16) return "convert it to uint16";
  if (header.bits == 16) return "convert it to 1 channel";
  return "so few bits cannot hold millimetres (values may be scaled for viewing), so export the depth itself from its "
         "source";
}

/// @param header  Of a colour image of at most 8 bits.
Array2<image::Rgb> decode_rgb(const fs::path& path, const ByteVector& bytes, const ImageHeader& header) {
  Array2<image::Rgb> image(header.height, header.width);
  if (header.fallback) {  // without alpha
    const std::uint8_t* value = header.fallback->bytes.data();
    const int green = header.fallback->num_channels < 3 ? 0 : 1;
    for (image::Rgb& pixel : image) {
      pixel = {value[0], value[green], value[2 * green]};
      value += header.fallback->num_channels;
    }
  } else if (header.is_png && header.is_grey()) {
    Array2<std::uint16_t> levels(header.height, header.width);
    decode_png_indices(path, bytes, header, &levels);
    std::ranges::transform(levels, image.begin(), [&](std::uint16_t level) {
      const auto grey = static_cast<std::uint8_t>(level * 255 / ((1 << header.bits) - 1));
      return image::Rgb{grey, grey, grey};
    });
  } else if (header.is_png) {
    decode_png(path, bytes, header, &image);
  } else {
    decode_jpeg(path, bytes, &image);
  }
  return image;
}

void check_not_empty(std::size_t num_pixels) {
  FW_CHECK(num_pixels > 0, Usage, "an image without pixels cannot be encoded; give it rows and columns");
}

/// Header of a one-channel image. @param path  For messages.
template <typename T>
ImageHeader grey_header(const fs::path& path, const Array2<T>& image) {
  FW_CHECK(!image.empty(), Usage, path.string() << ": an image without pixels cannot be written; give it rows");
  return {.is_png = true, .width = image.cols(), .height = image.rows(), .bits = 8 * sizeof(T), .num_channels = 1};
}

/// An image of at most `width` pixels in width, with undefined pixels.
Array2<image::Rgb> smaller_image(const Array2<image::Rgb>& image, std::size_t width) {
  const std::size_t cols = std::min(width, image.cols());
  return {std::max<std::size_t>(1, image.rows() * cols / image.cols()), cols};
}

/// A pixel of the large image, with the share of it that lies in a pixel of the small one.
struct PixelShare {
  std::size_t at;
  std::uint64_t share;  ///< In units of 1 / `num_small` pixels of the large image.
};

/// [pixel of the small image] The pixels that it covers along one axis; their shares sum to `num_large`.
std::vector<std::vector<PixelShare>> covered_pixels(std::size_t num_large, std::size_t num_small) {
  std::vector<std::vector<PixelShare>> covered(num_small);
  for (std::size_t small = 0; small < num_small; ++small) {
    const std::size_t begin = small * num_large, end = begin + num_large;
    for (std::size_t at = begin / num_small; at * num_small < end; ++at)
      covered[small].push_back({at, std::min(end, (at + 1) * num_small) - std::max(begin, at * num_small)});
  }
  return covered;
}

void write_bytes(const fs::path& path, const ByteVector& bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  write_file_atomically(path, NamedBy::kFernwood, text, Durability::kProcess);
}

Array2<std::uint16_t> decode_raw_depth(const fs::path& path, const ByteVector& bytes, const ImageHeader& header) {
  const bool is_depth = header.bits == 16 && header.num_channels == 1 && header.numbers == NumberKind::kUnsigned;
  FW_CHECK(is_depth && header.format != "JPEG", Data,
           path.string() << ": the depth image is a " << header.format << " with " << kind_text(header)
                         << "; depth is a PNG with 16 bits and 1 channel, in millimetres, 0 where unknown: "
                         << depth_remedy(header));
  Array2<std::uint16_t> depth(header.height, header.width);
  if (header.fallback)
    std::memcpy(depth.data(), header.fallback->bytes.data(), header.fallback->bytes.size());
  else
    decode_png(path, bytes, header, &depth);
  return depth;
}

}  // namespace

std::string kind_text(const ImageHeader& header) {
  const std::string bits = std::to_string(header.bits);
  return (header.numbers == NumberKind::kFloat    ? bits + "-bit floats"
          : header.numbers == NumberKind::kSigned ? "signed integers of " + bits + " bits"
                                                  : bits + (header.bits == 1 ? " bit" : " bits")) +
         " and " + std::to_string(header.num_channels) + (header.num_channels == 1 ? " channel" : " channels");
}

Array2<image::Rgb> read_color(const fs::path& path) { return decode_color(path, read_file(path)); }

Array2<image::Rgb> decode_color(const fs::path& path, const ByteVector& bytes, GreyPictures grey) {
  const ImageHeader header = inspect_image(path, bytes);
  FW_CHECK(grey == GreyPictures::kConverted || !header.is_grey(), Data,
           path.string() << ": the image is grey (" << kind_text(header)
                         << "); colour images have 8 bits and 3 channels: convert it to RGB, or remove all colour "
                            "files to use depth alone");
  FW_CHECK(is_8_bit(header), Data,
           path.string() << ": the image has " << kind_text(header) << "; colour images have 8 bits and 3 channels: "
                         << "convert it to 8-bit RGB");
  return decode_rgb(path, bytes, header);
}

Array2<std::uint16_t> read_depth(const fs::path& path, std::optional<double> scale_to_mm, int missing) {
  return decode_depth(path, read_file(path), scale_to_mm, missing);
}

namespace {

constexpr double kMetres = 1000;

StoredDepth decode_stored_depth(const fs::path& path, const ByteVector& bytes, std::optional<double> scale_to_mm) {
  if (!is_array(path, bytes)) {
    const ImageHeader header = inspect_image(path, bytes);
    if (!header.fallback || !header.fallback->is_float)
      return {decode_raw_depth(path, bytes, header), scale_to_mm.value_or(1)};
    // A plug-in's floats are metres unless a scale is given.
    Array2<std::uint16_t> depth(header.fallback->rows, header.fallback->cols);
    for (std::size_t i = 0; i < depth.size(); ++i) {
      float value = 0;
      std::memcpy(&value, header.fallback->bytes.data() + i * sizeof(value), sizeof(value));
      depth.data()[i] = image::round_depth_mm(static_cast<double>(value) * scale_to_mm.value_or(kMetres));
    }
    return {std::move(depth), 1};
  }
  const double scale = scale_to_mm.value_or(is_float_array(path, bytes) ? kMetres : 1);
  return {decode_depth_array(path, bytes, scale), is_float_array(path, bytes) ? 1 : scale};
}

}  // namespace

image::InstanceImage read_instances(const fs::path& path) {
  const ByteVector bytes = read_file(path);
  const ImageHeader header = inspect_image(path, bytes);
  FW_CHECK(header.is_png && header.is_grey(), Data,
           path.string() << ": the image of instances is a " << header.format << " with " << kind_text(header)
                         << "; instances are a PNG with 16 bits and 1 channel, the number of each pixel's object, 0 "
                            "where there is none: convert it");
  image::InstanceImage instances(header.height, header.width);
  decode_png_indices(path, bytes, header, &instances);
  return instances;
}

StoredDepth read_stored_depth(const fs::path& path, std::optional<double> scale_to_mm) {
  return decode_stored_depth(path, read_file(path), scale_to_mm);
}

double depth_step_mm(const std::vector<FrameFiles>& frames, const DatasetConfig& config) {
  const double step_mm = config.depth_scale_to_mm.value_or(1);
  const auto first = std::ranges::find_if(frames, [](const FrameFiles& files) { return !files.depth.empty(); });
  const std::string extension = first == frames.end() ? "" : lower_case(first->depth.extension().string());
  if (extension != ".npy" && !is_fallback_extension(extension)) return step_mm;  // other formats have whole numbers
  try {
    return read_stored_depth(first->depth, config.depth_scale_to_mm).step_mm;
  } catch (const Error&) {
    return step_mm;  // reported when the file is read
  }
}

Array2<std::uint16_t> decode_depth(const fs::path& path, const ByteVector& bytes, std::optional<double> scale_to_mm,
                                   int missing) {
  StoredDepth depth = decode_stored_depth(path, bytes, scale_to_mm);
  scale_depth(depth.step_mm, missing, &depth.steps);
  return std::move(depth.steps);
}

void scale_depth(double scale_to_mm, int missing, Array2<std::uint16_t>* depth) {
  for (std::uint16_t& value : *depth)
    value = value == missing ? std::uint16_t{0} : image::round_depth_mm(value * scale_to_mm);
}

Array2<image::Rgb> decode_truth(const fs::path& path, const ByteVector& bytes) {
  const ImageHeader header = inspect_image(path, bytes);
  FW_CHECK(!header.is_lossy, Data,
           path.string() << ": the ground truth is a " << header.format
                         << " file with lossy compression, which changes the class colours; write it as PNG");
  FW_CHECK(!header.is_grey(), Data,
           path.string() << ": the ground truth is a grey label image (" << kind_text(header)
                         << "), and that of other frames has class colours; for numbers write labels = \"index\" into "
                            "dataset.toml, and let all frames have them");
  FW_CHECK(is_8_bit(header), Data,
           path.string() << ": the ground truth has " << kind_text(header) << "; labels are 8-bit RGB class colours: "
                         << "convert it");
  return decode_rgb(path, bytes, header);
}

void write_png(const fs::path& path, const Array2<image::Rgb>& image) { write_bytes(path, encode_png(image)); }

void write_png16(const fs::path& path, const Array2<std::uint16_t>& image) {
  const ImageHeader header = grey_header(path, image);
  ByteVector rows;
  rows.reserve(2 * image.size());
  for (const std::uint16_t value : image) {
    rows.push_back(static_cast<std::uint8_t>(value >> 8));
    rows.push_back(static_cast<std::uint8_t>(value));
  }
  write_bytes(path, encode_png_rows(header, rows));
}

void write_palette_png(const fs::path& path, const Array2<std::uint8_t>& indices, std::span<const image::Rgb> palette) {
  ImageHeader header = grey_header(path, indices);
  const std::size_t last = *std::max_element(indices.begin(), indices.end());
  FW_CHECK(palette.size() <= 256 && last < palette.size(), Usage,
           path.string() << ": a palette of " << palette.size() << " colours does not serve the indices up to " << last
                         << "; give each index a colour, 256 at most");
  header.is_palette = true;
  write_bytes(path, encode_png_rows(header, {indices.data(), indices.size()}, palette));
}

ByteVector encode_png(const Array2<image::Rgb>& image) {
  static_assert(sizeof(image::Rgb) == 3);
  check_not_empty(image.size());
  return encode_png_rows({.is_png = true, .width = image.cols(), .height = image.rows(), .bits = 8, .num_channels = 3},
                         {reinterpret_cast<const std::uint8_t*>(image.data()), 3 * image.size()});
}

ByteVector encode_jpeg(const Array2<image::Rgb>& image, int quality) {
  FW_CHECK(quality >= 1 && quality <= 100, Usage, "the JPEG quality is " << quality << "; use 1 to 100");
  check_not_empty(image.size());
  return encode_jpeg_rows(image, quality);
}

Array2<image::Rgb> shrink_picture(const Array2<image::Rgb>& image, std::size_t width) {
  Array2<image::Rgb> small = smaller_image(image, width);
  const auto rows = covered_pixels(image.rows(), small.rows()), cols = covered_pixels(image.cols(), small.cols());
  const std::uint64_t whole = image.size();  // the sum of all shares of a pixel
  for (std::size_t row = 0; row < small.rows(); ++row)
    for (std::size_t col = 0; col < small.cols(); ++col) {
      std::uint64_t r = whole / 2, g = whole / 2, b = whole / 2;  // halves up
      for (const PixelShare& y : rows[row])
        for (const PixelShare& x : cols[col]) {
          const image::Rgb pixel = image(y.at, x.at);
          const std::uint64_t share = x.share * y.share;
          r += share * pixel.r;
          g += share * pixel.g;
          b += share * pixel.b;
        }
      small(row, col) = {static_cast<std::uint8_t>(r / whole), static_cast<std::uint8_t>(g / whole),
                         static_cast<std::uint8_t>(b / whole)};
    }
  return small;
}

Array2<image::Rgb> shrink_labels(const Array2<image::Rgb>& image, std::size_t width) {
  Array2<image::Rgb> small = smaller_image(image, width);
  const auto middle = [](std::size_t at, std::size_t num_large, std::size_t num_small) {
    return (2 * at + 1) * num_large / (2 * num_small);
  };
  for (std::size_t row = 0; row < small.rows(); ++row)
    for (std::size_t col = 0; col < small.cols(); ++col)
      small(row, col) = image(middle(row, image.rows(), small.rows()), middle(col, image.cols(), small.cols()));
  return small;
}

}  // namespace fernwood::dataset
