// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "evaluate/explain_words.h"
#include "evaluate/format.h"

namespace fernwood::evaluate {
namespace {

constexpr std::size_t kMaxColumns = 100, kMaxClasses = 4;

struct Painter {
  bool color;
  std::string paint(const std::string& text, const char* code) const {
    return color ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
  }
  std::string bold(const std::string& text) const { return paint(text, "1"); }
  std::string dim(const std::string& text) const { return paint(text, "2"); }
};

/// Cut at `width` code points: UTF-8 bytes that go on a code point are not counted.
std::string clipped(const std::string& text, std::size_t width) {
  std::size_t seen = 0;
  for (std::size_t end = 0; end < text.size(); ++end)
    if ((text[end] & 0xC0) != 0x80 && ++seen > width) return text.substr(0, end);
  return text;
}

std::string line(const std::string& text) { return clipped(text, kMaxColumns) + "\n"; }

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

std::string interval(std::int32_t first, std::int32_t size) {
  return size == 1 ? std::to_string(first) : std::to_string(first) + ".." + std::to_string(first + size - 1);
}

/// "depth at x 304..320, y 192..208"
std::string region_text(const SeenRegion& region, const image::ChannelLayout& channels) {
  const std::string& channel = channels.name(region.channel);
  if (!region.span) return channel;
  const forest::RegionSpan& span = *region.span;
  return channel + " at x " + interval(span.x0, span.width) + ", y " + interval(span.y0, span.height);
}

ExplanationWords::Test words_of(const SeenTest& test, const image::ChannelLayout& channels) {
  ExplanationWords::Test words;
  words.channels = channels.name(test.a.channel) + (test.b ? " - " + channels.name(test.b->channel) : "");
  words.response = test.response ? step_text(*test.response) + (test.right ? " > " : " <= ") + step_text(test.threshold)
                                 : unknown_reason(test);
  words.side = test.right ? "right" : "left";
  return words;
}

/// "1442.1 > 12.0: right", "unknown, region b leaves the frame: right"
std::string verdict(const SeenTest& test, const image::ChannelLayout& channels) {
  const ExplanationWords::Test words = words_of(test, channels);
  return (test.response ? "" : "unknown, ") + words.response + ": " + words.side;
}

std::string test_lines(const SeenTest& test, std::size_t level, const PixelExplanation& pixel, const Painter& painter) {
  std::string what = region_text(test.a, pixel.channels);
  if (test.b) what += "  minus  " + region_text(*test.b, pixel.channels);
  const std::string classes = padded(grouped(num_samples(test.counts)) + " samples", 18) +
                              shares_text(shares_of(test.counts), pixel.classes, kMaxClasses);
  return painter.dim(line(padded(std::to_string(level), 4) + classes)) + line("    " + what) +
         line("    " + verdict(test, pixel.channels));
}

std::string tree_text(const SeenTree& tree, std::size_t index, const PixelExplanation& pixel, const Painter& painter) {
  std::string text =
      painter.bold(line("tree " + std::to_string(index + 1) + " of " + std::to_string(pixel.trees.size()) + ": " +
                        shares_text(shares_of(tree.probabilities), pixel.classes, kMaxClasses)));
  for (std::size_t level = 0; level < tree.path.size(); ++level)
    text += test_lines(tree.path[level], level, pixel, painter);
  return text +
         painter.dim(line(padded(std::to_string(tree.path.size()), 4) +
                          padded(grouped(num_samples(tree.counts)) + " samples", 18) +
                          shares_text(shares_of(tree.counts), pixel.classes, kMaxClasses))) +
         line("    leaf " + std::to_string(tree.leaf));
}

std::string depth_text(const PixelExplanation& pixel) {
  if (!pixel.depth_mm) return "not read; regions are as seen from 1 m";
  return *pixel.depth_mm == 0 ? "unknown" : std::to_string(*pixel.depth_mm) + " mm";
}

}  // namespace

ExplanationWords explanation_words(const PixelExplanation& pixel, std::size_t most_classes) {
  ExplanationWords words;
  words.pixel = "pixel " + std::to_string(pixel.x) + "," + std::to_string(pixel.y) +
                (pixel.depth_mm ? ", depth " + depth_text(pixel) : "") + ": " + label_name(pixel);
  for (const SeenTree& tree : pixel.trees) {
    words.trees.push_back({shares_text(shares_of(tree.probabilities), pixel.classes, most_classes), {}});
    for (const SeenTest& test : tree.path) words.trees.back().tests.push_back(words_of(test, pixel.channels));
  }
  return words;
}

std::string explanation_table(const PixelExplanation& pixel, bool color) {
  const Painter painter{color};
  const auto fact = [&](const char* key, const std::string& value) {
    return painter.dim(padded(key, 10)) + clipped(value, kMaxColumns - 10) + "\n";
  };
  std::string text;
  if (!pixel.model.empty()) text += fact("model", pixel.model);
  if (!pixel.frame.empty()) text += fact("frame", pixel.frame);
  text +=
      fact("pixel", std::to_string(pixel.x) + "," + std::to_string(pixel.y)) + fact("depth", depth_text(pixel)) +
      fact("class", label_name(pixel) + "; " + shares_text(shares_of(pixel.probabilities), pixel.classes, kMaxClasses));
  for (std::size_t k = 0; k < pixel.trees.size(); ++k) text += "\n" + tree_text(pixel.trees[k], k, pixel, painter);
  return text;
}

}  // namespace fernwood::evaluate
