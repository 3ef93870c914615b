// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Separate from core/machine.h, because sources compiled for newer processors should include little else.

#include <string>
#include <vector>

namespace fernwood {

/// Instruction sets for which the hot loops are compiled, from the same source and with bit-identical results.
enum class Isa { kBaseline, kAvx2, kAvx512 };

/// How vectorised loops load values from scattered addresses: by the processor's gather instructions, which on some
/// processors are slower than scalar loads, or one by one between vectorised loops. The formulas and results are
/// bit-identical.
enum class Gather { kGather, kScalar };

/// The compiled version of the loops to run.
struct KernelVariant {
  Isa isa;
  Gather gather;
};

/// The instruction sets of this processor, slowest first.
const std::vector<Isa>& available_isas();
/// "baseline", "avx2" or "avx512".
std::string to_string(Isa isa);
/// "gather" or "scalar".
std::string to_string(Gather gather);

}  // namespace fernwood
