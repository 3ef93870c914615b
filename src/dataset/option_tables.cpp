// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <cstdio>

#include "dataset/dataset_folder.h"
#include "dataset/import/nyu_class_maps.h"
#include "fernwood/core/option_error.h"
#include "fernwood/dataset/arrange.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/frame_source.h"
#include "fernwood/dataset/import.h"
#include "fernwood/dataset/import_nyu.h"

namespace fernwood::dataset {

namespace {

image::Rgb parse_color(std::string_view option, const std::string& text) {
  int r = -1, g = -1, b = -1;
  char rest = 0;
  const bool is_read = std::sscanf(text.c_str(), "#%2x%2x%2x%c", reinterpret_cast<unsigned*>(&r),
                                   reinterpret_cast<unsigned*>(&g), reinterpret_cast<unsigned*>(&b), &rest) == 3 ||
                       std::sscanf(text.c_str(), "%d,%d,%d%c", &r, &g, &b, &rest) == 3;
  const auto in_range = [](int value) { return value >= 0 && value <= 255; };
  require_option(is_read && in_range(r) && in_range(g) && in_range(b), std::string(option), in_quotes(text),
                 "write a colour as red,green,blue from 0 to 255 or #rrggbb");
  return {static_cast<std::uint8_t>(r), static_cast<std::uint8_t>(g), static_cast<std::uint8_t>(b)};
}

/// Parses colours separated by commas, which also separate red,green,blue.
std::vector<image::Rgb> parse_colors(std::string_view option, const std::string& text) {
  std::vector<std::string> parts;
  parse_option(option, text, parts);
  std::vector<image::Rgb> colors;
  for (std::size_t i = 0; i < parts.size();) {
    std::string color = parts[i++];
    for (int more = 0; more < 2 && !color.starts_with('#') && i < parts.size() && !parts[i].starts_with('#'); ++more)
      color += "," + parts[i++];
    colors.push_back(parse_color(option, color));
  }
  return colors;
}

constexpr Option<DatasetOptions> ignored_colors_option(std::string_view name, std::string_view help) {
  Option<DatasetOptions> row;
  row.name = name;
  row.help = help;
  row.type = OptionType::kList;
  row.get = [](const DatasetOptions& options) {
    std::vector<std::string> colors;
    for (const image::Rgb color : options.ignored_colors) colors.push_back(to_hex(color));
    return OptionValue(std::move(colors));
  };
  row.set = [](std::string_view at, const std::string& text, DatasetOptions& options) {
    options.ignored_colors = parse_colors(at, text);
    require_option(!options.ignored_colors.empty(), std::string(at), in_quotes(text), "give a colour, or leave it out");
  };
  return row;
}

constexpr std::array kDatasetRows = {
    ignored_colors_option("ignored-colors", "Additional ground-truth colours for void, besides black; may be repeated")
        .takes("R,G,B"),
    option<&DatasetOptions::max_frames>("max-frames", "Use at most N frames, evenly spread; 0: all"),
};

constexpr std::array kSourceRows = {
    option<&SourceOptions::loop>("loop", "Restart at the end of a recording"),
    option<&SourceOptions::max_decoded>(
        "preload", "Decode the first N frames of a recording beforehand and use only them; 0: off"),
};

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
    option<&ImportNyuOptions::classes>("classes", "4 structural classes, 13 or 40").one_of(nyu_class_counts),
    option<&ImportNyuOptions::raw_depth>("raw-depth", "Depth as measured, with holes, instead of filled in"),
};

constexpr std::array kSplitRows = {
    option<&SplitOptions::test>("test", "Share of the frames to test on").in(from_below(0, 1)),
    option<&SplitOptions::val>("val", "Share of the frames for the split val").in(from_below(0, 1)),
    option<&SplitOptions::seed>("seed", "Another seed, other splits"),
};

}  // namespace

OptionTable<DatasetOptions> DatasetOptions::table() { return kDatasetRows; }
OptionTable<SourceOptions> SourceOptions::table() { return kSourceRows; }
OptionTable<ImportOptions> ImportOptions::table() { return kImportRows; }
OptionTable<ImportNyuOptions> ImportNyuOptions::table() { return kNyuRows; }
OptionTable<SplitOptions> SplitOptions::table() { return kSplitRows; }

}  // namespace fernwood::dataset
