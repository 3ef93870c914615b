// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/channels.h"

#include <algorithm>

#include "fernwood/core/error.h"
#include "fernwood/image/context.h"
#include "fernwood/image/lab.h"
#include "image/channel_formulas.h"
#include "image/geometry.h"
#include "image/geometry_formulas.h"

namespace fernwood::image {

namespace {

void compute_lab(const ChannelInput& input, std::span<ChannelImage> planes) {
  const Frame& frame = input.frame;
  const LabTables& tables = lab_tables();
  std::int16_t *l = planes[0].data(), *a = planes[1].data(), *b = planes[2].data();
  const Rgb* color = frame.color.data();
  for (std::size_t i = 0; i < frame.color.size(); ++i) {
    const Lab lab = rgb_to_lab(color[i], tables);
    l[i] = lab.l;
    a[i] = lab.a;
    b[i] = lab.b;
  }
}

void compute_rgb(const ChannelInput& input, std::span<ChannelImage> planes) {
  const Frame& frame = input.frame;
  std::int16_t *red = planes[0].data(), *green = planes[1].data(), *blue = planes[2].data();
  const Rgb* color = frame.color.data();
  for (std::size_t i = 0; i < frame.color.size(); ++i) {
    red[i] = primary_value(color[i].r);
    green[i] = primary_value(color[i].g);
    blue[i] = primary_value(color[i].b);
  }
}

Array2<std::int16_t> grey_image(const Array2<Rgb>& color) {
  Array2<std::int16_t> grey(color.rows(), color.cols());
  for (std::size_t i = 0; i < color.size(); ++i) grey.data()[i] = grey_of(color.data()[i]);
  return grey;
}

void compute_gradient(const ChannelInput& input, std::span<ChannelImage> planes) {
  const Frame& frame = input.frame;
  const Array2<std::int16_t> grey = grey_image(frame.color);
  const std::size_t rows = grey.rows(), cols = grey.cols();
  for (std::size_t y = 0; y < rows; ++y) {
    const std::int16_t* above = grey.row(y > 0 ? y - 1 : 0);
    const std::int16_t* here = grey.row(y);
    const std::int16_t* below = grey.row(std::min(y + 1, rows - 1));
    for (std::size_t x = 0; x < cols; ++x) {
      const std::size_t left = x > 0 ? x - 1 : 0, right = std::min(x + 1, cols - 1);
      planes[0](y, x) = gradient_value(above, here, below, left, x, right);
    }
  }
}

void compute_depth(const ChannelInput& input, std::span<ChannelImage> planes) {
  const Frame& frame = input.frame;
  const std::uint16_t* depth_mm = frame.depth_mm.data();
  std::int16_t* plane = planes[0].data();
  for (std::size_t i = 0; i < frame.depth_mm.size(); ++i) plane[i] = depth_value(depth_mm[i]);
}

void compute_height(const ChannelInput& input, std::span<ChannelImage> planes) {
  fill_height(input.frame.depth_mm, *input.geometry, planes[0]);
}

void compute_upright(const ChannelInput& input, std::span<ChannelImage> planes) {
  fill_from_cells(input.frame.depth_mm, input.geometry->upright, planes[0]);
}

void compute_facing(const ChannelInput& input, std::span<ChannelImage> planes) {
  fill_from_cells(input.frame.depth_mm, input.geometry->facing, planes[0]);
}

std::string known_names() {
  std::string names;
  for (const ChannelSet& set : channel_sets()) names += (names.empty() ? "" : ", ") + std::string(set.name);
  return names;
}

}  // namespace

const std::vector<ChannelSet>& channel_sets() {
  static const std::vector<ChannelSet> sets = {
      {.name = "lab",
       .channels = {"L", "a", "b"},
       .group = ChannelGroup::kColor,
       .needs_color = true,
       .needs_depth = false,
       .help = "CIE L*a*b* (D65), in 1/256 of its unit",
       .least = -32767,
       .greatest = 32767,
       .has_geometry = false,
       .compute = compute_lab},
      {.name = "rgb",
       .channels = {"red", "green", "blue"},
       .group = ChannelGroup::kColor,
       .needs_color = true,
       .needs_depth = false,
       .help = "sRGB as it is, in 1/128 of an 8-bit step (thesis 5.6.3)",
       .least = 0,
       .greatest = 255 * 128,
       .has_geometry = false,
       .compute = compute_rgb},
      {.name = "gradient",
       .channels = {"gradient"},
       .group = ChannelGroup::kGradient,
       .needs_color = true,
       .needs_depth = false,
       .help = "Sobel gradient magnitude of grey, in 1/16 of an 8-bit step; the border is repeated",
       .least = 0,
       .greatest = 32767,
       .has_geometry = false,
       .compute = compute_gradient},
      {.name = "depth",
       .channels = {"depth"},
       .group = ChannelGroup::kDepth,
       .needs_color = false,
       .needs_depth = true,
       .help = "depth in mm; offsets of all features are divided by it",
       .least = 1,
       .greatest = kMaxDepthMm,
       .has_geometry = false,
       .compute = compute_depth},
      {.name = "height",
       .channels = {"height"},
       .group = ChannelGroup::kHeight,
       .needs_color = false,
       .needs_depth = true,
       .help = "height above the floor in mm, from -2048 to 8191",
       .least = kLowestHeightMm,
       .greatest = kHighestHeightMm,
       .has_geometry = true,
       .compute = compute_height},
      {.name = "upright",
       .channels = {"upright"},
       .group = ChannelGroup::kUpright,
       .needs_color = false,
       .needs_depth = true,
       .help = "cosine between a surface's normal and up, in 1/4096: floors 1, walls 0, ceilings -1",
       .least = -4096,
       .greatest = 4096,
       .has_geometry = true,
       .compute = compute_upright},
      {.name = "facing",
       .channels = {"facing"},
       .group = ChannelGroup::kFacing,
       .needs_color = false,
       .needs_depth = true,
       .help = "cosine between a surface's normal and the line of sight, in 1/4096",
       .least = -4096,
       .greatest = 4096,
       .has_geometry = true,
       .compute = compute_facing},
  };
  return sets;
}

FrameImage image_of(ChannelGroup group) {
  switch (group) {
    case ChannelGroup::kColor:
    case ChannelGroup::kGradient:
    case ChannelGroup::kContext:
      return FrameImage::kColor;
    case ChannelGroup::kDepth:
    case ChannelGroup::kHeight:
    case ChannelGroup::kUpright:
    case ChannelGroup::kFacing:
      return FrameImage::kDepth;
  }
  return FrameImage::kColor;
}

ChannelLayout::ChannelLayout(const std::vector<std::string>& set_names, const std::vector<std::string>& context_classes)
    : set_names_(set_names), num_context_(static_cast<int>(context_classes.size())) {
  FW_CHECK(!set_names.empty(), Usage, "no channels are chosen; choose among " << known_names());
  for (const std::string& name : set_names) {
    const auto& known = channel_sets();
    const auto set = std::find_if(known.begin(), known.end(), [&](const ChannelSet& s) { return s.name == name; });
    FW_CHECK(set != known.end(), Usage, "there are no channels \"" << name << "\"; choose among " << known_names());
    FW_CHECK(std::find(sets_.begin(), sets_.end(), &*set) == sets_.end(), Usage,
             "the channels \"" << name << "\" are chosen twice; name each once (there are " << known_names() << ")");
    sets_.push_back(&*set);
    for (const std::string_view channel : set->channels) {
      if (channel == "depth") depth_channel_ = num_channels();
      names_.emplace_back(channel);
      groups_.push_back(set->group);
      ranges_.emplace_back(set->least, set->greatest);
    }
  }
  for (const std::string& name : context_classes) {
    names_.push_back("p(" + name + ")");
    groups_.push_back(ChannelGroup::kContext);
    ranges_.emplace_back(0, kMostContext);
  }
}

bool ChannelLayout::needs_color() const {
  return std::any_of(sets_.begin(), sets_.end(), [](const ChannelSet* set) { return set->needs_color; });
}

bool ChannelLayout::needs_depth() const {
  return std::any_of(sets_.begin(), sets_.end(), [](const ChannelSet* set) { return set->needs_depth; });
}

bool ChannelLayout::needs_geometry() const {
  return std::any_of(sets_.begin(), sets_.end(), [](const ChannelSet* set) { return set->has_geometry; });
}

bool ChannelLayout::follows_depth(int channel) const { return image_of(group(channel)) == FrameImage::kDepth; }

}  // namespace fernwood::image
