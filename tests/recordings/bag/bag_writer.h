// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Writers of ROS recordings for tests: messages in both encodings, MCAP files and ROS 1 bags.

#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "recordings/bag/bag_file.h"

namespace fernwood::recordings {

using Bytes = std::vector<std::uint8_t>;

/// Writes little-endian numbers and length-prefixed strings.
class ByteWriter {
 public:
  template <typename Number>
  ByteWriter& number(Number value) {
    std::uint8_t raw[sizeof(Number)];
    std::memcpy(raw, &value, sizeof(Number));
    bytes.insert(bytes.end(), raw, raw + sizeof(Number));
    return *this;
  }
  ByteWriter& raw(const Bytes& content) {
    bytes.insert(bytes.end(), content.begin(), content.end());
    return *this;
  }
  ByteWriter& text(const std::string& content) {
    number(static_cast<std::uint32_t>(content.size()));
    return raw({content.begin(), content.end()});
  }
  Bytes bytes;
};

/// Writes a message field by field.
class RosWriter {
 public:
  explicit RosWriter(ros::MessageCoding coding) : is_cdr_(coding == ros::MessageCoding::kCdr) {
    if (is_cdr_) out_.raw({0, 1, 0, 0});
  }
  template <typename Number>
  RosWriter& number(Number value) {
    while (is_cdr_ && (out_.bytes.size() - 4) % sizeof(Number) != 0) out_.bytes.push_back(0xee);
    out_.number(value);
    return *this;
  }
  RosWriter& text(std::string content) {
    if (is_cdr_) content += '\0';
    number(static_cast<std::uint32_t>(content.size()));
    out_.raw({content.begin(), content.end()});
    return *this;
  }
  RosWriter& bytes(const Bytes& content) {
    number(static_cast<std::uint32_t>(content.size()));
    out_.raw(content);
    return *this;
  }
  template <typename Number, std::size_t kSize>
  RosWriter& numbers(const std::array<Number, kSize>& values) {
    for (const Number value : values) number(value);
    return *this;
  }
  RosWriter& header(std::int64_t stamp_ns, const std::string& frame_id) {
    if (!is_cdr_) number(std::uint32_t{7});  // sequence number
    number(static_cast<std::uint32_t>(stamp_ns / 1'000'000'000));
    number(static_cast<std::uint32_t>(stamp_ns % 1'000'000'000));
    return text(frame_id);
  }
  const Bytes& finish() const { return out_.bytes; }

 private:
  bool is_cdr_;
  ByteWriter out_;
};

struct TestImage {
  std::int64_t stamp_ns = 0;
  std::string frame_id = "optical", encoding = "rgb8";
  std::uint32_t rows = 1, cols = 2, step = 0;
  Bytes data = {1, 2, 3, 4, 5, 6};
  bool is_bigendian = false;
};

inline Bytes image_message(const TestImage& image, ros::MessageCoding coding = ros::MessageCoding::kCdr) {
  RosWriter writer(coding);
  writer.header(image.stamp_ns, image.frame_id).number(image.rows).number(image.cols).text(image.encoding);
  writer.number(static_cast<std::uint8_t>(image.is_bigendian));
  const auto tight = static_cast<std::uint32_t>(image.data.size() / image.rows);
  return writer.number(image.step > 0 ? image.step : tight).bytes(image.data).finish();
}

inline Bytes compressed_message(std::int64_t stamp_ns, const std::string& format, const Bytes& data,
                                const std::string& frame_id = "optical") {
  return RosWriter(ros::MessageCoding::kCdr).header(stamp_ns, frame_id).text(format).bytes(data).finish();
}

struct TestInfo {
  std::string frame_id = "optical";
  std::uint32_t rows = 1, cols = 2;
  double fx = 5, fy = 6, cx = 0.5, cy = 0.25;
  std::string model = "plumb_bob";
  std::vector<double> d = {};
  std::array<double, 12> p = {};
  std::array<std::uint32_t, 6> binning_and_roi = {};  ///< x, y, x offset, y offset, height, width.
};

inline Bytes info_message(const TestInfo& info, ros::MessageCoding coding = ros::MessageCoding::kCdr) {
  RosWriter writer(coding);
  writer.header(0, info.frame_id).number(info.rows).number(info.cols).text(info.model);
  writer.number(static_cast<std::uint32_t>(info.d.size()));
  for (const double number : info.d) writer.number(number);
  writer.numbers(std::array{info.fx, 0.0, info.cx, 0.0, info.fy, info.cy, 0.0, 0.0, 1.0});
  writer.numbers(std::array<double, 9>{}).numbers(info.p).numbers(info.binning_and_roi);
  return writer.number(std::uint8_t{0}).finish();
}

struct TestTransform {
  std::string parent, child;
  std::array<double, 3> translation_m = {};
  std::array<double, 4> rotation = {0, 0, 0, 1};
  std::int64_t stamp_ns = 0;
};

inline Bytes transforms_message(const std::vector<TestTransform>& transforms,
                                ros::MessageCoding coding = ros::MessageCoding::kCdr) {
  RosWriter writer(coding);
  writer.number(static_cast<std::uint32_t>(transforms.size()));
  for (const TestTransform& transform : transforms)
    writer.header(transform.stamp_ns, transform.parent)
        .text(transform.child)
        .numbers(transform.translation_m)
        .numbers(transform.rotation);
  return writer.finish();
}

/// A topic with its recorded messages and their times.
struct TestTopic {
  std::string name, type = "sensor_msgs/msg/Image";
  std::vector<std::pair<std::int64_t, Bytes>> messages = {};
};

/// Layout of an MCAP file.
struct McapLayout {
  std::size_t messages_per_chunk = 0;  ///< 0: not in chunks.
  bool has_index = true, has_summary = true, has_end = true;
  std::string coding = "cdr", compression = {};
  Bytes (*pack)(const Bytes& chunk) = nullptr;
  std::uint32_t crc = 0;
  std::uint64_t claimed_bytes = 0;  ///< Uncompressed size of a chunk; 0: its real size.
  std::uint64_t index_shift = 0;    ///< Added to the offsets in an index.
};

/// Writes messages in order of time; definitions precede the first message of a topic.
class McapWriter {
 public:
  McapWriter(const std::vector<TestTopic>& topics, const McapLayout& layout) : topics_(topics), layout_(layout) {
    file_.raw({0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'});
    record(file_, 1, ByteWriter().text("ros2").text("test").bytes);
    for (const auto& [time, topic, message] : in_order()) add(time, topic, *message);
    flush();
    record(file_, 15, ByteWriter().number(std::uint32_t{0}).bytes);
    if (layout.has_summary)
      for (std::size_t i = 0; i < topics.size(); ++i) define(file_, i);
    if (!layout.has_end) return;
    record(file_, 2, ByteWriter().number(std::uint64_t{0}).number(std::uint64_t{0}).number(std::uint32_t{0}).bytes);
    file_.raw({0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'});
  }
  const Bytes& bytes() const { return file_.bytes; }

 private:
  struct Timed {
    std::int64_t time;
    std::size_t topic;
    const Bytes* message;
  };
  std::vector<Timed> in_order() const {
    std::vector<Timed> all;
    for (std::size_t i = 0; i < topics_.size(); ++i)
      for (const auto& [time, message] : topics_[i].messages) all.push_back({time, i, &message});
    std::stable_sort(all.begin(), all.end(), [](const Timed& a, const Timed& b) { return a.time < b.time; });
    return all;
  }
  static void record(ByteWriter& out, std::uint8_t opcode, const Bytes& content) {
    out.number(opcode).number(static_cast<std::uint64_t>(content.size())).raw(content);
  }
  void define(ByteWriter& out, std::size_t topic) {
    const auto id = static_cast<std::uint16_t>(topic + 1);
    record(out, 3, ByteWriter().number(id).text(topics_[topic].type).text("ros2msg").text("").bytes);
    record(out, 4,
           ByteWriter()
               .number(id)
               .number(id)
               .text(topics_[topic].name)
               .text(layout_.coding)
               .number(std::uint32_t{0})
               .bytes);
  }
  void add(std::int64_t time, std::size_t topic, const Bytes& message) {
    ByteWriter& out = layout_.messages_per_chunk > 0 ? chunk_ : file_;
    if (!defined_[topic]) define(out, topic);
    defined_[topic] = true;
    index_.push_back({topic, time, chunk_.bytes.size()});
    const auto id = static_cast<std::uint16_t>(topic + 1);
    record(out, 5, ByteWriter().number(id).number(std::uint32_t{0}).number(time).number(time).raw(message).bytes);
    if (index_.size() == layout_.messages_per_chunk) flush();
  }
  void flush() {
    if (chunk_.bytes.empty()) return;
    const Bytes packed = layout_.pack ? layout_.pack(chunk_.bytes) : chunk_.bytes;
    ByteWriter content;
    content.number(std::uint64_t{0}).number(std::uint64_t{0});
    content.number(layout_.claimed_bytes > 0 ? layout_.claimed_bytes : std::uint64_t{chunk_.bytes.size()});
    content.number(layout_.crc).text(layout_.compression).number(static_cast<std::uint64_t>(packed.size())).raw(packed);
    record(file_, 6, content.bytes);
    for (std::size_t topic = 0; topic < topics_.size() && layout_.has_index; ++topic) write_index(topic);
    chunk_.bytes.clear();
    index_.clear();
  }
  void write_index(std::size_t topic) {
    ByteWriter entries;
    for (const auto& [of, time, offset] : index_)
      if (of == topic) entries.number(time).number(std::uint64_t{offset + layout_.index_shift});
    if (entries.bytes.empty()) return;
    record(file_, 7,
           ByteWriter()
               .number(static_cast<std::uint16_t>(topic + 1))
               .number(static_cast<std::uint32_t>(entries.bytes.size()))
               .raw(entries.bytes)
               .bytes);
  }

  struct Entry {
    std::size_t topic;
    std::int64_t time;
    std::size_t offset;
  };
  const std::vector<TestTopic>& topics_;
  const McapLayout& layout_;
  ByteWriter file_, chunk_;
  std::vector<Entry> index_;
  std::array<bool, 64> defined_ = {};
};

inline Bytes mcap_bytes(const std::vector<TestTopic>& topics, const McapLayout& layout = {}) {
  return McapWriter(topics, layout).bytes();
}

/// A ROS 1 bag of one chunk. @param has_index  If false, as left by a "rosbag record" that did not close it.
inline Bytes rosbag1_bytes(const std::vector<TestTopic>& topics, bool has_index = true,
                           const std::string& compression = "none", Bytes (*pack)(const Bytes&) = nullptr) {
  const auto field = [](const std::string& name, const Bytes& value) {
    ByteWriter out;
    out.number(static_cast<std::uint32_t>(name.size() + 1 + value.size()));
    return out.raw({name.begin(), name.end()}).raw({'='}).raw(value).bytes;
  };
  const auto u32 = [](std::uint64_t value) { return ByteWriter().number(static_cast<std::uint32_t>(value)).bytes; };
  const auto record = [](ByteWriter& out, const std::vector<Bytes>& fields, const Bytes& data) {
    ByteWriter header;
    for (const Bytes& part : fields) header.raw(part);
    out.number(static_cast<std::uint32_t>(header.bytes.size())).raw(header.bytes);
    out.number(static_cast<std::uint32_t>(data.size())).raw(data);
  };
  const auto text = [](const std::string& value) { return Bytes(value.begin(), value.end()); };
  const auto time = [&](std::int64_t ns) {
    return ByteWriter()
        .raw(u32(static_cast<std::uint64_t>(ns / 1'000'000'000)))
        .raw(u32(static_cast<std::uint64_t>(ns % 1'000'000'000)))
        .bytes;
  };
  ByteWriter chunk, indexes, file;
  for (std::size_t i = 0; i < topics.size(); ++i) {
    const std::vector<Bytes> about = {field("op", {7}), field("conn", u32(i)), field("topic", text(topics[i].name))};
    record(chunk, about,
           ByteWriter().raw(field("topic", text(topics[i].name))).raw(field("type", text(topics[i].type))).bytes);
    ByteWriter entries;
    for (const auto& [ns, message] : topics[i].messages) {
      entries.raw(time(ns)).raw(u32(chunk.bytes.size()));
      record(chunk, {field("op", {2}), field("conn", u32(i)), field("time", time(ns))}, message);
    }
    record(
        indexes,
        {field("op", {4}), field("ver", u32(1)), field("conn", u32(i)), field("count", u32(topics[i].messages.size()))},
        entries.bytes);
  }
  file.raw(text("#ROSBAG V2.0\n"));
  ByteWriter body;
  record(body, {field("op", {5}), field("compression", text(compression)), field("size", u32(chunk.bytes.size()))},
         pack ? pack(chunk.bytes) : chunk.bytes);
  if (has_index) body.raw(indexes.bytes);
  const auto header = [&](std::uint64_t index_pos) {
    ByteWriter out;
    record(out,
           {field("op", {3}), field("index_pos", ByteWriter().number(index_pos).bytes), field("conn_count", u32(1))},
           Bytes(50, ' '));
    return out.bytes;
  };
  const std::uint64_t end = file.bytes.size() + header(0).size() + body.bytes.size();
  return file.raw(header(has_index ? end : 0)).raw(body.bytes).bytes;
}

/// Frames of the compression formats that store the bytes uncompressed.
inline Bytes stored_zstd(const Bytes& bytes) {
  ByteWriter out;
  out.raw({0x28, 0xb5, 0x2f, 0xfd, 0xa0}).number(static_cast<std::uint32_t>(bytes.size()));
  const auto block = static_cast<std::uint32_t>(bytes.size() << 3 | 1);  // the last block, uncompressed
  return out
      .raw({static_cast<std::uint8_t>(block), static_cast<std::uint8_t>(block >> 8),
            static_cast<std::uint8_t>(block >> 16)})
      .raw(bytes)
      .bytes;
}
inline Bytes stored_lz4(const Bytes& bytes) {
  ByteWriter out;
  out.raw({0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82}).number(static_cast<std::uint32_t>(bytes.size() | 0x80000000u));
  return out.raw(bytes).number(std::uint32_t{0}).bytes;
}

}  // namespace fernwood::recordings
