// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The functions that plan the import of each format, for the table in import.cpp.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/name_lookup.h"
#include "fernwood/formats/import.h"
#include "fernwood/recordings/frame_source.h"
#include "formats/import/annotations.h"

namespace fernwood::formats {

ImportPlan plan_coco(const ImportOptions& options);  // Lin et al., ECCV 2014: data format, with panoptic segmentation
ImportPlan plan_cvat(const ImportOptions& options);  // CVAT XML 1.1 for images and for video
ImportPlan plan_folders(const ImportOptions& options);       // files by patterns
ImportPlan plan_label_studio(const ImportOptions& options);  // Label Studio JSON
ImportPlan plan_labelme(const ImportOptions& options);       // labelme's file beside each picture
ImportPlan plan_supervisely(const ImportOptions& options);   // Supervisely JSON
ImportPlan plan_voc(const ImportOptions& options);           // Everingham et al., IJCV 2010: devkit

ImportPlan plan_2d3ds(const ImportOptions& options);     // Armeni et al., 2017
ImportPlan plan_ade20k(const ImportOptions& options);    // Zhou et al., CVPR 2017
ImportPlan plan_bop(const ImportOptions& options);       // Hodan et al., ECCV 2018
ImportPlan plan_hypersim(const ImportOptions& options);  // Roberts et al., ICCV 2021
ImportPlan plan_record3d(const ImportOptions& options);
ImportPlan plan_rosbag(const ImportOptions& options);        // recordings of ROS 1 and ROS 2
ImportPlan plan_scannet(const ImportOptions& options);       // Dai et al., CVPR 2017
ImportPlan plan_seven_scenes(const ImportOptions& options);  // Shotton et al., CVPR 2013
ImportPlan plan_stray_scanner(const ImportOptions& options);
ImportPlan plan_sunrgbd(const ImportOptions& options);    // Song et al., CVPR 2015
ImportPlan plan_tartanair(const ImportOptions& options);  // Wang et al., IROS 2020
ImportPlan plan_tum(const ImportOptions& options);        // Sturm et al., IROS 2012

// Common parts of published RGB-D data sets: a folder for each sequence, with files of frames that match patterns.

/// Folders at or below `root` that contain a file or folder of the given name.
std::vector<std::filesystem::path> folders_with(const std::filesystem::path& root, const std::string& held);

/// Files that match any of the patterns, the first of them where several match a name; empty if the folder is missing
/// or nothing matches.
dataset::FilesByName files_if_any(const std::filesystem::path& root, std::initializer_list<const char*> patterns);

/// Notes which pose files are invalid: their frames were not located, or they are damaged.
void note_unusable_poses(const std::vector<std::string>& files, ImportPlan& plan);

/// Adds the frames of a sequence: depth and colour of the same name; unpaired names are left out and reported.
/// @return  The frames that were added, in the plan.
std::span<ImportedFrame> add_sequence(const std::string& group, const dataset::FilesByName& colors,
                                      const dataset::FilesByName& depths, ImportPlan& plan);

/// Labels from the numbers of an image, through a table. @param class_of  Empty: void.
image::LabelImage labels_by_number(const std::filesystem::path& file,
                                   const std::function<std::uint16_t(std::uint32_t number)>& class_of);

/// @throws Error(kData) if a plan has no frames. @param expected  The expected contents of the folder.
void check_found(const ImportPlan& plan, const std::filesystem::path& root, const char* expected);

/// The number of a frame by its name: "000010" is 10. Empty for another text.
std::optional<std::size_t> number_of_name(std::string_view name);

/// The folder's own name, also for "." and for paths with a trailing slash.
std::string folder_name(const std::filesystem::path& folder);

/// [name] Splits of sequences or frames, from those of the lists {file, split} that exist, such as TrainSplit.txt.
/// @param names  Of the sequences or frames, which the lists may spell otherwise.
std::map<std::string, std::string> splits_in(const std::filesystem::path& folder,
                                             std::initializer_list<std::pair<const char*, const char*>> lists,
                                             const std::vector<std::string>& names);

/// Images of a video in sequence, to which depth images are assigned by number.
class VideoPictures {
 public:
  /// @throws as open_source().
  explicit VideoPictures(std::filesystem::path path);

  /// @param index  A smaller one than in the previous call restarts the video. @throws Error(kData) if the video ends
  /// before.
  Array2<image::Rgb> picture(std::size_t index);
  std::vector<std::string> warnings() const { return source_->warnings(); }

 private:
  std::filesystem::path path_;
  std::unique_ptr<recordings::FrameSource> source_;
  std::size_t next_ = 0;
};

/// Opens a data set of another program as a source of frames with poses. @param format  One of import_formats().
/// @throws as plan_import().
std::unique_ptr<recordings::FrameSource> open_import_source(const std::string& format,
                                                            const std::filesystem::path& place,
                                                            const recordings::SourceOptions& options);

/// Opens a video with a folder of depth images, which are assigned to its frames by the numbers in their names: from 0,
/// or from 1 if that is the first. A dataset.toml beside the video specifies the camera and how depth is read.
/// @throws Error(kData) for a folder without such images; as open_source().
std::unique_ptr<recordings::FrameSource> open_video_with_depth(const std::filesystem::path& video,
                                                               const std::filesystem::path& depth,
                                                               const recordings::SourceOptions& options);

/// The format of a recording, by the contents of its folder; empty if it is not a recording.
std::string recording_format_of(const std::filesystem::path& folder);

}  // namespace fernwood::formats
