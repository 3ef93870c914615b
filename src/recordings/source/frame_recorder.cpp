// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/recordings/frame_source.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <thread>

#include "core/append_file.h"
#include "core/bounded_queue.h"
#include "dataset/dataset_folder.h"
#include "dataset/poses.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::recordings {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxWaiting = 16;

void write_config(const fs::path& folder, const std::optional<image::Camera>& camera) {
  dataset::DatasetConfig config;
  config.camera = camera;
  write_file_atomically(folder / "dataset.toml", NamedBy::kFernwood, dataset::config_text(config));
}

}  // namespace

struct FrameRecorder::Work {
  explicit Work(const fs::path& place) : folder(place), times(place / "times.txt") {
    thread = std::thread([this] { write_all(); });
  }

  void write_all() {
    const DefaultFloats floats;
    try {
      while (const std::optional<CapturedFrame> captured = waiting.pop()) write_waiting(*captured);
    } catch (...) {
      failure = std::current_exception();
      waiting.close_and_clear();
    }
  }

  /// Writes the frame and those waiting after it, then their names and times together, because some disks sync only ten
  /// times a second.
  void write_waiting(std::optional<CapturedFrame> captured) {
    TextOutput lines;
    lines.precision(17);
    std::string pose_lines, cameras_text;
    std::size_t count = 0;
    std::exception_ptr failed;
    while (captured && !failed) try {
        const std::string name = format_text("frame%08zu", num_written + count);
        if (num_written + count == 0) write_config(folder, first_camera = captured->frame->camera);
        if (const auto& own = captured->frame->camera; own && own != first_camera)
          cameras_text += dataset::camera_line(name, *own);
        dataset::write_frame(folder, name, *captured->frame);
        lines << name << " " << captured->time_s << "\n";
        if (captured->pose) pose_lines += dataset::pose_line(name, *captured->pose);
        captured = ++count < kMaxWaiting ? waiting.pop_for(std::chrono::milliseconds(0)) : std::nullopt;
      } catch (...) {
        failed = std::current_exception();
      }
    append(poses, "poses.txt", dataset::kMatrixPoses, pose_lines);
    append(cameras, dataset::kFrameCameras, "", cameras_text);
    // Last, so that a frame with a time is complete wherever the process is killed or the machine stops.
    if (count > 0) {
      sync_folder(folder);
      times.append(lines.str());
      num_written += count;
    }
    if (failed) std::rethrow_exception(failed);
  }

  /// Appends to a file that exists only for recordings with poses, or with several cameras.
  void append(std::optional<AppendFile>& file, const char* name, const std::string& header, const std::string& lines) {
    if (lines.empty()) return;
    const bool is_new = !file;
    if (is_new) file.emplace(folder / name);
    file->append((is_new ? header : "") + lines);
  }

  void finish() {
    waiting.close();
    if (thread.joinable()) thread.join();
  }

  fs::path folder;
  AppendFile times;
  std::optional<AppendFile> poses, cameras;
  std::optional<image::Camera> first_camera;
  BoundedQueue<CapturedFrame> waiting{kMaxWaiting, WhenFull::kWait};
  std::atomic<std::size_t> num_written = 0;
  std::exception_ptr failure;  // written by the thread, read after it has ended
  std::thread thread;
};

FrameRecorder::FrameRecorder(const fs::path& folder) {
  FW_CHECK(!folder.empty(), Usage, "the name of the recording's folder is empty; choose a new folder");
  make_folder(folder);
  FW_CHECK(fs::is_empty(folder), Usage,
           folder.string() << " holds files already, which would mix with the recording; choose a new folder");
  write_config(folder, std::nullopt);
  work_ = std::make_unique<Work>(folder);
}

FrameRecorder::~FrameRecorder() { work_->finish(); }

void FrameRecorder::add(const CapturedFrame& frame) {
  if (!work_->waiting.push(frame)) finish();
}

void FrameRecorder::finish() {
  work_->finish();
  if (work_->failure) std::rethrow_exception(work_->failure);
}

std::size_t FrameRecorder::num_written() const { return work_->num_written; }

}  // namespace fernwood::recordings
