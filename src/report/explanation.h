// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What table, page and JSON say alike about an explained pixel.

#include <string>
#include <vector>

#include "fernwood/evaluate/explain.h"

namespace fernwood::report {

/// Why a test has no response: "region b leaves the frame"; empty when it has one.
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

/// The class that a pixel gets, or "void".
std::string label_name(const evaluate::PixelExplanation& pixel);
/// A mean, response or threshold, which are in the steps of a channel: one digit after the point.
std::string step_text(float value);

inline constexpr std::size_t kMostNamedClasses = 4;

}  // namespace fernwood::report
