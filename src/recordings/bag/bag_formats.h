// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "recordings/bag/bag_file.h"

namespace fernwood::recordings {

inline constexpr std::string_view kMcapMagic = "\x89MCAP0\r\n";

// Opcodes of records.
inline constexpr std::uint8_t kMcapFileHeader = 1, kMcapFooter = 2, kMcapSchema = 3, kMcapChannel = 4, kMcapMessage = 5,
                              kMcapChunk = 6, kMcapMessageIndex = 7, kMcapChunkIndex = 8, kMcapStatistics = 11,
                              kMcapSummaryOffset = 14, kMcapDataEnd = 15;

inline constexpr std::size_t kMcapMessageBytes = 22;  ///< Of a message record, preceding its content.

/// Opens MCAP (https://mcap.dev/spec), with the profiles ros2 and ros1. Records are traversed from the beginning,
/// header by header, so that files need no summary and may be truncated.
/// @throws Error(kData) for damage, Error(kUsage) where chunks are compressed and the plug-in bags is missing.
std::unique_ptr<BagFile> open_mcap(const std::filesystem::path& path);

inline constexpr std::string_view kRosbag1Magic = "#ROSBAG V2.0\n";

/// Opens a bag of ROS 1 (http://wiki.ros.org/Bags/Format/2.0). Traversed like MCAP, so that it needs no index and may
/// be truncated.
/// @throws Error(kData) for damage and encrypted bags, Error(kUsage) where chunks are compressed and the plug-in bags
/// is missing.
std::unique_ptr<BagFile> open_rosbag1(const std::filesystem::path& path);

}  // namespace fernwood::recordings
