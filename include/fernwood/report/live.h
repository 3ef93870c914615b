// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>

#include "fernwood/predict/live.h"

namespace fernwood::report {

/// What a run over a camera or a recording was, and what it did.
struct LiveResult {
  std::string source, device, layout, model_checksum;
  std::size_t rows = 0, cols = 0;
  bool every_frame = false;
  predict::LiveReport report;
  std::uint64_t labels_checksum = 0;  ///< Over the labels of all frames shown, in order.
  std::size_t num_recorded = 0;
  std::size_t early_memory_bytes = 0, memory_bytes = 0;  ///< After 100 frames, and at the end.
};

/// Lines for people.
std::string live_text(const LiveResult& result);
/// One JSON object, indented by two spaces, with a final newline. Keys: docs/live.md.
std::string live_json(const LiveResult& result);

}  // namespace fernwood::report
