// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/json_field.h"
#include "fernwood/core/model_format.h"

namespace fernwood {

/// For a run that does not resume, and writes its checkpoint over the file of that name. Reads only the file's header.
/// @param of  For the message: "a training". @param is_checkpoint  Asked of the header of a file of that format.
/// @throws Error(kUsage) if the file holds something else, or is damaged; an empty file can be replaced.
void check_replaced_checkpoint(const std::filesystem::path& path, const ModelFormat& format, const std::string& of,
                               const std::function<bool(const JsonField& header)>& is_checkpoint);

}  // namespace fernwood
