// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/map/voxel_map.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <ostream>

#include "core/model_container.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "map/voxel_content.h"

// A voxel map as a file of the model container (docs/reference/model_file.md). The header has the classes and the size
// of voxels; then follow the keys of the blocks, a bit for each voxel that has been seen, and the values of these
// voxels.

namespace fernwood::map {

using nlohmann::json;

namespace {

constexpr std::size_t kMaskWords = kBlockVoxels / 64;
constexpr std::uint64_t kMaxBlocks = std::uint64_t{1} << 31;

ErrorContext reading(const std::string& name) {
  return {name, "; the file is damaged: copy it again or make the map again"};
}

static_assert(sizeof(objects::ObjectCell) == 8 && alignof(objects::ObjectCell) == 2, "cells are stored as they are");

/// @param num_cells  Of all objects; the array is absent if the map has none.
struct MapArrays {
  MapArrays(std::uint64_t num_blocks, std::uint64_t num_voxels, std::uint64_t num_classes,
            std::optional<std::uint64_t> num_cells)
      : factors{"label_factors", "uint32", {num_classes}, 0, num_classes * 4, ""},
        keys{"keys", "uint64", {num_blocks}, aligned(factors.end()), num_blocks * 8, ""},
        masks{"masks", "uint64", {num_blocks, kMaskWords}, aligned(keys.end()), num_blocks * kMaskWords * 8, ""},
        voxels{"voxels",
               "uint16",
               {num_voxels, kFirstClass + num_classes},
               aligned(masks.end()),
               num_voxels * (kFirstClass + num_classes) * 2,
               ""},
        cells{
            "object_cells", "int16", {num_cells.value_or(0), 4}, aligned(voxels.end()), num_cells.value_or(0) * 8, ""} {
    if (num_cells) all.push_back(&cells);
  }

