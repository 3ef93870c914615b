// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/bag/bag.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <mutex>
#include <tuple>

#include "dataset/frame_file_names.h"
#include "dataset/name_lookup.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/recordings/mcap_recorder.h"
#include "recordings/bag/bag_file.h"
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
           folder.string() << " holds no recording; expected are files .db3, .mcap or .bag, as \"ros2 bag record\" "
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

namespace {

/// A .db3 file of rosbag2, which is an SQLite database.
class Rosbag2File final : public BagFile {
 public:
  /// @throws Error(kData) for damage, Error(kUsage) without the plug-in bags.
  explicit Rosbag2File(const fs::path& path) : name_(path.string()) {
    const auto open = bags_function<OpenSqliteBag>("fernwood_open_sqlite_bag", name_, "is an SQLite database, read");
    bag_.reset(open(name_.c_str()));
    index_.file_bytes = fs::file_size(path);
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
  MessageBytes read(const MessagePlace& place, std::size_t most_bytes) const override {
    const std::lock_guard lock(mutex_);
    return message_of(bag_->read(static_cast<std::int64_t>(place.offset), most_bytes));
  }

 private:
  std::string name_;
  std::unique_ptr<const SqliteBag> bag_;
  mutable std::mutex mutex_;
};

/// Opens an uncompressed file; null for a file compressed by zstd.
std::unique_ptr<BagFile> open_unpacked(const fs::path& path) {
  const FileBytes file(path);
  std::array<std::uint8_t, 16> start{};
  const std::string_view text(reinterpret_cast<const char*>(start.data()), file.read_some(0, start));
  FW_CHECK(!text.empty(), Data, path.string() << ": the file is empty; copy the recording again from its source");
  if (text.starts_with(kMcapMagic)) return open_mcap(path);
  if (text.starts_with(kRosbag1Magic)) return open_rosbag1(path);
  if (text.starts_with("SQLite format 3")) return std::make_unique<Rosbag2File>(path);
  if (text.starts_with("\x28\xb5\x2f\xfd")) return nullptr;
  FW_CHECK(!text.starts_with("version https:"), Data,
           path.string() << " is a Git LFS pointer instead of a recording; fetch the file with \"git lfs pull\"");
  throw Error(ErrorKind::kData,
              path.string() +
                  " is not a recording of ROS (its first bytes are neither those of MCAP, SQLite, a bag of ROS 1 "
                  "of version 2.0 nor zstd); unpack it, choose another one, or copy it again from its source");
}

/// A file compressed as a whole, unpacked for as long as it is read.
class PackedBagFile final : public BagFile {
 public:
  explicit PackedBagFile(const fs::path& path) {
    constexpr std::uint64_t kFree = std::uint64_t{1} << 30, kMaxRatio = 200;  // highest for depth that is nearly all 0
    const std::string place = path.string();
    const auto unpack_file = bags_function<UnpackFile>("fernwood_unpack_file", place, "is compressed by zstd, read");
    const fs::path unpacked = folder_.path() / path.stem();
    const std::uint64_t most_bytes = std::max(kFree, kMaxRatio * fs::file_size(path));
    const char* const problem = unpack_file(place.c_str(), unpacked.string().c_str(), most_bytes);
    FW_CHECK(problem == nullptr, Data,
             place << " cannot be unpacked into " << folder_.path().string() << " (" << problem
                   << "); copy it again from its source, or set TMPDIR to a folder that has room for it");
    file_ = open_unpacked(unpacked);
    FW_CHECK(file_ != nullptr, Data, place << " is compressed by zstd twice; unpack it once with \"zstd -d\"");
    index_ = file_->index();
  }
  MessageBytes read(const MessagePlace& place, std::size_t most_bytes) const override {
    return file_->read(place, most_bytes);
  }

 private:
  ScratchFolder folder_;
  std::unique_ptr<BagFile> file_;
};

}  // namespace

bool is_up(const BagTopic& topic) { return topic.name == McapTopics::kUp && topic.type == ros::kVectorType; }

bool is_sdk_transform(const BagTopic& topic) {
  return topic.type == ros::kTransformType && topic.name.starts_with("/device_") &&
         topic.name.find("/tf/") != std::string::npos;
}

bool is_sdk_depth_unit(const BagTopic& topic) {
  return topic.type == ros::kNumberType && topic.name.ends_with("/option/Depth_Units/value");
}

bool is_wanted(const BagTopic& topic) {
  if (topic.coding == ros::MessageCoding::kOther) return false;
  static constexpr std::array kTypes = {ros::kImageType, ros::kCompressedImageType, ros::kCameraInfoType,
                                        ros::kTransformsType, ros::kOldTransformsType};
  return std::ranges::find(kTypes, topic.type) != kTypes.end() || is_up(topic) || is_sdk_transform(topic) ||
         is_sdk_depth_unit(topic);
}

MessageBytes message_of(std::vector<std::uint8_t> bytes) {
  const auto keeps = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
  return {keeps, *keeps};
}

std::uint32_t BagIndex::index_of(const BagTopic& topic) {
  const auto index = static_cast<std::uint32_t>(std::ranges::find(topics, topic) - topics.begin());
  if (index == topics.size()) topics.push_back(topic);
  return index;
}

void BagIndex::add(const MessagePlace& place, const std::string& file) {
  constexpr std::uint64_t kFree = std::uint64_t{1} << 18, kMinBytes = 64;  // no compressed image is smaller
  FW_CHECK(messages.size() < kFree + file_bytes / kMinBytes, Data,
           file << ": claims more than " << messages.size() << " images in " << file_bytes
                << " bytes; the file is damaged: copy the recording again from its source");
  messages.push_back(place);
}

std::unique_ptr<BagFile> open_bag_file(const fs::path& path) {
  if (auto file = open_unpacked(path)) return file;
  return std::make_unique<PackedBagFile>(path);
}

}  // namespace fernwood::recordings
