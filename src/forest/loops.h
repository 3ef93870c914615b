// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>

#include "core/isa.h"
#include "fernwood/forest/forest.h"

namespace fernwood::forest {

/// The fastest kernel variant on this CPU: with the gather implementation selected by gather_report().
/// @param isa  One of available_isas().
KernelVariant fastest_variant(Isa isa = available_isas().back());

/// Times both gather implementations alternately; the shortest time counts, because others were disturbed.
/// @param seconds_of  Seconds for `num_responses` responses with one implementation; called eight times for each.
GatherReport compare_gathers(Isa isa, double num_responses, const std::function<double(Gather)>& seconds_of);
/// As compare_gathers(), with a measurement on this CPU of about a millisecond.
GatherReport measure_gather(Isa isa);

}  // namespace fernwood::forest
