// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>

namespace fernwood {

/// Where fernwood keeps what it can make again: the folder that the environment variable FERNWOOD_CACHE names, else
/// $XDG_CACHE_HOME/fernwood, else ~/.cache/fernwood; empty when there is none. It may not exist yet.
std::filesystem::path cache_folder();

}  // namespace fernwood
