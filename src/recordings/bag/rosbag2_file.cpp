// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/bag/rosbag2_file.h"

#include "dataset/bag/chunks.h"
#include "fernwood/core/error.h"

namespace fernwood::dataset {

Rosbag2File::Rosbag2File(const std::filesystem::path& path) : name_(path.string()) {
  const auto open = bags_function<OpenSqliteBag>("fernwood_open_sqlite_bag", name_, "is an SQLite database, read");
  bag_.reset(open(path.c_str()));
  index_.file_bytes = std::filesystem::file_size(path);
  std::map<std::int64_t, std::uint32_t> topics;  // [id] index
  std::vector<std::int64_t> wanted;
  for (const StoredTopic& stored : bag_->topics()) {
    const BagTopic topic{stored.name, ros::plain_type(stored.type),
                         stored.format == "cdr" ? ros::MessageCoding::kCdr : ros::MessageCoding::kOther};
    topics.try_emplace(stored.id, index_.index_of(topic));
    if (is_wanted(topic)) wanted.push_back(stored.id);
  }
  for (const StoredMessage& message : bag_->messages(wanted))
    index_.add(
        {topics.at(message.topic), MessagePlace::kNoChunk, static_cast<std::uint64_t>(message.row), message.time_ns},
        name_);
}

MessageBytes Rosbag2File::read(const MessagePlace& place, std::size_t most_bytes) const {
  const std::lock_guard lock(mutex_);
  return message_of(bag_->read(static_cast<std::int64_t>(place.offset), most_bytes));
}

}  // namespace fernwood::dataset
