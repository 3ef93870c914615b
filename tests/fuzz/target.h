// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Where outside bytes enter fernwood, each entry as a function of bytes: for libFuzzer, and for the test that replays
// what it found. A target throws what no input may make it throw; that, a report of a sanitizer, too much memory or
// time is a finding. See CONTRIBUTING.md.

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
  /// Puts checksums right, so that damage gets behind them; null where there are none.
  Bytes (*sign)(const Bytes&) = nullptr;
  /// Damages the parts of a file that is signed anew, the same for the same seed; null: the fuzzer does.
  Bytes (*damage)(const Bytes&, std::uint32_t seed) = nullptr;
};

/// All of them; a new entry is a new row.
const std::vector<Target>& targets();
/// @throws Error(kUsage) naming those that there are.
const Target& find_target(std::string_view name);

/// Calls `read`, which may refuse what it is given, but in no other way than by an Error. @return Whether it read.
template <typename Read>
bool reads(const Read& read) {
  try {
    read();
  } catch (const Error&) {
    return false;
  }
  return true;
}

/// @throws std::logic_error unless it holds.
inline void law(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

inline Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }
inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A file that is in memory alone, for readers that take no bytes: text that comes piece by piece, and matio.
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

/// A folder of this process that is gone when it ends.
const std::filesystem::path& scratch_folder();
void write_bytes(const std::filesystem::path& path, const std::uint8_t* data, std::size_t size);

/// Target::sign of model files and checkpoints: header and arrays.
Bytes sign_model(const Bytes& bytes);
/// Target::damage likewise.
Bytes damage_model(const Bytes& bytes, std::uint32_t seed);

// What the table of targets is made of.

int fuzz_pixel_model(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> pixel_model_seeds();
int fuzz_backbone(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> backbone_seeds();
int fuzz_voxel_map(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> voxel_map_seeds();
/// State dictionaries of PyTorch.
int fuzz_weights(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> weights_seeds();
int fuzz_record_model(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> record_model_seeds();

int fuzz_train_checkpoint(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> train_checkpoint_seeds();
int fuzz_stream_checkpoint(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> stream_checkpoint_seeds();
/// The input is a list of lies that one process tells the other.
int fuzz_messages(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> message_seeds();

int fuzz_png(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> png_seeds();
Bytes sign_png(const Bytes& bytes);
int fuzz_jpeg(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> jpeg_seeds();
/// Arrays of NumPy.
int fuzz_maps(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> maps_seeds();
/// The first byte of the input says of which program the annotations are.
int fuzz_annotations(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> annotation_seeds();
/// The first byte of the input says what it is: a recording of ROS, or one of its messages.
int fuzz_bags(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> bag_seeds();
/// Likewise of which type and coding the message is.
int fuzz_ros_messages(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> ros_message_seeds();
int fuzz_mat(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> mat_seeds();

int fuzz_import(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> import_seeds();
/// Models of XGBoost in Universal Binary JSON, which fuzz_import() knows by their content; so for those below.
std::vector<Bytes> ubjson_seeds();
std::vector<Bytes> catboost_seeds();
std::vector<Bytes> onnx_seeds();
int fuzz_training_report(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> training_report_seeds();
int fuzz_choices(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> choices_seeds();
int fuzz_dataset_toml(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> dataset_toml_seeds();
/// The first byte of the input says how the table is read.
int fuzz_table(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> table_seeds();
/// groups.txt, times.txt, NAME_up.txt, and the two lists of a TUM recording, with a byte 0 between them.
int fuzz_lists(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> list_seeds();
/// The first byte of the input says what it is: a space's file, proposals, or a journal, whole or behind its head.
int fuzz_search(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> search_seeds();
/// Lines of strokes.journal, without their checksums: each as it is read, and as a page's message.
int fuzz_strokes(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> stroke_seeds();
/// Likewise, but all of them as the journal of a project, which is opened, drawn on and opened again.
int fuzz_project(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> project_seeds();
/// Lines that a browser says to `live --serve`, or asks for where they begin with "/".
int fuzz_live(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> live_seeds();
/// Each byte chooses a call of the C interface or an argument, the second half for another thread.
int fuzz_c_calls(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> c_call_seeds();

}  // namespace fernwood::fuzz
