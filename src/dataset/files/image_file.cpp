// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/files/image_file.h"

#include <libdeflate.h>
#include <array>
#include <cstring>
#include <string_view>

#include "dataset/files/image_metadata.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/file_stream.h"

namespace fernwood::dataset {

using Bytes = std::span<const std::uint8_t>;

namespace {

// Limits the memory for an image and its decoding to 300 MB.
constexpr std::size_t kMaxPixels = std::size_t{1} << 25;

/// Rejects a file that declares more pixels than it can contain, before their memory is allocated.
void check_enough(const std::filesystem::path& path, const ImageHeader& header, std::size_t file_bytes, bool enough) {
  FW_CHECK(enough, Data,
           path.string() << " says that it is " << size_text(header.width, header.height) << " pixels, which its "
                         << file_bytes << " bytes cannot hold; the file is damaged: copy it again from its source");
}

// The container of a PNG file: a signature, then chunks of length, type, content and CRC-32 (PNG specification, 5).

constexpr std::size_t kFrameBytes = 12;    // length, type and CRC around a chunk's content
constexpr std::size_t kColorTypeByte = 9;  // of the header's content

std::uint32_t big_endian(const std::uint8_t* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 | at[3];
}

struct Chunk {
  std::string_view type;
  Bytes whole;  ///< Including length, type and CRC.

  Bytes checked() const { return whole.subspan(4, whole.size() - 8); }
  Bytes content() const { return whole.subspan(8, whole.size() - kFrameBytes); }
  bool intact() const {
    return libdeflate_crc32(0, checked().data(), checked().size()) == big_endian(whole.data() + whole.size() - 4);
  }
};

/// The chunk at `offset`; its type is empty if the file ends within it.
Chunk chunk_at(Bytes bytes, std::size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < kFrameBytes) return {};
  const std::size_t size = big_endian(bytes.data() + offset);
  if (bytes.size() - offset - kFrameBytes < size) return {};
  return {{reinterpret_cast<const char*>(bytes.data()) + offset + 4, 4}, bytes.subspan(offset, size + kFrameBytes)};
}

/// Number of channels of a PNG colour type; 0 for one that the specification (11.2.2) does not define.
int channels_of(int color_type, int bits) {
  const bool is_whole = bits == 8 || bits == 16, has_shares = bits == 1 || bits == 2 || bits == 4;
  switch (color_type) {
    case kPngGrey:
      return is_whole || has_shares ? 1 : 0;
    case kPngRgb:
      return is_whole ? 3 : 0;
    case kPngPalette:
      return bits == 8 || has_shares ? 3 : 0;
    case kPngGreyAlpha:
      return is_whole ? 2 : 0;
    case kPngRgba:
      return is_whole ? 4 : 0;
    default:
      return 0;
  }
}

ImageHeader png_header(Bytes bytes) {
  const std::uint8_t* ihdr = bytes.data() + kPngSignature.size() + 8;
  ImageHeader header;
  header.is_png = true;
  header.width = big_endian(ihdr);
  header.height = big_endian(ihdr + 4);
  header.bits = ihdr[8];
  const bool methods_known = ihdr[10] == 0 && ihdr[11] == 0 && ihdr[12] <= 1;  // compression, filtering, interlacing
  header.num_channels = methods_known ? channels_of(ihdr[kColorTypeByte], header.bits) : 0;
  header.is_palette = ihdr[kColorTypeByte] == kPngPalette;
  header.is_interlaced = ihdr[12] == 1;
  return header;
}

ImageHeader inspect_png(const std::filesystem::path& path, Bytes bytes) {
  std::size_t pixel_bytes = 0;  // as stored in the file
  for (std::size_t offset = kPngSignature.size();;) {
    const Chunk chunk = chunk_at(bytes, offset);
    FW_CHECK(!chunk.type.empty(), Data,
             path.string() << ": the PNG file is cut off after " << bytes.size()
                           << " bytes (it has no end mark); copy it again from its source");
    FW_CHECK(chunk.intact(), Data,
             path.string() << ": the PNG file is damaged near byte " << offset
                           << " (a checksum differs); copy it again from its source");
    const bool is_first = offset == kPngSignature.size();
    FW_CHECK(is_first == (chunk.type == "IHDR") && (!is_first || chunk.whole.size() == 13 + kFrameBytes), Data,
             path.string() << ": the PNG file does not begin with one header; copy it again from its source");
    FW_CHECK(chunk.type != "acTL" || chunk.content().size() < 4 || big_endian(chunk.content().data()) <= 1, Data,
             path.string() << ": the PNG file is an animation of " << big_endian(chunk.content().data())
                           << " images, and a frame has one; export them as files of their own");
    if (chunk.type == "IDAT") pixel_bytes += chunk.content().size();
    offset += chunk.whole.size();
    if (chunk.type == "IEND") break;
  }
  const ImageHeader header = png_header(bytes);
  check_size(path, header);
  FW_CHECK(pixel_bytes > 0 && header.num_channels > 0, Data,
           path.string() << ": the PNG file holds no pixels that can be read; write it again");
  // Deflate expands data by at most a factor of 1032.
  check_enough(path, header, bytes.size(), can_hold(header, pixel_bytes));
  return header;
}

// The container of a JPEG file: markers with segments, entropy-coded scans between them, an end mark (ITU T.81, B).

constexpr int kEndOfImage = 0xd9, kTemporary = 0x01;

bool is_frame_header(int marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}
bool is_restart(int marker) { return marker >= 0xd0 && marker <= 0xd7; }

std::size_t word(Bytes bytes, std::size_t at) { return std::size_t{bytes[at]} << 8 | bytes[at + 1]; }

/// Offset of the first 0xff at or after `at` that begins a marker; the file's size when there is none.
std::size_t next_marker(Bytes bytes, std::size_t at) {
  while (at + 1 < bytes.size()) {
    const void* found = std::memchr(bytes.data() + at, 0xff, bytes.size() - 1 - at);
    if (found == nullptr) break;
    at = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - bytes.data());
    const int follower = bytes[at + 1];
    if (follower != 0 && follower != 0xff && !is_restart(follower)) return at;
    ++at;
  }
  return bytes.size();
}

