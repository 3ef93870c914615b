// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "evaluate/explain_svg.h"
#include "evaluate/explain_words.h"
#include "evaluate/format.h"
#include "fernwood/core/html.h"
#include "fernwood/core/text.h"

namespace fernwood::evaluate {
namespace {

constexpr std::size_t kMaxNamedClasses = 4;

// What the house style sheet lacks: stacked bars, tags of the two regions, and pictures beside their tests.
const char* const kStyle = R"(<style>
.stack { display: flex; width: 100%; min-width: 12rem; height: .9rem; border-radius: 3px; overflow: hidden;
  background: var(--line); }
.stack > i { display: block; height: 100%; }
.tag { display: inline-block; padding: 0 .4em; border-radius: 3px; color: #000; font-weight: 600; }
.tag.a { background: #ffb000; }
.tag.b { background: #4cc9ff; }
.frames { display: flex; flex-wrap: wrap; gap: .75rem; margin: .6rem 0; }
.frames > div { flex: 1 1 24rem; max-width: 44rem; }
.tests { width: 100%; }
.tests td { vertical-align: top; }
.tests td.close { width: 13rem; min-width: 9rem; }
.tests td.classes { width: 34%; }
.tests td.test { white-space: nowrap; }
.verdict { font-weight: 600; }
</style>
)";

std::string color_of(const image::ClassInfo& info) {
  return format_text("#%02x%02x%02x", info.color.r, info.color.g, info.color.b);
}

std::string swatch(const image::ClassInfo& info) { return html_swatch(color_of(info)) + html_escape(info.name); }

/// A bar of the shares in class colours, in the order of the classes so that rows compare, and the names of the
/// largest.
std::string distribution(const std::vector<double>& shares, const image::ClassMap& classes) {
  std::string bar = "<span class=\"stack\">";
  for (std::size_t c = 0; c < shares.size(); ++c) {
    if (!(shares[c] > 0)) continue;
    const image::ClassInfo& info = classes.classes[c];
    bar += "<i style=\"width:" + fixed(100 * shares[c], 2) + "%;background:" + color_of(info) + "\" title=\"" +
           html_escape(info.name) + " " + percent(shares[c]) + " %\"></i>";
  }
  return bar + "</span><span class=\"soft\">" + html_escape(shares_text(shares, classes, kMaxNamedClasses)) + "</span>";
}

std::string samples_cell(const std::vector<std::uint64_t>& counts, const image::ClassMap& classes) {
  return "<td class=\"num\">" + grouped(num_samples(counts)) + "</td><td class=\"classes\">" +
         distribution(shares_of(counts), classes) + "</td>";
}

std::string heading(const PixelExplanation& pixel) {
  std::string html = "<h1>Why pixel (" + std::to_string(pixel.x) + ", " + std::to_string(pixel.y) + ") of " +
                     html_escape(pixel.frame) + " is " + html_escape(label_name(pixel)) + "</h1>\n";
  if (!pixel.model.empty()) html += "<p class=\"soft\">Model <code>" + html_escape(pixel.model) + "</code></p>\n";
  const auto fact = [](const std::string& value, const std::string& meaning) {
    return "<div><b>" + html_escape(value) + "</b><span class=\"soft\">" + meaning + "</span></div>\n";
  };
  html += "<div class=\"facts\">\n" + fact(label_name(pixel), "class");
  if (pixel.label != image::kVoid) html += fact(percent(pixel.probabilities[pixel.label]) + " %", "probability");
  if (pixel.depth_mm)
    html += fact(*pixel.depth_mm > 0 ? fixed(*pixel.depth_mm / 1000.0, 3) + " m" : "unknown", "depth");
  return html + fact(std::to_string(pixel.trees.size()), pixel.trees.size() == 1 ? "tree" : "trees") + "</div>\n";
}

/// Probabilities by class: of the forest, and of each tree.
std::string answers(const PixelExplanation& pixel) {
  std::string html =
      "<h2>Answers</h2>\n<div class=\"scroll\"><table><thead><tr><th>class</th><th>all trees</th><th></th>";
  for (std::size_t k = 0; k < pixel.trees.size(); ++k)
    html += "<th class=\"num\">tree " + std::to_string(k + 1) + "</th>";
  html += "</tr></thead>\n<tbody>\n";
  for (const std::size_t c : classes_by_share(shares_of(pixel.probabilities))) {
    const image::ClassInfo& info = pixel.classes.classes[c];
    const std::string value = percent(pixel.probabilities[c]);
    html += "<tr><td>" + swatch(info) + "</td><td><span class=\"bar\"><i style=\"width:" + value +
            "%;background:" + color_of(info) + "\"></i></span></td><td class=\"num\">" + value + " %</td>";
    for (const SeenTree& tree : pixel.trees) html += "<td class=\"num\">" + percent(tree.probabilities[c]) + " %</td>";
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string reading_aid(const PixelExplanation& pixel) {
  std::string html =
      "<p class=\"soft\">A test takes the mean of a channel over region <span class=\"tag a\">a</span> and, unless it "
      "looks at one region alone, subtracts that of region <span class=\"tag b\">b</span>. Up to the threshold the "
      "pixel goes left, above it right; right, too, when the response is unknown. Regions drawn in dashes leave the "
      "frame. Bars show the classes of the training samples that came to the same place; what a leaf answers is these "
      "shares after bias and re-weighting. Channels: ";
  for (const image::ChannelSet* set : pixel.channels.sets())
    html += (set == pixel.channels.sets().front() ? "" : "; ") + html_escape(std::string(set->name)) + ", " +
            html_escape(std::string(set->help));
  return html + ".</p>\n";
}

std::string region_line(const SeenRegion& region, const char* kind, const PixelExplanation& pixel) {
  std::string html = "<span class=\"tag " + std::string(kind) + "\">" + kind + "</span> " +
                     html_escape(pixel.channels.name(region.channel));
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

std::string test_row(const SeenTest& test, std::size_t level, const PixelExplanation& pixel,
                     const ExplainedFrame& frame) {
  return "<tr><td class=\"num\">" + std::to_string(level) + "</td><td class=\"close\">" + frame.close_up(test) +
         "</td><td class=\"test\">" + region_line(test.a, "a", pixel) +
         (test.b ? region_line(*test.b, "b", pixel) : "") + "<span class=\"verdict\">" + verdict(test) +
         "</span></td>" + samples_cell(test.counts, pixel.classes) + "</tr>\n";
}

std::string tree_section(const SeenTree& tree, std::size_t index, const PixelExplanation& pixel,
                         const ExplainedFrame& frame) {
  std::string html =
      "<h2>Tree " + std::to_string(index + 1) + ": " +
      html_escape(shares_text(shares_of(tree.probabilities), pixel.classes, 2)) + "</h2>\n<div class=\"frames\">" +
      frame.overviews(tree) +
      "</div>\n<div class=\"scroll\"><table class=\"tests\"><thead><tr><th class=\"num\">level</th>"
      "<th></th><th>test</th><th class=\"num\">samples</th><th>their classes</th></tr></thead>\n<tbody>\n";
  for (std::size_t level = 0; level < tree.path.size(); ++level)
    html += test_row(tree.path[level], level, pixel, frame);
  return html + "<tr><td class=\"num\">" + std::to_string(tree.path.size()) + "</td><td></td><td>leaf " +
         std::to_string(tree.leaf) + "</td>" + samples_cell(tree.counts, pixel.classes) +
         "</tr>\n<tr><td></td><td></td><td>what the leaf answers</td><td></td><td class=\"classes\">" +
         distribution(shares_of(tree.probabilities), pixel.classes) + "</td></tr>\n</tbody></table></div>\n";
}

}  // namespace

std::string explanation_html(const PixelExplanation& pixel, const image::Frame& frame) {
  const ExplainedFrame explained(pixel, frame);
  std::string body = kStyle + explained.definitions() + heading(pixel) + answers(pixel) + reading_aid(pixel);
  for (std::size_t k = 0; k < pixel.trees.size(); ++k) body += tree_section(pixel.trees[k], k, pixel, explained);
  return html_page("Pixel (" + std::to_string(pixel.x) + ", " + std::to_string(pixel.y) + ") of " + pixel.frame, body);
}

}  // namespace fernwood::evaluate
