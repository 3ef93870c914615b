// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/image_file.h"

#include <array>
#include <fstream>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"

namespace fernwood::dataset {

namespace {

constexpr std::size_t kMaxPixels = std::size_t{1} << 26;

ImageHeader check_size(const std::filesystem::path& path, const ImageHeader& header) {
  FW_CHECK(header.width > 0 && header.height > 0, Data,
           path.string() << ": the image is " << size_text(header.width, header.height)
                         << " pixels, it has no pixel; write the file again");
  FW_CHECK(header.height <= kMaxPixels / header.width, Data,
           path.string() << ": the image is " << size_text(header.width, header.height) << " pixels, more than the "
                         << kMaxPixels << " supported; scale it down");
  return header;
}

}  // namespace

std::string size_text(std::size_t width, std::size_t height) {
  return std::to_string(width) + " x " + std::to_string(height);
}

ImageHeader inspect_image(const std::filesystem::path& path, std::span<const std::uint8_t> bytes) {
  FW_CHECK(!bytes.empty(), Data, path.string() << ": the file is empty; copy it again from its source");
  if (has_png_signature(bytes)) return check_size(path, inspect_png(path, bytes));
  FW_CHECK(bytes.size() >= 2 && bytes[0] == 0xff && bytes[1] == 0xd8, Data,
           path.string() << ": is neither a PNG nor a JPEG file (its first bytes say so); convert it");
  return check_size(path, inspect_jpeg(path, bytes));
}

ImageHeader read_image_header(const std::filesystem::path& path) {
  std::array<std::uint8_t, 33> start{};  // the signature and the IHDR chunk
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(start.data()), start.size());
  if (file && has_png_signature(start)) return check_size(path, png_header(start));
  return inspect_image(path, read_file(path));
}

void check_same_size(const std::filesystem::path& path, std::size_t width, std::size_t height,
                     const std::filesystem::path& other, std::size_t other_width, std::size_t other_height) {
  FW_CHECK(width == other_width && height == other_height, Data,
           path.string() << ": is " << size_text(width, height) << " pixels, " << other.filename().string() << " is "
                         << size_text(other_width, other_height)
                         << "; the images of a frame must have one size: scale one of them");
}

}  // namespace fernwood::dataset
