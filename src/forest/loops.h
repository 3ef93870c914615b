// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "core/isa.h"
#include "fernwood/forest/gather.h"

namespace fernwood::forest {

/// The loops that are fastest here: for the processor's newest instruction set, with the loads of gather_report().
KernelVariant fastest_variant();

/// @param isa    One of available_isas().
/// @param loads  One of gather_names(). @throws Error(kUsage) for another.
KernelVariant variant_named(Isa isa, const std::string& loads);

/// Times both kinds of loads, for about a millisecond.
GatherReport measure_gather(Isa isa);

}  // namespace fernwood::forest
