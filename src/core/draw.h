// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <Random123/philox.h>

#include <cstdint>

#include "fernwood/core/arithmetic.h"

namespace fernwood {

/// Purpose of a random number. The values are part of the contract "one seed, one forest": never renumber them.
enum class RngStream : std::uint32_t {
  kFrames = 1,
  kSample = 2,
  kCandidate = 3,
  kThreshold = 4,
  kScene = 6,
  kBootstrap = 7,
  kAttribute = 8,
  kSynthetic = 9,
  kProposal = 10,
  kMisclassified = 11,
  kHead = 12
};

/// Four independent 32-bit random numbers.
struct Draw {
  std::uint32_t word[4];

  /// A number in [0, bound), from word `i`; the bias is below bound / 2^32.
  FW_HD std::uint32_t below(int i, std::uint32_t bound) const {
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(word[i]) * bound) >> 32);
  }
  /// A whole number in [low, high], from word `i`.
  FW_HD int between(int i, int low, int high) const {
    return low + static_cast<int>(below(i, static_cast<std::uint32_t>(high - low + 1)));
  }
  /// A number in [0, 1) with 24 bits, from word `i`.
  FW_HD float unit(int i) const { return static_cast<float>(word[i] >> 8) * (1.0f / 16777216.0f); }
};

/// Random numbers as a function of their purpose, independent of the order of the calls: Philox4x32-10 (Salmon et al.,
/// SC 2011, as in Random123) of the counter (index, sub_index, level, tree and purpose).
/// @param tree  Below 2^24.
FW_HD Draw draw(std::uint64_t seed, RngStream purpose, std::uint32_t tree, std::uint32_t level, std::uint32_t index,
                std::uint32_t sub_index = 0) {
  const philox4x32_ctr_t counter = {{index, sub_index, level, (static_cast<std::uint32_t>(purpose) << 24) | tree}};
  const philox4x32_key_t key = {{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
  const philox4x32_ctr_t out = philox4x32(counter, key);
  return Draw{{out.v[0], out.v[1], out.v[2], out.v[3]}};
}

}  // namespace fernwood
