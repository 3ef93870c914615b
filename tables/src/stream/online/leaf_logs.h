// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <bit>
#include <cstdint>

namespace fernwood::stream {

/// Logarithms of the shares of classes are whole numbers of this unit, 2^-kVoteBits.
inline constexpr int kVoteBits = 16;
/// Numbers whose logarithms are stored.
inline constexpr std::int64_t kStoredLogs = 1 << 12;
inline constexpr double kLn2OfVotes = 0.6931471805599453;

/// n log2(n) and ln(n) of small numbers.
struct StoredLogs {
  StoredLogs();

  double entropies[kStoredLogs];
  std::int32_t votes[kStoredLogs];
};
extern const StoredLogs kLogs;

/// n log2(n). @param n  At least 0.
double entropy_term(std::int64_t n);
/// ln(n) in units of 2^-kVoteBits; of larger numbers than kStoredLogs with an error of 2 / kStoredLogs.
/// @param n  At least 1.
inline std::int64_t vote_log(std::int64_t n) {
  const int shift = n < kStoredLogs ? 0 : std::bit_width(static_cast<std::uint64_t>(n / kStoredLogs));
  return 45426 * shift + kLogs.votes[n >> shift];  // ln(2) is 45426
}

}  // namespace fernwood::stream
