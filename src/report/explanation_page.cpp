// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "dataset/dataset_folder.h"
#include "fernwood/report/evaluation.h"
#include "fernwood/report/format.h"
#include "report/explained_frame.h"
#include "report/explanation.h"
#include "report/page.h"

namespace fernwood::report {

using evaluate::PixelExplanation, evaluate::SeenRegion, evaluate::SeenTest, evaluate::SeenTree;

namespace {

std::string place_text(const PixelExplanation& pixel) {
  return "(" + std::to_string(pixel.x) + ", " + std::to_string(pixel.y) + ") of " + pixel.frame;
}

/// A bar of the shares in class colours, in the order of the classes so that rows compare, and the names of the
/// largest.
std::string distribution(const std::vector<double>& shares, const image::ClassMap& classes) {
  std::string html = "<span class=\"stack\">";
  for (std::size_t c = 0; c < shares.size(); ++c) {
    if (!(shares[c] > 0)) continue;
    const image::ClassInfo& info = classes.classes[c];
    html += "<i style=\"width:" + fixed(100 * shares[c], 2) + "%;background:" + dataset::to_hex(info.color) +
            "\" title=\"" + escape(info.name) + " " + percent(shares[c]) + " %\"></i>";
  }
  return html + "</span><span class=\"soft\">" + escape(shares_text(shares, classes, kMostNamedClasses)) + "</span>";
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

/// Probabilities by class: of the forest, and of each tree.
std::string answers_section(const PixelExplanation& pixel) {
  std::vector<HtmlColumn> columns = {{"class"}, {"all trees"}};
  for (std::size_t k = 0; k < pixel.trees.size(); ++k)
    columns.push_back(number_column("tree " + std::to_string(k + 1)));
  HtmlTable table(std::move(columns));
  for (const std::size_t c : classes_by_share(shares_of(pixel.probabilities))) {
    const image::ClassInfo& info = pixel.classes.classes[c];
    std::vector<std::string> cells = {class_label(info),
                                      bar_and_percent(pixel.probabilities[c], dataset::to_hex(info.color))};
    for (const SeenTree& tree : pixel.trees) cells.push_back(percent_sign(tree.probabilities[c]));
    table.row(cells);
  }
  return section("Answers", "", table.html());
}

std::string tag(const char* region) { return "<span class=\"tag " + std::string(region) + "\">" + region + "</span>"; }

std::string reading_aid(const PixelExplanation& pixel) {
  std::vector<std::string> channels;
  for (const image::ChannelSet* set : pixel.channels.sets())
    channels.push_back(std::string(set->name) + ", " + std::string(set->help));
  return paragraph(
      "A test takes the mean of a channel over region " + tag("a") +
      " and, unless it looks at one region alone, subtracts that of region " + tag("b") +
      ". Up to the threshold the pixel goes left, above it right; right, too, when the response is unknown. Regions "
      "drawn in dashes leave the frame. Bars show the classes of the training samples that came to the same place; "
      "what "
      "a leaf answers is these shares after bias and re-weighting. Channels: " +
      escape(join(channels, "; ")) + ".");
}

std::string region_line(const SeenRegion& region, const char* kind, const PixelExplanation& pixel) {
  std::string html = tag(kind) + " " + escape(pixel.channels.name(region.channel));
  if (region.span)
    html += " of " + std::to_string(region.span->width) + " × " + std::to_string(region.span->height) + " pixels at (" +
            std::to_string(region.span->x0) + ", " + std::to_string(region.span->y0) + ")";
  return html + (region.mean ? ": " + step_text(*region.mean) : "") + "<br>";
}

std::string verdict(const SeenTest& test) {
  if (!test.response) return "unknown, for " + unknown_reason(test) + " → right";
  return std::string(test.b ? "a − b = " : "a = ") + step_text(*test.response) + (test.right ? " &gt; " : " ≤ ") +
         step_text(test.threshold) + (test.right ? " → right" : " → left");
}

std::string tree_section(const SeenTree& tree, std::size_t index, const PixelExplanation& pixel,
                         const ExplainedFrame& frame) {
  HtmlTable table(
      {number_column("level"), {"", "close"}, {"test", "test"}, number_column("samples"), {"their classes", "classes"}},
      "tests");
  const auto samples = [](const auto& counts) { return format_count(num_samples(counts)); };
  const auto classes = [&](const auto& counts) { return distribution(shares_of(counts), pixel.classes); };
  for (std::size_t level = 0; level < tree.path.size(); ++level) {
    const SeenTest& test = tree.path[level];
    table.row({std::to_string(level), frame.close_up(test),
               region_line(test.a, "a", pixel) + (test.b ? region_line(*test.b, "b", pixel) : "") +
                   "<span class=\"verdict\">" + verdict(test) + "</span>",
               samples(test.counts), classes(test.counts)});
  }
  table.row({std::to_string(tree.path.size()), "", "leaf " + std::to_string(tree.leaf), samples(tree.counts),
             classes(tree.counts)});
  table.row({"", "", "what the leaf answers", "", classes(tree.probabilities)});
  return section(
      "Tree " + std::to_string(index + 1) + ": " + shares_text(shares_of(tree.probabilities), pixel.classes, 2), "",
      "<div class=\"frames\">" + frame.overviews(tree) + "</div>\n" + table.html());
}

}  // namespace

std::string explanation_page(const PixelExplanation& pixel, const image::Frame& frame) {
  const ExplainedFrame explained(pixel, frame);
  std::string html = explained.definitions() + answers_section(pixel) + reading_aid(pixel);
  for (std::size_t k = 0; k < pixel.trees.size(); ++k) html += tree_section(pixel.trees[k], k, pixel, explained);
  return page(head(pixel), html);
}

}  // namespace fernwood::report
