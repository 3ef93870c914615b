// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>

namespace fernwood {

/// Where a link leads, so that the file is replaced and the link stays; else, and where it leads nowhere, the path. The
/// system follows it, with the rules that it has for links.
/// @throws Error(kRuntime) for a link that somebody else has put into a folder that anybody may write to.
std::filesystem::path behind_links(const std::filesystem::path& path);

}  // namespace fernwood
