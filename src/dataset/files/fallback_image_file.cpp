// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/files/image_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "dataset/files/image_metadata.h"
#include "dataset/frame_file_names.h"
#include "fernwood/core/error.h"
#include "fernwood/core/plugin.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;
using Bytes = std::span<const std::uint8_t>;
using namespace std::string_view_literals;

namespace {

constexpr const char* kConvert = "convert it to PNG";
constexpr const char* kConvertNumbers = "convert it to PNG, depth to 16-bit integers in millimetres";
constexpr const char* kUnpack = "unpack it";
constexpr const char* kExport = "export its images as PNG";
constexpr const char* kFetch = "fetch the file again from its source";

/// Unsupported kinds of files, by their magic bytes at an offset.
struct ForeignKind {
  std::size_t offset;
  std::string_view magic;
  const char* noun;
  const char* remedy;
};

constexpr std::array kForeignKinds = std::to_array<ForeignKind>(
    {{0, "version https://git-lfs"sv, "a Git LFS pointer instead of the file", "fetch it with git lfs pull"},
     {0, "GIF8"sv, "a GIF image", kConvert},
     {0, "\0\0\0\x0cjP  "sv, "a JPEG 2000 image", kConvert},
     {0, "\xff\x4f\xff\x51"sv, "a JPEG 2000 image", kConvert},
     {0, "\0\0\0\x0cJXL "sv, "a JPEG XL image", kConvert},
     {0, "\xff\x0a"sv, "a JPEG XL image", kConvert},
     {4, "ftypavi"sv, "an AVIF image", kConvert},
     {4, "ftyphe"sv, "a HEIC image", kConvert},
     {4, "ftypmif1"sv, "a HEIF image", kConvert},
     {4, "ftypmsf1"sv, "a HEIF image", kConvert},
     {4, "ftyp"sv, "an MP4 video", kExport},
     {8, "AVI "sv, "an AVI video", kExport},
     {0, "\x1a\x45\xdf\xa3"sv, "a Matroska video", kExport},
     {0, "#?RADIANCE"sv, "a Radiance HDR image", kConvert},
     {0, "#?RGBE"sv, "a Radiance HDR image", kConvert},
     {0, "PF\n"sv, "a PFM image of three channels", kConvertNumbers},
     {0, "P7\n"sv, "a PAM image", kConvert},
     {0, "II+\0"sv, "a BigTIFF image", kConvertNumbers},
     {0, "MM\0+"sv, "a BigTIFF image", kConvertNumbers},
     {0, "\x93NUMPY"sv, "a NumPy array", kConvertNumbers},
     {0, "PK\x03\x04"sv, "a ZIP archive, as .npz files are", "unpack it, and convert arrays to PNG"},
     {0, "\x89HDF\r\n"sv, "an HDF5 file", kConvertNumbers},
     {0, "MATLAB 5.0"sv, "a MATLAB file", kConvertNumbers},
     {128, "DICM"sv, "a DICOM image", kConvertNumbers},
     {0, "\x1f\x8b"sv, "a gzip archive", kUnpack},
     {0, "BZh"sv, "a bzip2 archive", kUnpack},
     {0,
      "\xfd"
      "7zXZ"sv,
      "an xz archive", kUnpack},
     {0, "\x28\xb5\x2f\xfd"sv, "a Zstandard archive", kUnpack},
     {0, "7z\xbc\xaf"sv, "a 7-Zip archive", kUnpack},
     {0, "%PDF"sv, "a PDF document", kExport},
     {0, "8BPS"sv, "a Photoshop document", kExport},
     {0, "qoif"sv, "a QOI image", kConvert}});

/// An unsupported kind of file; null for one that may be supported.
const ForeignKind* foreign_kind(std::string_view bytes) {
  static constexpr ForeignKind kHtml = {0, "", "an HTML page, as downloads that fail leave", kFetch};
  static constexpr ForeignKind kSvg = {0, "", "an SVG drawing", kExport};
  static constexpr ForeignKind kXml = {0, "", "an XML text", kFetch};
  static constexpr ForeignKind kZeros = {0, "", "a file of zeros, as copies that were interrupted leave", kFetch};
  for (const ForeignKind& kind : kForeignKinds)
    if (bytes.size() > kind.offset && bytes.substr(kind.offset).starts_with(kind.magic)) return &kind;
  std::string_view begin = bytes;  // of a text, without white space
  if (begin.starts_with("\xef\xbb\xbf")) begin.remove_prefix(3);
  begin.remove_prefix(std::min(begin.find_first_not_of(" \t\r\n"), begin.size()));
  const std::string text = lower_case(std::string(begin.substr(0, 32)));
  if (text.starts_with("<!doctype html") || text.starts_with("<html") || text.starts_with("<head")) return &kHtml;
  if (text.starts_with("<svg")) return &kSvg;
  if (text.starts_with("<?xml")) return &kXml;
  return bytes.find_first_not_of('\0') == std::string_view::npos ? &kZeros : nullptr;
}

constexpr std::string_view kOpenExr = "OpenEXR";

/// The name of a kind that a plug-in reads; empty for others.
std::string_view fallback_kind(std::string_view bytes) {
  if (bytes.starts_with("\x76\x2f\x31\x01"sv)) return kOpenExr;
  if (bytes.starts_with("II*\0"sv) || bytes.starts_with("MM\0*"sv)) return "TIFF";
  if (bytes.starts_with("RIFF") && bytes.substr(std::min<std::size_t>(8, bytes.size())).starts_with("WEBP"))
    return "WebP";
  if (bytes.starts_with("BM")) return "BMP";
  if (bytes.size() < 3 || bytes[0] != 'P') return "";
  if (bytes[1] == 'f') return "PFM";
  return bytes[1] == '1' || bytes[1] == '4'   ? "PBM"
         : bytes[1] == '2' || bytes[1] == '5' ? "PGM"
         : bytes[1] == '3' || bytes[1] == '6' ? "PPM"
                                              : "";
}

// Decoders allocate memory according to the declared size, so it is checked first.

/// A little-endian number of `count` bytes; 0 if the file ends before it.
std::size_t number_at(Bytes bytes, std::size_t at, std::size_t count) {
  std::size_t number = 0;
  if (at + count > bytes.size()) return 0;
  for (std::size_t i = 0; i < count; ++i) number |= std::size_t{bytes[at + i]} << (8 * i);
  return number;
}

struct DeclaredSize {
  std::size_t width = 0, height = 0;  ///< 0: not found.
  std::size_t least_bits = 0;         ///< Minimum size of a pixel in the file; 0: unknown, as it is compressed.
};

/// Windows bitmaps: a header of 14 bytes, then one that begins with its size; if that is 12 bytes, sides have 16 bits.
DeclaredSize bmp_size(Bytes bytes) {
  const auto side = [&](std::size_t at) {  // negative: rows from top to bottom
    return static_cast<std::size_t>(std::abs(std::int64_t{static_cast<std::int32_t>(number_at(bytes, at, 4))}));
  };
  if (number_at(bytes, 14, 4) == 12) return {number_at(bytes, 18, 2), number_at(bytes, 20, 2), number_at(bytes, 24, 2)};
  const bool is_plain = number_at(bytes, 30, 4) == 0;
  return {side(18), side(22), is_plain ? number_at(bytes, 28, 2) : 0};
}

/// Portable maps: the magic number, then numbers separated by white space and comments.
DeclaredSize pnm_size(std::string_view text) {
  constexpr std::size_t kBeyond = std::size_t{1} << 31;
  std::size_t at = 2;
  const auto next = [&] {
    while (at < text.size() && (text[at] < '0' || text[at] > '9'))
      at = text[at] == '#' ? std::min(text.find('\n', at), text.size()) : at + 1;
    std::size_t number = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
      number = std::min(10 * number + static_cast<std::size_t>(text[at] - '0'), kBeyond);
    return number;
  };
  const std::size_t width = next(), height = next();
  return {width, height, text[1] == '4' ? 1u : text[1] == 'f' ? 32u : 8u};
}

/// OpenEXR: the attribute dataWindow, a box of four signed numbers, minimum and maximum.
DeclaredSize exr_size(Bytes bytes, std::string_view text) {
  constexpr std::string_view kWindow = "dataWindow\0box2i\0\x10\0\0\0"sv;
  const std::size_t found = text.find(kWindow);
  if (found == std::string_view::npos) return {};
  const auto number = [&](std::size_t i) {
    return std::int64_t{static_cast<std::int32_t>(number_at(bytes, found + kWindow.size() + 4 * i, 4))};
  };
  const std::int64_t width = number(2) - number(0) + 1, height = number(3) - number(1) + 1;
  return {static_cast<std::size_t>(std::max<std::int64_t>(0, width)),
          static_cast<std::size_t>(std::max<std::int64_t>(0, height))};
}

/// WebP: the first chunk states the size, in each of its three variants.
DeclaredSize webp_size(Bytes bytes, std::string_view text) {
  const std::string_view kind = text.substr(std::min<std::size_t>(12, text.size()), 4);
  constexpr std::size_t kSide = 0x3fff;
  if (kind == "VP8X") return {number_at(bytes, 24, 3) + 1, number_at(bytes, 27, 3) + 1};
  if (kind == "VP8L") return {(number_at(bytes, 21, 4) & kSide) + 1, (number_at(bytes, 21, 4) >> 14 & kSide) + 1};
  return {number_at(bytes, 26, 2) & kSide, number_at(bytes, 28, 2) & kSide};
}

/// Header of a TIFF file, read before it is decoded.
ImageHeader tiff_header(const fs::path& path, const TiffTags& tags) {
  constexpr int kCmyk = 5, kOldJpeg = 6, kJpeg = 7;
  FW_CHECK(tags.photometric != kCmyk, Data,
           path.string() << ": the TIFF file has the colours of printing (CMYK); convert it to RGB");
  constexpr std::size_t kMaxTilePixels = std::size_t{1} << 25;
  FW_CHECK(tags.tile_width == 0 || tags.tile_height <= kMaxTilePixels / tags.tile_width, Data,
           path.string() << ": the TIFF file has tiles of " << size_text(tags.tile_width, tags.tile_height)
                         << " pixels; write it again without");
  FW_CHECK(
      !tags.has_more_pages, Data,
      path.string() << ": the TIFF file has several pages, an image of a frame has one; write the pages into files "
                       "of their own");
  ImageHeader header;
  header.width = tags.width;
  header.height = tags.height;
  header.bits = tags.bits;
  header.num_channels = tags.num_channels;
  header.numbers = tags.sample_format == 3   ? NumberKind::kFloat
                   : tags.sample_format == 2 ? NumberKind::kSigned
                                             : NumberKind::kUnsigned;
  header.is_lossy = tags.compression == kOldJpeg || tags.compression == kJpeg;
  return header;
}

ImageHeader webp_header(const fs::path& path, std::string_view bytes) {
  constexpr std::size_t kFirstChunk = 12, kFlags = 20;
  constexpr int kAnimated = 2;
  const bool is_extended = bytes.size() > kFlags && bytes.substr(kFirstChunk).starts_with("VP8X");
  FW_CHECK(!is_extended || (static_cast<std::uint8_t>(bytes[kFlags]) & kAnimated) == 0, Data,
           path.string() << ": the WebP file is an animation, and a frame has one image; export its images as "
                            "PNG");
  ImageHeader header;
  header.is_lossy = bytes.find("VP8 ") != std::string_view::npos && bytes.find("VP8L") == std::string_view::npos;
  return header;
}

std::string no_common_kind(const fs::path& path) {
  return path.string() + " is neither a PNG nor a JPEG file (its first bytes say so)";
}

/// The kind of a file that a plug-in reads. @throws Error(kData) for others.
std::string_view known_kind(const fs::path& path, std::string_view text) {
  const std::string_view kind = fallback_kind(text);
  const ForeignKind* const foreign = kind.empty() ? foreign_kind(text) : nullptr;
  FW_CHECK(foreign == nullptr, Data, no_common_kind(path) << ", but " << foreign->noun << "; " << foreign->remedy);
  FW_CHECK(!kind.empty(), Data,
           no_common_kind(path) << ", nor a TIFF, BMP, PGM, PPM, PFM, OpenEXR or WebP; convert it to PNG");
  return kind;
}

/// Checks the size that a file declares. @return  Whether it declares one.
bool check_declared(const fs::path& path, const DeclaredSize& size, const ImageHeader& header, std::size_t num_bytes) {
  ImageHeader declared = header;
  declared.width = size.width;
  declared.height = size.height;
  const bool has_size = size.width > 0 && size.height > 0;
  if (has_size) check_size(path, declared);
  constexpr std::size_t kMaxRatio = 4096;  // of the compressions of TIFF; its strips may all be the same bytes
  const std::size_t least_bytes = std::max(size.width * size.height * size.least_bits,
                                           header.width * header.height * header.bits_per_pixel() / kMaxRatio) /
                                  8;
  FW_CHECK(least_bytes <= num_bytes, Data,
           no_common_kind(path) << ", but " << header.format << " of " << size_text(size.width, size.height)
                                << " pixels, which its " << num_bytes
                                << " bytes cannot hold; copy it again from its source, or convert it to PNG");
  return has_size;
}

/// @throws Error(kData) if the plug-in is missing.
DecodeFallbackImage* decoder_for(const fs::path& path, std::string_view kind) {
  const bool is_exr = kind == kOpenExr;
  const std::string plugin = is_exr ? "exr" : "images";
  const auto decode = find_plugin<DecodeFallbackImage>(plugin, "fernwood_decode_image");
  FW_CHECK(decode != nullptr, Data,
           no_common_kind(path)
               << ", but " << kind << ", which the plug-in fernwood_" << plugin
               << ".so reads, and that is not here: convert the file to PNG, floating-point depth to a NumPy array "
                  "(.npy), or build fernwood with "
               << (is_exr ? "libopenexr-dev and -DFERNWOOD_EXR=ON" : "libopencv-dev and -DFERNWOOD_IMAGES=ON"));
  return decode;
}

}  // namespace

