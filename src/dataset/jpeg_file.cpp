// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The container of a JPEG file: markers with segments, entropy-coded scans between them, an end mark (ITU T.81, B).

#include <cstring>

#include "dataset/image_file.h"
#include "fernwood/core/error.h"

namespace fernwood::dataset {

namespace {

using Bytes = std::span<const std::uint8_t>;

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

}  // namespace

ImageHeader inspect_jpeg(const std::filesystem::path& path, Bytes bytes) {
  ImageHeader header;
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
      require(word(bytes, at) >= 8);
      header.bits = bytes[at + 2];
      header.height = word(bytes, at + 3);
      header.width = word(bytes, at + 5);
      header.num_channels = bytes[at + 7];
    }
    at += word(bytes, at);
  }
  FW_CHECK(header.num_channels > 0, Data, path.string() << ": the JPEG file holds no picture; write it again");
  return header;
}

}  // namespace fernwood::dataset
