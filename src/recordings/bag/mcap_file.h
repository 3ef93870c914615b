// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <string_view>

#include "dataset/bag/bag_file.h"
#include "dataset/bag/chunks.h"
#include "dataset/bag/file_bytes.h"

namespace fernwood::dataset {

inline constexpr std::string_view kMcapMagic = "\x89MCAP0\r\n";

// Opcodes of records.
inline constexpr std::uint8_t kMcapFileHeader = 1, kMcapFooter = 2, kMcapSchema = 3, kMcapChannel = 4, kMcapMessage = 5,
                              kMcapChunk = 6, kMcapMessageIndex = 7, kMcapChunkIndex = 8, kMcapStatistics = 11,
                              kMcapSummaryOffset = 14, kMcapDataEnd = 15;

inline constexpr std::size_t kMcapMessageBytes = 22;  ///< Of a message record, preceding its content.

/// MCAP (https://mcap.dev/spec), with the profiles ros2 and ros1. Records are traversed from the beginning, header by
/// header, so that files need no summary and may be truncated.
class McapFile final : public BagFile {
 public:
  /// @throws Error(kData) for damage, Error(kUsage) where chunks are compressed and the plug-in bags is missing.
  explicit McapFile(const std::filesystem::path& path);
  MessageBytes read(const MessagePlace& place, std::size_t most_bytes) const override;

 private:
  FileBytes file_;
  BagChunks chunks_{file_};
};

}  // namespace fernwood::dataset
