// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

#include <map>
#include <optional>

#include "fernwood/core/error.h"
#include "recordings/bag/chunks.h"
#include "ros/byte_reader.h"

namespace fernwood::recordings {

namespace {

// Values of the field "op".
constexpr std::uint8_t kBagMessage = 2, kBagHeader = 3, kBagIndexData = 4, kBagChunkRecord = 5, kBagConnection = 7;

/// A record header: fields "name=value", each preceded by its length.
class BagFields {
 public:
  BagFields(std::span<const std::uint8_t> bytes, const std::string& place) : place_(place) {
    ros::ByteReader reader(bytes, place);
    while (reader.left() > 0) {
      const auto field = reader.counted_bytes();
      const std::string_view text(reinterpret_cast<const char*>(field.data()), field.size());
      const std::size_t equals = text.find('=');
      FW_CHECK(equals != std::string_view::npos, Data,
               place << " is damaged (a field of a header has no \"=\"); copy the recording again from its source");
      fields_[text.substr(0, equals)] = field.subspan(equals + 1);
    }
  }
  std::string_view text(std::string_view name) const {
    const auto found = fields_.find(name);
    if (found == fields_.end()) return {};
    return {reinterpret_cast<const char*>(found->second.data()), found->second.size()};
  }
  template <typename Number>
  Number number(std::string_view name) const {
    const auto found = fields_.find(name);
    return ros::ByteReader(found == fields_.end() ? std::span<const std::uint8_t>() : found->second, place_)
        .number<Number>();
  }
  /// 0 if the field is missing.
  std::uint8_t op() const { return text("op").empty() ? std::uint8_t{0} : number<std::uint8_t>("op"); }

 private:
  const std::string& place_;
  std::map<std::string_view, std::span<const std::uint8_t>> fields_;
};

std::int64_t bag_time_ns(ros::ByteReader reader) {
  constexpr std::int64_t kPerSecond = 1'000'000'000;
  const std::int64_t seconds = reader.number<std::uint32_t>();
  return seconds * kPerSecond + reader.number<std::uint32_t>();
}

struct BagRecord {
  std::span<const std::uint8_t> header;
  std::uint64_t offset = 0, size_bytes = 0;  // of its data
};

class BagWalk {
 public:
  BagWalk(const FileBytes& file, BagChunks& chunks, BagIndex& index)
      : file_(file), window_(file), chunks_(chunks), index_(index) {}

  void run() {
    index_.file_bytes = file_.size_bytes();
    std::uint64_t offset = kRosbag1Magic.size();
    for (auto record = record_at(offset); record; record = record_at(offset)) {
      offset = record->offset + record->size_bytes;
      take(*record);
    }
    for (std::uint32_t i = 0; i < chunks_.size(); ++i) {
      const bool is_last = i + 1 == chunks_.size();
      if (has_index(i) && !(is_last && offset < file_.size_bytes()))
        read_indexes(i);
      else
        walk_chunk(i);
    }
    const bool is_closed = index_offset_ > 0 && index_offset_ <= file_.size_bytes();
    if (offset != file_.size_bytes() || !is_closed)
      index_.warnings.push_back(file_.name() + ": the recording was cut off or not closed (" +
                                std::to_string(file_.size_bytes()) +
                                " bytes); what is whole is read, \"rosbag reindex\" mends the file");
  }

 private:
  struct IndexData {
    std::uint32_t connection = 0;
    std::uint64_t offset = 0, size_bytes = 0;
  };

  /// Empty at the end, and where the file is truncated.
  std::optional<BagRecord> record_at(std::uint64_t offset) {
    constexpr std::size_t kLength = sizeof(std::uint32_t), kMaxHeader = FileWindow::kMaxBytes - 2 * kLength;
    if (window_.at(offset, kLength).size() < kLength) return std::nullopt;
    const std::uint32_t header_bytes =
        ros::ByteReader(window_.at(offset, kLength), file_.name()).number<std::uint32_t>();
    FW_CHECK(header_bytes <= kMaxHeader, Data,
             file_.name() << " is damaged near byte " << offset << " (the header of a record has " << header_bytes
                          << " bytes); copy the recording again from its source, or use \"rosbag reindex\"");
    const auto bytes = window_.at(offset, header_bytes + 2 * kLength);
    if (bytes.size() < header_bytes + 2 * kLength) return std::nullopt;
    BagRecord record{bytes.subspan(kLength, header_bytes), offset + bytes.size(), 0};
    record.size_bytes = ros::ByteReader(bytes.last(kLength), file_.name()).number<std::uint32_t>();
    if (record.size_bytes > file_.size_bytes() - record.offset) return std::nullopt;
    return record;
  }

  void take(const BagRecord& record) {
    const BagFields fields(record.header, file_.name());
    switch (fields.op()) {
      case kBagHeader:
        FW_CHECK(fields.text("encryptor").empty(), Data,
                 file_.name() << " is encrypted (" << fields.text("encryptor") << "); decrypt it with rosbag first");
        index_offset_ = fields.number<std::uint64_t>("index_pos");
        break;
      case kBagChunkRecord:
        take_chunk(fields, record);
        break;
      case kBagIndexData:
        if (!indexes_.empty())
          indexes_.back().push_back({fields.number<std::uint32_t>("conn"), record.offset, record.size_bytes});
        break;
      case kBagConnection:
        take_connection(fields, file_.read_record(record.offset, record.size_bytes));
        break;
      case kBagMessage:
        add(fields.number<std::uint32_t>("conn"), MessagePlace::kNoChunk, record.offset, time_of(fields));
        break;
      default:
        break;
    }
  }

