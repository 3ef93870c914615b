// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "fernwood/evaluate/report.h"

namespace fernwood::evaluate {

/// A number with so many digits after the point, whatever the locale; "-" for NaN.
std::string fixed(double value, int digits);
/// A share in percent with one digit after the point and no sign; "-" for NaN.
inline std::string percent(double share) { return fixed(100 * share, 1); }
/// A count with its digits in groups of three.
std::string grouped(std::uint64_t count);

/// Part of a whole, NaN when there is no whole.
double share(std::uint64_t part, std::uint64_t whole);
/// Void pixels over all pixels.
inline double void_share(const Metrics& metrics) {
  return share(metrics.void_pixels, metrics.void_pixels + metrics.labelled_pixels);
}

/// The confusion matrix with each row divided by its sum, void left out of the truth; rows without a pixel are NaN.
/// [classes][classes], with one more column when a labelled pixel was predicted void.
Array2<double> row_shares(const Confusion& confusion);
/// Labelled pixels whose prediction is void.
std::uint64_t void_predictions(const Confusion& confusion);

}  // namespace fernwood::evaluate
