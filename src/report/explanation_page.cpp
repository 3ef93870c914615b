// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "dataset/dataset_folder.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/report/evaluation.h"
#include "page/charts.h"
#include "page/page.h"
#include "report/explanation.h"
#include "report/pictures.h"

namespace fernwood::report {

using namespace page;

using evaluate::PixelExplanation, evaluate::SeenRegion, evaluate::SeenTest, evaluate::SeenTree;
using svg::attribute, svg::number, svg::ViewBox;

namespace {

constexpr std::size_t kMaxTests = 8, kMaxListedPairs = 8;  // of the summary
/// Of its tests, bright on a dark rim.
constexpr const char* kTestColors[kMaxTests] = {"#ffb000", "#4cc9ff", "#ff5a5a", "#6bf06b",
                                                "#ff7bf0", "#fff04d", "#b79bff", "#ffffff"};
constexpr double kLeafOpacity = 0.3;  // of the last test's regions
constexpr double kAspect = 4.0 / 3;
constexpr double kCrop = 100;                                 // pixels across
constexpr double kCloseUpMargin = 1.5, kMinCloseUp = 24;      // pixels across
constexpr double kOverviewMargin = 1.2, kMinOverview = 0.33;  // of the frame's width

/// A shape drawn twice: first its rim.
std::string with_rim(const std::string& shape, const std::string& kind) {
  return "<" + shape + " class=\"rim\"/><" + shape + " class=\"" + kind + "\"/>";
}

/// A part of the frame, in pixels of the frame. @param caption  Describes it; also read aloud by screen readers.
std::string view(const ViewBox& box, const std::string& content, const std::string& caption) {
  return "<figure>" + svg::drawing("seen", box, svg::tooltip(caption) + content) + "<figcaption>" + escape(caption) +
         "</figcaption></figure>";
}

/// Pixels that an image must include.
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
  /// A box around it with the aspect ratio of the images, inside the frame if possible. @param margin  Factor of its
  /// size.
  ViewBox box(double margin, double least_width, const Array2<image::Rgb>& frame) const {
    const double width = std::max({margin * (right - left), margin * kAspect * (bottom - top), least_width});
    const double height = width / kAspect;
    return {place(left, right, width, static_cast<double>(frame.cols())),
            place(top, bottom, height, static_cast<double>(frame.rows())), width, height};
  }
  /// Start of an interval of the given length centred on [begin, end], shifted so that as little as possible lies
  /// outside the frame.
  static double place(double begin, double end, double length, double frame_length) {
    const double rim = 0.15 * length;  // space for a label
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

std::string region_rect(const SeenRegion& region, const std::string& kind, const std::string& label, double font_size) {
  if (!region.span) return "";
  const forest::RegionSpan& span = *region.span;
  const std::string rect = "rect" + attribute("x", span.x0) + attribute("y", span.y0) + attribute("width", span.width) +
                           attribute("height", span.height);
  return with_rim(rect, region.inside ? kind : kind + " out") +
         svg::text(span.x0, span.y0 - 0.25 * font_size,
                   attribute("class", kind) + attribute("style", "font-size:" + number(font_size) + "px"), label);
}

/// Both regions of a test in its own colour, without a label.
std::string colored_regions(const SeenTest& test, const std::string& color) {
  std::string html;
  const auto add = [&](const SeenRegion& region, const std::string& dashes) {
    if (!region.span) return;
    const forest::RegionSpan& span = *region.span;
    const std::string rect = "rect" + attribute("x", span.x0) + attribute("y", span.y0) +
                             attribute("width", span.width) + attribute("height", span.height);
    html += "<" + rect + " class=\"rim\"/><" + rect +
            attribute("style", "stroke:" + color + ";stroke-width:2px" + dashes) + "/>";
  };
  if (test.b) add(*test.b, ";stroke-dasharray:3 2");
  add(test.a, "");
  return html;
}

std::string regions(const SeenTest& test, const std::string& label_a, const std::string& label_b, double font_size) {
  return region_rect(test.a, "a", label_a, font_size) + (test.b ? region_rect(*test.b, "b", label_b, font_size) : "");
}

/// A frame with the regions of tests drawn over it. A page contains each image of the frame only once.
class ExplainedFrame {
 public:
  ExplainedFrame(const PixelExplanation& pixel, const image::Frame& frame) : pixel_(pixel) {
    if (pixel.channels.needs_color() || frame.depth_mm.empty()) color_ = {"color", "Colour", frame.color};
    if (pixel.channels.needs_depth() || frame.color.empty())
      depth_ = {"depth", "Depth", dataset::colorize_depth(frame.depth_mm)};
  }

  /// To be placed once in the page, before the others: the images that they refer to.
  std::string definitions() const {
    return "<svg width=\"0\" height=\"0\" style=\"position:absolute\"><defs>" + color_.definition() +
           depth_.definition() + "</defs></svg>\n";
  }

  /// Each image: about 100 pixels around the pixel, enlarged, and the whole frame, with the regions of the tests with
  /// the largest contributions, in the colours of their table.
  std::string surroundings(const std::vector<Contribution>& most) const {
    return in_row(near_pixel(color_, most) + near_pixel(depth_, most)) +
           in_row(whole_frame(color_, most) + whole_frame(depth_, most));
  }

  /// For each image that a tree's tests read, the part that they read, at least a third of the frame's width, with
  /// their regions, numbered by level and fading from root to leaf.
  std::string overviews(const SeenTree& tree) const { return overview(tree, color_) + overview(tree, depth_); }

  std::string close_up(const SeenTest& test) const {
    const Picture& picture = picture_of(test);
    Extent extent = around(pixel_);
    extent.take_in(test);
    const ViewBox box = extent.box(kCloseUpMargin, kMinCloseUp, picture.pixels);
    const std::string caption = picture.name + ", " + fixed(box.width, 0) + " × " + fixed(box.height, 0) + " pixels";
    return view(box, picture.use() + regions(test, "R1", "R2", box.height / 9) + cross(box.height / 14), caption);
  }

 private:
  struct Picture {
    std::string id, name;
    Array2<image::Rgb> pixels;  ///< Empty if it is not read.

    std::string definition() const {
      if (pixels.empty()) return "";
      return "<image" + attribute("id", id) + attribute("width", static_cast<double>(pixels.cols())) +
             attribute("height", static_cast<double>(pixels.rows())) +
             attribute("href", data_address(dataset::encode_png(pixels), "image/png")) + "/>";
    }
    std::string use() const { return "<use" + attribute("href", "#" + id) + "/>"; }
  };

  const Picture& picture_of(const SeenTest& test) const {
    const bool of_depth = test.a.image == image::FrameImage::kDepth;
    return color_.pixels.empty() || (of_depth && !depth_.pixels.empty()) ? depth_ : color_;
  }

  std::string cross(double arm) const {
    const std::string x = number(pixel_.x + 0.5), y = number(pixel_.y + 0.5), gap = number(arm / 3);
    const std::string length = number(arm * 2 / 3), back = number(-arm * 2 / 3);
    const auto ray = [&](const std::string& start, const std::string& way) { return "M" + x + " " + y + start + way; };
    return with_rim("path d=\"" + ray("m" + gap + " 0", "h" + length) + ray("m-" + gap + " 0", "h" + back) +
                        ray("m0 " + gap, "v" + length) + ray("m0 -" + gap, "v" + back) + "\"",
                    "here");
  }

  static std::string in_row(const std::string& html) { return "<div class=\"frames\">" + html + "</div>\n"; }
  ViewBox crop_of(const Picture& picture) const {
    return around(pixel_).box(1, std::min(kCrop, static_cast<double>(picture.pixels.cols())), picture.pixels);
  }
  std::string with_regions(const Picture& picture, const std::vector<Contribution>& most) const {
    std::string content = picture.use();
    for (std::size_t i = most.size(); i-- > 0;) {  // the first one last, on top
      const SeenTest& test = pixel_.trees[most[i].tree].path[most[i].level];
      if (&picture_of(test) == &picture) content += colored_regions(test, kTestColors[i]);
    }
    return content;
  }
  std::string near_pixel(const Picture& picture, const std::vector<Contribution>& most) const {
    if (picture.pixels.empty()) return "";
    const ViewBox crop = crop_of(picture);
    return view(crop, with_regions(picture, most) + cross(crop.height / 24),
                picture.name + ": " + fixed(crop.width, 0) + " × " + fixed(crop.height, 0) +
                    " pixels around the pixel, which is in the cross");
  }
  std::string whole_frame(const Picture& picture, const std::vector<Contribution>& most) const {
    if (picture.pixels.empty()) return "";
    const ViewBox crop = crop_of(picture);
    const std::string bounds = "rect" + attribute("x", crop.x) + attribute("y", crop.y) +
                               attribute("width", crop.width) + attribute("height", crop.height);
    return view({0, 0, static_cast<double>(picture.pixels.cols()), static_cast<double>(picture.pixels.rows())},
                with_regions(picture, most) + with_rim(bounds, "here"),
                picture.name + ": the whole frame, and that part of it");
  }

  std::string overview(const SeenTree& tree, const Picture& picture) const {
    Extent extent = around(pixel_);
    std::vector<std::size_t> levels;
    for (std::size_t level = 0; level < tree.path.size(); ++level)
      if (&picture_of(tree.path[level]) == &picture) {
        levels.push_back(level);
        extent.take_in(tree.path[level]);
      }
    if (levels.empty()) return "";
    const double least_width = kMinOverview * static_cast<double>(picture.pixels.cols());
    const ViewBox box = extent.box(kOverviewMargin, least_width, picture.pixels);
    std::string content = picture.use();
    // The root's regions last, on top.
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
      const double depth = static_cast<double>(*level) / static_cast<double>(tree.path.size());
      const std::string label = std::to_string(*level);
      content += "<g" + attribute("opacity", 1 - (1 - kLeafOpacity) * depth) + ">" +
                 regions(tree.path[*level], label, label, box.height / 26) + "</g>";
    }
    return view(box, content + cross(box.height / 24),
                picture.name + ": the regions of this tree's tests, numbered by level, fading from root to leaf");
  }

  const PixelExplanation& pixel_;
  Picture color_, depth_;
};

std::string place_text(const PixelExplanation& pixel) {
  return "(" + std::to_string(pixel.x) + ", " + std::to_string(pixel.y) + ") of " + pixel.frame;
}

/// A bar of the shares in class colours, in the order of the classes so that rows are comparable, with the names of the
/// largest.
std::string distribution(const std::vector<double>& shares, const image::ClassMap& classes) {
  std::string html = "<span class=\"stack\">";
  for (std::size_t c = 0; c < shares.size(); ++c) {
    if (!(shares[c] > 0)) continue;
    const image::ClassInfo& info = classes.classes[c];
    html += "<i style=\"width:" + fixed(100 * shares[c], 2) + "%;background:" + dataset::to_hex(info.color) +
            "\" title=\"" + escape(info.name) + " " + percent(shares[c]) + " %\"></i>";
  }
  return html + "</span><span class=\"soft\">" + escape(shares_text(shares, classes, kMaxNamedClasses)) + "</span>";
}

PageHead head(const PixelExplanation& pixel) {
  PageHead head{"Pixel " + place_text(pixel),
                "Why pixel " + place_text(pixel) + " is " + label_name(pixel),
                pixel.model.empty() ? "" : "Model " + code(pixel.model),
                {{label_name(pixel), "class"}}};
  if (pixel.label != image::kVoid)
    head.facts.emplace_back(percent(pixel.probabilities[pixel.label]) + " %", "probability");
  if (pixel.depth_mm)
    head.facts.emplace_back(*pixel.depth_mm > 0 ? fixed(*pixel.depth_mm / 1000.0, 3) + " m" : "unknown", "depth");
  head.facts.emplace_back(std::to_string(pixel.trees.size()), pixel.trees.size() == 1 ? "tree" : "trees");
  return head;
}

/// Probabilities by class: those of the forest and, collapsed, those of each tree.
std::string probabilities_section(const PixelExplanation& pixel) {
  HtmlTable table({{"class"}, {"probability"}});
  std::vector<HtmlColumn> columns = {{"class"}};
  for (std::size_t k = 0; k < pixel.trees.size(); ++k)
    columns.push_back(number_column("tree " + std::to_string(k + 1)));
  HtmlTable by_tree(std::move(columns));
  for (const std::size_t c : classes_by_share(shares_of(pixel.probabilities))) {
    const image::ClassInfo& info = pixel.classes.classes[c];
    table.row({class_label(info), bar_and_percent(pixel.probabilities[c], dataset::to_hex(info.color))});
    std::vector<std::string> cells = {class_label(info)};
    for (const SeenTree& tree : pixel.trees) cells.push_back(percent_sign(tree.probabilities[c]));
    by_tree.row(cells);
  }
  return section("Class probabilities", "The mean over all trees.", table.html()) +
         "<details><summary>Of each tree</summary>" + by_tree.html() + "</details>\n";
}

constexpr const char* kFirstTag = "<span class=\"tag a\">R1</span>";
constexpr const char* kSecondTag = "<span class=\"tag b\">R2</span>";

std::string reading_aid(const PixelExplanation& pixel) {
  std::vector<std::string> channels;
  for (const image::ChannelSet* set : pixel.channels.sets())
    channels.push_back(std::string(set->name) + ", " + std::string(set->help));
  return paragraph(
      "A test takes the mean of a channel over a first region, " + std::string(kFirstTag) +
      ", and, unless it looks at one region only, subtracts that of a second, " + kSecondTag +
      ". Up to the threshold the pixel goes left, above it right; right, too, when the response is unknown. Regions "
      "drawn in dashes leave the frame. Bars show the classes of the training samples that came to the same place; "
      "what a leaf answers is these shares after re-weighting. Channels: " +
      escape(join(channels, "; ")) + ".");
}

std::string region_line(const SeenRegion& region, const std::string& tag_html) {
  std::string html = tag_html + " " + escape(region.channel);
  if (region.span)
    html += " of " + std::to_string(region.span->width) + " × " + std::to_string(region.span->height) + " pixels at (" +
            std::to_string(region.span->x0) + ", " + std::to_string(region.span->y0) + ")";
  return html + (region.mean ? ": " + step_text(*region.mean) : "") + "<br>";
}

std::string decision(const SeenTest& test) {
  if (!test.response) return "unknown, for " + unknown_reason(test) + " → right";
  return std::string(test.b ? "R1 − R2 = " : "R1 = ") + step_text(*test.response) + (test.right ? " &gt; " : " ≤ ") +
         step_text(test.threshold) + (test.right ? " → right" : " → left");
}

/// "+12.3" in a colour for contributions in favour of the class, or against it.
std::string gain_points(double gain) {
  return "<span class=\"" + std::string(gain < 0 ? "bad" : "good") + "\">" + (gain < 0 ? "−" : "+") +
         percent(std::abs(gain)) + "</span>";
}

/// The channels that the tests compared, and the sum of contributions for each pair.
std::string channels_table(const PixelExplanation& pixel, const std::vector<Contribution>& all) {
  struct Sum {
    std::string channels;
    std::size_t num_tests = 0;
    double gain = 0;
  };
  std::map<std::string, Sum> by_channels;
  for (const Contribution& it : all) {
    const std::string channels = channels_of(pixel.trees[it.tree].path[it.level]);
    Sum& sum = by_channels[channels];
    sum = {channels, sum.num_tests + 1, sum.gain + it.gain};
  }
  std::vector<Sum> sums;
  for (const auto& [channels, sum] : by_channels) sums.push_back(sum);
  std::ranges::stable_sort(sums, std::greater{}, [](const Sum& sum) { return std::abs(sum.gain); });
  HtmlTable table({{"channels"}, number_column("tests"), number_column("points per tree")});
  const auto num_trees = static_cast<double>(pixel.trees.size());
  for (std::size_t i = 0; i < std::min(sums.size(), kMaxListedPairs); ++i)
    table.row({escape(sums[i].channels), std::to_string(sums[i].num_tests), gain_points(sums[i].gain / num_trees)});
  return table.html() +
         (sums.size() > kMaxListedPairs
              ? paragraph("And " + counted(sums.size() - kMaxListedPairs, "other pair") + " that changed less.")
              : "");
}

std::string tests_table(const PixelExplanation& pixel, const std::vector<Contribution>& most) {
  HtmlTable table({number_column("no."), {"tree, level"}, {"test"}, number_column("points")});
  for (std::size_t i = 0; i < most.size(); ++i) {
    const SeenTest& test = pixel.trees[most[i].tree].path[most[i].level];
    table.row({swatch(kTestColors[i]) + std::to_string(i + 1),
               "tree " + std::to_string(most[i].tree + 1) + ", level " + std::to_string(most[i].level),
               escape(channels_of(test)) + "<br>" + decision(test), gain_points(most[i].gain)});
  }
  return table.html();
}

/// The whole frame, the tests with the largest contributions, and the channels.
std::string summary_section(const PixelExplanation& pixel, const ExplainedFrame& frame) {
  const std::vector<Contribution> all = contributions(pixel);
  const std::vector<Contribution> most(all.begin(),
                                       all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), kMaxTests)));
  const std::string pictures = frame.surroundings(most);
  if (most.empty()) return section("What decided", "", pictures);
  const std::string of_class = " of " + escape(label_name(pixel)) + " among the training samples";
  return section("What decided",
                 "The tests that changed the share" + of_class +
                     " most, in points of percent. In the pictures, each has the colour of its number; first regions "
                     "(R1) have continuous lines, second ones (R2) dashes.",
                 pictures + tests_table(pixel, most)) +
         section("Channels",
                 "What all tests on the way added to the share" + of_class + ", by the channels they compare.",
                 channels_table(pixel, all));
}

