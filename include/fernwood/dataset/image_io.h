// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Reading and writing image files: PNG and JPEG; reading of other formats by plug-ins. Errors are Error(kData) for bad
// content and Error(kRuntime) for a file that cannot be read or written; messages contain the file, the rule, the
// values and the remedy.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"

namespace fernwood::dataset {

/// Reads 8-bit RGB as stored: alpha is dropped, colour profiles and gamma are ignored, and the orientation tag of a
/// JPEG is not applied, because depth has none. Grey images, 16 bits and JPEG for printing (four channels) are errors.
Array2<image::Rgb> read_color(const std::filesystem::path& path);
/// Reads depth in mm from a 16-bit image with one channel (not JPEG) or a NumPy array [rows][cols]. Values are
/// multiplied by `scale_to_mm` (empty: 1, or 1000 for floating-point arrays, which are in metres) and rounded;
/// `missing`, NaN and values over kMaxDepthMm become 0.
Array2<std::uint16_t> read_depth(const std::filesystem::path& path, std::optional<double> scale_to_mm = {},
                                 int missing = 0);

/// Reads the number of each pixel's object from a grey PNG of at most 16 bits; image::kNoInstance is none.
image::InstanceImage read_instances(const std::filesystem::path& path);

/// A warning, one sentence, if an image has an EXIF orientation, which viewers apply and read_color() does not; else
/// empty.
std::string orientation_note(const std::filesystem::path& path);

void write_png(const std::filesystem::path& path, const Array2<image::Rgb>& image);
void write_png16(const std::filesystem::path& path, const Array2<std::uint16_t>& image);
/// Writes an 8-bit palette PNG, from which programs read indices while viewers show colours.
/// @param palette  1 to 256 colours, one for each index. @throws Error(kUsage) for an index without a colour.
void write_palette_png(const std::filesystem::path& path, const Array2<std::uint8_t>& indices,
                       std::span<const image::Rgb> palette);
std::vector<std::uint8_t> encode_png(const Array2<image::Rgb>& image);
std::vector<std::uint8_t> encode_jpeg(const Array2<image::Rgb>& image, int quality = 85);

/// Scales an image to a width of at most `width` pixels, with the same aspect ratio: each pixel is the mean of those it
/// covers.
Array2<image::Rgb> shrink_picture(const Array2<image::Rgb>& image, std::size_t width);
/// The same for class colours, which must not be mixed: each pixel is the middle one of those it covers.
Array2<image::Rgb> shrink_labels(const Array2<image::Rgb>& image, std::size_t width);

/// An image in a format that only the plug-ins `images` and `exr` read, as stored.
struct FallbackImage {
  std::size_t rows = 0, cols = 0;
  int bits = 0, num_channels = 0;   ///< 8 or 16 bits; 1, 3 (red first) or 4 channels (alpha last).
  bool is_float = false;            ///< If so, 32 bits and 1 channel.
  std::vector<std::uint8_t> bytes;  ///< [rows][cols][channels] values of bits / 8 bytes each, in native byte order.
};
/// Type of `fernwood_decode_image`, which both plug-ins export. @param image  On entry with the size in the file's
/// header. @return  False for bytes that cannot be decoded.
using DecodeFallbackImage = bool(const std::uint8_t* bytes, std::size_t size_bytes, FallbackImage* image);

/// Writes a NumPy array (format version 1.0, C order, little endian): uint16 [rows][cols].
/// @throws Error(kRuntime) as write_file_atomically().
void write_npy(const std::filesystem::path& path, const Array2<std::uint16_t>& image);
/// Writes a NumPy array float32 [rows][cols][planes]: the values of a pixel are adjacent.
/// @param planes  At least one, all of the same size. @throws Error(kUsage) otherwise.
void write_npy(const std::filesystem::path& path, std::span<const Array2<float>> planes);

/// Reads feature maps supplied by the user, as written by numpy.save(): [maps][rows][cols], or [rows][cols] for one
/// map; floating-point numbers of 16, 32 or 64 bits, or integers of 8, 16 or 32 bits; little endian, C order. Values
/// are rounded to the nearest float.
/// @throws Error(kData) with file and remedy for other arrays and damaged files; Error(kRuntime) when the file cannot
///         be read.
image::SuppliedMaps read_maps(const std::filesystem::path& path);
/// The same from memory. @param path  Name in messages.
image::SuppliedMaps decode_maps(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);
/// Writes float32 [maps][rows][cols], for read_maps(). @throws Error(kRuntime) as write_file_atomically().
void write_maps(const std::filesystem::path& path, const image::SuppliedMaps& maps);

}  // namespace fernwood::dataset
