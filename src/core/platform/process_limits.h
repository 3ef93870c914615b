// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cmath>
#include <filesystem>

namespace fernwood::platform {

/// Limits of this process: those of its control groups (versions 1 and 2) and of groups around these, as of a container
/// or a batch job, and its address space (ulimit -v).
struct ProcessLimits {
  std::size_t memory_bytes = SIZE_MAX;       ///< The smallest limit; SIZE_MAX: none.
  std::size_t free_memory_bytes = SIZE_MAX;  ///< Least memory left below a limit; files cached in memory count as free.
  double cores = HUGE_VAL;                   ///< The smallest quota of processor time, in cores.
};
/// @param root  Folder that has "proc" and "sys", for tests.
ProcessLimits process_limits(const std::filesystem::path& root = "/");

/// Number of threads that may run at once: as many as usable cores, but not more than the container's quota of time.
int usable_threads();

}  // namespace fernwood::platform