std::string tree_section(const SeenTree& tree, std::size_t index, const PixelExplanation& pixel,
                         const ExplainedFrame& frame) {
  HtmlTable table({number_column("level"),
                   {"close-up", "close"},
                   {"test", "test"},
                   number_column("samples"),
                   {"their classes", "classes"}},
                  "tests");
  const auto samples = [](const auto& counts) { return format_count(num_samples(counts)); };
  const auto classes = [&](const auto& counts) { return distribution(shares_of(counts), pixel.classes); };
  for (std::size_t level = 0; level < tree.path.size(); ++level) {
    const SeenTest& test = tree.path[level];
    table.row({std::to_string(level), frame.close_up(test),
               region_line(test.a, kFirstTag) + (test.b ? region_line(*test.b, kSecondTag) : "") +
                   "<span class=\"verdict\">" + decision(test) + "</span>",
               samples(test.counts), classes(test.counts)});
  }
  table.row({std::to_string(tree.path.size()), "", "leaf " + std::to_string(tree.leaf), samples(tree.counts),
             classes(tree.counts)});
  table.row({"", "", "what the leaf answers", "", classes(tree.probabilities)});
  return "<details class=\"tree\"><summary>Tree " + std::to_string(index + 1) + ": " +
         escape(shares_text(shares_of(tree.probabilities), pixel.classes, 2)) + "</summary>\n<div class=\"frames\">" +
         frame.overviews(tree) + "</div>\n" + table.html() + "</details>\n";
}

}  // namespace

std::string explanation_page(const PixelExplanation& pixel, const image::Frame& frame) {
  const ExplainedFrame explained(pixel, frame);
  std::string trees;
  for (std::size_t k = 0; k < pixel.trees.size(); ++k) trees += tree_section(pixel.trees[k], k, pixel, explained);
  const std::string html = explained.definitions() + summary_section(pixel, explained) + probabilities_section(pixel) +
                           section("Tree by tree", "", reading_aid(pixel) + trees);
  return html_page(head(pixel), html);
}

}  // namespace fernwood::report