ImageHeader inspect_jpeg(const std::filesystem::path& path, Bytes bytes) {
  ImageHeader header;
  header.format = "JPEG";
  header.is_lossy = true;
  const auto require = [&](bool condition) {
    FW_CHECK(condition, Data,
             path.string() << ": the JPEG file is cut off or damaged (" << bytes.size()
                           << " bytes without an end mark); copy it again from its source");
  };
  for (std::size_t at = 2;;) {
    at = next_marker(bytes, at);
    require(at < bytes.size());
    const int marker = bytes[at + 1];
    at += 2;
    if (marker == kEndOfImage) break;
    if (marker == kTemporary) continue;
    require(at + 2 <= bytes.size() && word(bytes, at) >= 2 && word(bytes, at) <= bytes.size() - at);
    if (is_frame_header(marker)) {
      require(word(bytes, at) >= 8 && header.num_channels == 0);  // decoders differ in which of two headers they use
      FW_CHECK(
          marker <= 0xc2 || marker == 0xc9 || marker == 0xca, Data,
          path.string() << ": the JPEG file is of the lossless or hierarchical kind, which is not read; convert it "
                           "to PNG");
      header.bits = bytes[at + 2];
      header.height = word(bytes, at + 3);
      header.width = word(bytes, at + 5);
      header.num_channels = bytes[at + 7];
    }
    at += word(bytes, at);
  }
  FW_CHECK(header.num_channels > 0, Data, path.string() << ": the JPEG file holds no image; write it again");
  FW_CHECK(header.num_channels == 1 || header.num_channels == 3, Data,
           path.string() << ": the JPEG file has " << header.num_channels
                         << " channels, as for printing (CMYK); convert it to RGB");
  check_size(path, header);
  // A block of 8 x 8 pixels takes at least one bit. Any file may declare two million pixels.
  check_enough(path, header, bytes.size(), header.width * header.height / 512 <= bytes.size() + 4096);
  return header;
}

}  // namespace

