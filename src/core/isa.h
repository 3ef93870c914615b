// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Apart from core/machine.h, since sources that are compiled for later processors should see little else.

#include <string>
#include <vector>

namespace fernwood {

/// Instruction sets that the hot loops are compiled for; the same source, the same bits.
enum class Isa { kBaseline, kAvx2, kAvx512 };

/// How loops over vectors get numbers that lie anywhere: by the processor's gather instructions, which on some
/// processors are slower than what they replace, or one by one between vectorised loops. The same formulas, the same
/// bits.
enum class Gather { kGather, kScalar };

/// Which of the compiled loops are run.
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
