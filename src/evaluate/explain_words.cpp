// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "evaluate/explain_words.h"

#include <algorithm>
#include <numeric>

#include "evaluate/format.h"

namespace fernwood::evaluate {
namespace {

/// "region a leaves the frame", "both regions leave the frame", or nothing when neither is so.
std::string about_regions(bool a, bool b, const std::string& one_does, const std::string& both_do) {
  if (a && b) return "both regions " + both_do;
  return a || b ? std::string("region ") + (a ? "a " : "b ") + one_does : "";
}

}  // namespace

std::string unknown_reason(const SeenTest& test) {
  if (test.response) return "";
  if (!test.a.span) return "the depth here is unknown";
  const std::string outside =
      about_regions(!test.a.inside, test.b && !test.b->inside, "leaves the frame", "leave the frame");
  if (!outside.empty()) return outside;
  return about_regions(!test.a.mean, test.b && !test.b->mean, "has no known pixel", "have no known pixel");
}

std::uint64_t num_samples(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

std::vector<double> shares_of(const std::vector<std::uint64_t>& counts) {
  const std::uint64_t all = num_samples(counts);
  std::vector<double> shares(counts.size(), 0.0);
  if (all > 0) std::ranges::transform(counts, shares.begin(), [all](std::uint64_t count) { return share(count, all); });
  return shares;
}

std::vector<double> shares_of(const std::vector<float>& probabilities) {
  return {probabilities.begin(), probabilities.end()};
}

std::vector<std::size_t> classes_by_share(const std::vector<double>& shares) {
  std::vector<std::size_t> order;
  for (std::size_t c = 0; c < shares.size(); ++c)
    if (shares[c] > 0) order.push_back(c);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
  return order;
}

std::string shares_text(const std::vector<double>& shares, const image::ClassMap& classes, std::size_t most) {
  const std::vector<std::size_t> order = classes_by_share(shares);
  if (order.empty()) return "no class";
  std::string text;
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i)
    text += (i > 0 ? ", " : "") + classes.classes[order[i]].name + " " + percent(shares[order[i]]) + " %";
  return order.size() > most ? text + ", " + std::to_string(order.size() - most) + " more" : text;
}

std::string label_name(const PixelExplanation& explanation) {
  return explanation.label == image::kVoid ? "void" : explanation.classes.classes[explanation.label].name;
}

std::string step_text(float value) { return fixed(value, 1); }

}  // namespace fernwood::evaluate
