// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/option_table.h"
#include "fernwood/core/progress.h"
#include "fernwood/encoder/encoder.h"
#include "fernwood/image/align_depth.h"
#include "fernwood/image/camera.h"
#include "fernwood/image/frame.h"

namespace fernwood::ros {
class Node;
}  // namespace fernwood::ros

namespace fernwood::recordings {

/// A frame as a camera or a recording delivers it.
struct CapturedFrame {
  std::shared_ptr<const image::Frame> frame;    ///< Never null; shared, so that stages pass it on without copying.
  double time_s = 0;                            ///< Capture time, by the clock of the source.
  std::string name = {};                        ///< Name for messages: the file's name, or the camera's frame count.
  std::optional<image::RigidMotion> pose = {};  ///< From camera coordinates to room coordinates, if known.
  std::int64_t stamp_ns = 0;                    ///< Time in ns since 1970, as in a ROS header; 0: not known.
  std::string frame_id = {};                    ///< The camera's coordinate frame, as in ROS; empty: not known.
};

/// A source of frames: a camera, or a recording of one. This is the complete interface that a camera has to implement,
/// see docs/howto/another_camera.md. May be used from only one thread at a time, except for stop().
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  /// Waits for the next frame; empty at the end of a recording and after stop(). All frames of a source have the same
  /// size, with colour and depth registered to each other.
  /// @throws Error(kData) for a damaged file, Error(kDevice) for a camera that failed.
  virtual std::optional<CapturedFrame> next() = 0;
  /// Makes a waiting next() return soon; may be called from any thread.
  virtual void stop() {}
  /// Contents of the frames, known before the first one.
  virtual bool has_color() const = 0;
  virtual bool has_depth() const = 0;
  virtual std::size_t num_maps() const { return 0; }  ///< See image::SuppliedMaps.
  image::FrameContent content() const { return {has_color(), has_depth(), num_maps()}; }
  /// Whether frames have camera intrinsics (Frame::camera).
  virtual bool has_camera() const { return false; }
  /// Whether frames come with poses, all in the coordinates of one room; frames that were not located have none.
  virtual bool has_poses() const { return false; }
  /// True: the camera determines when frames arrive. False: frames are on disk, and the caller sets the pace.
  virtual bool is_live() const = 0;
  /// Whether the source may deliver frames again if reopened after a failure: true for a camera, but not for a
  /// recording that plays at its own pace.
  virtual bool may_come_back() const { return is_live(); }
  /// Name of the source in messages: a folder, a device.
  virtual std::string name() const = 0;
  /// Probable faults of its frames: one sentence each. More may follow those known before the first frame.
  virtual std::vector<std::string> warnings() const { return {}; }
  /// For a plug-in whose depth is not registered to colour: both cameras, known before the first frame. open_source()
  /// then aligns depth to colour. Empty: depth is registered.
  virtual std::optional<image::CameraPair> depth_cameras() const { return std::nullopt; }
};

struct SourceOptions {
  bool loop = false;            ///< Restart at the end of a recording.
  std::size_t max_decoded = 0;  ///< Decode this number of frames beforehand and deliver only these; 0: off.

  static OptionTable<SourceOptions> table();
};

/// Options for capturing from a source while its frames are used: by predict::run_live(), and by teach.
struct CaptureOptions {
  bool every_frame = false;     ///< Drop no frame: the source waits. Otherwise the newest frame wins.
  double rate_hz = 0;           ///< Playback rate of a recording, in frames per second; 0: as fast as it can be read.
  bool recorded_times = false;  ///< Play a recording back by the times of its frames; rate_hz is ignored.
  double stall_timeout_s = 5;   ///< Time without a frame after which the source has stalled.
  double reconnect_s = 10;      ///< Time for which a camera that fails or stalls is reopened; 0: it ends the run.
  /// Reopens the camera; must not return null. Called on the capturing thread, after the old source has been closed.
  /// Empty: as reconnect_s = 0.
  std::function<std::shared_ptr<FrameSource>()> reopen = nullptr;
  SecondsClock clock = seconds_now;  ///< Clock for stall_timeout_s and reconnect_s.

  static OptionTable<CaptureOptions> table();
  void check() const;  ///< @throws OptionError for the first option out of its range.
};

/// Opens ROS 2 topics like `ros:`, with a node of the caller. @param color, depth  Topics; both empty: guessed.
/// @throws Error(kDevice) when no image arrives in time.
std::unique_ptr<FrameSource> open_topics(std::shared_ptr<ros::Node> node, const std::string& color = {},
                                         const std::string& depth = {});

/// Adds the maps of an encoder to the frames of a source, on the thread that calls next().
/// @param encoder  Null: returns the source unchanged. @param num_maps  Maps per frame.
std::shared_ptr<FrameSource> with_encoder(std::shared_ptr<FrameSource> source,
                                          std::shared_ptr<const encoder::Encoder> encoder, std::size_t num_maps);

/// Writes frames losslessly in the native layout, numbered in order of arrival, on its own thread; `frames:` replays
/// them. It also writes times.txt (name and time in seconds of each frame); dataset.toml, with the camera of the first
/// frame if it has one, so that no dataset.toml of a parent folder applies; and poses.txt if frames have poses.
class FrameRecorder {
 public:
  /// @throws Error(kUsage) when the folder contains files that would become part of the recording, Error(kRuntime) when
  ///         it cannot be created.
  explicit FrameRecorder(const std::filesystem::path& folder);
  /// Writes what has been added. Errors are lost: call finish() first.
  ~FrameRecorder();
  FrameRecorder(const FrameRecorder&) = delete;
  FrameRecorder& operator=(const FrameRecorder&) = delete;

  /// Adds a frame. Blocks while writing is some frames behind, so that memory is bounded and no frame is dropped.
  /// @throws any error of an earlier frame.
  void add(const CapturedFrame& frame);
  /// Waits until everything is written. @throws any error of writing.
  void finish();
  std::size_t num_written() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace fernwood::recordings
