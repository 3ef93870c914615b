// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/file.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/platform/file_system.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file_stream.h"
#include "fernwood/core/platform.h"

namespace fernwood {

namespace fs = std::filesystem;

fs::path place_of(const fs::path& path) {
  constexpr int kMaxLinks = 40;  // the same limit as the system's
  std::error_code ignored;
  fs::path place = fs::absolute(path, ignored);
  for (int i = 0; i < kMaxLinks && fs::is_symlink(fs::symlink_status(place, ignored)); ++i)
    place = place.parent_path() / fs::read_symlink(place, ignored);
  return fs::weakly_canonical(place, ignored);
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;  // a missing file is not another file
  return fs::equivalent(a, b, ignored) || place_of(a) == place_of(b);
}

bool is_in_folder(const fs::path& file, const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder, ignored) && is_same_file(place_of(file).parent_path(), folder);
}

namespace {

/// Whether a file may be an earlier output: a page, a map, a model.
bool looks_written(const fs::path& file) {
  constexpr std::array<std::string_view, 6> kEndings = {"", ".html", ".htm", ".ply", ".onnx", ".svg"};
  constexpr std::string_view kBegin = "FERNWOOD";  // of model files
  if (std::ranges::find(kEndings, file.extension().string()) != kEndings.end()) return true;
  std::array<char, kBegin.size()> begin{};
  InputFile(file).read(begin.data(), begin.size());
  return std::string_view(begin.data(), begin.size()) == kBegin;
}

}  // namespace

bool is_kept_in(const fs::path& file, const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored) || !fs::exists(file, ignored)) return false;
  const fs::path place = place_of(file), above = place_of(folder);
  return std::ranges::mismatch(above, place).in1 == above.end() && !looks_written(place);
}

void refuse_replaced_files(const std::vector<NamedPath>& outputs, const std::vector<NamedPath>& inputs,
                           InputRule is_read) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [option, path] = outputs[i];
    if (path.empty()) continue;
    for (std::size_t j = 0; j < i; ++j)
      FW_CHECK(
          outputs[j].second.empty() || !is_same_file(path, outputs[j].second), Usage,
          outputs[j].first << " and " << option << " name the same file, " << path.string() << "; give each its own");
    for (const auto& [other_option, other] : inputs) {
      const bool is_same = !other.empty() && is_same_file(path, other);
      FW_CHECK(other.empty() || !(is_same || is_read(path, other)), Usage,
               option << " names " << (is_same ? "the" : "a") << " file of " << other_option << ", " << path.string()
                      << ", which it would replace; choose another");
    }
  }
}

namespace {

using platform::OpenFile;

struct HeldLock {
  ~HeldLock() {
    std::error_code ignored;
    if (!file.empty() && opened.is_at(file)) fs::remove(file, ignored);
  }
  OpenFile opened;
  fs::path file;  // empty: it stays
};

std::string begin_of(const OpenFile& file) {
  std::array<char, 512> text{};
  const std::ptrdiff_t size = file.read_at(0, text.data(), text.size());
  return {text.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

/// Writers follow links, so runs that write through a link must share the lock of its target.
fs::path lock_file(const fs::path& path) { return behind_links(path).string() + ".lock"; }

/// A file of another user can be locked as well; nothing is written to it.
OpenFile open_lock_file(const fs::path& path) {
  OpenFile opened(path, OpenFile::For::kLock);
  return opened.is_open() ? std::move(opened) : OpenFile(path, OpenFile::For::kReadHere);
}

/// Whether a text is the complete content of one of our lock files: "process 12" or "process 12 on atlas"; empty where
/// a run was killed before it could write that.
bool is_text_of_ours(std::string_view text) {
  constexpr std::string_view kBegin = "process ";
  if (text.empty()) return true;
  if (!text.starts_with(kBegin) || !text.ends_with('\n') || text.find('\n') + 1 != text.size()) return false;
  text.remove_prefix(kBegin.size());
  const std::size_t digits = text.find_first_not_of("0123456789");
  return digits > 0 && (text[digits] == '\n' || text.substr(digits).starts_with(" on "));
}

/// Other tools use the same names: Cargo.lock, poetry.lock.
void check_is_ours(const OpenFile& opened, const fs::path& file, const fs::path& output) {
  const OpenFile::Status about = opened.status();
  const bool is_file = about.type == fs::file_type::regular && about.has_one_name;
  FW_CHECK(is_file && is_text_of_ours(begin_of(opened)), Runtime,
           output.string() << ": while it is written, fernwood keeps a lock in " << file.string()
                           << ", which is a file of something else; choose another output, or move that file away");
}

}  // namespace

std::optional<OutputLock> OutputLock::try_lock(const fs::path& path, std::string* holder) {
  std::error_code ignored;
  const bool is_folder = fs::is_directory(path, ignored);
  const fs::path file = is_folder ? path : lock_file(path);
  constexpr int kMaxTries = 100;  // each retry means that another run ended at that moment
  for (int i = 0; i < kMaxTries; ++i) {
    OutputLock lock;
    const auto held = std::make_shared<HeldLock>();
    OpenFile& opened = held->opened = is_folder ? OpenFile(path, OpenFile::For::kRead) : open_lock_file(file);
    if (!opened.is_open()) return lock;
    if (!opened.lock()) {
      const std::string text = is_folder ? "" : begin_of(opened);
      if (holder) *holder = is_text_of_ours(text) ? text.substr(0, text.find('\n')) : "";
      return std::nullopt;
    }
    lock.held_ = held;
    if (is_folder) return lock;
    if (!opened.is_at(file)) continue;  // removed by the run that held it until now
    check_is_ours(opened, file, path);
    held->file = file;
    // For other processes; the lock holds even without the text.
    if (opened.truncate(0)) opened.write(platform::process_name() + "\n");
    return lock;
  }
  return OutputLock();
}

OutputLock::OutputLock(const fs::path& path) {
  std::string holder;
  std::optional<OutputLock> lock = try_lock(path, &holder);
  FW_CHECK(lock, Runtime,
           path.string() << ": another run" << (holder.empty() ? "" : " (" + holder + ")")
                         << " is writing it; wait until that has ended, or choose another output");
  *this = std::move(*lock);
}

}  // namespace fernwood
