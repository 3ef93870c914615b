// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>

#include "fernwood/core/file.h"

namespace fernwood::apps {

/// Locks a folder that several runs may fill, and warns if another one does: files of one name replace each other, and
/// labels of two models would mix.
OutputLock lock_shared_folder(const std::filesystem::path& folder);

}  // namespace fernwood::apps
