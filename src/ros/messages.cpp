// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/ros/messages.h"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstring>
#include <tuple>
#include <type_traits>

#include "fernwood/core/error.h"
#include "ros/byte_reader.h"

namespace fernwood::ros {

namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

// The fields of each message in their order, defined once for reading and writing.

template <typename Given, typename Message>
concept MessageOf = std::same_as<std::remove_const_t<Given>, Message>;

auto fields_of(MessageOf<Image> auto& image) {
  return std::tie(image.header, image.height, image.width, image.encoding, image.is_bigendian, image.step, image.data);
}
auto fields_of(MessageOf<StampedVector> auto& vector) { return std::tie(vector.header, vector.vector); }
auto fields_of(MessageOf<Text> auto& text) { return std::tie(text.data); }
auto fields_of(MessageOf<CompressedImage> auto& image) { return std::tie(image.header, image.format, image.data); }
auto fields_of(MessageOf<CameraInfo> auto& info) {
  return std::tie(info.header, info.height, info.width, info.distortion_model, info.d, info.k, info.r, info.p,
                  info.binning_x, info.binning_y, info.x_offset, info.y_offset, info.roi_height, info.roi_width,
                  info.do_rectify);
}
auto fields_of(MessageOf<Transform> auto& transform) {
  return std::tie(transform.header, transform.child, transform.translation_m, transform.rotation);
}
auto fields_of(MessageOf<PointField> auto& field) {
  return std::tie(field.name, field.offset, field.datatype, field.count);
}
auto fields_of(MessageOf<PointCloud> auto& cloud) {
  return std::tie(cloud.header, cloud.height, cloud.width, cloud.fields, cloud.is_bigendian, cloud.point_step,
                  cloud.row_step, cloud.data, cloud.is_dense);
}
auto fields_of(MessageOf<VisionClass> auto& one) { return std::tie(one.class_id, one.class_name); }
auto fields_of(MessageOf<LabelInfo> auto& info) { return std::tie(info.header, info.class_map, info.threshold); }
auto fields_of(MessageOf<KeyValue> auto& pair) { return std::tie(pair.key, pair.value); }
auto fields_of(MessageOf<DiagnosticStatus> auto& status) {
  return std::tie(status.level, status.name, status.message, status.hardware_id, status.values);
}
auto fields_of(MessageOf<Diagnostics> auto& diagnostics) { return std::tie(diagnostics.header, diagnostics.status); }

auto fields_of(MessageOf<MapMetaData> auto& info) {
  return std::tie(info.load_time, info.resolution, info.width, info.height, info.origin_m, info.origin_rotation);
}
auto fields_of(MessageOf<OccupancyGrid> auto& grid) { return std::tie(grid.header, grid.info, grid.data); }

auto fields_of(MessageOf<Pose> auto& pose) { return std::tie(pose.position_m, pose.rotation); }
auto fields_of(MessageOf<ObjectHypothesis> auto& one) {
  return std::tie(one.class_id, one.score, one.pose, one.covariance);
}
auto fields_of(MessageOf<Detection3D> auto& one) {
  return std::tie(one.header, one.results, one.center, one.size_m, one.id);
}
auto fields_of(MessageOf<Detections> auto& all) { return std::tie(all.header, all.detections); }
auto fields_of(MessageOf<Marker> auto& marker) {
  return std::tie(marker.header, marker.space, marker.id, marker.type, marker.action, marker.pose, marker.scale_m,
                  marker.color, marker.lifetime_s, marker.lifetime_ns, marker.frame_locked, marker.points,
                  marker.colors, marker.texture_resource, marker.texture, marker.texture_coordinates, marker.text,
                  marker.mesh_resource, marker.mesh_file, marker.mesh_data, marker.mesh_use_embedded_materials);
}

template <typename>
constexpr bool kIsArray = false;
template <typename Number, std::size_t kSize>
constexpr bool kIsArray<std::array<Number, kSize>> = true;

/// Reads or writes a field, or a message. @param coder  A MessageReader or a MessageWriter.
template <typename Coder, typename Field>
void code(Coder& coder, Field& field) {
  using Value = std::remove_const_t<Field>;
  const auto code_one = [&](auto& one) { code(coder, one); };
  if constexpr (std::is_arithmetic_v<Value>)
    coder.number(field);
  else if constexpr (std::is_same_v<Value, std::string_view>)
    coder.text(field);
  else if constexpr (std::is_same_v<Value, std::span<const std::uint8_t>>)
    coder.bytes(field);
  else if constexpr (std::is_same_v<Value, MessageHeader>)
    coder.header(field);
  else if constexpr (std::is_same_v<Value, Time>)
    coder.time(field.ns);
  else if constexpr (kIsArray<Value>)
    std::ranges::for_each(field, code_one);
  else if constexpr (requires { field.capacity(); })
    coder.sequence(field, code_one);
  else
    std::apply([&](auto&... fields) { (code_one(fields), ...); }, fields_of(field));
}

class MessageReader {
 public:
  explicit MessageReader(const CodedMessage& message)
      : reader_(message.bytes, message.place), is_cdr_(message.coding == MessageCoding::kCdr) {
    if (is_cdr_) begin_cdr(message);
  }

