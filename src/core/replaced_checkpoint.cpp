// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/replaced_checkpoint.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "core/model_container.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file_stream.h"

namespace fernwood {

namespace fs = std::filesystem;

namespace {

std::vector<std::uint8_t> first_bytes(const fs::path& path) {
  constexpr std::uintmax_t kMaxBytes = sizeof(ModelPrefix) + kMaxHeaderBytes;
  InputFile file(path);
  std::vector<std::uint8_t> bytes(std::min(fs::file_size(path), kMaxBytes));
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

}  // namespace

void check_replaced_checkpoint(const fs::path& path, const ModelFormat& format, const std::string& of,
                               const std::function<bool(const JsonField& header)>& is_checkpoint) {
  std::error_code unknown;
  if (!fs::is_regular_file(path, unknown) || fs::is_empty(path, unknown)) return;
  const std::vector<std::uint8_t> bytes = first_bytes(path);
  bool can_replace = false;
  try {
    const ErrorContext place = loading_checkpoint(path.string());
    const nlohmann::json json = parse_header(header_text(bytes, format.maker, place), place);
    const JsonField header(json, "", place);
    can_replace = header.at("format").text() == format.name && is_checkpoint(header);
  } catch (const Error&) {  // damaged, or not a model file
  }
  FW_CHECK(can_replace, Usage,
           path.string() << ": exists and is not a checkpoint of " << of
                         << ", which would replace it; move it away, or name another file");
}

}  // namespace fernwood
