// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "core/draw.h"
#include "fernwood/records/table_reader.h"

namespace fernwood::stream {

/// Records of three uniform attributes and two classes, with a tenth of the labels wrong. The class is "high" where
/// attribute 0 exceeds 1/2. From record `drift` on, kInAPart decides by attribute 1 where attribute 0 does not exceed
/// 1/2, and kEverywhere exchanges the classes.
enum class Drift { kNone, kInAPart, kEverywhere };
inline records::RecordTable drifting_records(std::uint32_t series, std::size_t count, std::size_t drift, Drift kind) {
  records::RecordTable table;
  table.attributes = {"a", "b", "c"};
  table.classes = {"high", "low"};
  table.values = Array2<float>(count, 3);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Draw values = draw(9, RngStream::kSample, series, 0, i), noise = draw(9, RngStream::kSample, series, 1, i);
    float* const row = table.values.row(i);
    for (int a = 0; a < 3; ++a) row[a] = values.unit(a);
    bool low = row[0] <= 0.5f;
    if (i >= drift && kind == Drift::kEverywhere) low = !low;
    if (i >= drift && kind == Drift::kInAPart && low) low = row[1] <= 0.5f;
    if (i > 1 && noise.below(0, 10) == 0) low = !low;
    table.labels.push_back(i < 2 ? static_cast<std::int32_t>(i) : low);
  }
  return table;
}

}  // namespace fernwood::stream
