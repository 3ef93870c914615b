// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>

namespace fernwood {

/// Target of a link, which need not exist, so that the target is written and the link stays; otherwise the path itself.
/// The system resolves the link, under its own rules.
/// @throws Error(kRuntime) for a link that another user has placed in a folder that anybody may write to.
std::filesystem::path behind_links(const std::filesystem::path& path);

}  // namespace fernwood
