// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/bag/bag_topics.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "dataset/files/image_file.h"
#include "fernwood/core/error.h"
#include "recordings/bag/pixel_coding.h"
#include "ros/byte_reader.h"

namespace fernwood::recordings {

namespace {

using Bytes = std::span<const std::uint8_t>;

/// The encoding at the beginning of the format of compressed images: "16UC1; compressedDepth png".
std::string_view encoding_of(std::string_view format) { return format.substr(0, format.find(';')); }

bool is_compressed_depth(const ros::CodedMessage& message, std::string_view format) {
  return format.find("compressedDepth") != std::string_view::npos || message.place.ends_with("/compressedDepth");
}

void check_pixels(const ros::CodedMessage& message, std::size_t width, std::size_t height) {
  dataset::ImageHeader header;
  header.width = width;
  header.height = height;
  dataset::check_size(message.place, header);
}

/// @throws Error(kData) unless the image has all its rows. The last row may lack its padding.
void check_rows(const ros::CodedMessage& message, const ros::Image& image, const PixelCoding& coding) {
  check_pixels(message, image.width, image.height);
  const std::uint64_t row_bytes = coding.row_bytes(image.width), num_rows = coding.num_rows(image.height);
  const bool has_all = image.step >= row_bytes && image.step * (num_rows - 1) + row_bytes <= image.data.size();
  FW_CHECK(has_all, Data,
           message.place << ": an image of " << dataset::size_text(image.width, image.height) << " pixels ("
                         << std::string(image.encoding) << ") has " << image.data.size() << " bytes in rows of "
                         << image.step << "; " << row_bytes << " are needed for each row: record it again");
}

const PixelCoding& coding_of(const ros::CodedMessage& message, std::string_view encoding, bool wants_depth) {
  const PixelCoding* const coding = find_pixel_coding(encoding);
  const bool fits = coding != nullptr && coding->is_depth() == wants_depth;
  FW_CHECK(fits, Data,
           message.place << ": an image has the encoding \"" << std::string(encoding) << "\"; "
                         << (wants_depth ? "depth" : "colour") << " is read from " << pixel_coding_names(wants_depth));
  return *coding;
}

// Message of compressed_depth_image_transport: a kind and two parameters, then a 16-bit PNG or RVL.
struct CompressedDepth {
  float scale = 0, shift = 0;  ///< "depthQuantA" and "depthQuantB": a number is scale / metres + shift.
  Array2<std::uint16_t> numbers;
};

Array2<std::uint16_t> decode_png16(const ros::CodedMessage& message, Bytes png) {
  const dataset::ImageHeader header = dataset::inspect_image(message.place, png);
  FW_CHECK(header.is_png && header.bits == 16 && header.num_channels == 1, Data,
           message.place << ": the depth image is a " << std::string(header.format) << " with "
                         << dataset::kind_text(header)
                         << "; depth is a PNG with 16 bits and 1 channel: record compressedDepth, or without "
                            "compression");
  Array2<std::uint16_t> numbers(header.height, header.width);
  dataset::decode_png(message.place, png, header, &numbers);
  return numbers;
}

CompressedDepth read_compressed_depth(const ros::CodedMessage& message, const ros::CompressedImage& image) {
  ros::ByteReader reader(image.data, message.place);
  CompressedDepth depth;
  reader.number<std::int32_t>();  // the kind, which the format states as well
  depth.scale = reader.number<float>();
  depth.shift = reader.number<float>();
  if (image.format.find("rvl") == std::string_view::npos) {
    depth.numbers = decode_png16(message, reader.take(reader.left()));
    return depth;
  }
  const auto cols = reader.number<std::uint32_t>(), rows = reader.number<std::uint32_t>();
  check_pixels(message, cols, rows);
  depth.numbers = unpack_rvl(reader.take(reader.left()), rows, cols, message.place);
  return depth;
}

Array2<std::uint16_t> decode_compressed_depth(const ros::CodedMessage& message, const ros::CompressedImage& image,
                                              const DepthUnit& unit) {
  CompressedDepth depth = read_compressed_depth(message, image);
  if (!coding_of(message, encoding_of(image.format), true).is_float()) {
    dataset::scale_depth(unit.step_mm, unit.missing, &depth.numbers);
    return std::move(depth.numbers);
  }
  for (std::uint16_t& number : depth.numbers) {
    const float inverse = static_cast<float>(number) - depth.shift;
    number = number == 0 ? std::uint16_t{0} : image::to_depth_mm(depth.scale / inverse);
  }
  return std::move(depth.numbers);
}

/// Reads numbers of 16 or 32 bits in the byte order of the image.
template <typename Number, typename Take>
void read_numbers(const ros::Image& image, Take take) {
  const bool is_swapped = (image.is_bigendian != 0) != (std::endian::native == std::endian::big);
  for (std::size_t row = 0; row < image.height; ++row) {
    const std::uint8_t* at = image.data.data() + row * image.step;
    for (std::size_t col = 0; col < image.width; ++col, at += sizeof(Number)) {
      std::array<std::uint8_t, sizeof(Number)> raw;
      std::memcpy(raw.data(), at, sizeof(Number));
      if (is_swapped) std::ranges::reverse(raw);
      take(row, col, std::bit_cast<Number>(raw));
    }
  }
}

ImageKind kind_of_compressed(const ros::CodedMessage& message) {
  const ros::CompressedImage image = ros::read_compressed_image(message);
  ImageKind kind{ImageContent::kOther, std::string(image.format), {}, std::string(image.header.frame_id), true};
  if (is_compressed_depth(message, image.format)) {
    const CompressedDepth depth = read_compressed_depth(message, image);
    coding_of(message, encoding_of(image.format), true);
    kind.content = ImageContent::kDepth;
    kind.size = {depth.numbers.rows(), depth.numbers.cols()};
    return kind;
  }
  const dataset::ImageHeader header = dataset::inspect_image(message.place, image.data);
  kind.size = {header.height, header.width};
  if (header.bits == 16 && header.num_channels == 1)
    kind.content = ImageContent::kDepth;
  else if (header.bits <= 8)
    kind.content = header.is_grey() ? ImageContent::kGrey : ImageContent::kColor;
  return kind;
}

ImageKind kind_of_raw(const ros::CodedMessage& message) {
  const ros::Image image = ros::read_image(message);
  ImageKind kind{ImageContent::kOther,
                 std::string(image.encoding),
                 {image.height, image.width},
                 std::string(image.header.frame_id)};
  if (const PixelCoding* const coding = find_pixel_coding(image.encoding))
    kind.content = coding->is_depth()                 ? ImageContent::kDepth
                   : coding->form == PixelForm::kGrey ? ImageContent::kGrey
                                                      : ImageContent::kColor;
  return kind;
}

}  // namespace

ImageKind kind_of_image(const std::string& type, const ros::CodedMessage& message) {
  try {
    return type == ros::kImageType ? kind_of_raw(message) : kind_of_compressed(message);
  } catch (const Error& error) {
    return {ImageContent::kOther, error.what(), {}, ""};
  }
}

Array2<image::Rgb> decode_color_image(const std::string& type, const ros::CodedMessage& message) {
  if (type == ros::kImageType) {
    const ros::Image image = ros::read_image(message);
    const PixelCoding& coding = coding_of(message, image.encoding, false);
    check_rows(message, image, coding);
    return decode_pixels(coding, image);
  }
  const ros::CompressedImage image = ros::read_compressed_image(message);
  const dataset::ImageHeader header = dataset::inspect_image(message.place, image.data);
  if (!header.is_grey() || header.fallback || header.bits > 8)
    return dataset::decode_color(message.place, {image.data.begin(), image.data.end()});
  Array2<image::Rgb> picture(header.height, header.width);
  if (!header.is_png) {
    dataset::decode_jpeg(message.place, image.data, &picture);
    return picture;
  }
  Array2<std::uint16_t> grey(header.height, header.width);
  dataset::decode_png_indices(message.place, image.data, header, &grey);
  std::ranges::transform(grey, picture.begin(), [](std::uint16_t value) {
    const auto level = static_cast<std::uint8_t>(value);
    return image::Rgb{level, level, level};
  });
  return picture;
}

Array2<std::uint16_t> decode_depth_image(const std::string& type, const ros::CodedMessage& message,
                                         const DepthUnit& unit) {
  if (type == ros::kCompressedImageType) {
    const ros::CompressedImage image = ros::read_compressed_image(message);
    if (is_compressed_depth(message, image.format)) return decode_compressed_depth(message, image, unit);
    Array2<std::uint16_t> depth = decode_png16(message, image.data);
    dataset::scale_depth(unit.step_mm, unit.missing, &depth);
    return depth;
  }
  const ros::Image image = ros::read_image(message);
  const PixelCoding& coding = coding_of(message, image.encoding, true);
  check_rows(message, image, coding);
  Array2<std::uint16_t> depth(image.height, image.width);
  if (coding.is_float()) {
    read_numbers<float>(
        image, [&](std::size_t row, std::size_t col, float metres) { depth(row, col) = image::to_depth_mm(metres); });
    return depth;
  }
  const bool is_signed = coding.name == "16SC1";
  read_numbers<std::uint16_t>(image, [&](std::size_t row, std::size_t col, std::uint16_t number) {
    depth(row, col) = is_signed && number > INT16_MAX ? std::uint16_t{0} : number;
  });
  dataset::scale_depth(unit.step_mm, unit.missing, &depth);
  return depth;
}

}  // namespace fernwood::recordings
