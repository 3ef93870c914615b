// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/bag/bag.h"

#include <algorithm>
#include <cerrno>
#include <tuple>

#include "dataset/frame_file_names.h"
#include "dataset/name_lookup.h"
#include "fernwood/core/error.h"
#include "recordings/bag/chunks.h"

namespace fernwood::recordings {

namespace fs = std::filesystem;

namespace {

bool is_among(const fs::path& extension, std::initializer_list<const char*> known) {
  return std::ranges::find(known, dataset::lower_case(extension.string())) != known.end();
}

/// Whether a file is compressed as a whole; open_bag_file() names those that are not read.
bool is_packed(const fs::path& path) {
  return is_among(path.extension(), {".zstd", ".zst", ".lz4", ".gz", ".bz2", ".xz"});
}

bool has_bag_ending(const fs::path& path) {
  return is_among((is_packed(path) ? path.stem() : path).extension(), {".mcap", ".db3", ".bag"});
}

/// Files of a folder, in order of their numbers; of a file that is there both packed and unpacked, the unpacked one.
std::vector<fs::path> bag_files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::path& path = entry.path();
    if (has_bag_ending(path) && !(is_packed(path) && fs::exists(fs::path(path).replace_extension())))
      files.push_back(path);
  }
  std::ranges::sort(
      files, [](const fs::path& a, const fs::path& b) { return dataset::NaturalOrder()(a.string(), b.string()); });
  FW_CHECK(!files.empty(), Data,
           folder.string() << ": holds no recording; expected are files .db3, .mcap or .bag, as \"ros2 bag record\" "
                              "makes them");
  return files;
}

}  // namespace

Bag::Bag(const fs::path& path) : name_(path.string()) {
  if (!fs::exists(path))
    throw FileError(ErrorKind::kData, path, ENOENT,
                    "does not exist; name a recording of ROS: a file .mcap, .db3 or .bag, or a folder of rosbag2");
  if (fs::is_directory(path)) {
    for (const fs::path& file : bag_files_in(path)) add(open_bag_file(file));
  } else {
    add(open_bag_file(path));
  }
  for (std::vector<BagMessage>& messages : messages_)
    std::ranges::stable_sort(messages, {}, [](const BagMessage& message) { return message.place.time_ns; });
}

void Bag::add(std::unique_ptr<BagFile> file) {
  const BagIndex& index = file->index();
  std::vector<std::size_t> topic_of;  // [topic of the file]
  for (const BagTopic& topic : index.topics) {
    topic_of.push_back(static_cast<std::size_t>(std::ranges::find(topics_, topic) - topics_.begin()));
    if (topic_of.back() == topics_.size()) topics_.push_back(topic);
  }
  messages_.resize(topics_.size());
  const auto number = static_cast<std::uint32_t>(files_.size());
  for (const MessagePlace& place : index.messages) messages_[topic_of[place.topic]].push_back({number, place});
  warnings_.insert(warnings_.end(), index.warnings.begin(), index.warnings.end());
  files_.push_back(std::move(file));
}

std::vector<std::pair<std::size_t, BagMessage>> Bag::in_file_order(const std::vector<std::size_t>& topics) const {
  std::vector<std::pair<std::size_t, BagMessage>> ordered;
  for (std::size_t i = 0; i < topics.size(); ++i)
    for (const BagMessage& message : messages(topics[i])) ordered.emplace_back(i, message);
  std::ranges::stable_sort(ordered, {}, [](const auto& item) {
    const BagMessage& message = item.second;
    return std::tuple(message.file, message.place.chunk, message.place.offset);
  });
  return ordered;
}

ReadMessage Bag::read(std::size_t topic, const BagMessage& message, std::size_t most_bytes) const {
  MessageBytes read = files_[message.file]->read(message.place, most_bytes);
  if (topics_[topic].coding == ros::MessageCoding::kCdr && is_packed_message(read.bytes)) {
    read = files_[message.file]->read(message.place, kMaxMessageBytes);
    read = unpack_message(read.bytes, place(topic));
  }
  return {std::move(read.keeps), {read.bytes, topics_[topic].coding, place(topic)}};
}

bool is_bag(const fs::path& path) {
  std::error_code unreadable;
  if (fs::is_directory(path, unreadable)) return fs::exists(path / "metadata.yaml", unreadable);
  return has_bag_ending(path);
}

}  // namespace fernwood::recordings
