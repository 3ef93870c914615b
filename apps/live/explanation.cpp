// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/live/explanation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fernwood/core/text.h"

namespace fernwood::apps {

namespace {

// Blocks of the panel: the bars, the trees, the close-ups. Texts begin at columns within them, and are cut there.
constexpr int kBarsWidth = 212, kTreeWidth = 396, kCloseUpWidth = 264, kGap = 8;
constexpr int kPercentAt = 140, kBarHeight = 4;
constexpr int kChannelsAt = 22, kSideAt = 140, kResponseAt = 182;
constexpr std::size_t kLongestName = 18, kLongestChannels = 16, kLongestSide = 5, kLongestResponse = 29,
                      kLongestAnswer = 50;
constexpr std::size_t kMostClasses = 2;  // of a tree's answer
constexpr image::Rgb kTrack{232, 232, 232};

int line_y(std::size_t line) { return static_cast<int>(line * kLineHeight); }

/// Classes from the most probable on, of equals the first.
std::vector<std::size_t> by_probability(const std::vector<float>& probabilities) {
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return probabilities[a] > probabilities[b]; });
  return order;
}

std::vector<image::FrameImage> images_of(const image::ChannelLayout& channels) {
  std::vector<image::FrameImage> images;
  for (int channel = 0; channel < channels.num_channels(); ++channel)
    if (const image::FrameImage image = channels.image(channel); std::ranges::count(images, image) == 0)
      images.push_back(image);
  return images;
}

}  // namespace

LiveExplanation::LiveExplanation(const TestChoice& choice, const image::ChannelLayout& channels,
                                 const ExplainedPixel* pixel)
    : choice_(choice), images_(images_of(channels)), pixel_(pixel) {}

void LiveExplanation::mark(Array2<image::Rgb>* view, std::optional<image::FrameImage> image) const {
  if (pixel_) mark_tests(view, pixel_->why, choice_, image);
}

void LiveExplanation::mark_pixel_alone(Array2<image::Rgb>* view) const {
  if (pixel_) mark_pixel(view, pixel_->why);
}

/// Of a block: the heading, the tests, and how many more there are.
std::size_t LiveExplanation::num_lines() const { return choice_.num_levels + 2; }

/// Where the bars, the trees and the close-ups lie below the panel's heading: side by side as far as there is room.
std::vector<Box> LiveExplanation::blocks(std::size_t cols) const {
  std::vector<int> widths = {kBarsWidth};
  widths.insert(widths.end(), choice_.num_trees, kTreeWidth);
  widths.insert(widths.end(), images_.size(), kCloseUpWidth);
  std::vector<Box> blocks;
  int x = kMargin, y = line_y(1);
  for (const int width : widths) {
    if (x + width > static_cast<int>(cols)) x = kMargin, y += line_y(num_lines());
    blocks.push_back({x, y, width - kGap, line_y(num_lines()) - kGap});
    x += width;
  }
  return blocks;
}

const Array2<image::Rgb>& LiveExplanation::panel(std::size_t cols) {
  if (panel_.cols() == cols) return panel_;
  const std::vector<Box> places = blocks(cols);
  const int rows = places.back().y + places.back().height + kGap;
  panel_ = Array2<image::Rgb>(static_cast<std::size_t>(rows), cols, kPaper);
  texts_.clear();
  if (pixel_)
    fill_panel(places);
  else
    texts_.push_back({static_cast<int>(kMargin), kBaseLine, "point at a pixel to see why it gets its class", kInk});
  draw_texts(&panel_, texts_);
  return panel_;
}

void LiveExplanation::fill_panel(const std::vector<Box>& blocks) {
  const evaluate::ExplanationWords words = evaluate::explanation_words(pixel_->why, kMostClasses);
  texts_.push_back({static_cast<int>(kMargin), kBaseLine, words.pixel, kInk});
  auto block = blocks.begin();
  add_bars(*block++);
  for (std::size_t i = 0; i < choice_.num_trees; ++i) {
    const std::size_t tree = choice_.first + i;
    add_tree(*block++, tree, words.trees[tree]);
  }
  for (const image::FrameImage image : images_) draw_close_up(&panel_, *block++, *pixel_, choice_, image, &texts_);
}

void LiveExplanation::add_bars(const Box& block) {
  const evaluate::PixelExplanation& why = pixel_->why;
  const std::vector<std::size_t> order = by_probability(why.probabilities);
  for (std::size_t i = 0; i < std::min(order.size(), num_lines()); ++i) {
    const image::ClassInfo& info = why.classes.classes[order[i]];
    const float probability = why.probabilities[order[i]];
    const int base_line = block.y + line_y(i) + kBaseLine;
    texts_.push_back({block.x, base_line, info.name.substr(0, kLongestName), kInk});
    texts_.push_back({block.x + kPercentAt, base_line, format_text("%5.1f %%", 100 * double{probability}), kInk});
    const int length = static_cast<int>(std::lround(probability * static_cast<float>(block.width)));
    fill_box(&panel_, {block.x, base_line + 3, block.width, kBarHeight}, kTrack);
    fill_box(&panel_, {block.x, base_line + 3, length, kBarHeight}, info.color);
  }
}

void LiveExplanation::add_tree(const Box& block, std::size_t tree, const evaluate::ExplanationWords::Tree& words) {
  const auto add = [&](std::size_t line, int x, const std::string& text, std::size_t longest) {
    texts_.push_back({block.x + x, block.y + line_y(line) + kBaseLine, text.substr(0, longest), kInk});
  };
  // The colours of regions a and b, which are one where trees are told apart.
  fill_box(&panel_, {block.x, block.y + kSwatchAt, kSwatch / 2, kSwatch}, choice_.color(tree, false));
  fill_box(&panel_, {block.x + kSwatch / 2, block.y + kSwatchAt, kSwatch / 2, kSwatch}, choice_.color(tree, true));
  add(0, kChannelsAt, "tree " + std::to_string(tree + 1) + ": " + words.answer, kLongestAnswer);
  const std::size_t num_tests = std::min(words.tests.size(), choice_.num_levels);
  for (std::size_t level = 0; level < num_tests; ++level) {
    const evaluate::ExplanationWords::Test& test = words.tests[level];
    add(level + 1, 0, std::to_string(level), 2);
    add(level + 1, kChannelsAt, test.channels, kLongestChannels);
    add(level + 1, kSideAt, test.side, kLongestSide);
    add(level + 1, kResponseAt, test.response, kLongestResponse);
  }
  const std::size_t num_more = words.tests.size() - num_tests;
  if (num_more > 0) add(num_tests + 1, kChannelsAt, "and " + std::to_string(num_more) + " more", kLongestAnswer);
}

}  // namespace fernwood::apps
