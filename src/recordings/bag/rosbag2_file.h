// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

#include "dataset/bag/bag_file.h"
#include "dataset/bag/bag_plugin.h"

namespace fernwood::dataset {

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

}  // namespace fernwood::dataset
