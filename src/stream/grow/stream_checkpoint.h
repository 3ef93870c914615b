// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <string>

#include "fernwood/core/communicator.h"

namespace fernwood::stream {

/// Writes the state of a tree that grows, whole or not at all. @param options_json  Those that it grows with.
void save_stream_checkpoint(const Bytes& state, const std::string& options_json, const std::filesystem::path& path);

/// @throws Error(kModel) for a file that is damaged or no checkpoint, Error(kUsage) when it was made with other
/// options.
Bytes load_stream_checkpoint(const std::filesystem::path& path, const std::string& options_json);

}  // namespace fernwood::stream
