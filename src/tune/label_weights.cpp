// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "tune/label_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include "fernwood/core/confusion.h"
#include "forest/leaf.h"

namespace fernwood::tune {

namespace {

constexpr std::size_t kPixelsAtOnce = 1 << 14;
constexpr int kMaxOctaves = 14, kStepsPerOctave = 8;  // classes rarer than one pixel in 2^14 do not get larger weights
constexpr std::size_t kNumSteps = 2 * kMaxOctaves * kStepsPerOctave + 1, kStepOfOne = kNumSteps / 2;
constexpr int kMaxRounds = 10;
/// A smaller gain does not justify a weight.
constexpr double kMinGain = 1e-6;

/// The weights to try, ascending. @return  [step]
const std::array<float, kNumSteps>& weight_steps() {
  static const std::array<float, kNumSteps> kSteps = [] {
    constexpr std::array<float, kStepsPerOctave> kEighths = {1.0f,        1.09050773f, 1.18920712f, 1.29683955f,
                                                             1.41421356f, 1.54221083f, 1.68179283f, 1.83400809f};
    std::array<float, kNumSteps> steps{};
    for (std::size_t i = 0; i < kNumSteps; ++i)
      steps[i] = std::ldexp(kEighths[i % kStepsPerOctave], static_cast<int>(i / kStepsPerOctave) - kMaxOctaves);
    return steps;
  }();
  return kSteps;
}

/// The smallest step not below a weight, or the last one.
std::size_t step_of(double weight) {
  const auto& steps = weight_steps();
  const auto found = std::ranges::lower_bound(steps, static_cast<float>(weight));
  return std::min<std::size_t>(static_cast<std::size_t>(found - steps.begin()), kNumSteps - 1);
}

/// Calls visit(pixel, worker's number) for all pixels of a range, on the threads of a pool.
template <typename Visit>
void for_each_pixel_of(PixelRange range, ThreadPool& pool, const Visit& visit) {
  const std::size_t blocks = (range.end - range.begin + kPixelsAtOnce - 1) / kPixelsAtOnce;
  pool.for_each(blocks, [&](std::size_t block, int worker) {
    const std::size_t begin = range.begin + block * kPixelsAtOnce;
    for (std::size_t p = begin; p < std::min(range.end, begin + kPixelsAtOnce); ++p)
      visit(p, static_cast<std::size_t>(worker));
  });
}

/// The class with the highest weighted probability. @param but  A class to exclude; num_classes: none.
forest::BestClass best_class(const float* probabilities, const std::vector<float>& weights, std::size_t but) {
  forest::BestClass best;
  for (std::size_t c = 0; c < weights.size(); ++c)
    if (c != but) best.offer(static_cast<std::int32_t>(c), probabilities[c] * weights[c]);
  return best;
}

/// Changes of the counts while the weight of one class increases: at each step it takes some pixels from other classes.
struct Takings {
  Array2<std::uint64_t> taken;           ///< [step][class that loses them, or none]
  Array2<std::uint64_t> right_lost;      ///< [step][class]
  std::vector<std::uint64_t> right_won;  ///< [step]

  explicit Takings(std::size_t num_classes)
      : taken(kNumSteps, num_classes + 1), right_lost(kNumSteps, num_classes), right_won(kNumSteps, 0) {}
  void operator+=(const Takings& other) {
    std::ranges::transform(taken, other.taken, taken.begin(), std::plus());
    std::ranges::transform(right_lost, other.right_lost, right_lost.begin(), std::plus());
    std::ranges::transform(right_won, other.right_won, right_won.begin(), std::plus());
  }
};

class WeightSearch {
 public:
  WeightSearch(const EvaluatedPixels& pixels, PixelRange range, Goal goal, ThreadPool& pool)
      : pixels_(pixels), range_(range), goal_(goal), pool_(pool), num_classes_(pixels.probabilities.cols()) {
    equal_ = count_labels(pixels, range, std::vector<float>(num_classes_, 1.0f), pool);
    most_ = static_cast<std::size_t>(std::ranges::max_element(equal_.truth) - equal_.truth.begin());
  }

