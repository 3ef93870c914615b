// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <memory>

#include "fernwood/dataset/frame_source.h"

namespace fernwood::dataset {

/// Writes frames without loss in the native layout, numbered as they come, on a thread of its own; `frames:` replays
/// them. Beside them: times.txt (name and seconds of each), and dataset.toml, so that none of a folder above holds;
/// it names the camera of the first frame, where that has one.
class FrameRecorder {
 public:
  /// @throws Error(kUsage) when the folder has files that would join the recording, Error(kRuntime) when it cannot be
  ///         made.
  explicit FrameRecorder(const std::filesystem::path& folder);
  /// What has been added is written. Errors are lost: call finish() before.
  ~FrameRecorder();
  FrameRecorder(const FrameRecorder&) = delete;
  FrameRecorder& operator=(const FrameRecorder&) = delete;

  /// Waits when writing is some frames behind, so that memory stays bounded and nothing is left out.
  /// @throws what went wrong with an earlier frame.
  void add(const CapturedFrame& frame);
  /// Waits until all is written. @throws what went wrong.
  void finish();
  std::size_t num_written() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace fernwood::dataset