  ModelArray factors, keys, masks, voxels, cells;
  std::vector<ModelArray*> all = {&factors, &keys, &masks, &voxels};
};

struct MapData {
  std::vector<std::uint64_t> keys, masks;
  std::vector<std::uint16_t> voxels;
};

MapData data_of(const VoxelMap::Content& map) {
  MapData data;
  for (const std::uint32_t block : map.sorted_blocks()) {
    std::uint64_t mask[kMaskWords] = {};
    for (std::int32_t i = 0; i < kBlockVoxels; ++i) {
      const std::uint16_t* const voxel = map.voxel(block, i);
      if (voxel[kWeight] == 0) continue;
      mask[i / 64] |= std::uint64_t{1} << (i % 64);
      data.voxels.insert(data.voxels.end(), voxel, voxel + map.stride());
    }
    data.keys.push_back(map.table.keys()[block]);
    data.masks.insert(data.masks.end(), mask, mask + kMaskWords);
  }
  return data;
}

json encode_color(const image::Rgb& color) { return {color.r, color.g, color.b}; }

image::Rgb decode_color(const JsonField& field) {
  const auto level = [&](std::size_t i) { return static_cast<std::uint8_t>(field.at(i).whole(0, 255)); };
  field.size(3, 3);
  return {level(0), level(1), level(2)};
}

json encode_vector(const image::Vector3& vector) { return {vector.x, vector.y, vector.z}; }
json encode_moment(const objects::Moment& moment) { return {moment.frame, moment.seconds}; }

/// Without what follows from cells and scores.
json encode_objects(const objects::ObjectTracker& tracker) {
  json list = json::array();
  for (const objects::TrackedObject& object : tracker.objects())
    list.push_back({{"id", object.id},
                    {"state", objects::to_string(object.state)},
                    {"scores", object.scores},
                    {"confidence", object.confidence},
                    {"sightings", object.sightings},
                    {"first", encode_moment(object.first)},
                    {"last", encode_moment(object.last)},
                    {"home", encode_vector(object.home)},
                    {"up", encode_vector(object.up)},
                    {"in_parts", object.in_parts},
                    {"num_cells", object.cells.size()}});
  return {{"num_frames", tracker.num_frames()}, {"next_id", tracker.next_id()}, {"list", list}};
}

/// Whether the map has a list of objects.
bool has_objects(const VoxelMap::Content& map) { return map.objects.num_frames() > 0; }

json encode_map(const VoxelMap::Content& map, const MapArrays& arrays) {
  json header = {{"voxel_m", map.options.voxel_m}, {"num_frames", map.num_frames},
                 {"has_color", map.has_color},     {"up", map.up},
                 {"classes", json::array()},       {"arrays", json::array()}};
  if (map.has_estimated_poses) header["has_estimated_poses"] = true;
  if (has_objects(map)) header["objects"] = encode_objects(map.objects);
  for (const image::ClassInfo& info : map.classes.classes) {
    header["classes"].push_back({{"name", info.name}, {"color", encode_color(info.color)}});
    if (info.stated_thing) header["classes"].back()["thing"] = *info.stated_thing;
  }
  for (const ModelArray* array : arrays.all) header["arrays"].push_back(encode_array(*array));
  return header;
}

image::ClassMap decode_map_classes(const JsonField& field) {
  image::ClassMap map;
  const std::size_t num_classes = field.size(1, image::kVoid - 1);
  for (std::size_t c = 0; c < num_classes; ++c) {
    map.classes.push_back({field.at(c).at("name").text(), decode_color(field.at(c).at("color"))});
    if (const std::string& name = map.classes.back().name; printable(name) != name)
      field.at(c).at("name").fail("a name without control characters");
    if (field.at(c).has("thing")) map.classes.back().stated_thing = field.at(c).at("thing").flag();
  }
  map.void_colors = {image::Rgb{}};
  return map;
}

MapOptions decode_map_options(const JsonField& root, std::size_t memory_budget_bytes) {
  MapOptions options;
  options.voxel_m = root.at("voxel_m").number();
  if (!(options.voxel_m >= 0.01 && options.voxel_m <= 0.05)) root.at("voxel_m").fail("from 0.01 to 0.05");
  options.memory_budget_bytes = memory_budget_bytes;
  return options;
}

/// Checks that the sum of directions is no longer than the number of frames permits.
std::array<std::int64_t, 3> decode_up(const JsonField& field, std::uint64_t num_frames) {
  std::array<std::int64_t, 3> up;
  field.size(3, 3);
  const double most = (kUpUnit + 1) * static_cast<double>(num_frames);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double along = field.at(axis).number();
    if (!(std::abs(along) <= most) || along != std::trunc(along))
      field.at(axis).fail("an integer of at most " + std::to_string(static_cast<std::int64_t>(most)));
    up[axis] = static_cast<std::int64_t>(along);
  }
  return up;
}

image::Vector3 decode_vector(const JsonField& field) {
  constexpr double kFarthest = 1e6;
  const std::vector<double> numbers = field.numbers(3, 3);
  for (const double number : numbers)
    if (!(std::abs(number) <= kFarthest)) field.fail("numbers of at most 1000000");
  return {static_cast<float>(numbers[0]), static_cast<float>(numbers[1]), static_cast<float>(numbers[2])};
}

objects::Moment decode_moment(const JsonField& field, std::uint64_t num_frames) {
  field.size(2, 2);
  return {field.at(std::size_t{0}).whole(0, num_frames - 1), field.at(std::size_t{1}).number()};
}

objects::ObjectState decode_state(const JsonField& field) {
  using objects::ObjectState;
  for (const ObjectState state :
       {ObjectState::kTentative, ObjectState::kConfirmed, ObjectState::kMoved, ObjectState::kGone})
    if (field.text() == objects::to_string(state)) return state;
  field.fail("tentative, confirmed, moved or gone");
}

/// @param cells  Of all objects, one after another.
objects::ObjectTracker decode_objects(const JsonField& field, std::size_t num_classes,
                                      std::span<const objects::ObjectCell> cells, const ErrorContext& place) {
  constexpr std::uint64_t kMost = 0xffffffff;
  const std::uint64_t num_frames = field.at("num_frames").whole(1, std::uint64_t{1} << 53);
  const std::uint64_t next_id = field.at("next_id").whole(1, kMost);
  const JsonField list = field.at("list");
  std::vector<objects::TrackedObject> objects(list.size(0, kMost));
  std::uint64_t last_id = 0;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const JsonField from = list.at(i);
    objects::TrackedObject& object = objects[i];
    last_id = from.at("id").whole(last_id + 1, next_id - 1);
    object.id = static_cast<std::uint32_t>(last_id);
    object.state = decode_state(from.at("state"));
    object.scores = from.at("scores").numbers(1, num_classes);
    for (const double score : object.scores)
      if (!(score >= 0 && score <= 1e15)) from.at("scores").fail("sums of probabilities");
    object.confidence = static_cast<float>(from.at("confidence").number());
    if (!(object.confidence >= 0 && object.confidence <= 1)) from.at("confidence").fail("from 0 to 1");
    object.sightings = static_cast<std::uint32_t>(from.at("sightings").whole(1, kMost));
    object.first = decode_moment(from.at("first"), num_frames);
    object.last = decode_moment(from.at("last"), num_frames);
    object.home = decode_vector(from.at("home"));
    object.up = decode_vector(from.at("up"));
    object.in_parts = static_cast<std::uint32_t>(from.at("in_parts").whole(0, kMost));
    const std::uint64_t num_cells = from.at("num_cells").whole(1, kMost);
    FW_CHECK(num_cells <= cells.size(), Model, place.file << ": cells of objects are missing" << place.remedy);
    object.cells.assign(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(num_cells));
    cells = cells.subspan(num_cells);
    for (std::size_t k = 0; k < object.cells.size(); ++k)
      FW_CHECK(object.cells[k].weight >= 1 && object.cells[k].weight <= objects::kMaxCellWeight &&
                   (k == 0 || object.cells[k - 1] < object.cells[k]),
               Model,
               place.file << ": the cells of an object do not ascend, or have impossible weights" << place.remedy);
  }
  FW_CHECK(cells.empty(), Model, place.file << " has more cells than its objects" << place.remedy);
  return {std::move(objects), static_cast<std::uint32_t>(next_id), num_frames};
}

