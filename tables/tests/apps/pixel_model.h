// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <fstream>

#include "core/model_container.h"

namespace fernwood::apps {

/// Writes a file whose header says that it is a forest that labels pixels, which commands for tables refuse.
inline std::filesystem::path pixel_model(const std::filesystem::path& path) {
  std::ofstream file(path, std::ios::binary);
  write_container(file, encode_header(nlohmann::json::object(), {}, kPixelModel, loading(path.string())), {});
  return path;
}

}  // namespace fernwood::apps
