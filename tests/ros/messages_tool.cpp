// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Converts ROS messages to and from JSON, for python/tests/test_ros_messages.py, which compares them with another
// serialiser:
//   ros_messages_tool write TYPE MESSAGES < JSON     one line of JSON for each message
//   ros_messages_tool read TYPE MESSAGES > JSON
// MESSAGES is a file of messages, each preceded by its size in 4 bytes. Fields have the names and nesting of the ROS
// definitions, independent of the order in which our reader and writer agree; floating-point numbers are stored as
// their bits in an integer, stamps are in ns, bytes are hexadecimal.

#include <bit>
#include <charconv>
#include <concepts>
#include <cstring>
#include <deque>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "fernwood/ros/messages.h"

namespace fernwood::ros {

namespace {

using Json = nlohmann::ordered_json;

auto bits_of(double number) { return std::bit_cast<std::uint64_t>(number); }
auto bits_of(float number) { return std::bit_cast<std::uint32_t>(number); }
auto bits_of(std::integral auto number) { return number; }

template <typename Number>
Number of_bits(const Json& json) {
  return std::bit_cast<Number>(json.get<decltype(bits_of(Number{}))>());
}

/// Converts message fields to members of a JSON object.
class ToJson {
 public:
  template <typename Number>
  void field(const char* name, const Number& number) {
    at_->emplace(name, bits_of(number));
  }
  void field(const char* name, std::string_view text) { at_->emplace(name, std::string(text)); }
  void field(const char* name, std::span<const std::uint8_t> bytes) {
    std::string digits;
    for (const std::uint8_t byte : bytes) digits += format_text("%02x", unsigned{byte});
    at_->emplace(name, digits);
  }
  void flag(const char* name, std::uint8_t value) { at_->emplace(name, value != 0); }
  template <typename Numbers>
  void numbers(const char* name, const Numbers& numbers) {
    Json& list = at_->emplace(name, Json::array()).first.value();
    for (const double number : numbers) list.push_back(bits_of(number));
  }
  template <typename Fields>
  void group(const char* name, Fields fields) {
    Json* const outer = at_;
    at_ = &outer->emplace(name, Json::object()).first.value();
    fields();
    at_ = outer;
  }
  template <typename Element, typename Fields>
  void list(const char* name, const std::vector<Element>& elements, Fields fields) {
    Json* const outer = at_;
    Json all = Json::array();
    for (const Element& element : elements) {
      at_ = &all.emplace_back(Json::object());
      fields(element);
    }
    at_ = outer;
    at_->emplace(name, std::move(all));
  }
  const Json& json() const { return json_; }

 private:
  Json json_ = Json::object();
  Json* at_ = &json_;
};

/// The inverse of ToJson. Strings and bytes of messages are views of its buffers.
class FromJson {
 public:
  explicit FromJson(const std::string& line) : json_(Json::parse(line)), at_(&json_) {}

  template <typename Number>
  void field(const char* name, Number& number) {
    number = of_bits<Number>(at_->at(name));
  }
  void field(const char* name, std::string_view& text) { text = at_->at(name).get_ref<const std::string&>(); }
  void field(const char* name, std::span<const std::uint8_t>& bytes) {
    const auto& digits = at_->at(name).get_ref<const std::string&>();
    std::vector<std::uint8_t>& kept = kept_.emplace_back(digits.size() / 2);
    for (std::size_t i = 0; i < kept.size(); ++i)
      std::from_chars(digits.data() + 2 * i, digits.data() + 2 * i + 2, kept[i], 16);
    bytes = kept;
  }
  void flag(const char* name, std::uint8_t& value) { value = at_->at(name).get<bool>() ? 1 : 0; }
  void numbers(const char* name, std::vector<double>& numbers) {
    for (const Json& bits : at_->at(name)) numbers.push_back(of_bits<double>(bits));
  }
  template <std::size_t kSize>
  void numbers(const char* name, std::array<double, kSize>& numbers) {
    for (std::size_t i = 0; i < kSize; ++i) numbers[i] = of_bits<double>(at_->at(name).at(i));
  }
  template <typename Fields>
  void group(const char* name, Fields fields) {
    const Json* const outer = at_;
    at_ = &outer->at(name);
    fields();
    at_ = outer;
  }
  template <typename Element, typename Fields>
  void list(const char* name, std::vector<Element>& elements, Fields fields) {
    const Json* const outer = at_;
    for (const Json& element : outer->at(name)) {
      at_ = &element;
      fields(elements.emplace_back());
    }
    at_ = outer;
  }

