// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The functions that plan the import of each format, for the table in import.cpp.

#include "fernwood/formats/import.h"

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

}  // namespace fernwood::formats
