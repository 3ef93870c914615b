// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <string>

#include "fernwood/recordings/frame_source.h"

namespace fernwood::formats {

/// Opens a source by its URL:
/// - `frames:DIR`: a folder in the native layout (docs/reference/datasets.md; ground truth is not needed), else pairs
///   of NAME.color.png or .jpg and NAME.depth.png (16 bits, millimetres) as in Microsoft's 7-Scenes;
/// - `tum:DIR`: a recording of the TUM RGB-D benchmark, with rgb.txt and depth.txt associated by time;
///   for both, the camera is read from a dataset.toml in or above DIR, and poses from poses.txt, NAME.pose.txt and
///   groundtruth.txt beside the frames;
/// - `mcap:FILE`, `rosbag:PLACE`: a ROS recording: MCAP, rosbag2 (a .db3 file or a folder) or a ROS 1 bag, each under
///   either prefix; the suffix "?color=TOPIC&depth=TOPIC" selects topics, otherwise they are guessed and listed in
///   warnings();
/// - `ros:`: ROS 2 topics, through the plug-in dds, with the same suffix (fernwood/ros/node.h);
/// - `stray-scanner:DIR`, `record3d:DIR`, `scannet:DIR` and other formats of import_formats() without required options:
///   the frames that an import would write, with their poses if all are of one room;
/// - `video:FILE?depth=DIR`: a video and a folder of depth images, matched by the numbers in their names;
/// - `NAME:PLACE`: a source of the plug-in NAME (fernwood/core/plugin.h), for example `video:FILE`;
/// - a path: a folder is one of the first two, or of Stray Scanner, Record3D or ScanNet; a folder with metadata.yaml
///   and files .mcap, .db3 and .bag are `rosbag:`; a video and "rtsp://…" are `video:`; /dev/videoN is `video:N`.
/// @throws Error(kUsage) for an unknown kind of source, listing the known ones, Error(kData) for a recording that is
///         missing or empty, Error(kDevice) for a camera that cannot be opened.
std::unique_ptr<recordings::FrameSource> open_source(const std::string& url,
                                                     const recordings::SourceOptions& options = {});

}  // namespace fernwood::formats