  std::int64_t time_of(const BagFields& fields) const {
    const std::string_view time = fields.text("time");
    return bag_time_ns({{reinterpret_cast<const std::uint8_t*>(time.data()), time.size()}, file_.name()});
  }

  void take_chunk(const BagFields& fields, const BagRecord& record) {
    BagChunk chunk;
    chunk.offset = record.offset;
    chunk.packed_bytes = record.size_bytes;
    chunk.unpacked_bytes = fields.number<std::uint32_t>("size");
    chunk.compression = parse_compression(fields.text("compression"),
                                          file_.name() + ": the chunk at byte " + std::to_string(record.offset));
    chunks_.add(chunk);
    indexes_.emplace_back();
  }

  void take_connection(const BagFields& fields, std::span<const std::uint8_t> data) {
    const BagFields about(data, file_.name());
    const BagTopic topic{std::string(fields.text("topic")), std::string(about.text("type")), ros::MessageCoding::kRos1};
    topics_.try_emplace(fields.number<std::uint32_t>("conn"), index_.index_of(topic));
  }

  bool has_index(std::uint32_t chunk) const {
    if (indexes_[chunk].empty()) return false;
    for (const IndexData& data : indexes_[chunk])
      if (!topics_.contains(data.connection)) return false;
    return true;
  }

  void read_indexes(std::uint32_t chunk) {
    constexpr std::size_t kEntryBytes = 12;
    for (const IndexData& data : indexes_[chunk]) {
      if (!is_wanted(index_.topics[topics_.at(data.connection)])) continue;
      const std::vector<std::uint8_t> bytes = file_.read_record(data.offset, data.size_bytes);
      ros::ByteReader entries(bytes, file_.name());
      while (entries.left() > 0) {
        ros::ByteReader entry(entries.take(kEntryBytes), file_.name());
        const std::int64_t time_ns = bag_time_ns(entry);
        entry.take(2 * sizeof(std::uint32_t));
        add(data.connection, chunk, entry.number<std::uint32_t>(), time_ns);
      }
    }
  }

  void walk_chunk(std::uint32_t chunk) {
    const auto unpacked = chunks_.load(chunk);
    const std::string place = chunks_.place(chunk);
    ros::ByteReader reader(unpacked->view(), place);
    while (reader.left() > 0) {
      const std::uint64_t offset = unpacked->size_bytes - reader.left();
      const BagFields fields(reader.counted_bytes(), place);
      const auto data = reader.counted_bytes();
      if (fields.op() == kBagConnection) take_connection(fields, data);
      if (fields.op() == kBagMessage) add(fields.number<std::uint32_t>("conn"), chunk, offset, time_of(fields));
    }
  }

  void add(std::uint32_t connection, std::uint32_t chunk, std::uint64_t offset, std::int64_t time_ns) {
    const auto topic = topics_.find(connection);
    if (topic != topics_.end() && is_wanted(index_.topics[topic->second]))
      index_.add({topic->second, chunk, offset, time_ns}, file_.name());
  }

  const FileBytes& file_;
  FileWindow window_;
  BagChunks& chunks_;
  BagIndex& index_;
  std::map<std::uint32_t, std::uint32_t> topics_;  // [connection] index
  std::vector<std::vector<IndexData>> indexes_;    // [chunk]
  std::uint64_t index_offset_ = 0;                 // of the summary; 0: the recorder stopped before writing it
};

class Rosbag1File final : public BagFile {
 public:
  explicit Rosbag1File(const std::filesystem::path& path) : file_(path) { BagWalk(file_, chunks_, index_).run(); }

  MessageBytes read(const MessagePlace& place, std::size_t most_bytes) const override {
    if (place.chunk != MessagePlace::kNoChunk) {
      constexpr std::size_t kHeaderBytes = 512;  // the header has three short fields
      const MessageBytes record = chunks_.bytes_from(place.chunk, place.offset, kHeaderBytes + most_bytes);
      const std::string where = chunks_.place(place.chunk);
      ros::ByteReader reader(record.bytes, where);
      const BagFields fields(reader.counted_bytes(), where);
      FW_CHECK(fields.op() == kBagMessage, Data,
               where << " is damaged (there is no message at byte " << place.offset
                     << ", where its index says one); rebuild the index with \"rosbag reindex\"");
      const std::uint64_t size_bytes = reader.number<std::uint32_t>();
      return {record.keeps, reader.take(std::min<std::uint64_t>(size_bytes, most_bytes))};
    }
    std::uint8_t size[sizeof(std::uint32_t)];
    file_.read(place.offset - sizeof(size), size);
    const std::uint32_t size_bytes = ros::ByteReader(size, file_.name()).number<std::uint32_t>();
    FW_CHECK(size_bytes <= kMaxMessageBytes, Data,
             file_.name() << ": the message at byte " << place.offset << " has " << size_bytes
                          << " bytes, more than the " << kMaxMessageBytes << " supported");
    std::vector<std::uint8_t> bytes(std::min<std::size_t>(most_bytes, size_bytes));
    file_.read(place.offset, bytes);
    return message_of(std::move(bytes));
  }

 private:
  FileBytes file_;
  BagChunks chunks_{file_};
};

}  // namespace

std::unique_ptr<BagFile> open_rosbag1(const std::filesystem::path& path) { return std::make_unique<Rosbag1File>(path); }

}  // namespace fernwood::recordings
