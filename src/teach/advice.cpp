// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/advice.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace fernwood::teach {

namespace {

/// From 0, equal, to 2.
float distance(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (std::size_t c = 0; c < std::min(a.size(), b.size()); ++c) sum += std::abs(a[c] - b[c]);
  return sum;
}

/// A stroke with a smaller share of correct pixels is suspect: either it is wrong, or there are too few like it.
constexpr double kMinRight = 0.2;

}  // namespace

Array2<std::uint8_t> uncertainty_of(const std::vector<Array2<float>>& probabilities) {
  if (probabilities.empty()) return {};
  Array2<std::uint8_t> uncertainty(probabilities[0].rows(), probabilities[0].cols());
  std::vector<float> best(uncertainty.cols()), second(uncertainty.cols());
  for (std::size_t y = 0; y < uncertainty.rows(); ++y) {
    std::ranges::fill(best, 0.0f);
    std::ranges::fill(second, 0.0f);
    for (const Array2<float>& of_class : probabilities)
      for (std::size_t x = 0; x < uncertainty.cols(); ++x) {
        const float p = of_class(y, x);
        second[x] = std::max(second[x], std::min(p, best[x]));
        best[x] = std::max(best[x], p);
      }
    for (std::size_t x = 0; x < uncertainty.cols(); ++x)
      uncertainty(y, x) =
          static_cast<std::uint8_t>(std::lround(255 * std::clamp(1 - (best[x] - second[x]), 0.0f, 1.0f)));
  }
  return uncertainty;
}

FrameUncertainty frame_uncertainty(const Array2<std::uint8_t>& uncertainty,
                                   const std::vector<Array2<float>>& probabilities) {
  FrameUncertainty found;
  const double pixels = std::max(1.0, static_cast<double>(uncertainty.size()));
  const std::uint64_t sum = std::accumulate(uncertainty.begin(), uncertainty.end(), std::uint64_t{0});
  found.mean = static_cast<float>(static_cast<double>(sum) / (255 * pixels));
  for (const Array2<float>& of_class : probabilities)
    found.shares.push_back(static_cast<float>(std::accumulate(of_class.begin(), of_class.end(), 0.0) / pixels));
  return found;
}

std::vector<std::size_t> rank_frames(const std::vector<FrameToTeach>& frames) {
  std::vector<std::pair<float, std::size_t>> scores;
  for (const FrameToTeach& one : frames) {
    float nearest = 2;
    for (const FrameToTeach& other : frames)
      if (other.is_taught) nearest = std::min(nearest, distance(one.uncertainty.shares, other.uncertainty.shares));
    scores.emplace_back(one.uncertainty.mean * (1 + nearest), one.frame);
  }
  std::ranges::stable_sort(scores, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::size_t> order;
  for (const auto& score : scores) order.push_back(score.second);
  return order;
}

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

void CrossValidation::judge(std::size_t i, const image::LabelImage& truth, const Strokes& strokes) {
  const image::LabelImage& judged = held_out_.labels[i];
  const std::vector<bool>& learnt = held_out_.learnt[i];
  for (std::size_t p = 0; p < truth.size(); ++p) {
    const std::uint16_t label = truth.data()[p];
    if (label == image::kVoid || !learnt[label]) continue;
    const bool is_right = judged.data()[p] == label;
    ++of_class_[label].all, ++all_.all;
    of_class_[label].right += is_right, all_.right += is_right;
  }
  for (const auto& [number, stroke] : strokes) {
    const RightPixels pixels = right_of(*stroke, truth, judged, learnt);
    if (pixels.all > 0 && pixels.share() < kMinRight)
      suspects_.push_back({number, held_out_.frames[i], pixels.share()});
  }
}

std::function<void()> CrossValidation::next_step() {
  if (is_outdated() || next_ == held_out_.frames.size()) return {};
  const std::size_t i = next_++, frame = held_out_.frames[i];
  const std::vector<std::uint16_t> live = project_.live_indices();
  Strokes strokes;
  for (const auto& [number, stroke] : project_.frame(frame).strokes) {
    if (stroke->class_id == kErase || !project_.counts(*stroke)) continue;  // nor accepted labels
    if (held_out_.learnt[i][live[stroke->class_id]]) strokes.emplace(number, stroke);
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

}  // namespace fernwood::teach