  std::vector<float> run() const {
    std::vector<float> best(num_classes_, 1.0f);
    double highest = equal_.score(goal_);
    for (const double power : {0.0, 0.5, 1.0}) {
      const std::vector<float> weights = climb(start(power));
      const double score = count_labels(pixels_, range_, weights, pool_).score(goal_);
      if (!(score > highest + kMinGain)) continue;
      highest = score;
      best = weights;
    }
    return best;
  }

 private:
  /// @param power  Exponent of the inverse frequency: 0, a half or 1.
  std::vector<float> start(double power) const {
    std::vector<float> weights(num_classes_, 1.0f);
    for (std::size_t c = 0; c < num_classes_; ++c) {
      if (equal_.truth[c] == 0 || power == 0) continue;
      const double rarer = static_cast<double>(equal_.truth[most_]) / static_cast<double>(equal_.truth[c]);
      weights[c] = weight_steps()[step_of(power == 1 ? rarer : std::sqrt(rarer))];
    }
    weights[most_] = 1.0f;
    return weights;
  }

  std::vector<float> climb(std::vector<float> weights) const {
    for (int round = 0; round < kMaxRounds; ++round) {
      bool changed = false;
      for (std::size_t c = 0; c < num_classes_; ++c) {
        if (c == most_ || equal_.truth[c] == 0) continue;
        const float better = best_weight(weights, c);
        changed |= better != weights[c];
        weights[c] = better;
      }
      if (!changed) break;
    }
    return weights;
  }

  /// The best weight of one class, given the others': its present one unless another improves the score.
  float best_weight(const std::vector<float>& weights, std::size_t c) const {
    LabelCounts counts{equal_.truth, std::vector<std::uint64_t>(num_classes_, 0),
                       std::vector<std::uint64_t>(num_classes_, 0)};
    const Takings takings = find_takings(weights, c, counts);
    std::vector<double> scores(kNumSteps);
    for (std::size_t step = 0; step < kNumSteps; ++step) {
      for (std::size_t d = 0; d < num_classes_; ++d) {
        counts.predicted[d] -= takings.taken(step, d);
        counts.predicted[c] += takings.taken(step, d);
        counts.right[d] -= takings.right_lost(step, d);
      }
      counts.predicted[c] += takings.taken(step, num_classes_);
      counts.right[c] += takings.right_won[step];
      scores[step] = counts.score(goal_);
    }
    const std::size_t now = step_of(static_cast<double>(weights[c]));
    const auto highest = static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
    return scores[highest] > scores[now] + kMinGain ? weight_steps()[highest] : weights[c];
  }

  /// @param counts  Set to the counts before the class takes any pixel.
  Takings find_takings(const std::vector<float>& weights, std::size_t c, LabelCounts& counts) const {
    struct OfWorker {
      Takings takings;
      std::vector<std::uint64_t> predicted, right;
    };
    std::vector<std::optional<OfWorker>> workers(static_cast<std::size_t>(pool_.num_threads()));
    const auto& steps = weight_steps();
    for_each_pixel_of(range_, pool_, [&](std::size_t p, std::size_t worker) {
      std::optional<OfWorker>& own = workers[worker];
      if (!own) own = OfWorker{Takings(num_classes_), counts.predicted, counts.right};
      const float* row = pixels_.probabilities.row(p);
      const std::uint16_t truth = pixels_.labels[p];
      const forest::BestClass other = best_class(row, weights, c);
      const bool labelled = other.label != image::kVoid;
      if (labelled) ++own->predicted[other.label];
      if (labelled && other.label == truth) ++own->right[truth];
      const auto first = static_cast<std::size_t>(
          std::ranges::partition_point(steps, [&](float weight) { return !(weight * row[c] > other.highest); }) -
          steps.begin());
      if (first == kNumSteps) return;
      ++own->takings.taken(first, labelled ? other.label : num_classes_);
      if (truth == c) ++own->takings.right_won[first];
      if (labelled && other.label == truth) ++own->takings.right_lost(first, truth);
    });
    Takings all(num_classes_);
    for (const std::optional<OfWorker>& own : workers) {
      if (!own) continue;
      all += own->takings;
      for (std::size_t d = 0; d < num_classes_; ++d) {
        counts.predicted[d] += own->predicted[d];
        counts.right[d] += own->right[d];
      }
    }
    return all;
  }

