// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "report/explanation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/result_json.h"
#include "core/text_table.h"
#include "fernwood/core/text.h"
#include "fernwood/report/evaluation.h"

namespace fernwood::report {

using evaluate::PixelExplanation, evaluate::SeenRegion, evaluate::SeenTest, evaluate::SeenTree;

namespace {

constexpr std::size_t kMaxPrintedTrees = 3;

/// "the first region leaves the frame", "both regions leave the frame", or empty if neither does.
std::string about_regions(bool first, bool second, const std::string& one_does, const std::string& both_do) {
  if (first && second) return "both regions " + both_do;
  return first || second ? std::string("the ") + (first ? "first" : "second") + " region " + one_does : "";
}

std::string line(const std::string& text) { return clip(printable(text), kMaxColumns) + "\n"; }

std::string interval(std::int32_t first, std::int32_t size) {
  return size == 1 ? std::to_string(first) : std::to_string(first) + ".." + std::to_string(first + size - 1);
}

/// "depth at x 304..320, y 192..208"
std::string region_text(const SeenRegion& region) {
  const std::string& channel = region.channel;
  if (!region.span) return channel;
  const forest::RegionSpan& span = *region.span;
  return channel + " at x " + interval(span.x0, span.width) + ", y " + interval(span.y0, span.height);
}

/// "1442.1 > 12.0", or why it is unknown.
std::string response_text(const SeenTest& test) {
  if (!test.response) return unknown_reason(test);
  return step_text(*test.response) + (test.right ? " > " : " <= ") + step_text(test.threshold);
}

const char* side_text(const SeenTest& test) { return test.right ? "right" : "left"; }

/// "1442.1 > 12.0: right", "unknown, the second region leaves the frame: right"
std::string decision_text(const SeenTest& test) {
  return (test.response ? "" : "unknown, ") + response_text(test) + ": " + side_text(test);
}

/// "2   40 samples        floor 75.0 %, wall 25.0 %"
std::string samples_line(std::size_t level, const std::vector<std::uint64_t>& counts, const PixelExplanation& pixel) {
  return line(padded(std::to_string(level), 4) + padded(format_count(num_samples(counts)) + " samples", 18) +
              shares_text(shares_of(counts), pixel.classes, kMaxNamedClasses));
}

std::string test_lines(const SeenTest& test, std::size_t level, const PixelExplanation& pixel, const Painter& painter) {
  std::string what = region_text(test.a);
  if (test.b) what += "  minus  " + region_text(*test.b);
  return painter.dim(samples_line(level, test.counts, pixel)) + line("    " + what) +
         line("    " + decision_text(test));
}

std::string tree_text(const SeenTree& tree, std::size_t index, const PixelExplanation& pixel, const Painter& painter) {
  std::string text =
      painter.bold(line("tree " + std::to_string(index + 1) + " of " + std::to_string(pixel.trees.size()) + ": " +
                        shares_text(shares_of(tree.probabilities), pixel.classes, kMaxNamedClasses)));
  for (std::size_t level = 0; level < tree.path.size(); ++level)
    text += test_lines(tree.path[level], level, pixel, painter);
  return text + painter.dim(samples_line(tree.path.size(), tree.counts, pixel)) +
         line("    leaf " + std::to_string(tree.leaf));
}

std::string depth_text(const PixelExplanation& pixel) {
  if (!pixel.depth_mm) return "not read; regions are as seen from 1 m";
  return *pixel.depth_mm == 0 ? "unknown" : std::to_string(*pixel.depth_mm) + " mm";
}

Json region_json(const SeenRegion& region) {
  const auto side = [&](std::int32_t forest::RegionSpan::*member) {
    return region.span ? Json((*region.span).*member) : Json();
  };
  return {{"channel", region.channel},
          {"x", side(&forest::RegionSpan::x0)},
          {"y", side(&forest::RegionSpan::y0)},
          {"width", side(&forest::RegionSpan::width)},
          {"height", side(&forest::RegionSpan::height)},
          {"inside", region.inside},
          {"mean", or_null(region.mean)}};
}

Json test_json(const SeenTest& test) {
  return {{"node", test.node},
          {"a", region_json(test.a)},
          {"b", test.b ? region_json(*test.b) : Json()},
          {"response", or_null(test.response)},
          {"unknown", or_null(unknown_reason(test))},
          {"threshold", test.threshold},
          {"side", side_text(test)},
          {"samples", test.counts}};
}

Json tree_json(const SeenTree& tree) {
  Json path = Json::array();
  for (const SeenTest& test : tree.path) path.push_back(test_json(test));
  return {{"path", std::move(path)},
          {"node", tree.node},
          {"leaf", tree.leaf},
          {"samples", tree.counts},
          {"probabilities", tree.probabilities}};
}

}  // namespace

std::string unknown_reason(const SeenTest& test) {
  if (test.response) return "";
  if (!test.a.span) return "the depth here is unknown";
  const std::string outside =
      about_regions(!test.a.inside, test.b && !test.b->inside, "leaves the frame", "leave the frame");
  if (!outside.empty()) return outside;
  return about_regions(!test.a.mean, test.b && !test.b->mean, "has no known pixel", "have no known pixel");
}

std::string channels_of(const SeenTest& test) { return test.a.channel + (test.b ? " - " + test.b->channel : ""); }

std::vector<Contribution> contributions(const PixelExplanation& pixel) {
  std::vector<Contribution> all;
  if (pixel.label == image::kVoid) return all;
  for (std::size_t t = 0; t < pixel.trees.size(); ++t) {
    const SeenTree& tree = pixel.trees[t];
    for (std::size_t level = 0; level < tree.path.size(); ++level) {
      const auto& after = level + 1 < tree.path.size() ? tree.path[level + 1].counts : tree.counts;
      all.push_back({t, level, shares_of(after)[pixel.label] - shares_of(tree.path[level].counts)[pixel.label]});
    }
  }
  std::ranges::stable_sort(all, std::greater{}, [](const Contribution& it) { return std::abs(it.gain); });
  return all;
}

std::uint64_t num_samples(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

std::vector<double> shares_of(const std::vector<std::uint64_t>& counts) {
  const std::uint64_t all = num_samples(counts);
  std::vector<double> shares(counts.size(), 0.0);
  if (all > 0)
    std::ranges::transform(counts, shares.begin(), [all](std::uint64_t count) { return fernwood::ratio(count, all); });
  return shares;
}

std::vector<double> shares_of(const std::vector<float>& probabilities) {
  return {probabilities.begin(), probabilities.end()};
}

std::vector<std::size_t> classes_by_share(const std::vector<double>& shares) {
  std::vector<std::size_t> order;
  for (std::size_t c = 0; c < shares.size(); ++c)
    if (shares[c] > 0) order.push_back(c);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
  return order;
}

std::string shares_text(const std::vector<double>& shares, const image::ClassMap& classes, std::size_t most) {
  const std::vector<std::size_t> order = classes_by_share(shares);
  if (order.empty()) return "no class";
  const std::string text = join(std::span(order).first(std::min(most, order.size())), ", ", [&](std::size_t c) {
    return classes.classes[c].name + " " + percent(shares[c]) + " %";
  });
  return order.size() > most ? text + ", " + std::to_string(order.size() - most) + " more" : text;
}

std::vector<std::size_t> trees_by_vote(const PixelExplanation& pixel) {
  std::vector<std::size_t> order(pixel.trees.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (pixel.label != image::kVoid)
    std::ranges::stable_sort(order, std::greater{},
                             [&](std::size_t k) { return pixel.trees[k].probabilities[pixel.label]; });
  return order;
}

std::string label_name(const PixelExplanation& pixel) {
  return pixel.label == image::kVoid ? "void" : pixel.classes.classes[pixel.label].name;
}

std::string step_text(float value) { return fixed(value, 1); }

std::string explanation_words_json(const PixelExplanation& pixel) {
  constexpr std::size_t kMaxWordedClasses = 3;
  nlohmann::json json = {
      {"pixel", "pixel " + std::to_string(pixel.x) + "," + std::to_string(pixel.y) +
                    (pixel.depth_mm ? ", depth " + depth_text(pixel) : "") + ": " + label_name(pixel)},
      {"classes", nlohmann::json::array()},
      {"trees", nlohmann::json::array()}};
  for (std::size_t c = 0; c < pixel.classes.size(); ++c) {
    const image::ClassInfo& info = pixel.classes.classes[c];
    json["classes"].push_back({{"name", info.name},
                               {"color", {info.color.r, info.color.g, info.color.b}},
                               {"share", pixel.probabilities[c]}});
  }
  for (const SeenTree& tree : pixel.trees) {
    nlohmann::json tests = nlohmann::json::array();
    for (const SeenTest& test : tree.path)
      tests.push_back({{"channels", channels_of(test)}, {"response", response_text(test)}, {"side", side_text(test)}});
    json["trees"].push_back({{"answer", shares_text(shares_of(tree.probabilities), pixel.classes, kMaxWordedClasses)},
                             {"tests", std::move(tests)}});
  }
  return ascii_json_text(json);
}

std::string explanation_table(const PixelExplanation& pixel, bool color) {
  const Painter painter{color};
  const std::string answer = shares_text(shares_of(pixel.probabilities), pixel.classes, kMaxNamedClasses);
  std::string text = facts({{"model", pixel.model},
                            {"frame", pixel.frame},
                            {"pixel", std::to_string(pixel.x) + "," + std::to_string(pixel.y)},
                            {"depth", depth_text(pixel)},
                            {"class", label_name(pixel) + "; " + answer}},
                           10, painter, kMaxColumns);
  const std::vector<std::size_t> order = trees_by_vote(pixel);
  const std::size_t num_shown = std::min(order.size(), kMaxPrintedTrees);
  for (std::size_t i = 0; i < num_shown; ++i) text += "\n" + tree_text(pixel.trees[order[i]], order[i], pixel, painter);
  if (num_shown < order.size())
    text += line("") + line(counted(order.size() - num_shown, "tree") + " with smaller votes for " + label_name(pixel) +
                            " left out; all are in the JSON (--json) and on the page (--html)");
  return text;
}

std::string explanation_json(const PixelExplanation& pixel) {
  Json json = {{"schema_version", 1},
               {"model", pixel.model},
               {"frame", pixel.frame},
               {"x", pixel.x},
               {"y", pixel.y},
               {"depth_mm", pixel.depth_mm && *pixel.depth_mm > 0 ? Json(*pixel.depth_mm) : Json()},
               {"class", pixel.label == image::kVoid ? Json() : Json(label_name(pixel))},
               {"classes", pixel.classes.names()},
               {"probabilities", pixel.probabilities},
               {"trees", Json::array()}};
  for (const SeenTree& tree : pixel.trees) json["trees"].push_back(tree_json(tree));
  return dump(json);
}

}  // namespace fernwood::report
