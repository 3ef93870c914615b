// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Classes and ground truth that exist already, and names and colours that fit those of a project.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>

#include "dataset/frame_file_names.h"
#include "fernwood/core/error.h"
#include "fernwood/image/labels.h"
#include "teach/fill.h"
#include "teach/project_state.h"

namespace fernwood::teach {

namespace {

constexpr double kFirstHueDeg = 173, kGoldenAngleDeg = 137.5;
/// Squared distance in RGB at which adjacent colours are distinguishable.
constexpr int kTellsApart = 60 * 60;
constexpr int kCandidates = 512;

/// [i] Hues far from the previous ones, with another lightness after each turn of the colour circle.
image::Rgb candidate(int i) {
  constexpr int kHuesOfATurn = 16;
  constexpr std::array kLightness = {0.39, 0.62, 0.27, 0.75};
  const double hue = std::fmod(kFirstHueDeg + i * kGoldenAngleDeg, 360) / 30;
  const double lightness = kLightness[static_cast<std::size_t>(i / kHuesOfATurn) % kLightness.size()];
  const double chroma = 0.6 * std::min(lightness, 1 - lightness);
  const auto value = [&](double shift) {
    const double k = std::fmod(shift + hue, 12);
    return static_cast<std::uint8_t>(
        std::lround(255 * (lightness - chroma * std::max(-1.0, std::min({k - 3, 9 - k, 1.0})))));
  };
  return {value(0), value(8), value(4)};
}

int squared_distance(image::Rgb a, image::Rgb b) {
  const int r = a.r - b.r, g = a.g - b.g, blue = a.b - b.b;
  return r * r + g * g + blue * blue;
}

/// Request id of a region of the imported truth, stable across restarts.
std::string request_of(std::size_t frame, std::size_t label) {
  return "truth-" + std::to_string(frame) + "-" + std::to_string(label);
}

}  // namespace

image::Rgb free_color_among(const std::vector<TaughtClass>& classes) {
  const auto nearest = [&](image::Rgb color) {
    int least = squared_distance(color, {});
    for (const TaughtClass& one : classes) least = std::min(least, squared_distance(color, one.color));
    return least;
  };
  for (const image::Rgb color : image::class_palette())
    if (nearest(color) >= kTellsApart) return color;
  image::Rgb best;
  int farthest = 0;
  for (int i = 0; i < kCandidates; ++i) {
    const image::Rgb color = candidate(i);
    const int distance = nearest(color);
    if (distance >= kTellsApart) return color;
    if (distance > farthest) best = color, farthest = distance;
  }
  // More classes than candidate colours: any unused colour.
  for (int rgb = 1; farthest == 0; ++rgb) {
    best = {static_cast<std::uint8_t>(rgb), static_cast<std::uint8_t>(rgb >> 8), static_cast<std::uint8_t>(rgb >> 16)};
    farthest = nearest(best);
  }
  return best;
}

std::string frame_name_like(const std::string& name, const std::function<bool(const std::string&)>& is_taken) {
  std::string plain = name.empty() ? "frame" : dataset::file_name_of(name);
  std::ranges::replace(plain, '.', '_');
  std::string free = plain;
  for (int again = 2; is_taken(free); ++again) free = plain + "_" + std::to_string(again);
  return free;
}

std::vector<std::string> frame_names_of(const dataset::Dataset& data) {
  std::vector<std::string> names = data.names();
  std::set<std::string> taken(names.begin(), names.end());
  for (std::string& name : names)
    if (!dataset::is_file_name(name))
      name = *taken.insert(frame_name_like(name, [&](const auto& tried) { return taken.contains(tried); })).first;
  return names;
}

std::vector<std::uint16_t> take_classes(Project& project, const std::vector<image::ClassInfo>& classes) {
  const auto known_before = project.live_classes();
  const auto is_new = [&](const image::ClassInfo& info) {
    return std::ranges::find(known_before, info.name, &TaughtClass::name) == known_before.end();
  };
  // Checked before the first is added: a project with only some of them would be useless.
  const auto num_new = static_cast<std::size_t>(std::ranges::count_if(classes, is_new));
  FW_CHECK(num_new == 0 || known_before.size() + num_new <= kMaxTaughtClasses, Usage,
           num_new << " new classes and the " << known_before.size() << " of " << project.folder().string()
                   << " are more than the " << kMaxTaughtClasses
                   << " that can be learnt; merge classes of the data first");
  std::vector<std::uint16_t> numbers;
  for (const image::ClassInfo& info : classes) {
    const std::vector<TaughtClass> known = project.live_classes();
    const auto same = std::ranges::find(known, info.name, &TaughtClass::name);
    numbers.push_back(same != known.end() ? same->number : project.add_class(info.name, info.color));
  }
  return numbers;
}

void draw_truth(Project& project, std::size_t frame, const image::LabelImage& labels,
                const std::vector<std::uint16_t>& numbers) {
  for (std::size_t c = 0; c < numbers.size(); ++c) {
    const std::string request_id = request_of(frame, c);
    if (project.find_request(request_id)) continue;
    Stroke stroke = {.tool = Tool::kRegion, .class_id = numbers[c]};
    stroke.runs =
        runs_where(labels.rows(), labels.cols(), [&](std::size_t y, std::size_t x) { return labels(y, x) == c; });
    if (!stroke.runs.empty()) project.add_stroke(frame, std::move(stroke), request_id);
  }
}

bool has_drawn_truth(const Project& project, std::size_t frame, std::size_t num_classes) {
  for (std::size_t c = 0; c < num_classes; ++c)
    if (project.find_request(request_of(frame, c))) return true;
  return false;
}

}  // namespace fernwood::teach
