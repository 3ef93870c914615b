// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/index_labels.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace {

constexpr std::size_t kMaxTested = 4096;  // pixels per image
constexpr int kBorderPx = 24;             // width of a smoothed border, to each side
constexpr double kTolerance = 12;         // from the line between two colours, of 255
constexpr double kNearTolerance = 40;     // from the surrounding colour, for example by JPEG's ringing
constexpr double kFarApart = 80;          // minimum distance between class colours for the near test to be meaningful
constexpr double kRareShare = 0.02;       // of all pixels
constexpr std::size_t kMinForError = 4;
constexpr std::size_t kManyColors = 256;  // no data set has this many classes of which none fills 3 x 3 pixels

using Counts = std::unordered_map<std::uint32_t, ColorCount>;

std::array<double, 3> difference(image::Rgb a, image::Rgb b) {
  return {double(a.r) - b.r, double(a.g) - b.g, double(a.b) - b.b};
}
double dot(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
double distance(image::Rgb a, image::Rgb b) { return std::sqrt(dot(difference(a, b), difference(a, b))); }

/// Near the line between two colours, or slightly beyond its ends, where filters overshoot; if both are equal: near
/// that colour.
bool is_mixture(image::Rgb color, image::Rgb a, image::Rgb b) {
  if (a == b) return distance(color, a) <= kNearTolerance;
  const std::array<double, 3> line = difference(b, a), from_a = difference(color, a);
  const double t = dot(from_a, line) / dot(line, line);
  const double off = dot(from_a, from_a) - t * t * dot(line, line);
  return t > -0.1 && t < 1.1 && off <= kTolerance * kTolerance;
}

/// The first pure colour in a direction, or null.
const image::Rgb* look(const Array2<image::Rgb>& image, std::size_t row, std::size_t col, int down, int right,
                       const std::function<bool(image::Rgb)>& is_pure) {
  auto y = static_cast<std::ptrdiff_t>(row), x = static_cast<std::ptrdiff_t>(col);
  for (int step = 0; step < kBorderPx; ++step) {
    y += down;
    x += right;
    if (y < 0 || x < 0 || y >= static_cast<std::ptrdiff_t>(image.rows()) ||
        x >= static_cast<std::ptrdiff_t>(image.cols()))
      return nullptr;
    const image::Rgb* const seen = image.row(static_cast<std::size_t>(y)) + x;
    if (is_pure(*seen)) return seen;
  }
  return nullptr;
}

/// Calls run(row, first column, end column, count) for each horizontal run of one colour.
template <typename Run>
void for_each_run(const Array2<image::Rgb>& image, Counts& counts, const Run& run) {
  for (std::size_t row = 0; row < image.rows(); ++row) {
    const image::Rgb* const pixels = image.row(row);
    for (std::size_t col = 0; col < image.cols();) {
      const std::size_t first = col;
      while (col < image.cols() && pixels[col] == pixels[first]) ++col;
      run(row, first, col, counts[packed(pixels[first])]);
    }
  }
}

/// Whether some 3 x 3 pixels in a run and the rows beside it have its colour.
bool has_solid(const Array2<image::Rgb>& image, std::size_t row, std::size_t first, std::size_t end) {
  if (end - first < 3 || row == 0 || row + 1 == image.rows()) return false;
  const image::Rgb color = image.row(row)[first];
  std::size_t length = 0;
  for (std::size_t col = first; col < end; ++col) {
    length = image.row(row - 1)[col] == color && image.row(row + 1)[col] == color ? length + 1 : 0;
    if (length == 3) return true;
  }
  return false;
}

bool are_far_apart(const std::vector<ColorCount>& found) {
  for (const ColorCount& a : found)
    for (const ColorCount& b : found)
      if (a.num_solid > 0 && b.num_solid > 0 && a.color != b.color && distance(a.color, b.color) < kFarApart)
        return false;
  return true;
}

}  // namespace