ImageHeader inspect_fallback(const fs::path& path, Bytes bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string_view kind = known_kind(path, text);
  ImageHeader header;
  if (kind == "TIFF")
    if (const auto tags = read_tiff_tags(reader_of(bytes))) header = tiff_header(path, *tags);
  if (kind == "WebP") header = webp_header(path, text);
  header.format = kind;
  const DeclaredSize size = kind == "TIFF"     ? DeclaredSize{header.width, header.height}
                            : kind == "WebP"   ? webp_size(bytes, text)
                            : kind == kOpenExr ? exr_size(bytes, text)
                            : kind == "BMP"    ? bmp_size(bytes)
                                               : pnm_size(text);
  const bool has_size = check_declared(path, size, header, bytes.size());
  const bool is_float = header.numbers == NumberKind::kFloat;
  const bool may_be_depth = is_float && header.bits == 32 && header.num_channels == 1;
  if (header.width > 0 && (header.bits > 16 || is_float) && !may_be_depth) return header;
  DecodeFallbackImage* const decode = decoder_for(path, kind);
  const auto fallback = std::make_shared<FallbackImage>();
  fallback->rows = size.height;
  fallback->cols = size.width;
  if (!has_size || !decode(bytes.data(), bytes.size(), fallback.get())) {
    if (header.width > 0 && header.numbers == NumberKind::kSigned) return header;
    FW_CHECK(false, Data,
             no_common_kind(path)
                 << ", but " << kind
                 << " that cannot be decoded: it is damaged or uses an unsupported variant; copy it again from its "
                    "source, or convert it to PNG");
  }
  header.width = fallback->cols;
  header.height = fallback->rows;
  header.bits = fallback->bits;
  header.num_channels = fallback->num_channels;
  header.numbers = fallback->is_float ? NumberKind::kFloat : NumberKind::kUnsigned;
  header.fallback = fallback;
  return header;
}

}  // namespace fernwood::dataset
