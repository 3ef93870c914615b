// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <bit>
#include <cstring>
#include <ostream>

#include "fernwood/core/file.h"
#include "fernwood/map/voxel_map.h"

namespace fernwood::map {

namespace {

static_assert(std::endian::native == std::endian::little, "PLY files are written as a little-endian memory has them");

constexpr std::size_t kMaxInByte = 255;  // classes whose labels fit in a byte, in which 255 is void
constexpr std::size_t kRowsAtOnce = 4096;

/// Property names: unique words for the lines of the header.
std::vector<std::string> property_names(const image::ClassMap& classes) {
  std::vector<std::string> names;
  for (const image::ClassInfo& info : classes.classes) {
    std::string name = "p_";
    for (const char c : info.name) name += (c > ' ' && c < 127) ? c : '_';
    std::string different = name;
    for (int i = 2; std::find(names.begin(), names.end(), different) != names.end(); ++i)
      different = name + "_" + std::to_string(i);
    names.push_back(different);
  }
  return names;
}

std::string header(std::size_t num_points, std::size_t num_faces, bool has_faces, const image::ClassMap& classes,
                   bool has_probabilities) {
  std::string text = "ply\nformat binary_little_endian 1.0\ncomment fernwood map\n";
  for (std::size_t c = 0; c < classes.size(); ++c)
    text += "comment class " + std::to_string(c) + " " + classes.classes[c].name + "\n";
  text += "element vertex " + std::to_string(num_points) + "\n";
  for (const char* name : {"x", "y", "z", "nx", "ny", "nz"}) text += std::string("property float ") + name + "\n";
  for (const char* name : {"red", "green", "blue"}) text += std::string("property uchar ") + name + "\n";
  text += std::string("property ") + (classes.size() <= kMaxInByte ? "uchar" : "ushort") + " class\n";
  text += "property float probability\n";
  if (has_probabilities)
    for (const std::string& name : property_names(classes)) text += "property float " + name + "\n";
  if (has_faces) text += "element face " + std::to_string(num_faces) + "\nproperty list uchar int vertex_indices\n";
  return text + "end_header\n";
}

/// A buffer of bytes that is written in parts.
class Bytes {
 public:
  template <typename Value>
  void add(const Value& value) {
    const auto* const from = reinterpret_cast<const char*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof(value));
  }
  void write(std::ostream& out) {
    out.write(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
    bytes_.clear();
  }

 private:
  std::vector<char> bytes_;
};

void add_point(Bytes& bytes, const MapPoint& point, std::size_t num_classes) {
  bytes.add(point.place);
  bytes.add(point.normal);
  bytes.add(point.color);
  const auto label = point.label == image::kVoid ? static_cast<std::uint16_t>(num_classes) : point.label;
  if (num_classes <= kMaxInByte)
    bytes.add(static_cast<std::uint8_t>(label));
  else
    bytes.add(label);
  bytes.add(point.probability);
}

void write_points(std::ostream& out, const std::vector<MapPoint>& points, std::size_t num_classes,
                  const Array2<float>& probabilities) {
  Bytes bytes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    add_point(bytes, points[i], num_classes);
    for (std::size_t c = 0; c < probabilities.cols(); ++c) bytes.add(probabilities(i, c));
    if (i % kRowsAtOnce == kRowsAtOnce - 1) bytes.write(out);
  }
  bytes.write(out);
}

void write_faces(std::ostream& out, const MapMesh& mesh) {
  Bytes bytes;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    bytes.add(std::uint8_t{3});
    for (const std::uint32_t vertex : mesh.triangles[i]) bytes.add(static_cast<std::int32_t>(vertex));
    if (i % kRowsAtOnce == kRowsAtOnce - 1) bytes.write(out);
  }
  bytes.write(out);
}

}  // namespace

void write_ply(const std::filesystem::path& path, const std::vector<MapPoint>& points, const image::ClassMap& classes,
               const Array2<float>& probabilities) {
  write_file_atomically(path, NamedBy::kUser, [&](std::ostream& out) {
    out << header(points.size(), 0, false, classes, !probabilities.empty());
    write_points(out, points, classes.size(), probabilities);
  });
}

void write_ply(const std::filesystem::path& path, const MapMesh& mesh, const image::ClassMap& classes) {
  write_file_atomically(path, NamedBy::kUser, [&](std::ostream& out) {
    out << header(mesh.vertices.size(), mesh.triangles.size(), true, classes, false);
    write_points(out, mesh.vertices, classes.size(), {});
    write_faces(out, mesh);
  });
}

}  // namespace fernwood::map