std::string size_text(std::size_t width, std::size_t height) {
  return std::to_string(width) + " x " + std::to_string(height);
}

bool has_png_signature(Bytes bytes) {
  return bytes.size() >= kPngSignature.size() &&
         std::memcmp(bytes.data(), kPngSignature.data(), kPngSignature.size()) == 0;
}

bool can_hold(const ImageHeader& header, std::size_t pixel_bytes) {
  return header.width * header.height * header.bits_per_pixel() / 8 / 1032 <= pixel_bytes;
}

ImageHeader check_size(const std::filesystem::path& path, const ImageHeader& header) {
  FW_CHECK(header.width > 0 && header.height > 0, Data,
           path.string() << ": the image is " << size_text(header.width, header.height)
                         << " pixels, it has no pixel; write the file again");
  FW_CHECK(header.height <= kMaxPixels / header.width, Data,
           path.string() << ": the image is " << size_text(header.width, header.height) << " pixels, more than the "
                         << kMaxPixels << " supported; scale it down");
  return header;
}

ImageHeader inspect_image(const std::filesystem::path& path, std::span<const std::uint8_t> bytes) {
  FW_CHECK(!bytes.empty(), Data, path.string() << ": the file is empty; copy it again from its source");
  if (has_png_signature(bytes)) return inspect_png(path, bytes);
  // The signature must be followed by a marker.
  if (bytes.size() >= 2 && bytes[0] == 0xff && bytes[1] == 0xd8 && (bytes.size() == 2 || bytes[2] == 0xff))
    return inspect_jpeg(path, bytes);
  return check_size(path, inspect_fallback(path, bytes));
}

ImageHeader read_image_header(const std::filesystem::path& path) {
  std::array<std::uint8_t, 33> start{};  // the signature and the IHDR chunk
  InputFile file(path);
  file.read(reinterpret_cast<char*>(start.data()), start.size());
  if (file && has_png_signature(start)) return check_size(path, png_header(start));
  const std::vector<std::uint8_t> bytes = read_file(path);
  return is_array(path, bytes) ? array_header(path, bytes) : inspect_image(path, bytes);
}

void check_same_size(const std::filesystem::path& path, std::size_t width, std::size_t height,
                     const std::filesystem::path& other, std::size_t other_width, std::size_t other_height) {
  if (width == other_width && height == other_height) return;
  std::string remedy = "scale one of them";
  for (const std::filesystem::path& file : {path, other}) {
    const int orientation = read_orientation(file);
    if (orientation == 1) continue;
    const bool explains = orientation >= 5 && width == other_height && height == other_width;
    remedy = orientation_text(file, orientation) + ": " + kOrientationRemedy +
             (explains ? "; scaling would be wrong" : ", then scale one of the images");
    break;
  }
  throw Error(ErrorKind::kData, path.string() + " is " + size_text(width, height) + " pixels, " +
                                    other.filename().string() + " is " + size_text(other_width, other_height) +
                                    "; the images of a frame must have one size: " + remedy);
}

std::vector<std::uint8_t> png_content(Bytes bytes, std::string_view type) {
  std::vector<std::uint8_t> joined;
  joined.reserve(bytes.size());
  for (std::size_t offset = kPngSignature.size();;) {
    const Chunk chunk = chunk_at(bytes, offset);
    if (chunk.type == type) joined.insert(joined.end(), chunk.content().begin(), chunk.content().end());
    if (chunk.type.empty() || chunk.type == "IEND") return joined;
    offset += chunk.whole.size();
  }
}

FrameSize size_of_picture(const std::filesystem::path& file) {
  const ImageHeader header = read_image_header(file);
  return {header.height, header.width};
}

}  // namespace fernwood::dataset
