// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Splits a model file into parts and joins them with correct checksums, so that tests reach the checks behind those.

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/model_container.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"

namespace fernwood {

using Bytes = std::vector<std::uint8_t>;

/// Parts of a model file.
struct ModelParts {
  ModelPrefix prefix;
  std::string header;
  Bytes data;  ///< Bytes from data_start on.

  explicit ModelParts(const Bytes& bytes) {
    std::memcpy(&prefix, bytes.data(), sizeof(prefix));
    const auto begin = bytes.begin() + sizeof(prefix);
    header.assign(begin, begin + static_cast<std::ptrdiff_t>(prefix.header_bytes));
    const std::size_t start = std::min<std::size_t>(bytes.size(), data_start(prefix.header_bytes));
    data.assign(bytes.begin() + static_cast<std::ptrdiff_t>(start), bytes.end());
  }

  nlohmann::json json() const { return nlohmann::json::parse(header); }

  /// Corrects `xxh3` of each array that lies within the data.
  void sign_arrays() {
    nlohmann::json document = json();
    for (nlohmann::json& array : document["arrays"]) {
      const std::size_t offset = array["offset"], size_bytes = array["size_bytes"];
      if (offset <= data.size() && size_bytes <= data.size() - offset)
        array["xxh3"] = to_hex(checksum(data.data() + offset, size_bytes));
    }
    header = document.dump();
  }

  /// The file, with corrected length and checksum of the header.
  Bytes bytes() const {
    ModelPrefix right = prefix;
    right.header_bytes = header.size();
    right.header_checksum = checksum(header.data(), header.size());
    Bytes result(data_start(header.size()));
    std::memcpy(result.data(), &right, sizeof(right));
    std::memcpy(result.data() + sizeof(right), header.data(), header.size());
    result.insert(result.end(), data.begin(), data.end());
    return result;
  }
};

}  // namespace fernwood