 private:
  Json json_;
  const Json* at_;
  std::deque<std::vector<std::uint8_t>> kept_;
};

void name_header(auto& json, auto& header) {
  json.group("header", [&] {
    json.field("stamp", header.stamp_ns);
    json.field("frame_id", header.frame_id);
  });
}

/// Accepts const messages, too, for the conversion to JSON.
template <typename Given, typename Message>
concept Names = std::same_as<std::remove_const_t<Given>, Message>;

void name_fields(auto& json, Names<Image> auto& m) {
  name_header(json, m.header);
  json.field("encoding", m.encoding);
  json.field("width", m.width);
  json.field("height", m.height);
  json.field("step", m.step);
  json.field("is_bigendian", m.is_bigendian);
  json.field("data", m.data);
}

void name_fields(auto& json, Names<CompressedImage> auto& m) {
  name_header(json, m.header);
  json.field("format", m.format);
  json.field("data", m.data);
}

void name_fields(auto& json, Names<CameraInfo> auto& m) {
  name_header(json, m.header);
  json.field("width", m.width);
  json.field("height", m.height);
  json.field("distortion_model", m.distortion_model);
  json.numbers("k", m.k);
  json.numbers("d", m.d);
  json.numbers("r", m.r);
  json.numbers("p", m.p);
  json.field("binning_x", m.binning_x);
  json.field("binning_y", m.binning_y);
  json.group("roi", [&] {
    json.field("x_offset", m.x_offset);
    json.field("y_offset", m.y_offset);
    json.field("width", m.roi_width);
    json.field("height", m.roi_height);
    json.flag("do_rectify", m.do_rectify);
  });
}

void name_fields(auto& json, Names<std::vector<Transform>> auto& m) {
  json.list("transforms", m, [&](auto& one) {
    name_header(json, one.header);
    json.field("child_frame_id", one.child);
    json.group("transform", [&] {
      json.group("translation", [&] {
        json.field("x", one.translation_m[0]);
        json.field("y", one.translation_m[1]);
        json.field("z", one.translation_m[2]);
      });
      json.group("rotation", [&] {
        json.field("x", one.rotation[0]);
        json.field("y", one.rotation[1]);
        json.field("z", one.rotation[2]);
        json.field("w", one.rotation[3]);
      });
    });
  });
}

void name_fields(auto& json, Names<PointCloud> auto& m) {
  name_header(json, m.header);
  json.field("width", m.width);
  json.field("height", m.height);
  json.field("point_step", m.point_step);
  json.field("row_step", m.row_step);
  json.flag("is_bigendian", m.is_bigendian);
  json.flag("is_dense", m.is_dense);
  json.field("data", m.data);
  json.list("fields", m.fields, [&](auto& field) {
    json.field("name", field.name);
    json.field("datatype", field.datatype);
    json.field("offset", field.offset);
    json.field("count", field.count);
  });
}

void name_fields(auto& json, Names<LabelInfo> auto& m) {
  name_header(json, m.header);
  json.field("threshold", m.threshold);
  json.list("class_map", m.class_map, [&](auto& one) {
    json.field("class_name", one.class_name);
    json.field("class_id", one.class_id);
  });
}

void name_fields(auto& json, Names<Diagnostics> auto& m) {
  name_header(json, m.header);
  json.list("status", m.status, [&](auto& status) {
    json.field("hardware_id", status.hardware_id);
    json.field("message", status.message);
    json.field("name", status.name);
    json.field("level", status.level);
    json.list("values", status.values, [&](auto& pair) {
      json.field("value", pair.value);
      json.field("key", pair.key);
    });
  });
}

void name_fields(auto& json, Names<StampedVector> auto& m) {
  name_header(json, m.header);
  json.group("vector", [&] {
    json.field("z", m.vector[2]);
    json.field("y", m.vector[1]);
    json.field("x", m.vector[0]);
  });
}

/// Fields of one letter each: those of vectors, quaternions and colours.
void name_numbers(auto& json, std::string_view letters, auto& numbers) {
  for (std::size_t i = 0; i < letters.size(); ++i) json.field(std::string(letters.substr(i, 1)).c_str(), numbers[i]);
}

void name_pose(auto& json, const char* name, auto& position, auto& rotation) {
  json.group(name, [&] {
    json.group("position", [&] { name_numbers(json, "xyz", position); });
    json.group("orientation", [&] { name_numbers(json, "xyzw", rotation); });
  });
}

void name_fields(auto& json, Names<OccupancyGrid> auto& m) {
  name_header(json, m.header);
  json.field("data", m.data);
  json.group("info", [&] {
    json.field("map_load_time", m.info.load_time.ns);
    json.field("resolution", m.info.resolution);
    json.field("width", m.info.width);
    json.field("height", m.info.height);
    name_pose(json, "origin", m.info.origin_m, m.info.origin_rotation);
  });
}

void name_fields(auto& json, Names<Detections> auto& m) {
  name_header(json, m.header);
  json.list("detections", m.detections, [&](auto& one) {
    name_header(json, one.header);
    json.field("id", one.id);
    json.list("results", one.results, [&](auto& result) {
      json.group("hypothesis", [&] {
        json.field("class_id", result.class_id);
        json.field("score", result.score);
      });
      json.group("pose", [&] {
        name_pose(json, "pose", result.pose.position_m, result.pose.rotation);
        json.numbers("covariance", result.covariance);
      });
    });
    json.group("bbox", [&] {
      name_pose(json, "center", one.center.position_m, one.center.rotation);
      json.group("size", [&] { name_numbers(json, "xyz", one.size_m); });
    });
  });
}

void name_fields(auto& json, Names<std::vector<Marker>> auto& m) {
  json.list("markers", m, [&](auto& one) {
    name_header(json, one.header);
    json.field("ns", one.space);
    json.field("id", one.id);
    json.field("type", one.type);
    json.field("action", one.action);
    name_pose(json, "pose", one.pose.position_m, one.pose.rotation);
    json.group("scale", [&] { name_numbers(json, "xyz", one.scale_m); });
    json.group("color", [&] { name_numbers(json, "rgba", one.color); });
    json.group("lifetime", [&] {
      json.field("sec", one.lifetime_s);
      json.field("nanosec", one.lifetime_ns);
    });
    json.flag("frame_locked", one.frame_locked);
    json.list("points", one.points, [&](auto& point) { name_numbers(json, "xyz", point); });
    json.list("colors", one.colors, [&](auto& color) { name_numbers(json, "rgba", color); });
    json.field("texture_resource", one.texture_resource);
    json.group("texture", [&] { name_fields(json, one.texture); });
    json.list("uv_coordinates", one.texture_coordinates, [&](auto& place) { name_numbers(json, "uv", place); });
    json.field("text", one.text);
    json.field("mesh_resource", one.mesh_resource);
    json.group("mesh_file", [&] {
      json.field("filename", one.mesh_file);
      json.field("data", one.mesh_data);
    });
    json.flag("mesh_use_embedded_materials", one.mesh_use_embedded_materials);
  });
}

void name_fields(auto& json, Names<Text> auto& m) { json.field("data", m.data); }

template <typename Message>
EncodedMessage write_json(const std::string& line) {
  FromJson json(line);
  Message message;
  name_fields(json, message);
  return write_message(message);
}

template <typename Message>
std::string read_json(const Message& message) {
  ToJson json;
  name_fields(json, message);
  return json.json().dump();
}

struct MessageType {
  EncodedMessage (*write)(const std::string& line);
  std::string (*read)(const CodedMessage& message);
};

const std::map<std::string, MessageType> kTypes = {
    {"Image", {write_json<Image>, [](const CodedMessage& m) { return read_json(read_image(m)); }}},
    {"CompressedImage",
     {write_json<CompressedImage>, [](const CodedMessage& m) { return read_json(read_compressed_image(m)); }}},
    {"CameraInfo", {write_json<CameraInfo>, [](const CodedMessage& m) { return read_json(read_camera_info(m)); }}},
    {"TFMessage",
     {write_json<std::vector<Transform>>, [](const CodedMessage& m) { return read_json(read_transforms(m)); }}},
    {"PointCloud2", {write_json<PointCloud>, [](const CodedMessage& m) { return read_json(read_point_cloud(m)); }}},
    {"LabelInfo", {write_json<LabelInfo>, [](const CodedMessage& m) { return read_json(read_label_info(m)); }}},
    {"Vector3Stamped", {write_json<StampedVector>, [](const CodedMessage& m) { return read_json(read_vector(m)); }}},
    {"OccupancyGrid",
     {write_json<OccupancyGrid>, [](const CodedMessage& m) { return read_json(read_occupancy_grid(m)); }}},
    {"Detection3DArray", {write_json<Detections>, [](const CodedMessage& m) { return read_json(read_detections(m)); }}},
    {"MarkerArray",
     {write_json<std::vector<Marker>>, [](const CodedMessage& m) { return read_json(read_markers(m)); }}},
    {"String", {write_json<Text>, [](const CodedMessage& m) { return read_json(read_text(m)); }}},
    {"DiagnosticArray",
     {write_json<Diagnostics>, [](const CodedMessage& m) { return read_json(read_diagnostics(m)); }}}};

void write_all(const MessageType& type, const char* path) {
  std::ofstream file(path, std::ios::binary);
  for (std::string line; std::getline(std::cin, line);) {
    const EncodedMessage bytes = type.write(line);
    const auto size = static_cast<std::uint32_t>(bytes.size());
    file.write(reinterpret_cast<const char*>(&size), sizeof(size));
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(size));
  }
  FW_CHECK(file.flush().good(), Runtime, path << " cannot be written");
}

void read_all(const MessageType& type, const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::uint32_t size = 0;
  while (file.read(reinterpret_cast<char*>(&size), sizeof(size))) {
    std::vector<std::uint8_t> bytes(size);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
    std::cout << type.read({bytes, MessageCoding::kCdr, path}) << "\n";
  }
}

}  // namespace

}  // namespace fernwood::ros

int main(int num_words, char** words) {
  using namespace fernwood::ros;
  if (num_words != 4 || !kTypes.contains(words[2])) {
    std::cerr << "usage: ros_messages_tool read|write TYPE MESSAGES\n";
    return 2;
  }
  try {
    (std::strcmp(words[1], "write") == 0 ? write_all : read_all)(kTypes.at(words[2]), words[3]);
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << "\n";
    return 1;
  }
}
