// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "report/explained_frame.h"

#include <algorithm>

#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "report/svg.h"

namespace fernwood::report {

using evaluate::PixelExplanation, evaluate::SeenRegion, evaluate::SeenTest, evaluate::SeenTree;
using svg::attribute, svg::number, svg::ViewBox;

namespace {

constexpr double kLeafOpacity = 0.3;  // of the last test's regions
constexpr double kAspect = 4.0 / 3;
constexpr double kCloseUpMargin = 1.5, kLeastCloseUp = 24;      // pixels across
constexpr double kOverviewMargin = 1.2, kLeastOverview = 0.33;  // of the frame's width

/// A shape twice: its rim, then itself.
std::string with_rim(const std::string& shape, const std::string& kind) {
  return "<" + shape + " class=\"rim\"/><" + shape + " class=\"" + kind + "\"/>";
}

std::string image_definition(const std::string& id, const Array2<image::Rgb>& image) {
  if (image.empty()) return "";
  return "<image" + attribute("id", id) + attribute("width", static_cast<double>(image.cols())) +
         attribute("height", static_cast<double>(image.rows())) +
         attribute("href", data_address(dataset::encode_png(image), "image/png")) + "/>";
}

/// Part of the frame, in its pixels.
std::string view(const ViewBox& box, const std::string& content) { return svg::drawing("seen", box, content); }

/// Pixels that a picture must show.
struct Extent {
  double left, top, right, bottom;

  void take_in(const SeenRegion& region) {
    if (!region.span) return;
    left = std::min<double>(left, region.span->x0);
    top = std::min<double>(top, region.span->y0);
    right = std::max<double>(right, region.span->x0 + region.span->width);
    bottom = std::max<double>(bottom, region.span->y0 + region.span->height);
  }
  void take_in(const SeenTest& test) {
    take_in(test.a);
    if (test.b) take_in(*test.b);
  }
  /// A box around it of the pictures' proportions, in the frame where that has room. @param margin  Times its size.
  ViewBox box(double margin, double least_width, const Array2<image::Rgb>& frame) const {
    const double width = std::max({margin * (right - left), margin * kAspect * (bottom - top), least_width});
    const double height = width / kAspect;
    return {place(left, right, width, static_cast<double>(frame.cols())),
            place(top, bottom, height, static_cast<double>(frame.rows())), width, height};
  }
  /// Where an interval of a length begins that has [begin, end] in its middle, or nearer its side where the frame ends:
  /// no more is shown of what lies outside than must be.
  static double place(double begin, double end, double length, double frame_length) {
    const double rim = 0.15 * length;  // room for a label
    const double least = begin < 0 ? begin - rim : 0;
    const double most = (end > frame_length ? end + rim : frame_length) - length;
    const double middle = (begin + end - length) / 2;
    return least <= most ? std::clamp(middle, least, most) : middle;
  }
};

Extent around(const PixelExplanation& pixel) {
  const double x = pixel.x, y = pixel.y;
  return {x, y, x + 1, y + 1};
}

}  // namespace

ExplainedFrame::ExplainedFrame(const PixelExplanation& pixel, const image::Frame& frame) : pixel_(pixel) {
  if (pixel.channels.needs_color() || frame.depth_mm.empty()) color_ = frame.color;
  if (pixel.channels.needs_depth() || frame.color.empty()) depth_ = dataset::colorize_depth(frame.depth_mm);
}

std::string ExplainedFrame::definitions() const {
  return "<svg width=\"0\" height=\"0\" style=\"position:absolute\"><defs>" + image_definition("color", color_) +
         image_definition("depth", depth_) + "</defs></svg>\n";
}

ExplainedFrame::Picture ExplainedFrame::picture_of(const SeenTest& test) const {
  const bool of_depth = pixel_.channels.image(test.a.channel) == image::FrameImage::kDepth;
  return color_.empty() || (of_depth && !depth_.empty()) ? Picture::kDepth : Picture::kColor;
}

const Array2<image::Rgb>& ExplainedFrame::image(Picture picture) const {
  return picture == Picture::kColor ? color_ : depth_;
}

std::string ExplainedFrame::background(Picture picture) const {
  return picture == Picture::kColor ? "<use href=\"#color\"/>" : "<use href=\"#depth\"/>";
}

std::string ExplainedFrame::cross(double arm) const {
  const std::string x = number(pixel_.x + 0.5), y = number(pixel_.y + 0.5), gap = number(arm / 3);
  const std::string length = number(arm * 2 / 3), back = number(-arm * 2 / 3);
  const auto ray = [&](const std::string& start, const std::string& way) { return "M" + x + " " + y + start + way; };
  return with_rim("path d=\"" + ray("m" + gap + " 0", "h" + length) + ray("m-" + gap + " 0", "h" + back) +
                      ray("m0 " + gap, "v" + length) + ray("m0 -" + gap, "v" + back) + "\"",
                  "here");
}

std::string ExplainedFrame::region(const SeenRegion& region, const std::string& kind, const std::string& label,
                                   double font_size) const {
  if (!region.span) return "";
  const forest::RegionSpan& span = *region.span;
  const std::string rect = "rect" + attribute("x", span.x0) + attribute("y", span.y0) + attribute("width", span.width) +
                           attribute("height", span.height);
  return with_rim(rect, region.inside ? kind : kind + " out") +
         svg::text(span.x0, span.y0 - 0.25 * font_size,
                   attribute("class", kind) + attribute("style", "font-size:" + number(font_size) + "px"), label);
}

std::string ExplainedFrame::regions(const SeenTest& test, const std::string& label_a, const std::string& label_b,
                                    double font_size) const {
  return region(test.a, "a", label_a, font_size) + (test.b ? region(*test.b, "b", label_b, font_size) : "");
}

std::string ExplainedFrame::overview(const SeenTree& tree, Picture picture) const {
  Extent extent = around(pixel_);
  std::vector<std::size_t> levels;
  for (std::size_t level = 0; level < tree.path.size(); ++level)
    if (picture_of(tree.path[level]) == picture) {
      levels.push_back(level);
      extent.take_in(tree.path[level]);
    }
  if (levels.empty()) return "";
  const double least_width = kLeastOverview * static_cast<double>(image(picture).cols());
  const ViewBox box = extent.box(kOverviewMargin, least_width, image(picture));
  std::string content = background(picture);
  // The root's regions last, on top.
  for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
    const double depth = static_cast<double>(*level) / static_cast<double>(tree.path.size());
    const std::string label = std::to_string(*level);
    content += "<g" + attribute("opacity", 1 - (1 - kLeafOpacity) * depth) + ">" +
               regions(tree.path[*level], label, label, box.height / 26) + "</g>";
  }
  return "<div>" + view(box, content + cross(box.height / 24)) + "</div>";
}

std::string ExplainedFrame::overviews(const SeenTree& tree) const {
  return overview(tree, Picture::kColor) + overview(tree, Picture::kDepth);
}

std::string ExplainedFrame::close_up(const SeenTest& test) const {
  Extent extent = around(pixel_);
  extent.take_in(test);
  const ViewBox box = extent.box(kCloseUpMargin, kLeastCloseUp, image(picture_of(test)));
  return view(box, background(picture_of(test)) + regions(test, "a", "b", box.height / 9) + cross(box.height / 14));
}

}  // namespace fernwood::report
