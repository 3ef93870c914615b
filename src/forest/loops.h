// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "core/isa.h"
#include "fernwood/forest/loads.h"

namespace fernwood::forest {

/// The loops that are fastest here: for the processor's newest instruction set, with the loads of loads_report().
LoopChoice fastest_loops();

/// @param isa    One of available_isas().
/// @param loads  One of loads_names(). @throws Error(kUsage) for another.
LoopChoice loops_named(Isa isa, const std::string& loads);

/// Times both kinds of loads, for about a millisecond.
LoadsReport measure_loads(Isa isa);

}  // namespace fernwood::forest
