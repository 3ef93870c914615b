// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/taught_truth.h"

#include "fernwood/core/file.h"
#include "fernwood/core/file_stream.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

constexpr const char* kNoteName = "strokes.truth";

}  // namespace

bool truth_lags(const fs::path& folder) {
  std::error_code failure;
  const std::uintmax_t journal_bytes = fs::file_size(folder / kStrokesFile, failure);
  if (failure) return false;  // no project
  if (!fs::is_regular_file(folder / kNoteName, failure)) return true;
  InputFile note(folder / kNoteName);
  std::uintmax_t noted = 0;
  return !(note >> noted) || noted != journal_bytes;
}

void note_truth(const fs::path& folder, std::uint64_t journal_bytes) {
  write_file_atomically(
      folder / kNoteName, [&](std::ostream& file) { file << journal_bytes << "\n"; }, Durability::kProcess,
      NamedBy::kFernwood);
}

}  // namespace fernwood::dataset
