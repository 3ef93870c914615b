// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/nyu_class_maps.h"
#include "fernwood/formats/import.h"

namespace fernwood::formats {

namespace {

constexpr std::array kImportRows = {
    option<&ImportOptions::colors>("colors",
                                   "Where colour pictures are, {} for a frame's name: 'rgb/{}.jpg'; in a recording of "
                                   "ROS their topic, guessed where none is named")
        .takes("PATTERN|TOPIC"),
    option<&ImportOptions::labels>("labels", "Where label images or arrays are: 'label/{}.png'").takes("PATTERN"),
    option<&ImportOptions::images>("images", "Folder of the pictures, if they are not beside the annotations")
        .takes("DIR"),
    option<&ImportOptions::depth>("depth",
                                  "Where depth images or arrays are, {} for the name of a frame or picture: "
                                  "'depth/{}.png'; in a recording of ROS their topic, guessed where none is named")
        .takes("PATTERN|TOPIC"),
    option<&ImportOptions::classes>("classes", "List of the classes: CSV of number and name, JSON, or a name a line")
        .takes("FILE"),
    option<&ImportOptions::background>("background", "Class of pixels without annotation, which are void otherwise")
        .takes("NAME"),
    option<&ImportOptions::min_confidence>("min-confidence",
                                           "Depth of less confidence (0 low, 1 medium, 2 high) is unknown; 0 keeps all")
        .in(from_to(0, 2))
        .default_means("1"),
    option<&ImportOptions::depth_scale_to_mm>("depth-scale", "Millimetres per step of depth, such as 0.2")
        .in(above_to(0, 1e6))
        .default_means("as the format says, else 1"),
};

constexpr std::array kNyuRows = {
    option<&ImportNyuOptions::classes>("classes", "4 structural classes, 13 or 40").one_of(dataset::nyu_class_counts),
    option<&ImportNyuOptions::raw_depth>("raw-depth", "Depth as measured, with holes, instead of filled in"),
};

constexpr std::array kSplitRows = {
    option<&SplitOptions::test>("test", "Share of the frames to test on").in(from_below(0, 1)),
    option<&SplitOptions::val>("val", "Share of the frames for the split val").in(from_below(0, 1)),
    option<&SplitOptions::seed>("seed", "Another seed, other splits"),
};

}  // namespace

OptionTable<ImportOptions> ImportOptions::table() { return kImportRows; }
OptionTable<ImportNyuOptions> ImportNyuOptions::table() { return kNyuRows; }
OptionTable<SplitOptions> SplitOptions::table() { return kSplitRows; }

}  // namespace fernwood::formats
