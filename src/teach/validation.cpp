// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/validation.h"

#include <algorithm>

namespace fernwood::teach {

namespace {

/// With fewer of its pixels right, a stroke is worth a look: either it is wrong, or there are too few like it.
constexpr double kLeastRight = 0.2;

struct RightPixels {
  std::uint64_t right = 0, all = 0;
  double share() const { return static_cast<double>(right) / static_cast<double>(all); }
};

/// Of the pixels of a stroke those whose class it still is.
RightPixels right_of(const Stroke& stroke, const image::LabelImage& truth, const image::LabelImage& judged,
                     const std::vector<bool>& learnt) {
  constexpr std::uint16_t kHere = 0;
  Stroke alone = stroke;
  alone.class_id = kHere;
  alone.protected_classes.clear();
  image::LabelImage painted(truth.rows(), truth.cols(), kErase);
  paint(alone, painted);
  RightPixels pixels;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (painted.data()[i] != kHere || truth.data()[i] == image::kVoid || !learnt[truth.data()[i]]) continue;
    ++pixels.all;
    pixels.right += truth.data()[i] == judged.data()[i];
  }
  return pixels;
}

}  // namespace

std::optional<CrossValidationReport> validation_of(const HeldOutPredictions& held_out, const Project& project) {
  if (held_out.version < project.labels_version()) return std::nullopt;
  CrossValidationReport validation = {.version = held_out.version, .by_class = {}, .suspects = {}};
  const std::vector<TaughtClass> live = project.live_classes();
  std::vector<RightPixels> of_class(live.size());
  RightPixels all;
  for (std::size_t i = 0; i < held_out.frames.size(); ++i) {
    const std::size_t frame = held_out.frames[i];
    const image::LabelImage truth = project.labels(frame);
    const image::LabelImage& judged = held_out.labels[i];
    for (std::size_t p = 0; p < truth.size(); ++p) {
      const std::uint16_t label = truth.data()[p];
      if (label == image::kVoid || !held_out.learnt[i][label]) continue;
      const bool is_right = judged.data()[p] == label;
      ++of_class[label].all, ++all.all;
      of_class[label].right += is_right, all.right += is_right;
    }
    for (const auto& [number, stroke] : project.strokes(frame)) {
      if (stroke.class_id == kErase || !project.counts(stroke)) continue;  // nor accepted labels, of many classes
      const auto one = std::ranges::find(live, project.merged_class(stroke.class_id), &TaughtClass::number);
      if (!held_out.learnt[i][static_cast<std::size_t>(one - live.begin())]) continue;
      const RightPixels pixels = right_of(stroke, truth, judged, held_out.learnt[i]);
      if (pixels.all > 0 && pixels.share() < kLeastRight)
        validation.suspects.push_back({number, frame, pixels.share()});
    }
  }
  if (std::ranges::count_if(of_class, [](const RightPixels& pixels) { return pixels.all > 0; }) < 2)
    return std::nullopt;
  std::size_t present = 0;
  for (const RightPixels& pixels : of_class) {
    validation.by_class.push_back(pixels.all > 0 ? std::optional(pixels.share()) : std::nullopt);
    if (pixels.all > 0) validation.class_accuracy += pixels.share(), ++present;
  }
  validation.class_accuracy /= static_cast<double>(present);
  validation.pixel_accuracy = all.share();
  std::ranges::stable_sort(validation.suspects, {}, &SuspectStroke::right);
  return validation;
}

}  // namespace fernwood::teach
