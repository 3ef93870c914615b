// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/stream/sketch_study.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "core/draw.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"
#include "lab/stream/ben_haim.h"
#include "lab/stream/exact_sketch.h"
#include "stream/sketches/log_linear.h"

namespace fernwood::lab {

namespace {

/// In (0, 1], so that its logarithm exists.
double positive_unit(const Draw& drawn, int i) { return 1.0 - static_cast<double>(drawn.unit(i)); }

/// A standard normal number from words 0 and 1: Box and Muller, 1958.
double normal(const Draw& drawn) {
  return std::sqrt(-2 * std::log(positive_unit(drawn, 0))) * std::cos(2 * std::numbers::pi * positive_unit(drawn, 1));
}

/// Differences of depth in m, as in tests of a pixel's surroundings: one surface, edges, the background.
double depth_difference(const Draw& drawn) {
  const double kind = drawn.unit(2), sign = drawn.word[3] & 1 ? 1 : -1;
  if (kind < 0.1) return 0;
  if (kind < 0.65) return 0.005 * normal(drawn);
  if (kind < 0.85) return sign * -0.3 * std::log(positive_unit(drawn, 0));
  return sign * 8 * positive_unit(drawn, 0);
}

template <typename ValueOf>
SketchValues make(const std::string& name, std::size_t count, ValueOf value_of) {
  SketchValues made{name, std::vector<float>(count)};
  for (std::size_t i = 0; i < count; ++i)
    made.values[i] = static_cast<float>(
        value_of(draw(1, RngStream::kScene, 5, static_cast<std::uint32_t>(i >> 32), static_cast<std::uint32_t>(i))));
  return made;
}

SketchValues sorted(SketchValues made) {
  std::ranges::sort(made.values);
  return {made.name + ", ascending", std::move(made.values)};
}

}  // namespace

std::vector<SketchValues> sketch_values(std::size_t count) {
  std::vector<SketchValues> all;
  all.push_back(make("uniform [0, 1)", count, [](const Draw& d) { return d.unit(0); }));
  all.push_back(make("normal", count, normal));
  all.push_back(make("log-normal, sigma 2", count, [](const Draw& d) { return std::exp(2 * normal(d)); }));
  all.push_back(make("bimodal", count, [](const Draw& d) { return (d.word[2] & 1 ? 100 : 0) + normal(d); }));
  all.push_back(make("integers 0 to 20", count, [](const Draw& d) { return d.between(0, 0, 20); }));
  all.push_back(make("far from zero, 4000 +- 50", count, [](const Draw& d) { return 4000 + 50 * normal(d); }));
  all.push_back(make("depth differences", count, depth_difference));
  all.push_back(sorted(all[1]));
  all.push_back(sorted(all[6]));
  return all;
}

namespace {

constexpr std::size_t kPlaces = 1000, kFirstBatch = 1000;
constexpr int kRepeat = 3;

/// Values, with the exact results for them.
struct Truth {
  const SketchValues& given;
  ExactSketch sketch;
};

template <Sketch S>
void measure_error(const S& sketch, const Truth& truth, SketchCost& cost) {
  const auto total = static_cast<double>(truth.sketch.total());
  for (std::size_t i = 0; i < kPlaces; ++i) {
    const double b = truth.sketch.quantile((static_cast<double>(i) + 0.5) / kPlaces);
    const auto least = static_cast<double>(truth.sketch.count_below(b)), most = truth.sketch.sum(b);
    const double sum = sketch.sum(b);
    const double error = std::max({0.0, least - sum, sum - most}) / total;
    cost.most_error = std::max(cost.most_error, error);
    cost.mean_error += error / kPlaces;
  }
}

/// @param empty  A sketch that has counted no values.
template <Sketch S>
SketchCost measure(const std::string& name, const S& empty, int workers, const Truth& truth) {
  SketchCost cost{name, truth.given.name, workers};
  const std::span<const float> values = truth.given.values;
  S merged = empty;
  for (int run = 0; run < kRepeat; ++run) {
    std::vector<S> parts(static_cast<std::size_t>(workers), empty);
    const double start = seconds_now();
    for (std::size_t w = 0; w < parts.size(); ++w) {
      const std::size_t begin = values.size() * w / parts.size(), end = values.size() * (w + 1) / parts.size();
      parts[w].update(values.subspan(begin, end - begin));
    }
    const double updated = seconds_now();
    merged = empty;
    merged.merge(parts);
    const double update = (updated - start) / static_cast<double>(values.size()), merge = seconds_now() - updated;
    cost.update_seconds = run == 0 ? update : std::min(cost.update_seconds, update);
    cost.merge_seconds = run == 0 ? merge : std::min(cost.merge_seconds, merge);
  }
  cost.size_bytes = merged.size_bytes();
  measure_error(merged, truth, cost);
  return cost;
}

/// The centre that a caller would choose: the median of the first batch.
float first_median(std::span<const float> values) {
  ExactSketch first;
  first.update(values.first(std::min(kFirstBatch, values.size())));
  return static_cast<float>(first.quantile(0.5));
}

void measure_all(const Truth& truth, std::vector<SketchCost>& costs) {
  for (const int bins : {50, 256})
    for (const int workers : {1, 8, 64})
      costs.push_back(measure(format_text("Ben-Haim, %d bins", bins), BenHaimHistogram(bins), workers, truth));
  for (const int bits : {3, 4})
    for (const int workers : {1, 8})
      costs.push_back(measure(format_text("log-linear, %d bits", bits), stream::LogLinearSketch(bits), workers, truth));
  const float centre = first_median(truth.given.values);
  costs.push_back(measure("log-linear, 4 bits, centred", stream::LogLinearSketch(4, centre), 8, truth));
  costs.push_back(measure("exact", ExactSketch(), 8, truth));
}

}  // namespace

SketchStudy run_sketch_study(std::size_t num_values, const ProgressCallback& progress) {
  SketchStudy study{num_values, {}};
  const std::vector<SketchValues> all = sketch_values(num_values);
  for (std::size_t i = 0; i < all.size(); ++i) {
    progress(i, all.size());
    Truth truth{all[i], {}};
    truth.sketch.update(all[i].values);
    measure_all(truth, study.costs);
  }
  return study;
}

std::string sketch_study_text(const SketchStudy& study) {
  std::string text = format_text("%zu values of each distribution; errors of ranks at %zu values, one thread\n",
                                 study.num_values, kPlaces);
  std::string shown;
  for (const SketchCost& cost : study.costs) {
    if (cost.values != shown) {
      text += format_text("\n%-29s %7s  %12s %12s %9s %10s %10s\n", cost.values.c_str(), "workers", "most error %",
                          "mean error %", "bytes", "update ns", "merge us");
      shown = cost.values;
    }
    text += format_text("  %-27s %7d  %12.4f %12.4f %9zu %10.2f %10.1f\n", cost.sketch.c_str(), cost.workers,
                        cost.most_error * 100, cost.mean_error * 100, cost.size_bytes, cost.update_seconds * 1e9,
                        cost.merge_seconds * 1e6);
  }
  return text;
}

nlohmann::json sketch_study_json(const SketchStudy& study) {
  nlohmann::json costs = nlohmann::json::array();
  for (const SketchCost& cost : study.costs)
    costs.push_back({{"sketch", cost.sketch},
                     {"distribution", cost.values},
                     {"workers", cost.workers},
                     {"most_rank_error", cost.most_error},
                     {"mean_rank_error", cost.mean_error},
                     {"size_bytes", cost.size_bytes},
                     {"update_ns", cost.update_seconds * 1e9},
                     {"merge_us", cost.merge_seconds * 1e6}});
  return {{"values", study.num_values}, {"costs", costs}};
}

}  // namespace fernwood::lab
