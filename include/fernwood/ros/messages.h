// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// ROS messages and their encoding: read from CDR (ROS 2: OMG DDSI-RTPS 2.5, section 10) and from the serialization of
// ROS 1, written as CDR. Texts and byte arrays of a message that was read are views of the encoded bytes.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fernwood::ros {

/// Encoding of messages.
enum class MessageCoding { kCdr, kRos1, kOther };

/// Names of types as in ROS 1, without the "msg" of ROS 2.
inline constexpr std::string_view kImageType = "sensor_msgs/Image",
                                  kCompressedImageType = "sensor_msgs/CompressedImage",
                                  kCameraInfoType = "sensor_msgs/CameraInfo", kTransformsType = "tf2_msgs/TFMessage",
                                  kOldTransformsType = "tf/tfMessage", kPointCloudType = "sensor_msgs/PointCloud2",
                                  kLabelInfoType = "vision_msgs/LabelInfo",
                                  kDiagnosticsType = "diagnostic_msgs/DiagnosticArray", kStringType = "std_msgs/String",
                                  kVectorType = "geometry_msgs/Vector3Stamped",
                                  kOccupancyGridType = "nav_msgs/OccupancyGrid",
                                  kDetectionsType = "vision_msgs/Detection3DArray",
                                  kMarkersType = "visualization_msgs/MarkerArray",
                                  kTransformType = "geometry_msgs/Transform", kNumberType = "std_msgs/Float32";

/// Converts "sensor_msgs/msg/Image" to "sensor_msgs/Image"; other names are returned unchanged.
std::string plain_type(std::string_view type);
/// Converts "sensor_msgs/Image" to "sensor_msgs/msg/Image", the name in ROS 2.
std::string full_type(std::string_view plain);

/// An encoded message.
struct CodedMessage {
  std::span<const std::uint8_t> bytes;
  MessageCoding coding = MessageCoding::kCdr;
  std::string place;  ///< File and topic, for error messages.
};

/// std_msgs/Header.
struct MessageHeader {
  std::int64_t stamp_ns = 0;  ///< Nanoseconds since 1970, for clocks of that epoch; 0: not set.
  std::string_view frame_id;  ///< The coordinate frame of the data.
};

/// sensor_msgs/Image.
struct Image {
  MessageHeader header = {};
  std::uint32_t height = 0, width = 0;
  std::string_view encoding = {};
  std::uint8_t is_bigendian = 0;
  std::uint32_t step = 0;  ///< Bytes between the beginnings of rows.
  std::span<const std::uint8_t> data = {};
};

/// sensor_msgs/CompressedImage.
struct CompressedImage {
  MessageHeader header = {};
  std::string_view format = {};
  std::span<const std::uint8_t> data = {};
};

/// sensor_msgs/CameraInfo.
struct CameraInfo {
  MessageHeader header = {};
  std::uint32_t height = 0, width = 0;
  std::string_view distortion_model = {};
  std::vector<double> d = {};
  std::array<double, 9> k = {};   ///< Intrinsic matrix of the original image.
  std::array<double, 9> r = {};   ///< Rectification matrix.
  std::array<double, 12> p = {};  ///< Projection matrix of the rectified image.
  std::uint32_t binning_x = 0, binning_y = 0;
  std::uint32_t x_offset = 0, y_offset = 0, roi_height = 0, roi_width = 0;
  std::uint8_t do_rectify = 0;
};

/// geometry_msgs/TransformStamped: p_parent = rotation(quaternion) p_child + translation.
struct Transform {
  MessageHeader header = {};  ///< Its frame_id is the parent.
  std::string_view child = {};
  std::array<double, 3> translation_m = {};
  std::array<double, 4> rotation = {0, 0, 0, 1};  ///< x, y, z, w.
};

/// sensor_msgs/PointField.
struct PointField {
  static constexpr std::uint8_t kUint8 = 2, kUint16 = 4, kUint32 = 6, kFloat32 = 7;

  std::string_view name = {};
  std::uint32_t offset = 0;  ///< From the beginning of a point, in bytes.
  std::uint8_t datatype = kFloat32;
  std::uint32_t count = 1;
};

/// sensor_msgs/PointCloud2.
struct PointCloud {
  MessageHeader header = {};
  std::uint32_t height = 0, width = 0;
  std::vector<PointField> fields = {};
  std::uint8_t is_bigendian = 0;
  std::uint32_t point_step = 0, row_step = 0;  ///< Bytes.
  std::span<const std::uint8_t> data = {};
  std::uint8_t is_dense = 0;  ///< Whether no coordinate is NaN.
};

/// vision_msgs/VisionClass.
struct VisionClass {
  std::uint16_t class_id = 0;
  std::string_view class_name = {};
};

/// vision_msgs/LabelInfo: the names of the class numbers in a label image.
struct LabelInfo {
  MessageHeader header = {};
  std::vector<VisionClass> class_map = {};
  float threshold = 0;
};

/// diagnostic_msgs/KeyValue.
struct KeyValue {
  std::string_view key = {}, value = {};
};

/// diagnostic_msgs/DiagnosticStatus.
struct DiagnosticStatus {
  static constexpr std::uint8_t kOk = 0, kWarn = 1, kError = 2, kStale = 3;

  std::uint8_t level = kOk;
  std::string_view name = {}, message = {}, hardware_id = {};
  std::vector<KeyValue> values = {};
};

