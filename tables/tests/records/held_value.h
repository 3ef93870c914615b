// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "records/evaluate/packed_forest.h"

namespace fernwood::records {

/// Value of an attribute of a record, in the form that Held uses: a 16-bit rank or the float itself.
template <typename Held>
typename Held::Value held(const EvaluationModel& model, const float* record, std::uint32_t attribute) {
  if constexpr (std::is_same_v<Held, Ranks16>) {
    const RankedAttribute& ranked = model.ranks.attributes[attribute];
    return static_cast<std::uint16_t>(rank_or_nan(model.ranks.view(), ranked, record[ranked.attribute]));
  } else {
    return record[attribute];
  }
}

}  // namespace fernwood::records
