// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/data/class_weights.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "fernwood/forest/forest.h"

namespace fernwood::train {

namespace {

constexpr std::array<std::string_view, 4> kRules = {"data", "balanced", "sqrt", "cbrt"};

bool is_rule(std::string_view text) { return std::ranges::find(kRules, text) != kRules.end(); }

std::string suggestion(std::string_view word, std::span<const std::string_view> names) {
  const std::string_view nearest = nearest_name(word, names);
  return nearest.empty() ? "" : "did you mean " + std::string(nearest) + "? ";
}

struct NamedWeight {
  std::string_view name;
  float weight;
};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

/// Parses "name=weight"; the name may contain '='.
NamedWeight parse_named_weight(std::string_view part) {
  const std::size_t equals = part.rfind('=');
  FW_CHECK(equals != std::string_view::npos, Usage,
           named_option("class-weights") << " has \"" << part << "\"; " << suggestion(part, kRules)
                                         << "use data, balanced, sqrt, cbrt, or name=weight for some classes");
  const std::string_view number = trimmed(part.substr(equals + 1));
  float weight = 0;
  const auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), weight);
  const bool read = failure == std::errc() && end == number.data() + number.size();
  FW_CHECK(read && weight >= forest::kMinClassWeight && weight <= forest::kMaxClassWeight, Usage,
           named_option("class-weights") << " has \"" << part << "\"; use a weight from 1e-6 to 1e6");
  return {trimmed(part.substr(0, equals)), weight};
}

std::vector<NamedWeight> parse_named_weights(std::string_view text) {
  std::vector<NamedWeight> weights;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    weights.push_back(parse_named_weight(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return weights;
}

std::size_t find_class(std::string_view name, const image::ClassMap& classes) {
  std::vector<std::string_view> names;
  for (const image::ClassInfo& info : classes.classes) names.emplace_back(info.name);
  const auto found = std::ranges::find(names, name);
  FW_CHECK(found != names.end(), Usage,
           named_option("class-weights") << " names \"" << name << "\", which is not a class of the data; "
                                         << suggestion(name, names) << "The classes are " << join(names));
  return static_cast<std::size_t>(found - names.begin());
}

std::vector<float> weights_by_name(std::string_view text, const image::ClassMap& classes) {
  std::vector<std::optional<float>> given(classes.size());
  for (const auto& [name, weight] : parse_named_weights(text)) {
    std::optional<float>& place = given[find_class(name, classes)];
    FW_CHECK(!place, Usage, named_option("class-weights") << " names \"" << name << "\" twice; give it one weight");
    place = weight;
  }
  std::vector<float> weights;
  for (const std::optional<float>& weight : given) weights.push_back(weight.value_or(1.0f));
  return weights;
}

// Both give identical results everywhere, unlike library functions: a square root is rounded correctly, and Newton's
// steps use only basic operations.
double square_root(double x) { return std::sqrt(x); }
double cube_root(double x) {
  double root = std::sqrt(std::sqrt(x));
  for (int i = 0; i < 16; ++i) root = (2 * root + x / (root * root)) / 3;
  return root;
}

/// @param inverse  Function of the number of pixels of a class; called for numbers above 0.
template <typename Inverse>
std::vector<float> weights_by_pixels(const std::vector<std::uint64_t>& class_pixels, const Inverse& inverse) {
  double sum = 0;
  std::size_t present = 0;
  for (const std::uint64_t pixels : class_pixels)
    if (pixels > 0) sum += inverse(static_cast<double>(pixels)), ++present;
  std::vector<float> weights(class_pixels.size(), 1.0f);
  for (std::size_t c = 0; c < weights.size(); ++c)
    if (class_pixels[c] > 0)
      weights[c] = std::clamp(
          static_cast<float>(inverse(static_cast<double>(class_pixels[c])) * static_cast<double>(present) / sum),
          forest::kMinClassWeight, forest::kMaxClassWeight);
  return weights;
}

}  // namespace

void check_class_weights(const std::string& text) {
  if (!is_rule(text)) parse_named_weights(text);
}

std::vector<float> resolve_class_weights(const std::string& text, const image::ClassMap& classes,
                                         const std::vector<std::uint64_t>& class_pixels) {
  if (text == "data") return {};
  if (text == "balanced") return weights_by_pixels(class_pixels, [](double pixels) { return 1 / pixels; });
  if (text == "sqrt") return weights_by_pixels(class_pixels, [](double pixels) { return 1 / square_root(pixels); });
  if (text == "cbrt") return weights_by_pixels(class_pixels, [](double pixels) { return 1 / cube_root(pixels); });
  return weights_by_name(text, classes);
}

}  // namespace fernwood::train