  template <typename Number>
  void number(Number& value) {
    value = reader_.number<Number>();
  }
  /// CDR includes the 0 at the end of a text in its length.
  void text(std::string_view& text) {
    text = reader_.counted_text();
    if (is_cdr_ && text.ends_with('\0')) text.remove_suffix(1);
  }
  void bytes(std::span<const std::uint8_t>& bytes) { bytes = reader_.counted_bytes(); }
  /// Elements are appended one by one: a wrong count fails at the end of the bytes, without allocating memory for it.
  template <typename Element, typename CodeElement>
  void sequence(std::vector<Element>& elements, CodeElement code_element) {
    const auto count = reader_.number<std::uint32_t>();
    for (std::uint32_t i = 0; i < count; ++i) code_element(elements.emplace_back());
  }
  void header(MessageHeader& header) {
    header.stamp_ns = stamp_ns();
    text(header.frame_id);
  }
  std::int64_t stamp_ns() {
    if (!is_cdr_) reader_.number<std::uint32_t>();  // sequence number
    std::int64_t stamp_ns = 0;
    time(stamp_ns);
    return stamp_ns;
  }
  void time(std::int64_t& time_ns) {
    const std::int64_t seconds =
        is_cdr_ ? reader_.number<std::int32_t>() : std::int64_t{reader_.number<std::uint32_t>()};
    time_ns = seconds * kNsPerSecond + reader_.number<std::uint32_t>();
  }

