// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/draw.h"
#include "fernwood/core/error.h"
#include "fernwood/search/search.h"

namespace fernwood::search {

/// A search with a known optimum: the loss is the minimum loss plus the squared distance to the best point, an effect
/// of the fold that all configurations share, and noise of configuration and fold.
class ToyProblem : public Problem {
 public:
  explicit ToyProblem(std::uint64_t seed = 1) : seed_(seed) {}

  const Space& space() const override { return space_; }
  std::size_t num_folds() const override { return folds; }
  std::string fingerprint() const override { return data; }
  std::vector<Configuration> variants(const Configuration& trial) const override {
    std::vector<Configuration> all = {trial};
    for (const char* trees : {"1", "2"}) {
      if (std::stoi(trial.at("trees")) <= std::stoi(trees)) continue;
      all.push_back(trial);
      all.back()["trees"] = trees;
    }
    return all;
  }
  EvaluationResult measure(const Configuration& trial, const std::vector<Configuration>& variants, std::size_t fold,
                           bool timed) override {
    ++num_measured;
    if (before_measuring) before_measuring(trial, fold);
    EvaluationResult result;
    result.train_seconds = std::stod(trial.at("samples")) / 1000;
    for (const Configuration& variant : variants) {
      result.results.push_back({loss_of(variant, fold), 0.7, 0.6});
      if (timed) result.latency_ms.push_back(0.1 * std::stod(variant.at("trees")));
    }
    return result;
  }

  /// Without fold effects and noise.
  double true_loss(const Configuration& configuration) const {
    const std::vector<double> point = space_.point(configuration);
    double loss = 0.3;
    for (std::size_t i = 0; i < 4; ++i) loss += steepness * std::pow(point[i] - kBest[i], 2);
    if (configuration.at("channels") != "lab,depth") loss += 0.03;
    return loss + 0.02 / std::stod(configuration.at("trees"));
  }

  std::size_t folds = 12;
  double noise = 0.01, steepness = 0.2;
  std::string data = "toy";
  std::function<void(const Configuration& trial, std::size_t fold)> before_measuring;
  std::atomic<std::size_t> num_measured = 0;

 private:
  static constexpr double kBest[] = {0.7, 0.3, 0.55, 0.2};

  double loss_of(const Configuration& configuration, std::size_t fold) const {
    std::string text;
    for (const auto& [name, value] : configuration) text += name + "=" + value + ";";
    const auto key = static_cast<std::uint32_t>(std::hash<std::string>()(text));
    return true_loss(configuration) + 0.05 * normal(static_cast<std::uint32_t>(fold), 0) +
           noise * normal(static_cast<std::uint32_t>(fold), key | 1u);
  }

  double normal(std::uint32_t fold, std::uint32_t key) const {
    const Draw numbers = draw(seed_, RngStream::kSynthetic, 0, 1, fold, key);
    return std::sqrt(-2 * std::log(1 - static_cast<double>(numbers.unit(0)))) * std::cos(6.2831853 * numbers.unit(1));
  }

  std::uint64_t seed_;
  Space space_{{integer_parameter("samples", 10, 7500, 500, true), integer_parameter("depth", 5, 20, 18),
                real_parameter("absolute", 0, 1, 0.1), integer_parameter("radius", 1, 127, 111),
                choice_parameter("channels", {"lab", "lab,depth", "depth"}, "lab"),
                integer_parameter("trees", 1, 3, 3)}};
};

}  // namespace fernwood::search
