// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/bag/ros_messages.h"

#include "dataset/bag/byte_reader.h"
#include "fernwood/core/error.h"

namespace fernwood::dataset {

namespace {

/// Fields of a message in their order.
class RosReader {
 public:
  explicit RosReader(const CodedMessage& message)
      : reader_(message.bytes, message.place), is_cdr_(message.coding == RosCoding::kCdr) {
    if (is_cdr_) begin_cdr(message);
  }

  template <typename Number>
  Number number() {
    return reader_.number<Number>();
  }
  template <typename Number, std::size_t kSize>
  void numbers(std::array<Number, kSize>& values) {
    for (Number& value : values) value = number<Number>();
  }
  /// CDR counts the 0 at the end of a text.
  std::string_view text() {
    std::string_view text = reader_.counted_text();
    if (is_cdr_ && text.ends_with('\0')) text.remove_suffix(1);
    return text;
  }
  std::span<const std::uint8_t> bytes() { return reader_.counted_bytes(); }
  std::vector<double> doubles() {
    const auto count = number<std::uint32_t>();
    std::vector<double> values;
    for (std::uint32_t i = 0; i < count; ++i) values.push_back(number<double>());  // ends with the bytes
    return values;
  }

  std::int64_t stamp_ns() {
    constexpr std::int64_t kPerSecond = 1'000'000'000;
    if (!is_cdr_) number<std::uint32_t>();  // sequence number
    const std::int64_t seconds = is_cdr_ ? number<std::int32_t>() : std::int64_t{number<std::uint32_t>()};
    return seconds * kPerSecond + number<std::uint32_t>();
  }
  RosHeader header() {
    RosHeader header;
    header.stamp_ns = stamp_ns();
    header.frame_id = text();
    return header;
  }

 private:
  /// Two bytes name the representation, two are options.
  void begin_cdr(const CodedMessage& message) {
    constexpr std::uint8_t kPlain1 = 0, kPlain2 = 6;  // and 1 more with little-endian numbers
    const auto start = reader_.take(4);
    const std::uint8_t kind = start[1] & 0xfe;
    FW_CHECK(start[0] == 0 && (kind == kPlain1 || kind == kPlain2), Data,
             message.place << ": a message begins with the bytes " << int{start[0]} << " " << int{start[1]}
                           << ", which are not those of plain CDR; record it with the usual middleware of ROS 2");
    reader_.align_from_here(kind == kPlain1 ? 8 : 4, (start[1] & 1) == 0);
  }

  ByteReader reader_;
  bool is_cdr_;
};

}  // namespace

std::int64_t read_stamp(const CodedMessage& message) { return RosReader(message).stamp_ns(); }

RosImage read_image(const CodedMessage& message) {
  RosReader reader(message);
  RosImage image;
  image.header = reader.header();
  image.height = reader.number<std::uint32_t>();
  image.width = reader.number<std::uint32_t>();
  image.encoding = reader.text();
  image.is_bigendian = reader.number<std::uint8_t>() != 0;
  image.step = reader.number<std::uint32_t>();
  image.data = reader.bytes();
  return image;
}

RosCompressedImage read_compressed_image(const CodedMessage& message) {
  RosReader reader(message);
  RosCompressedImage image;
  image.header = reader.header();
  image.format = reader.text();
  image.data = reader.bytes();
  return image;
}

RosCameraInfo read_camera_info(const CodedMessage& message) {
  RosReader reader(message);
  RosCameraInfo info;
  info.frame_id = reader.header().frame_id;
  info.height = reader.number<std::uint32_t>();
  info.width = reader.number<std::uint32_t>();
  info.distortion_model = reader.text();
  info.d = reader.doubles();
  reader.numbers(info.k);
  std::array<double, 9> rectification{};
  reader.numbers(rectification);
  reader.numbers(info.p);
  info.binning_x = reader.number<std::uint32_t>();
  info.binning_y = reader.number<std::uint32_t>();
  info.x_offset = reader.number<std::uint32_t>();
  info.y_offset = reader.number<std::uint32_t>();
  info.roi_height = reader.number<std::uint32_t>();
  info.roi_width = reader.number<std::uint32_t>();
  return info;
}

std::vector<RosTransform> read_transforms(const CodedMessage& message) {
  RosReader reader(message);
  std::vector<RosTransform> transforms;
  const auto count = reader.number<std::uint32_t>();
  for (std::uint32_t i = 0; i < count; ++i) {  // ends with the bytes
    RosTransform transform;
    const RosHeader header = reader.header();
    transform.stamp_ns = header.stamp_ns;
    transform.parent = header.frame_id;
    transform.child = reader.text();
    reader.numbers(transform.translation_m);
    reader.numbers(transform.rotation);
    transforms.push_back(std::move(transform));
  }
  return transforms;
}

}  // namespace fernwood::dataset
