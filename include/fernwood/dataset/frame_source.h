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
#include "fernwood/image/align_depth.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/rigid_motion.h"

namespace fernwood::ros {
class Node;
}  // namespace fernwood::ros

namespace fernwood::dataset {

/// A frame as a camera or a recording delivers it.
struct CapturedFrame {
  std::shared_ptr<const image::Frame> frame;    ///< Never null; shared, so that stages pass it on without a copy.
  double time_s = 0;                            ///< When it was taken, by the source's own clock.
  std::string name = {};                        ///< Names it in messages: the file's name, or the camera's count.
  std::optional<image::RigidMotion> pose = {};  ///< Of places as the camera sees them to places in the room, if known.
  std::int64_t stamp_ns = 0;                    ///< Time in ns since 1970, as a header of ROS has it; 0: not known.
  std::string frame_id = {};                    ///< The camera's coordinate frame, as ROS names it; empty: not known.
};

/// Where frames come from: a camera, or a recording of one. All that fernwood asks of a camera;
/// docs/howto/another_camera.md shows how to plug one in. To be used from one thread at a time, stop() excepted.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  /// Waits for the next frame; nothing at the end of a recording, and after stop(). All frames of a source have one
  /// size, colour and depth registered to each other.
  /// @throws Error(kData) for a damaged file, Error(kDevice) for a camera that failed.
  virtual std::optional<CapturedFrame> next() = 0;
  /// Ends a wait in next() soon; from any thread.
  virtual void stop() {}
  /// What the frames have, known before the first.
  virtual bool has_color() const = 0;
  virtual bool has_depth() const = 0;
  virtual std::size_t num_maps() const { return 0; }  ///< See image::SuppliedMaps.
  image::FrameContent content() const { return {has_color(), has_depth(), num_maps()}; }
  /// Whether frames name the camera that took them.
  virtual bool has_camera() const { return false; }
  /// Whether frames come with poses, all of one room; one that was not located has none.
  virtual bool has_poses() const { return false; }
  /// Frames come when the camera takes them; else they wait on disk, and whoever asks sets the pace.
  virtual bool is_live() const = 0;
  /// Opened again, it may give frames when it has failed: a camera, not a recording that plays at its own pace.
  virtual bool may_come_back() const { return is_live(); }
  /// Names the source in messages: a folder, a device.
  virtual std::string name() const = 0;
  /// What is probably wrong with its frames, known before the first: one sentence each.
  virtual std::vector<std::string> warnings() const { return {}; }
  /// Of a plug-in whose depth is as the depth camera has it: both cameras, known before the first frame. open_source()
  /// aligns it to colour then; empty: it is registered already.
  virtual std::optional<image::CameraPair> depth_cameras() const { return std::nullopt; }
};

struct SourceOptions {
  bool loop = false;  ///< Restart at the end of a recording.
  std::size_t max_decoded =
      0;  ///< Decode so many frames beforehand, keep them in memory and deliver only them; 0: off.

  static OptionTable<SourceOptions> table();
};

/// Opens a source by its URL:
/// - `frames:DIR`: a folder in the native layout (docs/reference/datasets.md, no truth needed), else pairs
/// NAME.color.png or .jpg
///   and NAME.depth.png (16 bits, millimetres) as of Microsoft's 7-Scenes;
/// - `tum:DIR`: a recording of the TUM RGB-D benchmark, rgb.txt and depth.txt associated by time;
///   of both, a dataset.toml in or above DIR tells the camera; poses are those of poses.txt, NAME.pose.txt and
///   groundtruth.txt beside the frames;
/// - `mcap:FILE`, `rosbag:PLACE`: a recording of ROS: MCAP, rosbag2 (a .db3 file or a folder) or a bag of ROS 1,
/// whatever
///   of the two it is called; "?color=TOPIC&depth=TOPIC" behind it names topics, else they are guessed (warnings()
///   tell);
/// - `ros:`: topics of ROS 2 by the plug-in dds; "?color=TOPIC&depth=TOPIC" likewise (fernwood/ros/node.h);
/// - `stray-scanner:DIR`, `record3d:DIR`, `scannet:DIR` and other formats of import_formats() that need no options: the
///   frames that an import would write, with their poses where all are of one room;
/// - `video:FILE?depth=DIR`: a video with a folder of depth images, by the numbers in their names;
/// - `NAME:PLACE`: what the plug-in NAME makes of it (fernwood/core/plugin.h), as `video:FILE`;
/// - a path: a folder is one of the first two, or of Stray Scanner, Record3D or ScanNet, a folder with metadata.yaml
/// and files .mcap, .db3
///   and .bag are `rosbag:`, a video and "rtsp://…" are `video:`, /dev/videoN is `video:N`.
/// @throws Error(kUsage) for a kind of source that is not known here, naming those that are, Error(kData) for a
/// recording that is not there or
///         holds nothing, Error(kDevice) for a camera that cannot be opened.
std::unique_ptr<FrameSource> open_source(const std::string& url, const SourceOptions& options = {});

/// Frames of topics of ROS 2, as `ros:` gives them, by a node of the caller's. @param color, depth  Topics; both empty:
/// guessed. @throws Error(kDevice) where no image comes in time.
std::unique_ptr<FrameSource> open_topics(std::shared_ptr<ros::Node> node, const std::string& color = {},
                                         const std::string& depth = {});

/// The feature maps of a frame, see image::SuppliedMaps.
using FindMaps = std::function<image::SuppliedMaps(const image::Frame& frame)>;
/// A source whose frames get maps by a function, in the thread that asks for frames. @param num_maps  Of each frame.
std::shared_ptr<FrameSource> with_maps(std::shared_ptr<FrameSource> source, std::size_t num_maps, FindMaps find_maps);

/// Writes a frame without loss in the native layout: NAME_colors.png, NAME_depth.png and, where up is not that of
/// dataset.toml, NAME_up.txt. Its camera is for dataset.toml. @throws Error as write_file_atomically.
void write_frame(const std::filesystem::path& folder, const std::string& name, const image::Frame& frame,
                 const image::Vector3& usual_up = image::kImageUp);

/// Writes frames without loss in the native layout, numbered as they come, on a thread of its own; `frames:` replays
/// them. Beside them: times.txt (name and seconds of each), and dataset.toml, so that none of a folder above holds;
/// it names the camera of the first frame, where that has one; and poses.txt where frames have poses.
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
