// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/validation.h"

#include <algorithm>
#include <utility>

namespace fernwood::teach {

namespace {

/// A stroke with a smaller share of correct pixels is suspect: either it is wrong, or there are too few like it.
constexpr double kMinRight = 0.2;

}  // namespace

CrossValidation::CrossValidation(HeldOutPredictions held_out, const Project& project)
    : held_out_(std::move(held_out)), project_(project), of_class_(project.live_classes().size()) {}

/// Counts, among the pixels of a stroke, those that still have its class.
CrossValidation::RightPixels CrossValidation::right_of(const Stroke& stroke, const image::LabelImage& truth,
                                                       const image::LabelImage& judged,
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

void CrossValidation::judge(std::size_t i, const image::LabelImage& truth, const std::vector<JudgedStroke>& strokes) {
  const image::LabelImage& judged = held_out_.labels[i];
  const std::vector<bool>& learnt = held_out_.learnt[i];
  for (std::size_t p = 0; p < truth.size(); ++p) {
    const std::uint16_t label = truth.data()[p];
    if (label == image::kVoid || !learnt[label]) continue;
    const bool is_right = judged.data()[p] == label;
    ++of_class_[label].all, ++all_.all;
    of_class_[label].right += is_right, all_.right += is_right;
  }
  for (const JudgedStroke& one : strokes) {
    const RightPixels pixels = right_of(*one.stroke, truth, judged, learnt);
    if (pixels.all > 0 && pixels.share() < kMinRight)
      suspects_.push_back({one.number, held_out_.frames[i], pixels.share()});
  }
}

std::function<void()> CrossValidation::next_step() {
  if (is_outdated() || next_ == held_out_.frames.size()) return {};
  const std::size_t i = next_++, frame = held_out_.frames[i];
  const std::vector<TaughtClass> live = project_.live_classes();
  std::vector<JudgedStroke> strokes;
  for (const auto& [number, stroke] : project_.frame(frame).strokes) {
    if (stroke->class_id == kErase || !project_.counts(*stroke)) continue;  // nor accepted labels
    const auto one = std::ranges::find(live, project_.merged_class(stroke->class_id), &TaughtClass::number);
    if (held_out_.learnt[i][static_cast<std::size_t>(one - live.begin())]) strokes.push_back({number, stroke});
  }
  return [this, i, read = project_.labels_reader(frame), strokes = std::move(strokes)] { judge(i, read(), strokes); };
}

std::optional<CrossValidationReport> CrossValidation::report() const {
  if (is_outdated() || std::ranges::count_if(of_class_, [](const RightPixels& pixels) { return pixels.all > 0; }) < 2)
    return std::nullopt;
  CrossValidationReport report = {.version = held_out_.version, .by_class = {}, .suspects = suspects_};
  std::size_t present = 0;
  for (const RightPixels& pixels : of_class_) {
    report.by_class.push_back(pixels.all > 0 ? std::optional(pixels.share()) : std::nullopt);
    if (pixels.all > 0) report.class_accuracy += pixels.share(), ++present;
  }
  report.class_accuracy /= static_cast<double>(present);
  report.pixel_accuracy = all_.share();
  std::ranges::stable_sort(report.suspects, {}, &SuspectStroke::right);
  return report;
}

std::optional<CrossValidationReport> validation_of(const HeldOutPredictions& held_out, const Project& project) {
  CrossValidation validation(held_out, project);
  while (const auto step = validation.next_step()) step();
  return validation.report();
}

}  // namespace fernwood::teach
