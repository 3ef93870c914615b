// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The container of a PNG file: a signature, then chunks of length, type, content and CRC-32 (PNG specification, 5).

#include <array>
#include <cstring>
#include <string_view>

#include "dataset/image_file.h"
#include "fernwood/core/error.h"

namespace fernwood::dataset {

namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::array<std::uint8_t, 8> kSignature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
constexpr std::size_t kFrameBytes = 12;    // length, type and CRC around a chunk's content
constexpr std::size_t kColorTypeByte = 9;  // of the header's content
constexpr int kPaletteType = 3;

std::uint32_t big_endian(const std::uint8_t* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 | at[3];
}

std::uint32_t little_endian(const std::uint8_t* at) {
  return std::uint32_t{at[3]} << 24 | std::uint32_t{at[2]} << 16 | std::uint32_t{at[1]} << 8 | at[0];
}

using CrcTables = std::array<std::array<std::uint32_t, 256>, 8>;

// tables[k][v]: the CRC of byte v followed by k zero bytes, so that eight bytes take eight independent look-ups.
CrcTables make_crc_tables() {
  CrcTables tables{};
  for (std::uint32_t value = 0; value < 256; ++value) {
    std::uint32_t crc = value;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? 0xedb88320u : 0u);
    tables[0][value] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t value = 0; value < 256; ++value)
      tables[k][value] = (tables[k - 1][value] >> 8) ^ tables[0][tables[k - 1][value] & 255];
  return tables;
}

std::uint32_t crc32(Bytes bytes) {
  static const CrcTables t = make_crc_tables();
  std::uint32_t crc = ~0u;
  const std::uint8_t* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    const std::uint32_t low = little_endian(at) ^ crc, high = little_endian(at + 4);
    crc = t[7][low & 255] ^ t[6][low >> 8 & 255] ^ t[5][low >> 16 & 255] ^ t[4][low >> 24] ^ t[3][high & 255] ^
          t[2][high >> 8 & 255] ^ t[1][high >> 16 & 255] ^ t[0][high >> 24];
  }
  for (; left > 0; --left, ++at) crc = (crc >> 8) ^ t[0][(crc ^ *at) & 255];
  return ~crc;
}

struct Chunk {
  std::string_view type;
  Bytes whole;  ///< With length, type and CRC.

  Bytes checked() const { return whole.subspan(4, whole.size() - 8); }
  Bytes content() const { return whole.subspan(8, whole.size() - kFrameBytes); }
  bool intact() const { return crc32(checked()) == big_endian(whole.data() + whole.size() - 4); }
};

/// The chunk at `offset`; its type is empty when the file ends before it does.
Chunk chunk_at(Bytes bytes, std::size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < kFrameBytes) return {};
  const std::size_t size = big_endian(bytes.data() + offset);
  if (bytes.size() - offset - kFrameBytes < size) return {};
  return {{reinterpret_cast<const char*>(bytes.data()) + offset + 4, 4}, bytes.subspan(offset, size + kFrameBytes)};
}

void append_big_endian(std::uint32_t value, std::vector<std::uint8_t>* bytes) {
  for (const int shift : {24, 16, 8, 0}) bytes->push_back(static_cast<std::uint8_t>(value >> shift));
}

void append_chunk(std::string_view type, Bytes content, std::vector<std::uint8_t>* bytes) {
  append_big_endian(static_cast<std::uint32_t>(content.size()), bytes);
  const std::size_t checked = bytes->size();
  bytes->insert(bytes->end(), type.begin(), type.end());
  bytes->insert(bytes->end(), content.begin(), content.end());
  append_big_endian(crc32(Bytes(*bytes).subspan(checked)), bytes);
}

int channels_of(int color_type) {
  switch (color_type) {
    case 0:
      return 1;
    case 2:
      return 3;
    case kPaletteType:
      return 3;
    case 4:
      return 2;
    case 6:
      return 4;
    default:
      return 0;
  }
}

}  // namespace

