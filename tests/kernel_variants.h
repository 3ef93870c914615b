// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>
#include <vector>

#include "core/isa.h"

namespace fernwood {

/// All kernel variants that this processor can run.
inline std::vector<KernelVariant> kernel_variants() {
  std::vector<KernelVariant> choices;
  for (const Isa isa : available_isas())
    for (const Gather gather : {Gather::kGather, Gather::kScalar}) choices.push_back({isa, gather});
  return choices;
}

inline std::string to_string(const KernelVariant& choice) {
  return to_string(choice.isa) + "_" + to_string(choice.gather);
}

}  // namespace fernwood
