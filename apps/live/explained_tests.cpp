// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/live/explained_tests.h"

#include <algorithm>
#include <array>

#include "fernwood/dataset/dataset.h"

namespace fernwood::apps {

namespace {

constexpr std::size_t kMostTrees = 6, kMostTests = 8;  // of all trees at a time, and of each
constexpr float kLeafOpacity = 0.3f;                   // of the last test's regions
constexpr int kLargestScale = 8;
constexpr int kRoomForNumbers = 14;  // pixels of a close-up above and beside the regions
// Those of the page that `explain --html` writes.
constexpr image::Rgb kRegionA{255, 176, 0}, kRegionB{76, 201, 255};
constexpr image::Rgb kHere{255, 255, 255}, kShadow{0, 0, 0}, kOutside{128, 128, 128};
constexpr std::array<image::Rgb, kMostTrees> kTreeColors = {
    {{255, 176, 0}, {76, 201, 255}, {255, 90, 160}, {110, 220, 90}, {180, 140, 255}, {255, 255, 255}}};

/// A region of a test that is shown.
struct Mark {
  forest::RegionSpan span;
  std::size_t level;
  Stroke stroke;
};

/// Of all tests that are shown, the root's last.
std::vector<Mark> marks_of(const evaluate::PixelExplanation& why, const TestChoice& choice,
                           std::optional<image::FrameImage> image) {
  std::vector<Mark> marks;
  for (std::size_t k = choice.first; k < choice.first + choice.num_trees; ++k) {
    const std::vector<evaluate::SeenTest>& path = why.trees[k].path;
    for (std::size_t level = std::min(path.size(), choice.num_levels); level-- > 0;) {
      const evaluate::SeenTest& test = path[level];
      if (image && why.channels.image(test.a.channel) != *image) continue;
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

/// Shows all marks and the pixel as large as they can be in a picture of that size.
Lens lens_for(const std::vector<Mark>& marks, const evaluate::PixelExplanation& why, int width, int height) {
  int left = why.x, right = why.x + 1, top = why.y, bottom = why.y + 1;
  for (const auto& [span, level, stroke] : marks) {
    left = std::min(left, span.x0), right = std::max(right, span.x0 + span.width);
    top = std::min(top, span.y0), bottom = std::max(bottom, span.y0 + span.height);
  }
  const int fitting =
      std::min((width - 2 * kRoomForNumbers) / (right - left), (height - 2 * kRoomForNumbers) / (bottom - top));
  const int scale = std::clamp(fitting, 1, kLargestScale);
  // What has no room even at its own size is shown around the pixel.
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

}  // namespace

TestChoice::TestChoice(int tree, std::size_t trees, std::size_t depth)
    : one_alone(tree > 0 || trees == 1),
      first(tree > 0 ? static_cast<std::size_t>(tree - 1) : 0),
      num_trees(one_alone ? 1 : std::min(trees, kMostTrees)),
      num_levels(one_alone ? depth : std::min(depth, kMostTests)) {}

image::Rgb TestChoice::color(std::size_t tree, bool region_b) const {
  if (!one_alone) return kTreeColors[tree % kMostTrees];
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

}  // namespace fernwood::apps
