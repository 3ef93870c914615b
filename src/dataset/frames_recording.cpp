// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// What `frames:` finds in a folder.

#include <fstream>
#include <map>

#include "dataset/dataset_folder.h"
#include "dataset/file_source.h"
#include "fernwood/core/error.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

/// The part of a file's name before one of the endings; empty for other files.
std::string name_before(const std::string& file, const std::vector<std::string>& endings) {
  for (const std::string& ending : endings)
    if (file.ends_with(ending) && file.size() > ending.size()) return file.substr(0, file.size() - ending.size());
  return "";
}

/// NAME.color.png or .jpg with NAME.depth.png, by name.
std::vector<RecordedFrame> list_pairs(const fs::path& folder) {
  std::map<std::string, RecordedFrame> by_name;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    if (const std::string name = name_before(file, {".color.png", ".color.jpg"}); !name.empty())
      by_name[name].color = entry.path();
    if (const std::string name = name_before(file, {".depth.png"}); !name.empty()) by_name[name].depth = entry.path();
  }
  std::vector<RecordedFrame> frames;
  for (auto& [name, files] : by_name) {
    FW_CHECK(!files.color.empty() && !files.depth.empty(), Data,
             (folder / name).string() << ": the frame lacks its " << (files.color.empty() ? "colour" : "depth")
                                      << " image (" << name << (files.color.empty() ? ".color.png" : ".depth.png")
                                      << "); add the file, or remove the frame's other file");
    files.name = name;
    frames.push_back(std::move(files));
  }
  return frames;
}

/// Names and seconds of times.txt; empty when there is none.
std::map<std::string, double> read_times(const fs::path& file) {
  std::map<std::string, double> times;
  std::ifstream text(file);
  std::string name;
  for (double time_s = 0; text >> name >> time_s;) times[name] = time_s;
  return times;
}

Recording native_recording(const fs::path& folder) {
  DatasetOptions options;
  options.needs_truth = false;
  const Dataset dataset = Dataset::open(folder, options, "test");
  Recording recording{dataset.folder(), {}, dataset.config().depth_scale_to_mm, dataset.config().depth_missing};
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    const FrameFiles& files = dataset.files(i);
    recording.frames.push_back({files.name, 0, files.color, files.depth, files.up});
  }
  return recording;
}

}  // namespace

Recording list_frames_recording(const fs::path& folder) {
  FW_CHECK(fs::is_directory(folder), Data,
           folder.string() << ": the folder of frames does not exist; name one that holds " << kExpectedFiles);
  Recording recording{folder, list_pairs(folder)};
  if (recording.frames.empty()) recording = native_recording(folder);
  read_camera_of(recording);
  const std::map<std::string, double> times = read_times(recording.folder / "times.txt");
  for (std::size_t i = 0; i < recording.frames.size(); ++i) {
    const auto found = times.find(recording.frames[i].name);
    recording.frames[i].time_s = found != times.end() ? found->second : static_cast<double>(i) / kUnknownRateHz;
  }
  return recording;
}

}  // namespace fernwood::dataset
