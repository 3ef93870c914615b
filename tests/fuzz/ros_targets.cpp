// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/file.h"
#include "fernwood/dataset/image_io.h"
#include "fuzz/target.h"
#include "recordings/bag/bag_cameras.h"
#include "recordings/bag/bag_topics.h"
#include "recordings/bag/bag_writer.h"

namespace fernwood::fuzz {

namespace {

/// Checks that a message survives a round trip through the writer.
template <typename Message>
void rewrites(const Message& message, Message (*read)(const ros::CodedMessage&)) {
  const ros::EncodedMessage once = ros::write_message(message);
  const ros::EncodedMessage twice = ros::write_message(read({once, ros::MessageCoding::kCdr, "fuzz"}));
  law(once == twice, "a message that was written is read as another");
}

template <auto kRead>
void read_and_rewrite(const ros::CodedMessage& message) {
  rewrites(kRead(message), kRead);
}

template <auto kRead>
void read_and_decode(const ros::CodedMessage& message) {
  const bool is_raw = std::is_same_v<decltype(kRead(message)), ros::Image>;
  const std::string type(is_raw ? ros::kImageType : ros::kCompressedImageType);
  recordings::kind_of_image(type, message);
  reads([&] { recordings::decode_color_image(type, message); });
  reads([&] {
    for (const std::uint16_t depth : recordings::decode_depth_image(type, message, {}))
      law(depth <= image::kMaxDepthMm, "a depth beyond the limit");
  });
  read_and_rewrite<kRead>(message);
}

void read_and_join(const ros::CodedMessage& message) {
  const std::vector<ros::Transform> transforms = ros::read_transforms(message);
  recordings::FrameTree tree;
  for (const ros::Transform& transform : transforms) tree.add(transform, transform.child.size() % 2 == 0);
  tree.sort_by_time();
  for (const ros::Transform& transform : transforms)
    tree.to_root_at(std::string(transform.child), transform.header.stamp_ns);
  rewrites(transforms, ros::read_transforms);
}

/// Selected by the first byte of the input; a new type is a new row.
constexpr void (*kReaders[])(const ros::CodedMessage&) = {
    read_and_decode<ros::read_image>,        read_and_decode<ros::read_compressed_image>,
    read_and_rewrite<ros::read_camera_info>, read_and_join,
    read_and_rewrite<ros::read_point_cloud>, read_and_rewrite<ros::read_label_info>,
    read_and_rewrite<ros::read_diagnostics>, read_and_rewrite<ros::read_vector>,
    read_and_rewrite<ros::read_text>,        read_and_rewrite<ros::read_occupancy_grid>,
    read_and_rewrite<ros::read_detections>,  read_and_rewrite<ros::read_markers>};
constexpr std::size_t kNumReaders = std::size(kReaders);

Bytes ros_seed(std::uint8_t reader, const Bytes& message, bool is_ros1 = false) {
  Bytes bytes = {static_cast<std::uint8_t>(reader + (is_ros1 ? kNumReaders : 0))};
  bytes.insert(bytes.end(), message.begin(), message.end());
  return bytes;
}

}  // namespace

int fuzz_ros_messages(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const bool is_ros1 = data[0] / kNumReaders % 2 == 1;
  reads([&] {
    kReaders[data[0] % kNumReaders](
        {{data + 1, size - 1}, is_ros1 ? ros::MessageCoding::kRos1 : ros::MessageCoding::kCdr, "fuzz: /topic"});
  });
  return 0;
}

std::vector<Bytes> ros_message_seeds() {
  using namespace recordings;
  const ros::MessageHeader header{1'700'000'000'000'000'001, "optical"};
  const Bytes pixels = {1, 2, 3, 4, 5, 6, 7, 8};
  const auto depth_head = ByteWriter().number(std::int32_t{0}).number(100.0f).number(50.0f);
  const Bytes rvl = ByteWriter(depth_head).number(2u).number(1u).number(0x028af300u).bytes;
  const auto file = scratch_folder() / "depth.png";
  dataset::write_png16(file, Array2<std::uint16_t>(2, 3, 1000));
  const Bytes png16 = read_file(file);
  const Bytes depth_png = ByteWriter(depth_head).raw(png16).bytes;
  const ros::PointCloud cloud{header, 1, 1, {{"x"}, {"class", 4, ros::PointField::kUint8}}, 0, 8, 8, pixels, 1};
  const ros::Diagnostics diagnostics{header, {{ros::DiagnosticStatus::kWarn, "a", "b", "c", {{"key", "value"}}}}};
  return {ros_seed(0, image_message({})),
          ros_seed(0, image_message({.encoding = "16UC1", .data = pixels, .is_bigendian = true})),
          ros_seed(0, image_message({.encoding = "32FC1", .data = pixels}, ros::MessageCoding::kRos1), true),
          ros_seed(0, image_message({.encoding = "bayer_rggb8", .rows = 2, .data = pixels})),
          ros_seed(1, compressed_message(1, "png", dataset::encode_png(Array2<image::Rgb>(2, 3, {1, 2, 3})))),
          ros_seed(1, compressed_message(1, "jpeg", dataset::encode_jpeg(Array2<image::Rgb>(8, 8, {1, 2, 3})))),
          ros_seed(1, compressed_message(1, "16UC1; compressedDepth png", depth_png)),
          ros_seed(1, compressed_message(1, "32FC1; compressedDepth png", depth_png)),
          ros_seed(1, compressed_message(1, "32FC1; compressedDepth rvl", rvl)),
          ros_seed(1, compressed_message(1, "16UC1; png compressed", png16)),
          ros_seed(2, info_message({.d = {0.1, 0.2}, .binning_and_roi = {2, 2, 1, 1, 2, 2}})),
          ros_seed(2, info_message({}, ros::MessageCoding::kRos1), true),
          ros_seed(3, transforms_message({{"c", "a", {1, 2, 3}}, {"b", "c"}, {"c", "a", {}, {}, 5}})),
          ros_seed(4, ros::write_message(cloud)),
          ros_seed(5, ros::write_message(ros::LabelInfo{header, {{0, "wall"}, {1, ""}}, 0.5f})),
          ros_seed(6, ros::write_message(diagnostics)),
          ros_seed(7, ros::write_message(ros::StampedVector{header, {0, -1, 0.5}})),
          ros_seed(8, ros::write_message(ros::Text{"smooth=80"})),
          ros_seed(9, ros::write_message(ros::OccupancyGrid{header, {{5}, 0.05f, 4, 2}, pixels}))};
}

}  // namespace fernwood::fuzz