bool is_voxel(const std::uint16_t* values, int num_values) {
  const std::int32_t weight = values[kWeight];
  if (weight < 1 || weight > kMaxWeight) return false;
  for (int i = kColor; i < num_values; ++i) {
    const bool is_normal = i >= kNormal && i < kOffset, is_offset = i >= kOffset && i < kFirstClass;
    const std::int32_t value = is_normal ? std::abs(static_cast<std::int16_t>(values[i])) : values[i];
    if (value > weight * (is_normal ? kNormalUnit : is_offset ? kOffsetUnit : kUnit)) return false;
  }
  return true;
}

void fill_blocks(const MapData& data, VoxelMap::Content& map, const ErrorContext& place) {
  const int stride = map.stride();
  const std::uint16_t* next = data.voxels.data();
  const std::uint16_t* const end = next + data.voxels.size();
  for (std::size_t block = 0; block < data.keys.size(); ++block) {
    FW_CHECK(data.keys[block] >> 63 == 0 && (block == 0 || data.keys[block - 1] < data.keys[block]), Model,
             place.file << ": keys of blocks do not ascend" << place.remedy);
    const auto mask = std::span(data.masks).subspan(block * kMaskWords, kMaskWords);
    FW_CHECK(std::any_of(mask.begin(), mask.end(), [](std::uint64_t word) { return word != 0; }), Model,
             place.file << ": a block has no voxel" << place.remedy);
    map.add_block(data.keys[block]);
    for (std::int32_t i = 0; i < kBlockVoxels; ++i) {
      if ((mask[static_cast<std::size_t>(i) / 64] >> (i % 64) & 1) == 0) continue;
      FW_CHECK(next != end && is_voxel(next, stride), Model,
               place.file << ": the numbers of a voxel are missing or impossible" << place.remedy);
      std::memcpy(map.blocks[block].get() + static_cast<std::ptrdiff_t>(i) * stride, next,
                  static_cast<std::size_t>(stride) * sizeof(*next));
      next += stride;
    }
  }
  FW_CHECK(next == end, Model, place.file << " has more voxels than its blocks name" << place.remedy);
}

}  // namespace