bool is_blend_of_neighbours(const Array2<image::Rgb>& image, std::size_t row, std::size_t col,
                            const std::function<bool(image::Rgb)>& is_pure) {
  constexpr std::array<std::array<int, 2>, 4> kDirections = {{{0, 1}, {1, 0}, {1, 1}, {1, -1}}};
  const image::Rgb color = image.row(row)[col];
  return std::ranges::any_of(kDirections, [&](const std::array<int, 2>& d) {
    const image::Rgb* const a = look(image, row, col, d[0], d[1], is_pure);
    const image::Rgb* const b = look(image, row, col, -d[0], -d[1], is_pure);
    return a && b && *a != *b && is_mixture(color, *a, *b);
  });
}

void find_blends(const Array2<image::Rgb>& image, Counts& counts) {
  std::size_t num_loose = image.size();
  for_each_run(image, counts, [&](std::size_t row, std::size_t first, std::size_t end, ColorCount& count) {
    if (count.num_solid == 0 && has_solid(image, row, first, end)) {
      count.num_solid = 1;
      num_loose -= count.num_pixels;
    }
  });
  if (num_loose == 0 || num_loose == image.size()) return;
  const auto is_pure = [&](image::Rgb color) { return counts[packed(color)].num_solid > 0; };
  const std::size_t stride = 1 + num_loose / kMaxTested;
  std::size_t number = 0;
  for_each_run(image, counts, [&](std::size_t row, std::size_t first, std::size_t end, ColorCount& count) {
    if (count.num_solid > 0) return;
    for (std::size_t col = first; col < end; ++col) {
      if (number++ % stride != 0) continue;
      ++count.num_tested;
      if (is_blend_of_neighbours(image, row, col, is_pure)) {
        ++count.num_between;
        continue;
      }
      const image::Rgb* const beside = look(image, row, col, 0, 1, is_pure);
      if (beside && is_mixture(count.color, *beside, *beside)) ++count.num_near;
    }
  });
}

std::vector<ColorCount> blended_colors(const std::vector<ColorCount>& found) {
  double num_pixels = 0;
  for (const ColorCount& count : found) num_pixels += static_cast<double>(count.num_pixels);
  const bool nearness_counts = are_far_apart(found);
  std::vector<ColorCount> blended;
  for (const ColorCount& count : found) {
    const std::uint64_t num_alike = count.num_between + (nearness_counts ? count.num_near : 0);
    if (count.num_solid == 0 && count.num_tested > 0 && 2 * num_alike >= count.num_tested &&
        static_cast<double>(count.num_pixels) <= kRareShare * num_pixels)
      blended.push_back(count);
  }
  std::ranges::stable_sort(blended, std::ranges::greater(), &ColorCount::num_pixels);
  return blended;
}

BlendFinding judge_blends(const std::vector<ColorCount>& found) {
  const auto num_solid = static_cast<std::size_t>(
      std::ranges::count_if(found, [](const ColorCount& count) { return count.num_solid > 0; }));
  const std::string remedy =
      "; resize labels with nearest neighbour and store them as PNG, or list the classes in dataset.toml";
  if (found.size() > kManyColors && 10 * num_solid < found.size())
    return {
        "the ground truth has " + std::to_string(found.size()) + " colours, of which " + std::to_string(num_solid) +
            " fill 3 x 3 pixels anywhere: it looks like a photograph, or like labels that were smoothed or stored as "
            "JPEG" +
            remedy,
        true};
  const std::vector<ColorCount> blended = blended_colors(found);
  if (blended.empty()) return {};
  std::uint64_t num_pixels = 0;
  for (const ColorCount& count : blended) num_pixels += count.num_pixels;
  const std::string sentence =
      "the ground truth has " + std::to_string(num_solid) +
      (num_solid == 1 ? " flat colour and " : " flat colours and ") + std::to_string(blended.size()) +
      " that are rare, at borders and blended of those next to them, such as " + to_string(blended.front().color) +
      " (" + std::to_string(num_pixels) +
      " pixels in all): labels look as if they were resized with interpolation, smoothed or stored as JPEG" + remedy;
  return {sentence, blended.size() >= kMinForError && 2 * blended.size() >= num_solid};
}

}  // namespace fernwood::dataset
