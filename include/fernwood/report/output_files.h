// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>

namespace fernwood::report {

/// The InputRule of commands that read frames and models of them. In a folder of frames, they may read an image, an
/// array, or a list of frames; in a folder without frames named as in a data set, any file. Beside a model, they read
/// the report on its training.
bool is_read_with(const std::filesystem::path& file, const std::filesystem::path& input);

}  // namespace fernwood::report