 private:
  /// Two bytes name the representation, the next two are options.
  void begin_cdr(const CodedMessage& message) {
    constexpr std::uint8_t kPlain1 = 0, kPlain2 = 6;  // the number is 1 higher for little-endian numbers
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

template <typename Message>
Message read(const CodedMessage& coded) {
  MessageReader reader(coded);
  Message message;
  code(reader, message);
  return message;
}

/// Writes CDR version 1 with little-endian numbers.
class MessageWriter {
 public:
  template <typename Number>
  void number(Number value) {
    out_.resize(kStart + (out_.size() - kStart + sizeof(Number) - 1) / sizeof(Number) * sizeof(Number));
    std::uint8_t raw[sizeof(Number)];
    std::memcpy(raw, &value, sizeof(Number));
    if constexpr (std::endian::native == std::endian::big) std::reverse(raw, raw + sizeof(Number));
    append({raw, sizeof(Number)});
  }
  void text(std::string_view text) {
    number(static_cast<std::uint32_t>(text.size() + 1));
    append({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    out_.push_back(0);
  }
  void bytes(std::span<const std::uint8_t> bytes) {
    number(static_cast<std::uint32_t>(bytes.size()));
    append(bytes);
  }
  template <typename Element, typename CodeElement>
  void sequence(const std::vector<Element>& elements, CodeElement code_element) {
    number(static_cast<std::uint32_t>(elements.size()));
    for (const Element& element : elements) code_element(element);
  }
  void header(const MessageHeader& header) {
    time(header.stamp_ns);
    text(header.frame_id);
  }
  void time(std::int64_t time_ns) {
    const std::int64_t rest = (time_ns % kNsPerSecond + kNsPerSecond) % kNsPerSecond;
    number(static_cast<std::int32_t>((time_ns - rest) / kNsPerSecond));
    number(static_cast<std::uint32_t>(rest));
  }
  void expect(std::size_t num_bytes) { out_.reserve(kStart + num_bytes); }
  EncodedMessage take() { return std::move(out_); }

 private:
  static constexpr std::size_t kStart = 4;

  void append(std::span<const std::uint8_t> bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }

  EncodedMessage out_ = {0, 1, 0, 0};
};

/// Usual bytes of a message in addition to its data; a longer message only costs another allocation.
constexpr std::size_t kUsualFieldBytes = 512;

template <typename Message>
EncodedMessage written(const Message& message) {
  MessageWriter writer;
  if constexpr (requires { message.data.size(); }) writer.expect(message.data.size() + kUsualFieldBytes);
  code(writer, message);
  return writer.take();
}

}  // namespace

std::string plain_type(std::string_view type) {
  const std::size_t middle = type.find("/msg/");
  if (middle == std::string_view::npos) return std::string(type);
  return std::string(type.substr(0, middle)) + std::string(type.substr(middle + 4));
}

std::string full_type(std::string_view plain) {
  const std::size_t middle = plain.find('/');
  if (middle == std::string_view::npos) return std::string(plain);
  return std::string(plain.substr(0, middle)) + "/msg" + std::string(plain.substr(middle));
}

std::int64_t read_stamp(const CodedMessage& message) { return MessageReader(message).stamp_ns(); }
Image read_image(const CodedMessage& message) { return read<Image>(message); }
CompressedImage read_compressed_image(const CodedMessage& message) { return read<CompressedImage>(message); }
CameraInfo read_camera_info(const CodedMessage& message) { return read<CameraInfo>(message); }
std::vector<Transform> read_transforms(const CodedMessage& message) { return read<std::vector<Transform>>(message); }
Transform read_transform(const CodedMessage& message) {
  MessageReader reader(message);
  Transform transform;
  code(reader, transform.translation_m);
  code(reader, transform.rotation);
  return transform;
}
float read_number(const CodedMessage& message) {
  float number = 0;
  MessageReader(message).number(number);
  return number;
}
PointCloud read_point_cloud(const CodedMessage& message) { return read<PointCloud>(message); }
LabelInfo read_label_info(const CodedMessage& message) { return read<LabelInfo>(message); }
Diagnostics read_diagnostics(const CodedMessage& message) { return read<Diagnostics>(message); }
StampedVector read_vector(const CodedMessage& message) { return read<StampedVector>(message); }
OccupancyGrid read_occupancy_grid(const CodedMessage& message) { return read<OccupancyGrid>(message); }
Detections read_detections(const CodedMessage& message) { return read<Detections>(message); }
std::vector<Marker> read_markers(const CodedMessage& message) { return read<std::vector<Marker>>(message); }
Text read_text(const CodedMessage& message) { return read<Text>(message); }

EncodedMessage write_message(const Image& message) { return written(message); }
EncodedMessage write_message(const CompressedImage& message) { return written(message); }
EncodedMessage write_message(const CameraInfo& message) { return written(message); }
EncodedMessage write_message(const std::vector<Transform>& message) { return written(message); }
EncodedMessage write_message(const PointCloud& message) { return written(message); }
EncodedMessage write_message(const LabelInfo& message) { return written(message); }
EncodedMessage write_message(const Diagnostics& message) { return written(message); }
EncodedMessage write_message(const StampedVector& message) { return written(message); }
EncodedMessage write_message(const OccupancyGrid& message) { return written(message); }
EncodedMessage write_message(const Detections& message) { return written(message); }
EncodedMessage write_message(const std::vector<Marker>& message) { return written(message); }
EncodedMessage write_message(const Text& message) { return written(message); }

}  // namespace fernwood::ros