void save_map(const VoxelMap& map, const std::filesystem::path& path) {
  const DefaultFloats floats;
  const VoxelMap::Content& content = map.content();
  const MapData data = data_of(content);
  const auto stride = static_cast<std::size_t>(content.stride());
  std::vector<objects::ObjectCell> cells;
  for (const objects::TrackedObject& object : content.objects.objects())
    cells.insert(cells.end(), object.cells.begin(), object.cells.end());
  MapArrays arrays(data.keys.size(), data.voxels.size() / stride, content.classes.size(),
                   cells.empty() ? std::nullopt : std::optional<std::uint64_t>(cells.size()));
  std::vector<ArraySource> sources = {{&arrays.factors, content.label_factors.data()},
                                      {&arrays.keys, data.keys.data()},
                                      {&arrays.masks, data.masks.data()},
                                      {&arrays.voxels, data.voxels.data()}};
  if (!cells.empty()) sources.push_back({&arrays.cells, cells.data()});
  for (std::size_t i = 0; i < sources.size(); ++i) sign(*arrays.all[i], sources[i].data);
  const std::string header = encode_header(encode_map(content, arrays), {}, kVoxelMap, saving(path.string()));
  write_file_atomically(path, NamedBy::kUser, [&](std::ostream& out) { write_container(out, header, sources); });
}

VoxelMap read_map(std::span<const std::uint8_t> bytes, const std::string& name, std::size_t memory_budget_bytes) {
  const DefaultFloats floats;
  const ErrorContext place = reading(name);
  const std::string_view text = header_text(bytes, kVoxelMap.maker, place);
  const json header = parse_header(text, place);
  const JsonField root(header, "", place);
  check_format(root, kVoxelMap, {}, place);
  VoxelMap map(decode_map_options(root, memory_budget_bytes), decode_map_classes(root.at("classes")));
  VoxelMap::Content& content = *map.content_;
  content.num_frames = root.at("num_frames").whole(0, std::uint64_t{1} << 53);
  content.has_color = root.at("has_color").flag();
  if (root.has("has_estimated_poses")) content.has_estimated_poses = root.at("has_estimated_poses").flag();
  content.up = decode_up(root.at("up"), content.num_frames);

  const JsonField listed = root.at("arrays");
  const bool has_cells = listed.size(4, root.has("objects") ? 5 : 4) == 5;
  const auto rows = [&](std::size_t i, std::uint64_t least, std::uint64_t most) {
    const JsonField shape = listed.at(i).at("shape");
    shape.size(1, 2);
    return shape.at(std::size_t{0}).whole(least, most);
  };
  const std::uint64_t num_blocks = rows(1, 0, kMaxBlocks);
  // A block has memory for all its voxels. Each has at least one in the file, which limits the memory to 512 times it.
  MapArrays arrays(num_blocks, rows(3, num_blocks, num_blocks * kBlockVoxels), content.classes.size(),
                   has_cells ? std::optional(rows(4, 1, bytes.size() / sizeof(objects::ObjectCell))) : std::nullopt);
  for (std::size_t i = 0; i < arrays.all.size(); ++i) decode_array(listed.at(i), *arrays.all[i]);
  // Arrays without elements, in a map without blocks, are not stored in the file.
  ArrayReader reader(bytes, text.size(),
                     has_cells         ? arrays.cells.end()
                     : num_blocks == 0 ? arrays.factors.end()
                                       : arrays.voxels.end(),
                     place);
  FW_CHECK(content.fits(num_blocks), Resource,
           name << ": a map of " << num_blocks << " blocks needs " << format_bytes(num_blocks * content.block_bytes())
                << ", and the memory budget is " << format_bytes(memory_budget_bytes) << "; use more with "
                << named_option("memory-budget"));
  reader.copy(arrays.factors, content.label_factors.data());
  for (const std::uint32_t factor : content.label_factors)
    FW_CHECK(factor >= 1 && factor <= kLargestFactor, Model,
             place.file << ": a label factor is " << factor << ", not from 1 to " << kLargestFactor << place.remedy);
  MapData data{std::vector<std::uint64_t>(num_blocks), std::vector<std::uint64_t>(num_blocks * kMaskWords),
               std::vector<std::uint16_t>(arrays.voxels.size_bytes / 2)};
  reader.copy(arrays.keys, data.keys.data());
  reader.copy(arrays.masks, data.masks.data());
  reader.copy(arrays.voxels, data.voxels.data());
  fill_blocks(data, content, place);
  std::vector<objects::ObjectCell> cells(arrays.cells.size_bytes / sizeof(objects::ObjectCell));
  if (has_cells) reader.copy(arrays.cells, cells.data());
  if (root.has("objects")) content.objects = decode_objects(root.at("objects"), content.classes.size(), cells, place);
  return map;
}

