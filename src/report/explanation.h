// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Texts and numbers about an explained pixel, shared by table, page and JSON.

#include <string>
#include <vector>

#include "fernwood/evaluate/explain.h"

namespace fernwood::report {

/// The reason why a test has no response: "the second region leaves the frame"; empty when it has one.
std::string unknown_reason(const evaluate::SeenTest& test);

/// [class] Shares of the samples; all 0 when there are none.
std::vector<double> shares_of(const std::vector<std::uint64_t>& counts);
/// [class] Probabilities, unchanged.
std::vector<double> shares_of(const std::vector<float>& probabilities);
std::uint64_t num_samples(const std::vector<std::uint64_t>& counts);

/// Classes with a share above 0, in descending order; ties in class order.
std::vector<std::size_t> classes_by_share(const std::vector<double>& shares);
/// "wall 81.2 %, floor 10.1 %, 3 more" of at most `most` classes; "no class" when all shares are 0.
std::string shares_text(const std::vector<double>& shares, const image::ClassMap& classes, std::size_t most);

/// Contribution of a test to the pixel's class: the increase of the class's share among the training samples by the
/// test.
struct Contribution {
  std::size_t tree = 0, level = 0;
  double gain = 0;  ///< Of the share, -1 … 1.
};
/// Contributions of all tests of all trees, by descending magnitude, ties in order; empty for void.
std::vector<Contribution> contributions(const evaluate::PixelExplanation& pixel);

/// "depth - L"; "depth" for a test of only one region.
std::string channels_of(const evaluate::SeenTest& test);

/// Trees by descending probability of the pixel's class in their leaves, ties in order; for void in order.
std::vector<std::size_t> trees_by_vote(const evaluate::PixelExplanation& pixel);

/// The predicted class of a pixel, or "void".
std::string label_name(const evaluate::PixelExplanation& pixel);
/// A mean, response or threshold, in the steps of a channel, with one decimal.
std::string step_text(float value);

inline constexpr std::size_t kMaxNamedClasses = 4;

}  // namespace fernwood::report
