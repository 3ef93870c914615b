// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Parsers of untrusted input, each as a function of bytes: for libFuzzer, and for the test that replays its findings. A
// target throws an exception when an input violates an invariant; this, a sanitizer's report, and excessive memory or
// time are findings. See CONTRIBUTING.md.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/core/error.h"

namespace fernwood::fuzz {

using Bytes = std::vector<std::uint8_t>;

struct Target {
  const char* name;
  int (*run)(const std::uint8_t* data, std::size_t size);
  std::vector<Bytes> (*seeds)();
  /// Corrects checksums, so that damaged content passes them; null for formats without checksums.
  Bytes (*sign)(const Bytes&) = nullptr;
  /// Damages the parts of a file before it is signed again; deterministic for a seed; null: libFuzzer mutates the
  /// bytes.
  Bytes (*damage)(const Bytes&, std::uint32_t seed) = nullptr;
};

/// All targets; a new parser is a new row.
const std::vector<Target>& targets();
/// @throws Error(kUsage) listing the target names.
const Target& find_target(std::string_view name);

/// Calls `read`, which may refuse its input only by throwing an Error. @return Whether it succeeded.
template <typename Read>
bool reads(const Read& read) {
  try {
    read();
  } catch (const Error&) {
    return false;
  }
  return true;
}

/// @throws std::logic_error if `holds` is false.
inline void law(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

inline Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }
inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// An in-memory file with a path, for readers that cannot take bytes: streamed text, and matio.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

/// A temporary folder of this process, removed at exit.
const std::filesystem::path& scratch_folder();
void write_bytes(const std::filesystem::path& path, const std::uint8_t* data, std::size_t size);

/// Target::sign of model files and checkpoints (header and arrays).
Bytes sign_model(const Bytes& bytes);
/// Target::damage of model files and checkpoints.
Bytes damage_model(const Bytes& bytes, std::uint32_t seed);

// Functions of the target table.

int fuzz_pixel_model(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> pixel_model_seeds();
int fuzz_backbone(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> backbone_seeds();
int fuzz_voxel_map(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> voxel_map_seeds();
/// ONNX files of networks.
int fuzz_weights(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> weights_seeds();

int fuzz_train_checkpoint(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> train_checkpoint_seeds();

int fuzz_png(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> png_seeds();
Bytes sign_png(const Bytes& bytes);
int fuzz_jpeg(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> jpeg_seeds();
/// Arrays of NumPy.
int fuzz_maps(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> maps_seeds();
/// The first byte of the input selects the annotation program.
int fuzz_annotations(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> annotation_seeds();
/// The first byte of the input selects its kind: a ROS recording, or one of its messages.
int fuzz_bags(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> bag_seeds();
/// The first byte of the input selects the message's type and encoding.
int fuzz_ros_messages(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> ros_message_seeds();
int fuzz_mat(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> mat_seeds();

int fuzz_dataset_toml(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> dataset_toml_seeds();
/// groups.txt, times.txt, NAME_up.txt, and the two lists of a TUM recording, separated by a zero byte.
int fuzz_lists(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> list_seeds();
/// The first byte of the input selects its kind: a search space, proposals, or a journal, with or without its header.
int fuzz_search(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> search_seeds();
/// Lines of strokes.journal without checksums: each is parsed as a line and as a page's message.
int fuzz_strokes(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> stroke_seeds();
/// The same lines as the journal of a project, which is opened, drawn on and opened again.
int fuzz_project(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> project_seeds();
/// Lines that a browser sends to `live --serve`; lines that begin with "/" are requested as addresses.
int fuzz_live(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> live_seeds();
/// Each byte selects a call of the C interface or an argument; the second half is for another thread.
int fuzz_c_calls(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> c_call_seeds();

}  // namespace fernwood::fuzz
