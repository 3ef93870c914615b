// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/shell/shared_folder.h"

#include <spdlog/spdlog.h>

#include <optional>
#include <utility>

namespace fernwood::apps {

OutputLock lock_shared_folder(const std::filesystem::path& folder) {
  std::optional<OutputLock> lock = OutputLock::try_lock(folder);
  if (!lock)
    spdlog::warn(
        "{}: another run is writing to this folder, and files of the same name replace each other; give each run a "
        "folder",
        folder.string());
  return lock ? std::move(*lock) : OutputLock();
}

}  // namespace fernwood::apps
