// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Reading and writing image files: PNG and JPEG; others by a plug-in. All errors are Error(kData) for bad content and
// Error(kRuntime) for a file that cannot be read or written; they name the file, the rule, the values and the remedy.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"

namespace fernwood::dataset {

/// 8-bit RGB as stored: alpha is left out, profiles and gamma are not looked at, and a JPEG's orientation tag is not
/// applied, for depth has none. Grey, 16 bits and JPEG for printing (four channels) are errors.
Array2<image::Rgb> read_color(const std::filesystem::path& path);
/// 16-bit, one channel, no JPEG; or a NumPy array [rows][cols]. Multiplied by `scale_to_mm` (if empty by 1, and by 1000
/// where an array has floating-point numbers, which are metres then) and rounded; `missing`, NaN and values over
/// kMaxDepthMm become 0.
Array2<std::uint16_t> read_depth(const std::filesystem::path& path, std::optional<double> scale_to_mm = {},
                                 int missing = 0);

/// What viewers do to a picture and reading does not, as its EXIF orientation asks for: one sentence; else empty.
std::string orientation_note(const std::filesystem::path& path);

void write_png(const std::filesystem::path& path, const Array2<image::Rgb>& image);
void write_png16(const std::filesystem::path& path, const Array2<std::uint16_t>& image);
/// 8-bit palette PNG: programs read indices where viewers show colours.
/// @param palette  1 to 256 colours, one for every index. @throws Error(kUsage) for an index without a colour.
void write_palette_png(const std::filesystem::path& path, const Array2<std::uint8_t>& indices,
                       std::span<const image::Rgb> palette);
std::vector<std::uint8_t> encode_png(const Array2<image::Rgb>& image);
std::vector<std::uint8_t> encode_jpeg(const Array2<image::Rgb>& image, int quality = 85);

/// A picture at most `width` pixels wide, of the same proportions: means of the pixels that become one.
Array2<image::Rgb> shrink_picture(const Array2<image::Rgb>& image, std::size_t width);
/// The same of class colours, which must not mix: the pixel in the middle.
Array2<image::Rgb> shrink_labels(const Array2<image::Rgb>& image, std::size_t width);

/// An image of a kind that only the plug-ins `images` and `exr` read, as stored.
struct FallbackImage {
  std::size_t rows = 0, cols = 0;
  int bits = 0, num_channels = 0;   ///< 8 or 16 bits; 1, 3 (red first) or 4 channels (alpha last).
  bool is_float = false;            ///< Then 32 bits and 1 channel.
  std::vector<std::uint8_t> bytes;  ///< [rows][cols][channels] numbers of bits / 8 bytes, as the processor orders them.
};
/// What both export as `fernwood_decode_image`. @param image  With the size that the file says. @return  False for
/// bytes that it cannot decode.
using DecodeFallbackImage = bool(const std::uint8_t* bytes, std::size_t size_bytes, FallbackImage* image);

/// An array that NumPy loads (format version 1.0, C order, little endian): uint16 [rows][cols]. @throws
/// Error(kRuntime), as write_file_atomically.
void write_npy(const std::filesystem::path& path, const Array2<std::uint16_t>& image);
/// float32 [rows][cols][planes]: the values of a pixel are adjacent.
/// @param planes  At least one, all of one size. @throws Error(kUsage) else.
void write_npy(const std::filesystem::path& path, std::span<const Array2<float>> planes);

/// Feature maps that somebody else computed, as numpy.save() writes them: [maps][rows][cols], or [rows][cols] of one
/// map; numbers of 16, 32 or 64 bits in floating point, or of 8, 16 or 32 bits; little endian, C order. Each becomes
/// the nearest float.
/// @throws Error(kData) naming file and remedy for other arrays and damaged files; Error(kRuntime) when it cannot be
///         read.
image::SuppliedMaps read_maps(const std::filesystem::path& path);
/// The same of bytes. @param path  For messages.
image::SuppliedMaps decode_maps(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);
/// float32 [maps][rows][cols], for read_maps(). @throws Error(kRuntime), as write_file_atomically.
void write_maps(const std::filesystem::path& path, const image::SuppliedMaps& maps);

}  // namespace fernwood::dataset
