// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "core/model_mutator.h"
#include "fuzz/target.h"

namespace fernwood::fuzz {

const std::vector<Target>& targets() {
  static const std::vector<Target> table = {
      {"pixel_model", fuzz_pixel_model, pixel_model_seeds, sign_model, damage_model},
      {"record_model", fuzz_record_model, record_model_seeds, sign_model, damage_model},
      {"backbone", fuzz_backbone, backbone_seeds, sign_model, damage_model},
      {"voxel_map", fuzz_voxel_map, voxel_map_seeds, sign_model, damage_model},
      {"weights", fuzz_weights, weights_seeds},
      {"train_checkpoint", fuzz_train_checkpoint, train_checkpoint_seeds, sign_model, damage_model},
      {"stream_checkpoint", fuzz_stream_checkpoint, stream_checkpoint_seeds, sign_model, damage_model},
      {"messages", fuzz_messages, message_seeds},
      {"png", fuzz_png, png_seeds, sign_png},
      {"jpeg", fuzz_jpeg, jpeg_seeds},
      {"maps", fuzz_maps, maps_seeds},
      {"mat", fuzz_mat, mat_seeds},
      {"bags", fuzz_bags, bag_seeds},
      {"ros_messages", fuzz_ros_messages, ros_message_seeds},
      {"annotations", fuzz_annotations, annotation_seeds},
      {"import", fuzz_import, import_seeds},
      {"import_ubjson", fuzz_import, ubjson_seeds},
      {"import_catboost", fuzz_import, catboost_seeds},
      {"import_onnx", fuzz_import, onnx_seeds},
      {"training_report", fuzz_training_report, training_report_seeds},
      {"choices", fuzz_choices, choices_seeds},
      {"dataset_toml", fuzz_dataset_toml, dataset_toml_seeds},
      {"table", fuzz_table, table_seeds},
      {"lists", fuzz_lists, list_seeds},
      {"search", fuzz_search, search_seeds},
      {"strokes", fuzz_strokes, stroke_seeds},
      {"project", fuzz_project, project_seeds},
      {"live", fuzz_live, live_seeds},
      {"c_calls", fuzz_c_calls, c_call_seeds}};
  return table;
}

const Target& find_target(std::string_view name) {
  std::string known;
  for (const Target& target : targets()) {
    if (target.name == name) return target;
    known += (known.empty() ? "" : ", ") + std::string(target.name);
  }
  throw Error(ErrorKind::kUsage, "there is no target \"" + std::string(name) + "\" to fuzz; there are " + known);
}

MemoryFile::MemoryFile(const std::uint8_t* data, std::size_t size) : descriptor_(::memfd_create("fuzz", 0)) {
  for (std::size_t at = 0; at < size;) {
    const ssize_t count = ::write(descriptor_, data + at, size - at);
    law(count > 0, "a file in memory cannot be written");
    at += static_cast<std::size_t>(count);
  }
}

MemoryFile::~MemoryFile() { ::close(descriptor_); }

const std::filesystem::path& scratch_folder() {
  struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("fernwood_fuzz_" + std::to_string(::getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  };
  static const Folder folder;
  return folder.path;
}

void write_bytes(const std::filesystem::path& path, const std::uint8_t* data, std::size_t size) {
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
}

namespace {

/// Whether a file has the parts that signing and damaging need.
bool has_parts(const Bytes& bytes) {
  ModelPrefix prefix;
  if (bytes.size() < sizeof(prefix)) return false;
  std::memcpy(&prefix, bytes.data(), sizeof(prefix));
  return prefix.header_bytes <= bytes.size() - sizeof(prefix);
}

/// Whether a header is a JSON object with a valid list of arrays.
bool has_arrays(const std::string& header) {
  constexpr int kDeepest = 64;  // dump() is recursive
  bool is_deep = false;
  const auto watch = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    is_deep = is_deep || depth > kDeepest;
    return !is_deep;
  };
  const nlohmann::json document = nlohmann::json::parse(header, watch, false);
  if (is_deep || !document.is_object() || !document.contains("arrays") || !document["arrays"].is_array()) return false;
  for (const nlohmann::json& array : document["arrays"])
    if (!array.is_object() || !array.contains("offset") || !array["offset"].is_number_unsigned() ||
        !array.contains("size_bytes") || !array["size_bytes"].is_number_unsigned())
      return false;
  return true;
}

}  // namespace

Bytes sign_model(const Bytes& bytes) {
  if (!has_parts(bytes)) return bytes;
  ModelParts parts(bytes);
  try {
    if (has_arrays(parts.header)) parts.sign_arrays();
  } catch (const nlohmann::json::exception&) {
    // Not UTF-8: returned without new checksums of the arrays.
  }
  return parts.bytes();
}

Bytes damage_model(const Bytes& bytes, std::uint32_t seed) {
  if (!has_parts(bytes) || !has_arrays(ModelParts(bytes).header)) return bytes;
  try {
    return Mutator(seed).mutate(bytes);
  } catch (const nlohmann::json::exception&) {
    return bytes;
  }
}

}  // namespace fernwood::fuzz