/// diagnostic_msgs/DiagnosticArray.
struct Diagnostics {
  MessageHeader header = {};
  std::vector<DiagnosticStatus> status = {};
};

/// geometry_msgs/Vector3Stamped: a direction in the header's frame.
struct StampedVector {
  MessageHeader header = {};
  std::array<double, 3> vector = {};
};

/// builtin_interfaces/Time.
struct Time {
  std::int64_t ns = 0;  ///< Nanoseconds since 1970, for clocks of that epoch.
};

/// nav_msgs/MapMetaData.
struct MapMetaData {
  Time load_time = {};
  float resolution = 0;  ///< Side of a cell in metres.
  std::uint32_t width = 0, height = 0;
  std::array<double, 3> origin_m = {};                   ///< The corner of the first cell.
  std::array<double, 4> origin_rotation = {0, 0, 0, 1};  ///< x, y, z, w.
};

/// nav_msgs/OccupancyGrid.
struct OccupancyGrid {
  MessageHeader header = {};
  MapMetaData info = {};
  std::span<const std::uint8_t> data =
      {};  ///< int8: 0 to 100, or -1 where nothing is known; row by row from the origin.
};

/// geometry_msgs/Pose.
struct Pose {
  std::array<double, 3> position_m = {};
  std::array<double, 4> rotation = {0, 0, 0, 1};  ///< x, y, z, w.
};

/// vision_msgs/ObjectHypothesisWithPose.
struct ObjectHypothesis {
  std::string_view class_id = {};
  double score = 0;
  Pose pose = {};
  std::array<double, 36> covariance = {};
};

/// vision_msgs/Detection3D.
struct Detection3D {
  MessageHeader header = {};
  std::vector<ObjectHypothesis> results = {};
  Pose center = {};  ///< Of the box.
  std::array<double, 3> size_m = {};
  std::string_view id = {};
};

/// vision_msgs/Detection3DArray.
struct Detections {
  MessageHeader header = {};
  std::vector<Detection3D> detections = {};
};

/// visualization_msgs/Marker.
struct Marker {
  static constexpr std::int32_t kCube = 1, kText = 9;      // types
  static constexpr std::int32_t kAdd = 0, kDeleteAll = 3;  // actions

  MessageHeader header = {};
  std::string_view space = {};  ///< "ns"
  std::int32_t id = 0, type = kCube, action = kAdd;
  Pose pose = {};
  std::array<double, 3> scale_m = {};
  std::array<float, 4> color = {};  ///< Red, green, blue, opacity: 0 to 1.
  std::int32_t lifetime_s = 0;      ///< 0: until it is replaced.
  std::uint32_t lifetime_ns = 0;
  std::uint8_t frame_locked = 0;
  std::vector<std::array<double, 3>> points = {};
  std::vector<std::array<float, 4>> colors = {};
  std::string_view texture_resource = {};
  CompressedImage texture = {};
  std::vector<std::array<float, 2>> texture_coordinates = {};
  std::string_view text = {}, mesh_resource = {}, mesh_file = {};
  std::span<const std::uint8_t> mesh_data = {};
  std::uint8_t mesh_use_embedded_materials = 0;
};

/// std_msgs/String.
struct Text {
  std::string_view data = {};
};

/// Number of bytes at the beginning of a message that suffice to read its stamp.
inline constexpr std::size_t kStampBytes = 16;

/// Reads the stamp of any message that begins with a header. @throws Error(kData) for truncated bytes, as all functions
/// below.
std::int64_t read_stamp(const CodedMessage& message);
Image read_image(const CodedMessage& message);
CompressedImage read_compressed_image(const CodedMessage& message);
CameraInfo read_camera_info(const CodedMessage& message);
std::vector<Transform> read_transforms(const CodedMessage& message);
Transform read_transform(const CodedMessage& message);  ///< geometry_msgs/Transform: without header and child.
float read_number(const CodedMessage& message);         ///< std_msgs/Float32.
PointCloud read_point_cloud(const CodedMessage& message);
LabelInfo read_label_info(const CodedMessage& message);
Diagnostics read_diagnostics(const CodedMessage& message);
StampedVector read_vector(const CodedMessage& message);
OccupancyGrid read_occupancy_grid(const CodedMessage& message);
Detections read_detections(const CodedMessage& message);
std::vector<Marker> read_markers(const CodedMessage& message);
Text read_text(const CodedMessage& message);

/// Little-endian CDR after the four bytes of the encapsulation header, as sent by the middleware of ROS 2 and stored in
/// recordings.
using EncodedMessage = std::vector<std::uint8_t>;
EncodedMessage write_message(const Image& message);
EncodedMessage write_message(const CompressedImage& message);
EncodedMessage write_message(const CameraInfo& message);
EncodedMessage write_message(const std::vector<Transform>& message);
EncodedMessage write_message(const PointCloud& message);
EncodedMessage write_message(const LabelInfo& message);
EncodedMessage write_message(const Diagnostics& message);
EncodedMessage write_message(const StampedVector& message);
EncodedMessage write_message(const OccupancyGrid& message);
EncodedMessage write_message(const Detections& message);
EncodedMessage write_message(const std::vector<Marker>& message);
EncodedMessage write_message(const Text& message);

}  // namespace fernwood::ros
