// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fernwood::dataset {

/// Reads groups.txt: in each line the name of a frame, space, and the name of its group; lines that begin with # and
/// empty ones are passed over.
/// @param names  [frame] Names in the file that are none of these are passed over: a part of the frames may be used.
/// @return  [frame] Number of its group, in order of the groups' first frames.
/// @throws Error(kData) naming the line: for one without two words, a frame that is named twice; or a frame without a
///         group; Error(kRuntime) when the file cannot be read.
std::vector<std::uint32_t> read_groups(const std::filesystem::path& path, const std::vector<std::string>& names);

}  // namespace fernwood::dataset
