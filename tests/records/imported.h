// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Models of other libraries, as texts, and what becomes of them.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/records/record_file.h"

namespace fernwood::records {

inline RecordForest import_text(const std::string& text, const ImportOptions& options = {}) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("fernwood_import_" + std::to_string(::getpid()));
  std::ofstream(path, std::ios::binary) << text;
  struct Removed {
    const std::filesystem::path& path;
    ~Removed() { std::filesystem::remove(path); }
  } removed{path};
  return import_model(path, options);
}

/// The sentence with which a text is refused as a model; "" when it is imported.
inline std::string import_refusal(const std::string& text, const ImportOptions& options = {}) {
  try {
    import_text(text, options);
  } catch (const Error& error) {
    return error.kind() == ErrorKind::kModel ? error.what() : std::string("another kind: ") + error.what();
  }
  return "";
}

/// A text with one part of it replaced.
inline std::string with(std::string text, const std::string& part, const std::string& replacement) {
  const std::size_t at = text.find(part);
  return at == text.npos ? "there is no " + part : text.replace(at, part.size(), replacement);
}

/// Sums over the trees for one record, in the library's units.
inline std::vector<double> sums_of(const RecordForest& forest, const std::vector<float>& record) {
  std::vector<std::int32_t> sums(forest.num_outputs());
  sum_trees(forest, record.data(), sums.data());
  std::vector<double> result;
  for (const std::int32_t sum : sums) result.push_back(sum / static_cast<double>(1u << forest.fraction_bits));
  return result;
}

}  // namespace fernwood::records
