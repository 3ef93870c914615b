// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What a PNG or JPEG file says about itself before a pixel is decoded, and whether it is whole. Decoders give a partly
// grey picture for a file that was cut off; here such a file is an error.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/image/frame.h"

namespace fernwood::dataset {

struct ImageHeader {
  bool is_png = false;  ///< Else JPEG.
  std::size_t width = 0, height = 0;
  int bits = 0;          ///< Per channel; of the index for a palette.
  int num_channels = 0;  ///< As stored, alpha included; 3 for a palette.
  bool is_palette = false;
  bool has_plain_rows = false;  ///< PNG with methods 0 of compression, filtering and interlacing: row after row.

  bool is_grey() const { return num_channels <= 2; }
};

/// "640 x 480".
std::string size_text(std::size_t width, std::size_t height);

/// Walks the whole file. @throws Error(kData) when it is neither PNG nor JPEG, damaged, cut off or too large.
ImageHeader inspect_image(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);

/// Reads only as much of the file as tells its size. @throws Error(kData) or Error(kRuntime).
ImageHeader read_image_header(const std::filesystem::path& path);

/// @throws Error(kData) unless two images of a frame have the same size.
void check_same_size(const std::filesystem::path& path, std::size_t width, std::size_t height,
                     const std::filesystem::path& other, std::size_t other_width, std::size_t other_height);

/// The PNG file with nothing but what the pixels need (IHDR, PLTE, IDAT, IEND): colour profiles, gamma, transparency
/// and texts must not change labels and depths, nor make the decoder complain. @param bytes  Inspected before.
std::vector<std::uint8_t> strip_png(std::span<const std::uint8_t> bytes);

/// An 8-bit grey PNG file as a palette file with the same pixels: its greys become indices. @param grey  As encoded.
std::vector<std::uint8_t> give_palette(std::span<const std::uint8_t> grey, std::span<const image::Rgb> palette);

/// Content of all chunks of a type, joined. @param bytes  A PNG file inspected before.
std::vector<std::uint8_t> png_content(std::span<const std::uint8_t> bytes, std::string_view type);

bool has_png_signature(std::span<const std::uint8_t> bytes);

/// Decodes through libdeflate, in half the time that OpenCV takes, 8-bit RGB, 8-bit RGBA (its alpha is left out) and
/// palettes (an index beyond the palette is black).
/// @param header  Of `bytes`, which were inspected before (inspect_image).
/// @param image   Of the size in `header`.
/// @return        False, with `image` untouched, for other formats, for interlaced files, and for all files in a build
///                without libdeflate.
/// @throws        Error(kData) when the pixels are damaged, too few or too many.
bool decode_png(const std::filesystem::path& path, std::span<const std::uint8_t> bytes, const ImageHeader& header,
                Array2<image::Rgb>* image);

/// The same for 16-bit grey.
bool decode_png(const std::filesystem::path& path, std::span<const std::uint8_t> bytes, const ImageHeader& header,
                Array2<std::uint16_t>* image);

/// read_color(), read_depth() and read_truth() of bytes that are in memory. @param path  For messages.
Array2<image::Rgb> decode_color(const std::filesystem::path& path, const std::vector<std::uint8_t>& bytes);
Array2<std::uint16_t> decode_depth(const std::filesystem::path& path, const std::vector<std::uint8_t>& bytes,
                                   double scale_to_mm, int missing);
Array2<image::Rgb> decode_truth(const std::filesystem::path& path, const std::vector<std::uint8_t>& bytes);

/// Decodes JPEG with three channels of 8 bits through libjpeg, which tells damage that other decoders paint over.
/// @return  False for other files, and for all in a build without libjpeg. @throws Error(kData) for damaged data.
bool decode_jpeg(const std::filesystem::path& path, std::span<const std::uint8_t> bytes, const ImageHeader& header,
                 Array2<image::Rgb>* image);

}  // namespace fernwood::dataset
