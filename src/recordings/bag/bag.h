// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/ros/messages.h"
#include "recordings/bag/bag_file.h"

namespace fernwood::recordings {

/// A message of a recording, which may consist of several files.
struct BagMessage {
  std::uint32_t file = 0;
  MessagePlace place = {};
};

/// A message with the owner of its bytes.
struct ReadMessage {
  std::shared_ptr<const void> keeps;
  ros::CodedMessage coded;
};

/// A recording: one file, or a folder of files of rosbag2. Const members are thread-safe.
class Bag {
 public:
  /// Reads the positions of messages, not their contents. Uses the files in the folder, whatever metadata.yaml lists.
  /// @throws as open_bag_file(); Error(kData) for a folder without files.
  explicit Bag(const std::filesystem::path& path);
  /// Messages from another source than a file. @param name  For errors.
  Bag(const std::string& name, std::unique_ptr<BagFile> messages) : name_(name) { add(std::move(messages)); }

  const std::string& name() const { return name_; }
  const std::vector<BagTopic>& topics() const { return topics_; }
  /// Messages of a topic in order of recording; empty for topics without is_wanted().
  const std::vector<BagMessage>& messages(std::size_t topic) const { return messages_[topic]; }
  /// Messages of some topics, each with its index in `topics`, in the order in which they are stored in their files, so
  /// that each chunk is unpacked only once.
  std::vector<std::pair<std::size_t, BagMessage>> in_file_order(const std::vector<std::size_t>& topics) const;
  /// File and topic, for errors.
  std::string place(std::size_t topic) const { return name_ + ": " + topics_[topic].name; }
  ReadMessage read(std::size_t topic, const BagMessage& message, std::size_t most_bytes = kMaxMessageBytes) const;
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void add(std::unique_ptr<BagFile> file);

  std::string name_;
  std::vector<std::unique_ptr<BagFile>> files_;
  std::vector<BagTopic> topics_;
  std::vector<std::vector<BagMessage>> messages_;  // [topic]
  std::vector<std::string> warnings_;
};

/// Whether a path may be a recording, judged by the extension of a file or the contents of a folder.
bool is_bag(const std::filesystem::path& path);

}  // namespace fernwood::recordings