VoxelMap load_map(const std::filesystem::path& path, std::size_t memory_budget_bytes) {
  return read_map(read_file(path), path.string(), memory_budget_bytes);
}

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

bool have_objects(const std::vector<MapPoint>& points) {
  return std::ranges::any_of(points, [](const MapPoint& point) { return point.object != 0; });
}

std::string header(const std::vector<MapPoint>& points, const image::ClassMap& classes, bool has_probabilities,
                   std::optional<std::size_t> num_faces) {
  std::string text = "ply\nformat binary_little_endian 1.0\ncomment fernwood map\n";
  for (std::size_t c = 0; c < classes.size(); ++c)
    text += "comment class " + std::to_string(c) + " " + classes.classes[c].name + "\n";
  text += "element vertex " + std::to_string(points.size()) + "\n";
  for (const char* name : {"x", "y", "z", "nx", "ny", "nz"}) text += std::string("property float ") + name + "\n";
  for (const char* name : {"red", "green", "blue"}) text += std::string("property uchar ") + name + "\n";
  text += std::string("property ") + (classes.size() <= kMaxInByte ? "uchar" : "ushort") + " class\n";
  text += "property float probability\n";
  if (have_objects(points)) text += "property uint object\n";
  if (has_probabilities)
    for (const std::string& name : property_names(classes)) text += "property float " + name + "\n";
  if (num_faces) text += "element face " + std::to_string(*num_faces) + "\nproperty list uchar int vertex_indices\n";
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
  const bool of_objects = have_objects(points);
  Bytes bytes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    add_point(bytes, points[i], num_classes);
    if (of_objects) bytes.add(points[i].object);
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
    out << header(points, classes, !probabilities.empty(), std::nullopt);
    write_points(out, points, classes.size(), probabilities);
  });
}

void write_ply(const std::filesystem::path& path, const MapMesh& mesh, const image::ClassMap& classes) {
  write_file_atomically(path, NamedBy::kUser, [&](std::ostream& out) {
    out << header(mesh.vertices, classes, false, mesh.triangles.size());
    write_points(out, mesh.vertices, classes.size(), {});
    write_faces(out, mesh);
  });
}

}  // namespace fernwood::map
