// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "fernwood/image/channels.h"

namespace fernwood::image {

/// Integrates a channel (thesis 3.2.4): afterwards
/// `sums[y * (cols + 1) + x]` is the sum of all known values above row y and left of column x, modulo 2^32.
/// Differences of such sums are exact as long as one region's sum fits into 32 bits, whatever the frame size.
/// @param sums    [(rows + 1) * (cols + 1)], written.
/// @param counts  [(rows + 1) * (cols + 1)], written with the number of known values likewise; may be null when nobody
///                asks for them here: every value is known, or another channel has the same counts.
void integrate(const ChannelImage& channel, std::uint32_t* sums, std::uint32_t* counts);

}  // namespace fernwood::image
