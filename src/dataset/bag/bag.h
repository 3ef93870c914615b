// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dataset/bag/bag_file.h"
#include "fernwood/ros/messages.h"

namespace fernwood::dataset {

/// A message of a recording that may have several files.
struct BagMessage {
  std::uint32_t file = 0;
  MessagePlace place = {};
};

/// A message that was read, and what keeps its bytes in memory.
struct ReadMessage {
  std::shared_ptr<const void> keeps;
  ros::CodedMessage coded;
};

/// A recording: one file, or the files of a folder of rosbag2. Const members may be called from many threads.
class Bag {
 public:
  /// Reads where messages lie, not what they hold. The folder's files count, whatever metadata.yaml says of them.
  /// @throws as open_bag_file(); Error(kData) for a folder without files.
  explicit Bag(const std::filesystem::path& path);
  /// What is not a file but has messages likewise. @param name  For errors.
  Bag(const std::string& name, std::unique_ptr<BagFile> messages) : name_(name) { add(std::move(messages)); }

  const std::string& name() const { return name_; }
  const std::vector<BagTopic>& topics() const { return topics_; }
  /// In the order in which they were recorded; none of topics that are not wanted (is_wanted).
  const std::vector<BagMessage>& messages(std::size_t topic) const { return messages_[topic]; }
  /// Those of some topics, each with its index in `topics`, in the order in which they lie in their files: a chunk is
  /// unpacked once for all.
  std::vector<std::pair<std::size_t, BagMessage>> in_file_order(const std::vector<std::size_t>& topics) const;
  /// File and topic, for errors.
  std::string place(std::size_t topic) const { return name_ + ": " + topics_[topic].name; }
  ReadMessage read(std::size_t topic, const BagMessage& message, std::size_t most_bytes = kMostMessageBytes) const;
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void add(std::unique_ptr<BagFile> file);

  std::string name_;
  std::vector<std::unique_ptr<BagFile>> files_;
  std::vector<BagTopic> topics_;
  std::vector<std::vector<BagMessage>> messages_;  // [topic]
  std::vector<std::string> warnings_;
};

/// Whether a path may be a recording: by the extension of a file, by what lies in a folder.
bool is_bag(const std::filesystem::path& path);

}  // namespace fernwood::dataset
