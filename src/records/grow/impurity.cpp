// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/grow/impurity.h"

namespace fernwood {

namespace {

/// Base-2 logarithm, to 1e-14 and without the library's, which differs between machines: log(m) = 2 artanh(s) with
/// s = (m - 1) / (m + 1) and m in [1, 2). @param value  At least 1.
double exact_log2(double value) {
  double exponent = 0;
  for (; value >= 2; value /= 2) exponent += 1;
  const double s = (value - 1) / (value + 1), square = s * s;
  double sum = 0;
  for (int k = 29; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
  return exponent + 2 * s * sum * 1.4426950408889634;
}

}  // namespace

EntropyTerms::EntropyTerms(std::size_t most) : terms_(most + 1) {
  for (std::size_t n = 1; n <= most; ++n) {
    const auto count = static_cast<double>(n);
    terms_[n] = static_cast<std::int64_t>(count * exact_log2(count) * kUnit + 0.5);
  }
}

}  // namespace fernwood
