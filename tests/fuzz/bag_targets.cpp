// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/image_io.h"
#include "fuzz/target.h"
#include "recordings/bag/bag_cameras.h"
#include "recordings/bag/bag_recording.h"
#include "recordings/bag/bag_topics.h"
#include "recordings/bag/bag_writer.h"

namespace fernwood::fuzz {

namespace {

using namespace recordings;

constexpr std::uint8_t kFile = 0, kImage = 1, kCompressed = 2, kInfo = 3, kTransforms = 4, kNumKinds = 5;

Bytes seed_of(std::uint8_t kind, const Bytes& content, bool is_ros1 = false) {
  Bytes bytes = {static_cast<std::uint8_t>(kind + (is_ros1 ? kNumKinds : 0))};
  bytes.insert(bytes.end(), content.begin(), content.end());
  return bytes;
}

void read_file_of(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMaxFrames = 3;
  const MemoryFile file(data, size);
  const BagRecording recording(file.path(), {});
  for (std::size_t i = 0; i < std::min(recording.frames().size(), kMaxFrames); ++i) {
    image::Frame frame;
    if (!reads([&] { frame = recording.read_frame(i); })) continue;
    law(frame.rows() > 0 && frame.cols() > 0, "a frame without pixels");
    law(frame.color.empty() || frame.depth_mm.empty() || frame.color.rows() == frame.depth_mm.rows(),
        "colour and depth of two sizes");
    for (const std::uint16_t depth : frame.depth_mm) law(depth <= image::kMaxDepthMm, "a depth beyond the limit");
  }
}

void read_message(std::uint8_t kind, const ros::CodedMessage& message) {
  const std::string type(kind == kImage ? ros::kImageType : ros::kCompressedImageType);
  if (kind == kImage || kind == kCompressed) {
    kind_of_image(type, message);
    reads([&] { decode_color_image(type, message); });
    reads([&] { decode_depth_image(type, message, {}); });
  } else if (kind == kInfo) {
    camera_of_info(ros::read_camera_info(message), {3, 4}, true);
    camera_of_info(ros::read_camera_info(message), {3, 4}, false);
    reads([&] { ros::read_transform(message); });
    reads([&] { ros::read_number(message); });
  } else {
    FrameTree tree;
    for (const std::vector<ros::Transform> all = ros::read_transforms(message); const ros::Transform& transform : all)
      tree.add(transform, false);
    tree.transform("a", "b");
  }
}

/// Two image topics and the messages that belong to them.
std::vector<TestTopic> small_topics(ros::MessageCoding coding) {
  const auto type = [&](const char* name) {
    return coding == ros::MessageCoding::kCdr ? std::string(name) : ros::plain_type(name);
  };
  return {{"/color", type("sensor_msgs/msg/Image"), {{1, image_message({.stamp_ns = 5}, coding)}}},
          {"/depth",
           type("sensor_msgs/msg/Image"),
           {{2, image_message({.stamp_ns = 5, .encoding = "16UC1", .data = {1, 2, 3, 4}}, coding)}}},
          {"/camera_info", type("sensor_msgs/msg/CameraInfo"), {{1, info_message({}, coding)}}}};
}

}  // namespace

int fuzz_bags(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint8_t kind = data[0] % kNumKinds;
  const ros::MessageCoding coding = data[0] / kNumKinds % 2 == 0 ? ros::MessageCoding::kCdr : ros::MessageCoding::kRos1;
  reads([&] {
    if (kind == kFile)
      read_file_of(data + 1, size - 1);
    else
      read_message(kind, {{data + 1, size - 1}, coding, "fuzz: /compressed"});
  });
  return 0;
}

std::vector<Bytes> bag_seeds() {
  const std::vector<TestTopic> topics = small_topics(ros::MessageCoding::kCdr),
                               old_topics = small_topics(ros::MessageCoding::kRos1);
  const auto depth_head = ByteWriter().number(std::int32_t{0}).number(100.0f).number(50.0f);
  const Bytes rvl = ByteWriter(depth_head).number(2u).number(1u).number(0x028af300u).bytes;
  const Bytes png = dataset::encode_png(Array2<image::Rgb>(2, 3, {1, 2, 3}));
  return {
      seed_of(kFile, mcap_bytes(topics)),
      seed_of(kFile, mcap_bytes(topics, {.messages_per_chunk = 2})),
      seed_of(kFile, mcap_bytes(topics, {.messages_per_chunk = 2, .has_index = false, .has_summary = false})),
      seed_of(kFile, mcap_bytes(topics, {.messages_per_chunk = 9, .compression = "zstd", .pack = &stored_zstd})),
      seed_of(kFile, mcap_bytes(topics, {.messages_per_chunk = 9, .compression = "lz4", .pack = &stored_lz4})),
      seed_of(kFile, rosbag1_bytes(old_topics)),
      seed_of(kFile, rosbag1_bytes(old_topics, false)),
      seed_of(kImage, image_message({})),
      seed_of(kImage, image_message({.encoding = "32FC1", .data = Bytes(8, 63)}, ros::MessageCoding::kRos1), true),
      seed_of(kImage, image_message({.encoding = "bayer_rggb8", .rows = 2, .data = {1, 2, 3, 4}})),
      seed_of(kCompressed, compressed_message(1, "png", png)),
      seed_of(kCompressed, compressed_message(1, "jpeg", dataset::encode_jpeg(Array2<image::Rgb>(8, 8, {1, 2, 3})))),
      seed_of(kCompressed, compressed_message(1, "32FC1; compressedDepth rvl", rvl)),
      seed_of(kInfo, info_message({.d = {0.1, 0.2}, .binning_and_roi = {2, 2, 1, 1, 2, 2}})),
      seed_of(kInfo, info_message({}, ros::MessageCoding::kRos1), true),
      seed_of(kTransforms, transforms_message({{"c", "a", {1, 2, 3}}, {"c", "b"}}))};
}

}  // namespace fernwood::fuzz