  const EvaluatedPixels& pixels_;
  PixelRange range_;
  Goal goal_;
  ThreadPool& pool_;
  std::size_t num_classes_;
  LabelCounts equal_;
  std::size_t most_ = 0;  // the most frequent class
};

LabelCounts add_counts(const LabelCounts& a, const LabelCounts& b) {
  LabelCounts sum = a;
  const auto add = [](std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& from) {
    std::ranges::transform(to, from, to.begin(), std::plus());
  };
  add(sum.truth, b.truth);
  add(sum.predicted, b.predicted);
  add(sum.right, b.right);
  return sum;
}

/// Scales weights to a mean of 1 over the classes that occur. @param truth  [class] Pixels.
std::vector<float> scaled_to_one(std::vector<float> weights, const std::vector<std::uint64_t>& truth) {
  double sum = 0, present = 0;
  for (std::size_t c = 0; c < weights.size(); ++c)
    if (truth[c] > 0) sum += static_cast<double>(weights[c]), ++present;
  for (float& weight : weights)
    weight = std::clamp(static_cast<float>(static_cast<double>(weight) * present / sum), forest::kMinClassWeight,
                        forest::kMaxClassWeight);
  return weights;
}

}  // namespace

LabelScores LabelCounts::scores() const {
  std::vector<double> iou;
  for (std::size_t c = 0; c < truth.size(); ++c)
    iou.push_back(fernwood::ratio(right[c], truth[c] == 0 ? 0 : truth[c] + predicted[c] - right[c]));
  const Accuracy accuracy = fernwood::accuracy_of(right, truth);
  return {accuracy.pixel, accuracy.class_average, mean_of_known(iou)};
}

double LabelCounts::score(Goal goal) const {
  const LabelScores all = scores();
  return goal == Goal::kPixels ? all.pixel : goal == Goal::kClasses ? all.class_average : all.mean_iou;
}

LabelCounts count_labels(const EvaluatedPixels& pixels, PixelRange range, const std::vector<float>& weights,
                         ThreadPool& pool) {
  const std::vector<std::uint64_t> none(weights.size(), 0);
  std::vector<LabelCounts> workers(static_cast<std::size_t>(pool.num_threads()), {none, none, none});
  for_each_pixel_of(range, pool, [&](std::size_t p, std::size_t worker) {
    LabelCounts& own = workers[worker];
    const std::uint16_t label = best_class(pixels.probabilities.row(p), weights, weights.size()).label;
    ++own.truth[pixels.labels[p]];
    if (label == image::kVoid) return;
    ++own.predicted[label];
    if (label == pixels.labels[p]) ++own.right[label];
  });
  LabelCounts all = {none, none, none};
  for (const LabelCounts& own : workers) all = add_counts(all, own);
  return all;
}

std::vector<float> find_weights(const EvaluatedPixels& pixels, PixelRange range, Goal goal, ThreadPool& pool) {
  return WeightSearch(pixels, range, goal, pool).run();
}

WeighedLabels weigh_labels(const EvaluatedPixels& pixels, std::size_t middle, Goal goal, ThreadPool& pool) {
  const PixelRange all = {0, pixels.labels.size()}, first = {0, middle}, second = {middle, all.end};
  const LabelCounts equal = count_labels(pixels, all, std::vector<float>(pixels.probabilities.cols(), 1.0f), pool);
  const LabelCounts crossed = add_counts(count_labels(pixels, second, find_weights(pixels, first, goal, pool), pool),
                                         count_labels(pixels, first, find_weights(pixels, second, goal, pool), pool));
  WeighedLabels weighed{{}, equal.scores(), equal.scores()};
  if (!(crossed.score(goal) > equal.score(goal) + kMinGain)) return weighed;
  weighed.weights = scaled_to_one(find_weights(pixels, all, goal, pool), equal.truth);
  weighed.after = crossed.scores();
  return weighed;
}

}  // namespace fernwood::tune