bool has_png_signature(Bytes bytes) {
  return bytes.size() >= kSignature.size() && std::memcmp(bytes.data(), kSignature.data(), kSignature.size()) == 0;
}

ImageHeader png_header(Bytes bytes) {
  const std::uint8_t* ihdr = bytes.data() + kSignature.size() + 8;
  ImageHeader header;
  header.is_png = true;
  header.width = big_endian(ihdr);
  header.height = big_endian(ihdr + 4);
  header.bits = ihdr[8];
  header.num_channels = channels_of(ihdr[kColorTypeByte]);
  header.is_palette = ihdr[kColorTypeByte] == kPaletteType;
  header.has_plain_rows = ihdr[10] == 0 && ihdr[11] == 0 && ihdr[12] == 0;
  return header;
}

ImageHeader inspect_png(const std::filesystem::path& path, Bytes bytes) {
  bool has_pixels = false;
  for (std::size_t offset = kSignature.size();;) {
    const Chunk chunk = chunk_at(bytes, offset);
    FW_CHECK(!chunk.type.empty(), Data,
             path.string() << ": the PNG file is cut off after " << bytes.size()
                           << " bytes (it has no end mark); copy it again from its source");
    FW_CHECK(chunk.intact(), Data,
             path.string() << ": the PNG file is damaged near byte " << offset
                           << " (a checksum differs); copy it again from its source");
    const bool is_first = offset == kSignature.size();
    FW_CHECK(is_first == (chunk.type == "IHDR") && (!is_first || chunk.whole.size() == 13 + kFrameBytes), Data,
             path.string() << ": the PNG file does not begin with one header; copy it again from its source");
    has_pixels = has_pixels || chunk.type == "IDAT";
    offset += chunk.whole.size();
    if (chunk.type == "IEND") break;
  }
  const ImageHeader header = png_header(bytes);
  FW_CHECK(has_pixels && header.num_channels > 0, Data,
           path.string() << ": the PNG file holds no pixels that can be read; write it again");
  return header;
}

std::vector<std::uint8_t> strip_png(Bytes bytes) {
  std::vector<std::uint8_t> stripped(bytes.begin(), bytes.begin() + kSignature.size());
  stripped.reserve(bytes.size());
  for (std::size_t offset = kSignature.size();;) {
    const Chunk chunk = chunk_at(bytes, offset);
    if (chunk.type == "IHDR" || chunk.type == "PLTE" || chunk.type == "IDAT" || chunk.type == "IEND")
      stripped.insert(stripped.end(), chunk.whole.begin(), chunk.whole.end());
    if (chunk.type.empty() || chunk.type == "IEND") return stripped;
    offset += chunk.whole.size();
  }
}

std::vector<std::uint8_t> give_palette(Bytes grey, std::span<const image::Rgb> palette) {
  static_assert(sizeof(image::Rgb) == 3);
  const Chunk head = chunk_at(grey, kSignature.size());
  std::vector<std::uint8_t> header(head.content().begin(), head.content().end());
  header[kColorTypeByte] = kPaletteType;
  std::vector<std::uint8_t> indexed(kSignature.begin(), kSignature.end());
  append_chunk("IHDR", header, &indexed);
  append_chunk("PLTE", {reinterpret_cast<const std::uint8_t*>(palette.data()), palette.size_bytes()}, &indexed);
  const Bytes rest = grey.subspan(kSignature.size() + head.whole.size());
  indexed.insert(indexed.end(), rest.begin(), rest.end());
  return indexed;
}

std::vector<std::uint8_t> png_content(Bytes bytes, std::string_view type) {
  std::vector<std::uint8_t> joined;
  joined.reserve(bytes.size());
  for (std::size_t offset = kSignature.size();;) {
    const Chunk chunk = chunk_at(bytes, offset);
    if (chunk.type == type) joined.insert(joined.end(), chunk.content().begin(), chunk.content().end());
    if (chunk.type.empty() || chunk.type == "IEND") return joined;
    offset += chunk.whole.size();
  }
}

}  // namespace fernwood::dataset
