// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

#include "recordings/bag/bag_file.h"
#include "recordings/bag/chunks.h"

namespace fernwood::recordings {

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

inline constexpr std::string_view kRosbag1Magic = "#ROSBAG V2.0\n";

/// A bag of ROS 1 (http://wiki.ros.org/Bags/Format/2.0). Traversed like McapFile, so that it needs no index and may be
/// truncated.
class Rosbag1File final : public BagFile {
 public:
  /// @throws Error(kData) for damage and encrypted bags, Error(kUsage) where chunks are compressed and the plug-in bags
  /// is missing.
  explicit Rosbag1File(const std::filesystem::path& path);
  MessageBytes read(const MessagePlace& place, std::size_t most_bytes) const override;

 private:
  FileBytes file_;
  BagChunks chunks_{file_};
};

/// A .db3 file of rosbag2, which is an SQLite database.
class Rosbag2File final : public BagFile {
 public:
  /// @throws Error(kData) for damage, Error(kUsage) without the plug-in bags.
  explicit Rosbag2File(const std::filesystem::path& path);
  MessageBytes read(const MessagePlace& place, std::size_t most_bytes) const override;

 private:
  std::string name_;
  std::unique_ptr<const SqliteBag> bag_;
  mutable std::mutex mutex_;
};

}  // namespace fernwood::recordings
