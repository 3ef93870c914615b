// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "evaluate/format.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace fernwood::evaluate {

std::string fixed(double value, int digits) {
  if (std::isnan(value)) return "-";
  std::array<char, 400> buffer;  // the largest double has 309 digits before the point
  const auto end = std::to_chars(buffer.begin(), buffer.end(), value, std::chars_format::fixed, digits).ptr;
  return std::string(buffer.begin(), end);
}

std::string grouped(std::uint64_t count) {
  const std::string digits = std::to_string(count);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ' ';
    text += digits[i];
  }
  return text;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : std::numeric_limits<double>::quiet_NaN();
}

Array2<double> row_shares(const Confusion& confusion) {
  const std::size_t num_classes = confusion.num_classes();
  Array2<double> shares(num_classes, num_classes + (void_predictions(confusion) > 0 ? 1 : 0));
  for (std::size_t t = 0; t < num_classes; ++t) {
    const std::uint64_t pixels = confusion.truth_pixels(t);
    for (std::size_t p = 0; p < shares.cols(); ++p) shares(t, p) = share(confusion.count(t, p), pixels);
  }
  return shares;
}

std::uint64_t void_predictions(const Confusion& confusion) {
  const std::size_t num_classes = confusion.num_classes();
  std::uint64_t pixels = 0;
  for (std::size_t t = 0; t < num_classes; ++t) pixels += confusion.count(t, num_classes);
  return pixels;
}

}  // namespace fernwood::evaluate
