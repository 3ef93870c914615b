// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Inspection of PNG and JPEG files before decoding: their headers, and whether they are complete. Decoders return a
// partly grey image for a truncated file; here such a file is an error.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/image/frame.h"

namespace fernwood::dataset {

enum class NumberKind { kUnsigned, kSigned, kFloat };

struct ImageHeader {
  bool is_png = false;  ///< Otherwise JPEG, or the content of `fallback`.
  std::size_t width = 0, height = 0;
  int bits = 0;          ///< Per channel; for a palette, of the index.
  int num_channels = 0;  ///< As stored, including alpha; 3 for a palette.
  bool is_palette = false;
  bool is_interlaced = false;
  std::shared_ptr<const FallbackImage> fallback = {};  ///< Decoded pixels of a kind that a plug-in reads; else null.
  std::string_view format = "PNG";                     ///< "JPEG", "TIFF" …
  NumberKind numbers = NumberKind::kUnsigned;          ///< Other kinds cannot be decoded.
  bool is_lossy = false;                               ///< Compression has changed the values.

  bool is_grey() const { return num_channels <= 2; }
  std::size_t bits_per_pixel() const {
    return static_cast<std::size_t>(bits) * static_cast<std::size_t>(is_palette ? 1 : num_channels);
  }
};

inline constexpr std::array<std::uint8_t, 8> kPngSignature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
/// Colour types of PNG headers.
inline constexpr int kPngGrey = 0, kPngRgb = 2, kPngPalette = 3, kPngGreyAlpha = 4, kPngRgba = 6;

/// "640 x 480".
std::string size_text(std::size_t width, std::size_t height);

/// @return  The header. @throws Error(kData) if it declares no pixels, or more than an image may have.
ImageHeader check_size(const std::filesystem::path& path, const ImageHeader& header);

/// Whether `pixel_bytes` bytes of a PNG file can contain all its pixels: deflate expands one byte to at most 1032.
bool can_hold(const ImageHeader& header, std::size_t pixel_bytes);

/// Checks the complete file.
/// @throws Error(kData) when it is damaged, truncated, too large or of a kind that neither fernwood nor a plug-in
/// reads.
ImageHeader inspect_image(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);

/// Reads only the part of the file that states its size. @throws Error(kData) or Error(kRuntime).
ImageHeader read_image_header(const std::filesystem::path& path);
/// Size of an image, from the file's header.
FrameSize size_of_picture(const std::filesystem::path& file);

/// @throws Error(kData) unless two images of a frame have the same size.
void check_same_size(const std::filesystem::path& path, std::size_t width, std::size_t height,
                     const std::filesystem::path& other, std::size_t other_width, std::size_t other_height);

/// Content of all chunks of a type, concatenated. @param bytes  A PNG file inspected before.
std::vector<std::uint8_t> png_content(std::span<const std::uint8_t> bytes, std::string_view type);

/// Decodes a PNG file with 8-bit RGB, 8-bit RGBA (alpha is dropped) or a palette, interlaced or not. Colour profiles,
/// gamma, transparency and texts are ignored, since images may be labels.
/// @param header  Header of `bytes`, which must have been inspected (inspect_image).
/// @param image   Of the size in `header`.
/// @throws        Error(kData) when the pixels are damaged, too few or too many, or an index exceeds the palette.
void decode_png(const std::filesystem::path& path, std::span<const std::uint8_t> bytes, const ImageHeader& header,
                Array2<image::Rgb>* image);

/// As above, for 16-bit grey.
void decode_png(const std::filesystem::path& path, std::span<const std::uint8_t> bytes, const ImageHeader& header,
                Array2<std::uint16_t>* image);

/// Decodes the numbers of a grey PNG file (alpha is dropped), or its palette indices: 1 to 8 bits are not scaled to the
/// range of a byte.
void decode_png_indices(const std::filesystem::path& path, std::span<const std::uint8_t> bytes,
                        const ImageHeader& header, Array2<std::uint16_t>* image);

/// Decodes a PNG file with 8-bit RGBA: red in the lowest byte, then green, blue and alpha.
void decode_png_rgba(const std::filesystem::path& path, std::span<const std::uint8_t> bytes, const ImageHeader& header,
                     Array2<std::uint32_t>* image);

/// Encodes a PNG file. @param header   Size, bits (8 or 16) and 1 channel, 3 channels or a palette.
/// @param rows     As stored in the file, without filter types: 16-bit numbers have the high byte first.
/// @param palette  For a file with a palette, 1 to 256 colours.
std::vector<std::uint8_t> encode_png_rows(const ImageHeader& header, std::span<const std::uint8_t> rows,
                                          std::span<const image::Rgb> palette = {});

/// Decodes a JPEG file with three 8-bit channels, without applying the orientation tag.
/// @param image  Of the size in the file's header. @throws Error(kData) also for damage that most decoders conceal.
void decode_jpeg(const std::filesystem::path& path, std::span<const std::uint8_t> bytes, Array2<image::Rgb>* image);

/// Encodes a JPEG file with chroma at half the resolution. @param quality  1 to 100.
std::vector<std::uint8_t> encode_jpeg_rows(const Array2<image::Rgb>& image, int quality);

/// Depth as stored in a file.
struct StoredDepth {
  Array2<std::uint16_t> steps;  ///< Whole numbers as stored; millimetres if the file has floating-point numbers.
  double step_mm = 1;           ///< Size of a step.
};
/// @throws Error as read_depth() does.
StoredDepth read_stored_depth(const std::filesystem::path& path, std::optional<double> scale_to_mm);
/// Size of a depth step of a folder in millimetres, by the first frame that has depth; see StoredDepth.
double depth_step_mm(const std::vector<FrameFiles>& frames, const DatasetConfig& config);
/// Converts stored depth to millimetres, see read_depth().
void scale_depth(double scale_to_mm, int missing, Array2<std::uint16_t>* depth);

/// read_color(), read_depth() and read_truth() of files in memory. @param path  For messages.
enum class GreyPictures { kRefused, kConverted };
Array2<image::Rgb> decode_color(const std::filesystem::path& path, const std::vector<std::uint8_t>& bytes,
                                GreyPictures grey = GreyPictures::kRefused);
Array2<std::uint16_t> decode_depth(const std::filesystem::path& path, const std::vector<std::uint8_t>& bytes,
                                   std::optional<double> scale_to_mm, int missing);
/// Whether a file is a NumPy array, by its name and its first bytes.
bool is_array(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);
/// Whether the numbers of an array are floating-point. @throws Error(kData) for a damaged file.
bool is_float_array(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);
/// ImageHeader::format of arrays.
inline constexpr std::string_view kArrayFormat = "NumPy array";
/// Header of an array [rows][cols]. @throws Error(kData) for other shapes and damaged files.
ImageHeader array_header(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);
/// Depth [rows][cols]: whole numbers as stored, others times `float_scale_to_mm` and rounded; values out of range
/// become 0. @throws Error(kData) for other shapes and damaged files.
Array2<std::uint16_t> decode_depth_array(const std::filesystem::path& path, std::span<const std::uint8_t> bytes,
                                         double float_scale_to_mm);
/// Represents negative numbers in arrays of labels.
inline constexpr std::uint16_t kNegativeIndex = 65535;
/// Class numbers [rows][cols]. @throws Error(kData) for floating-point numbers, numbers above 65535, other shapes and
/// damaged files.
Array2<std::uint16_t> decode_label_array(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);
/// RGB class colours, or the palette's.
Array2<image::Rgb> decode_truth(const std::filesystem::path& path, const std::vector<std::uint8_t>& bytes);

/// "8 bits and 1 channel", for messages.
std::string kind_text(const ImageHeader& header);

/// Inspects a file that is neither PNG nor JPEG; its pixels are decoded by the plug-in. For types that plug-ins do not
/// return (floating point, signed, more than 16 bits), only the header is read.
/// @throws Error(kData), stating the kind of file, for unsupported or damaged files and if the plug-in is missing.
ImageHeader inspect_fallback(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);

inline constexpr int kFastZlib = 1;  ///< Compression level for data written while frames wait.

/// A zlib stream (RFC 1950) of the bytes. @param level  1 to 12.
std::vector<std::uint8_t> compress_zlib(std::span<const std::uint8_t> bytes, int level);
/// Decompresses a zlib stream; empty for damage, and for more than `most_bytes`.
std::optional<std::vector<std::uint8_t>> decompress_zlib(std::span<const std::uint8_t> bytes, std::size_t most_bytes);

}  // namespace fernwood::dataset
