// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What table, page and JSON say alike about an explained pixel.

#include <string>
#include <vector>

#include "fernwood/evaluate/explain.h"

namespace fernwood::report {

/// Why a test has no response: "the second region leaves the frame"; empty when it has one.
std::string unknown_reason(const evaluate::SeenTest& test);

/// [class] shares of the samples; all 0 when there are none.
std::vector<double> shares_of(const std::vector<std::uint64_t>& counts);
/// [class] the same of probabilities, as they are.
std::vector<double> shares_of(const std::vector<float>& probabilities);
std::uint64_t num_samples(const std::vector<std::uint64_t>& counts);

/// Classes with a share, the highest first, of equals the first.
std::vector<std::size_t> classes_by_share(const std::vector<double>& shares);
/// "wall 81.2 %, floor 10.1 %, 3 more" of at most `most` classes; "no class" when all shares are 0.
std::string shares_text(const std::vector<double>& shares, const image::ClassMap& classes, std::size_t most);

/// What a test did for the pixel's class: by how much the share of the class among the training samples is higher after
/// it than before.
struct Contribution {
  std::size_t tree = 0, level = 0;
  double gain = 0;  ///< Of the share, -1 … 1.
};
/// Of all tests of all trees, the largest first by magnitude, of equals the first; none for void.
std::vector<Contribution> contributions(const evaluate::PixelExplanation& pixel);

/// "depth - L"; "depth" of a test that looks at one region only.
std::string channels_of(const evaluate::SeenTest& test);

/// The class that a pixel gets, or "void".
std::string label_name(const evaluate::PixelExplanation& pixel);
/// A mean, response or threshold, which are in the steps of a channel: one digit after the point.
std::string step_text(float value);

inline constexpr std::size_t kMostNamedClasses = 4;

}  // namespace fernwood::report
