// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Formatting of numbers and words for people, independent of the locale.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fernwood {

/// Progress of long work, in words for a progress bar.
struct ProgressWords {
  std::string phase;   ///< Current phase: "growing".
  std::string detail;  ///< "tree 3 of 80, level 4, 120 nodes"; may be empty.
  double done = 0;     ///< Share of the phase's work, [0, 1].
};

/// A number with `digits` digits after the decimal point; "-" for NaN.
std::string fixed(double value, int digits);
/// A share in percent, without the sign; "-" for NaN.
std::string percent(double share, int digits = 1);
/// A difference of shares in percent, with its sign: "+1.2", "-0.3", "0.0"; "-" for NaN.
std::string points(double difference);

/// 1234567 as "1,234,567".
std::string format_count(std::uint64_t count);
/// "1 frame", "1,234 frames". @param noun  Its plural ends with s.
std::string counted(std::uint64_t count, const std::string& noun);
/// One decimal and a unit: "1.2 k", "3.4 M", "5.6 G".
std::string format_rate(double per_second);
/// "4.2 s", "12 s", "3:05 min", "1:02:03 h".
std::string format_duration(double seconds);
/// "1.234 s"; from 10 s on as format_duration().
std::string format_seconds(double seconds);

/// Names of the channels that a split compares: "L - depth"; or only "L" if `channel_b` is empty.
std::string pair_name(const std::string& channel_a, const std::string& channel_b);
/// "floor 0.5, wall 1.5"; empty without numbers. @param names  One for each number.
std::string named_numbers(const std::vector<std::string>& names, const std::vector<float>& numbers);

}  // namespace fernwood
