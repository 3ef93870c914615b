// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <cstdio>

#include "dataset/dataset_folder.h"
#include "fernwood/core/option_error.h"
#include "fernwood/dataset/dataset.h"

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

}  // namespace

OptionTable<DatasetOptions> DatasetOptions::table() { return kDatasetRows; }

}  // namespace fernwood::dataset
