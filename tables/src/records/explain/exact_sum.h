// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>

namespace fernwood::records {

/// Changes contributions such that their exact sum, rounded to 64 bits (Python's math.fsum()), is `total`: the
/// difference is added to the largest contribution, and what is below its last bit to the next smaller ones. Some
/// totals are not reached, where contributions that are much larger than the total cancel out; then its last bits
/// differ.
/// @param numbers  [count] The summands. @param step  Those at 0, step, 2 step ... before the last are contributions,
/// of which numbers that are 0 stay 0; the last one changes if all are 0.
void settle_sum(double* numbers, std::size_t count, std::size_t step, double total);

}  // namespace fernwood::records
