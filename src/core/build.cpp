// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/build.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace fernwood {

namespace {

/// 90 of "sm_90" when the prefix is "sm_"; -1 for other texts, and for "sm_90a", which later GPUs do not run.
int capability_of(std::string_view code, std::string_view prefix) {
  int capability = -1;
  if (!code.starts_with(prefix)) return -1;
  const char* const end = code.data() + code.size();
  const auto [stop, error] = std::from_chars(code.data() + prefix.size(), end, capability);
  return error == std::errc() && stop == end ? capability : -1;
}

}  // namespace

GpuCode gpu_code_for(int capability_major, int capability_minor, const std::vector<std::string>& code) {
  const int gpu = 10 * capability_major + capability_minor;
  GpuCode best = GpuCode::kNone;
  for (const std::string& item : code) {
    const int native = capability_of(item, "sm_"), ptx = capability_of(item, "compute_");
    if (native >= 0 && native / 10 == capability_major && native <= gpu) return GpuCode::kNative;
    if (ptx >= 0 && ptx <= gpu) best = GpuCode::kTranslated;
  }
  return best;
}

}  // namespace fernwood
