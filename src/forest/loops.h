// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>
#include <string>

#include "core/isa.h"
#include "fernwood/forest/gather.h"

namespace fernwood::forest {

/// The loops that are fastest here: for the processor's newest instruction set, with the way to gather of
/// gather_report().
KernelVariant fastest_variant();

/// @param isa    One of available_isas().
/// @param gather  One of gather_names(). @throws Error(kUsage) for another.
KernelVariant variant_named(Isa isa, const std::string& gather);

/// Times both ways to gather by turns, of which the shortest time counts: others were disturbed.
/// @param seconds_of  What looking at `num_responses` responses takes one way; asked eight times for each.
GatherReport compare_gathers(Isa isa, double num_responses, const std::function<double(Gather)>& seconds_of);
/// The same, on this processor, for about a millisecond.
GatherReport measure_gather(Isa isa);

}  // namespace fernwood::forest
