// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <string_view>

#include "dataset/bag/bag_file.h"
#include "dataset/bag/chunks.h"
#include "dataset/bag/file_bytes.h"

namespace fernwood::dataset {

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

}  // namespace fernwood::dataset
