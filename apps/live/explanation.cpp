// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/live/explanation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/predict/predictor.h"

namespace fernwood::apps {

namespace {

constexpr std::size_t kMaxTrees = 6, kMaxTests = 8;  // of all trees together, and of each tree
constexpr float kLeafOpacity = 0.3f;                 // of the regions of the last test
constexpr int kLargestScale = 8;
constexpr int kNumberMargin = 14;  // pixels of a close-up above and beside the regions
// The colours of the page that `explain --html` writes.
constexpr image::Rgb kRegionA{255, 176, 0}, kRegionB{76, 201, 255};
constexpr image::Rgb kHere{255, 255, 255}, kShadow{0, 0, 0}, kOutside{128, 128, 128};
constexpr std::array<image::Rgb, kMaxTrees> kTreeColors = {
    {{255, 176, 0}, {76, 201, 255}, {255, 90, 160}, {110, 220, 90}, {180, 140, 255}, {255, 255, 255}}};

/// A region of a test to draw.
struct Mark {
  forest::RegionSpan span;
  std::size_t level;
  Stroke stroke;
};

/// The marks of all chosen tests, the root's last.
std::vector<Mark> marks_of(const evaluate::PixelExplanation& why, const TestChoice& choice,
                           std::optional<image::FrameImage> image) {
  std::vector<Mark> marks;
  for (std::size_t k = choice.first; k < choice.first + choice.num_trees; ++k) {
    const std::vector<evaluate::SeenTest>& path = why.trees[k].path;
    for (std::size_t level = std::min(path.size(), choice.num_levels); level-- > 0;) {
      const evaluate::SeenTest& test = path[level];
      if (image && test.a.image != *image) continue;
      const float opacity = 1 - (1 - kLeafOpacity) * static_cast<float>(level) / static_cast<float>(choice.num_levels);
      const auto add = [&](const evaluate::SeenRegion& region, bool is_b) {
        if (region.span) marks.push_back({*region.span, level, {choice.color(k, is_b), opacity, !region.inside}});
      };
      add(test.a, false);
      if (test.b) add(*test.b, true);
    }
  }
  std::ranges::stable_sort(marks, std::greater{}, &Mark::level);
  return marks;
}

Box seen_through(const Lens& lens, const forest::RegionSpan& span) {
  return {(span.x0 - lens.x) * lens.scale, (span.y0 - lens.y) * lens.scale, span.width * lens.scale,
          span.height * lens.scale};
}

/// The largest magnification that shows all marks and the pixel in an image of that size.
Lens lens_for(const std::vector<Mark>& marks, const evaluate::PixelExplanation& why, int width, int height) {
  int left = why.x, right = why.x + 1, top = why.y, bottom = why.y + 1;
  for (const auto& [span, level, stroke] : marks) {
    left = std::min(left, span.x0), right = std::max(right, span.x0 + span.width);
    top = std::min(top, span.y0), bottom = std::max(bottom, span.y0 + span.height);
  }
  const int fitting =
      std::min((width - 2 * kNumberMargin) / (right - left), (height - 2 * kNumberMargin) / (bottom - top));
  const int scale = std::clamp(fitting, 1, kLargestScale);
  // If the marks do not fit even at scale 1, the part around the pixel is shown.
  if (fitting < 1) return {why.x - width / 2, why.y - height / 2, 1};
  return {(left + right - width / scale) / 2, (top + bottom - height / scale) / 2, scale};
}

Array2<image::Rgb> magnified(const Array2<image::Rgb>& frame, const Lens& lens, std::size_t rows, std::size_t cols) {
  Array2<image::Rgb> picture(rows, cols, kOutside);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t col = 0; col < cols; ++col) {
      const int x = lens.x + static_cast<int>(col) / lens.scale, y = lens.y + static_cast<int>(row) / lens.scale;
      if (x >= 0 && y >= 0 && x < static_cast<int>(frame.cols()) && y < static_cast<int>(frame.rows()))
        picture(row, col) = frame(static_cast<std::size_t>(y), static_cast<std::size_t>(x));
    }
  return picture;
}

constexpr double kMinPeriodS = 0.25;
constexpr double kMaxShare = 0.05;  // of one core's time

// Blocks of the panel: bars, trees, close-ups. Texts start at columns within them, and are clipped there.
constexpr int kBarsWidth = 212, kTreeWidth = 396, kCloseUpWidth = 264, kGap = 8;
constexpr int kPercentAt = 140, kBarHeight = 4;
constexpr int kChannelsAt = 22, kSideAt = 140, kResponseAt = 182;
constexpr std::size_t kLongestName = 18, kLongestChannels = 16, kLongestSide = 5, kLongestResponse = 29,
                      kLongestAnswer = 50;
constexpr std::size_t kMaxClasses = 2;  // of a tree's prediction
constexpr image::Rgb kTrack{232, 232, 232};

int line_y(std::size_t line) { return static_cast<int>(line * kLineHeight); }

/// Classes by descending probability, ties in class order.
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

TestChoice::TestChoice(int tree, std::size_t trees, std::size_t depth)
    : one_alone(tree > 0 || trees == 1),
      first(tree > 0 ? static_cast<std::size_t>(tree - 1) : 0),
      num_trees(one_alone ? 1 : std::min(trees, kMaxTrees)),
      num_levels(one_alone ? depth : std::min(depth, kMaxTests)) {}

image::Rgb TestChoice::color(std::size_t tree, bool region_b) const {
  if (!one_alone) return kTreeColors[tree % kMaxTrees];
  return region_b ? kRegionB : kRegionA;
}

void mark_pixel(Array2<image::Rgb>* picture, const evaluate::PixelExplanation& why, const Lens& lens) {
  const Box pixel = seen_through(lens, {why.x, why.y, 1, 1});
  draw_cross(picture, pixel.x + pixel.width / 2, pixel.y + pixel.height / 2, kHere);
}

void mark_tests(Array2<image::Rgb>* picture, const evaluate::PixelExplanation& why, const TestChoice& choice,
                std::optional<image::FrameImage> image, const Lens& lens) {
  for (const Mark& mark : marks_of(why, choice, image))
    draw_outline(picture, seen_through(lens, mark.span), mark.stroke);
  mark_pixel(picture, why, lens);
}

void draw_close_up(Array2<image::Rgb>* picture, const Box& box, const ExplainedPixel& pixel, const TestChoice& choice,
                   image::FrameImage image, std::vector<Text>* numbers) {
  const std::vector<Mark> marks = marks_of(pixel.why, choice, image);
  const Lens lens = lens_for(marks, pixel.why, box.width, box.height);
  const Array2<image::Rgb> whole =
      image == image::FrameImage::kColor ? pixel.frame->color : dataset::colorize_depth(pixel.frame->depth_mm);
  Array2<image::Rgb> part =
      magnified(whole, lens, static_cast<std::size_t>(box.height), static_cast<std::size_t>(box.width));
  mark_tests(&part, pixel.why, choice, image, lens);
  draw_picture(picture, box.x, box.y, part);
  if (!choice.one_alone) return;
  for (const Mark& mark : marks) {
    const Box at = seen_through(lens, mark.span);
    const int x = std::clamp(at.x, 0, box.width - 16) + box.x, y = std::clamp(at.y - 4, 10, box.height) + box.y;
    numbers->push_back({x + 1, y + 1, std::to_string(mark.level), kShadow});
    numbers->push_back({x, y, std::to_string(mark.level), mark.stroke.color});
  }
}

bool LiveExplainer::update(const std::shared_ptr<const image::Frame>& frame, bool at_once) {
  if (!pixel_ || !frame) return false;
  const bool is_prepared = explanation_ && explanation_->frame == frame;
  if (is_prepared && *pixel_ == Place{explanation_->why.x, explanation_->why.y}) return false;
  const double begin = seconds_now();
  if (!at_once && begin < next_at_) return false;
  if (!is_prepared) prepared_ = predict::prepare_for(forest_, *frame);
  explanation_ = {fernwood::evaluate::explain(forest_, prepared_, pixel_->x, pixel_->y), frame};
  const double end = seconds_now();
  next_at_ = begin + std::max(kMinPeriodS, (end - begin) / kMaxShare);
  return true;
}

LiveExplanation::LiveExplanation(const TestChoice& choice, const image::ChannelLayout& channels,
                                 const ExplainedPixel* pixel)
    : choice_(choice), images_(images_of(channels)), pixel_(pixel) {}

void LiveExplanation::mark(Array2<image::Rgb>* view, std::optional<image::FrameImage> image) const {
  if (pixel_) mark_tests(view, pixel_->why, choice_, image);
}

void LiveExplanation::mark_pixel_alone(Array2<image::Rgb>* view) const {
  if (pixel_) mark_pixel(view, pixel_->why);
}

/// Lines of a block: the heading, the tests, and the number of tests left out.
std::size_t LiveExplanation::num_lines() const { return choice_.num_levels + 2; }

/// Positions of the bars, the trees and the close-ups below the panel's heading: side by side as far as there is space.
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
  const report::ExplanationWords words = report::explanation_words(pixel_->why, kMaxClasses);
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

void LiveExplanation::add_tree(const Box& block, std::size_t tree, const report::ExplanationWords::Tree& words) {
  const auto add = [&](std::size_t line, int x, const std::string& text, std::size_t longest) {
    texts_.push_back({block.x + x, block.y + line_y(line) + kBaseLine, text.substr(0, longest), kInk});
  };
  // The colours of regions a and b, which are equal if colours distinguish trees.
  fill_box(&panel_, {block.x, block.y + kSwatchAt, kSwatch / 2, kSwatch}, choice_.color(tree, false));
  fill_box(&panel_, {block.x + kSwatch / 2, block.y + kSwatchAt, kSwatch / 2, kSwatch}, choice_.color(tree, true));
  add(0, kChannelsAt, "tree " + std::to_string(tree + 1) + ": " + words.answer, kLongestAnswer);
  const std::size_t num_tests = std::min(words.tests.size(), choice_.num_levels);
  for (std::size_t level = 0; level < num_tests; ++level) {
    const report::ExplanationWords::Test& test = words.tests[level];
    add(level + 1, 0, std::to_string(level), 2);
    add(level + 1, kChannelsAt, test.channels, kLongestChannels);
    add(level + 1, kSideAt, test.side, kLongestSide);
    add(level + 1, kResponseAt, test.response, kLongestResponse);
  }
  const std::size_t num_more = words.tests.size() - num_tests;
  if (num_more > 0) add(num_tests + 1, kChannelsAt, "and " + std::to_string(num_more) + " more", kLongestAnswer);
}

}  // namespace fernwood::apps
