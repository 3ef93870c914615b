// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/taught_truth.h"

#include <algorithm>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/file_stream.h"
#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

bool is_file(const fs::path& path) {
  std::error_code unreadable;
  return fs::is_regular_file(path, unreadable);
}

/// The 16 characters at the beginning of the last line; empty if the file does not end with a complete line.
std::string last_checksum_in(const fs::path& journal, std::uint64_t size_bytes) {
  constexpr std::uint64_t kBlock = 1 << 16, kLetters = 16;
  InputFile file(journal);
  std::string end;
  for (std::uint64_t begin = size_bytes; begin > 0;) {
    std::string block(std::min(begin, kBlock), '\0');
    begin -= block.size();
    file.seekg(static_cast<std::streamoff>(begin));
    if (!file.read(block.data(), static_cast<std::streamsize>(block.size()))) return {};
    end = block + end;
    if (end.back() != '\n') return {};
    const std::size_t before = end.size() < 2 ? std::string::npos : end.rfind('\n', end.size() - 2);
    if (before != std::string::npos) return end.substr(before + 1, kLetters);
  }
  return {};
}

std::string line_of(std::uint64_t bytes, const std::string& checksum) { return std::to_string(bytes) + " " + checksum; }

enum class TruthState { kUsable, kLags, kEdited };

TruthState state_of(const fs::path& folder, fs::path* picture) {
  std::error_code failure;
  const fs::path journal = folder / kStrokesFile;
  const std::uintmax_t journal_bytes = fs::file_size(journal, failure);
  if (failure) return TruthState::kUsable;  // not a project
  if (!is_file(folder / kTruthNoteFile)) return TruthState::kLags;
  InputFile note(folder / kTruthNoteFile);
  std::string line;
  if (!std::getline(note, line) || !is_file(journal) ||
      line != line_of(journal_bytes, last_checksum_in(journal, journal_bytes)))
    return TruthState::kLags;
  bool lacks_file = !is_file(folder / "dataset.toml");
  for (std::string name, noted; note >> name >> noted;) {
    const fs::path path = truth_file(folder, name);
    if (name.find('/') != std::string::npos || !is_file(path)) {
      lacks_file = true;
      continue;
    }
    const std::vector<std::uint8_t> bytes = read_file(path);
    if (fernwood::to_hex(checksum(bytes.data(), bytes.size())) == noted) continue;
    if (!is_file(folder / kTruthNoteFile)) return TruthState::kLags;  // the truth is being written
    *picture = path;
    return TruthState::kEdited;
  }
  return lacks_file ? TruthState::kLags : TruthState::kUsable;
}

}  // namespace

fs::path truth_file(const fs::path& folder, const std::string& frame) { return folder / (frame + "_ground_truth.png"); }

fs::path instances_file(const fs::path& folder, const std::string& frame) {
  return folder / (frame + "_instances.png");
}

bool truth_lags(const fs::path& folder) {
  fs::path picture;
  return state_of(folder, &picture) == TruthState::kLags;
}

std::string truth_problem(const fs::path& folder) {
  fs::path picture;
  const TruthState state = state_of(folder, &picture);
  if (state == TruthState::kUsable) return {};
  if (state == TruthState::kLags)
    return folder.string() +
           ": its ground truth is older than strokes.journal; wait until fernwood teach has learnt, or end it and "
           "run fernwood dataset check, which writes the ground truth";
  return picture.string() +
         " was changed after fernwood teach had written it, and strokes.journal knows nothing of that; remove it, and "
         "it is written again, or move strokes.journal out of the folder, and it is used as it is";
}

void note_truth(const fs::path& folder, const TruthNote& note) {
  std::string text = line_of(note.journal_bytes, fernwood::to_hex(note.last_checksum)) + "\n";
  for (const auto& [name, sum] : note.pictures) text += name + " " + fernwood::to_hex(sum) + "\n";
  write_file_atomically(folder / kTruthNoteFile, NamedBy::kFernwood, text, Durability::kProcess);
}

void forget_truth(const fs::path& folder) {
  std::error_code failure;
  if (!fs::remove(folder / kTruthNoteFile, failure)) return;
  sync_folder(folder);  // before the files change
}

}  // namespace fernwood::dataset
