// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <string_view>

#include "fernwood/forest/forest.h"
#include "fernwood/train/train.h"

namespace fernwood::report {

/// read_training_json() from a text. @param path  For messages.
train::TrainReport parse_training_json(std::string_view text, const std::filesystem::path& path,
                                       const forest::Forest& forest);

}  // namespace fernwood::report
