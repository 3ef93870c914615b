// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "ros/message_definitions.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

namespace fernwood::ros {

namespace {

struct Definition {
  std::string_view type, fields;
};

/// Types and names of fields, one per line; python/tests/test_mcap_recorder.py compares them with other sources.
constexpr std::array kDefinitions = {
    Definition{"builtin_interfaces/Time", "int32 sec\nuint32 nanosec\n"},
    Definition{"std_msgs/Header", "builtin_interfaces/Time stamp\nstring frame_id\n"},
    Definition{"sensor_msgs/Image",
               "std_msgs/Header header\nuint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\n"
               "uint32 step\nuint8[] data\n"},
    Definition{"sensor_msgs/CompressedImage", "std_msgs/Header header\nstring format\nuint8[] data\n"},
    Definition{"sensor_msgs/RegionOfInterest",
               "uint32 x_offset\nuint32 y_offset\nuint32 height\nuint32 width\nbool do_rectify\n"},
    Definition{"sensor_msgs/CameraInfo",
               "std_msgs/Header header\nuint32 height\nuint32 width\nstring distortion_model\nfloat64[] d\n"
               "float64[9] k\nfloat64[9] r\nfloat64[12] p\nuint32 binning_x\nuint32 binning_y\n"
               "sensor_msgs/RegionOfInterest roi\n"},
    Definition{"sensor_msgs/PointField", "string name\nuint32 offset\nuint8 datatype\nuint32 count\n"},
    Definition{"sensor_msgs/PointCloud2",
               "std_msgs/Header header\nuint32 height\nuint32 width\nsensor_msgs/PointField[] fields\n"
               "bool is_bigendian\nuint32 point_step\nuint32 row_step\nuint8[] data\nbool is_dense\n"},
    Definition{"geometry_msgs/Vector3", "float64 x\nfloat64 y\nfloat64 z\n"},
    Definition{"geometry_msgs/Vector3Stamped", "std_msgs/Header header\ngeometry_msgs/Vector3 vector\n"},
    Definition{"std_msgs/String", "string data\n"},
    Definition{"geometry_msgs/Quaternion", "float64 x\nfloat64 y\nfloat64 z\nfloat64 w\n"},
    Definition{"geometry_msgs/Transform", "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation\n"},
    Definition{"geometry_msgs/TransformStamped",
               "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/Transform transform\n"},
    Definition{"geometry_msgs/Point", "float64 x\nfloat64 y\nfloat64 z\n"},
    Definition{"geometry_msgs/Pose", "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation\n"},
    Definition{"nav_msgs/MapMetaData",
               "builtin_interfaces/Time map_load_time\nfloat32 resolution\nuint32 width\nuint32 height\n"
               "geometry_msgs/Pose origin\n"},
    Definition{"nav_msgs/OccupancyGrid", "std_msgs/Header header\nnav_msgs/MapMetaData info\nint8[] data\n"},
    Definition{"geometry_msgs/PoseWithCovariance", "geometry_msgs/Pose pose\nfloat64[36] covariance\n"},
    Definition{"vision_msgs/ObjectHypothesis", "string class_id\nfloat64 score\n"},
    Definition{"vision_msgs/ObjectHypothesisWithPose",
               "vision_msgs/ObjectHypothesis hypothesis\ngeometry_msgs/PoseWithCovariance pose\n"},
    Definition{"vision_msgs/BoundingBox3D", "geometry_msgs/Pose center\ngeometry_msgs/Vector3 size\n"},
    Definition{"vision_msgs/Detection3D",
               "std_msgs/Header header\nvision_msgs/ObjectHypothesisWithPose[] results\n"
               "vision_msgs/BoundingBox3D bbox\nstring id\n"},
    Definition{"vision_msgs/Detection3DArray", "std_msgs/Header header\nvision_msgs/Detection3D[] detections\n"},
    Definition{"std_msgs/ColorRGBA", "float32 r\nfloat32 g\nfloat32 b\nfloat32 a\n"},
    Definition{"builtin_interfaces/Duration", "int32 sec\nuint32 nanosec\n"},
    Definition{"visualization_msgs/UVCoordinate", "float32 u\nfloat32 v\n"},
    Definition{"visualization_msgs/MeshFile", "string filename\nuint8[] data\n"},
    Definition{"visualization_msgs/Marker",
               "std_msgs/Header header\nstring ns\nint32 id\nint32 type\nint32 action\ngeometry_msgs/Pose pose\n"
               "geometry_msgs/Vector3 scale\nstd_msgs/ColorRGBA color\nbuiltin_interfaces/Duration lifetime\n"
               "bool frame_locked\ngeometry_msgs/Point[] points\nstd_msgs/ColorRGBA[] colors\n"
               "string texture_resource\nsensor_msgs/CompressedImage texture\n"
               "visualization_msgs/UVCoordinate[] uv_coordinates\nstring text\nstring mesh_resource\n"
               "visualization_msgs/MeshFile mesh_file\nbool mesh_use_embedded_materials\n"},
    Definition{"visualization_msgs/MarkerArray", "visualization_msgs/Marker[] markers\n"},
    Definition{"tf2_msgs/TFMessage", "geometry_msgs/TransformStamped[] transforms\n"},
    Definition{"vision_msgs/VisionClass", "uint16 class_id\nstring class_name\n"},
    Definition{"vision_msgs/LabelInfo",
               "std_msgs/Header header\nvision_msgs/VisionClass[] class_map\nfloat32 threshold\n"},
    Definition{"diagnostic_msgs/KeyValue", "string key\nstring value\n"},
    Definition{"diagnostic_msgs/DiagnosticStatus",
               "byte level\nstring name\nstring message\nstring hardware_id\ndiagnostic_msgs/KeyValue[] values\n"},
    Definition{"diagnostic_msgs/DiagnosticArray",
               "std_msgs/Header header\ndiagnostic_msgs/DiagnosticStatus[] status\n"}};

std::string_view fields_of(std::string_view type) {
  const auto found = std::ranges::find(kDefinitions, type, &Definition::type);
  if (found == kDefinitions.end()) throw std::out_of_range("no definition of " + std::string(type));
  return found->fields;
}

/// Appends the message types of the fields to `types`, recursively and without duplicates, in the order of the fields.
void add_parts(std::string_view type, std::vector<std::string_view>& types) {
  for (std::string_view rest = fields_of(type); !rest.empty(); rest.remove_prefix(rest.find('\n') + 1)) {
    const std::string_view part = rest.substr(0, rest.find_first_of(" ["));
    if (part.find('/') == std::string_view::npos || std::ranges::find(types, part) != types.end()) continue;
    types.push_back(part);
    add_parts(part, types);
  }
}

}  // namespace

std::string message_definition(std::string_view plain) {
  std::vector<std::string_view> types;
  add_parts(plain, types);
  std::string text(fields_of(plain));
  for (const std::string_view type : types)
    text += std::string(80, '=') + "\nMSG: " + std::string(type) + "\n" + std::string(fields_of(type));
  return text;
}

}  // namespace fernwood::ros
