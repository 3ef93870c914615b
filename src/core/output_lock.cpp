// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/file.h"

#include <array>
#include <string_view>
#include <utility>

#include "core/platform/file_system.h"
#include "fernwood/core/error.h"
#include "fernwood/core/platform.h"

namespace fernwood {

namespace fs = std::filesystem;

namespace {

using platform::OpenFile;

/// A locked folder, or a lock file, which is removed at the end.
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

std::string holder_of(const OpenFile& file) {
  const std::string text = begin_of(file);
  return is_text_of_ours(text) ? text.substr(0, text.find('\n')) : "";
}

/// Other tools use the same names: Cargo.lock, poetry.lock.
void check_is_ours(const OpenFile& opened, const fs::path& file, const fs::path& output) {
  const OpenFile::Status about = opened.status();
  const bool is_file = about.type == fs::file_type::regular && about.has_one_name;
  FW_CHECK(is_file && is_text_of_ours(begin_of(opened)), Runtime,
           output.string() << ": while it is written, fernwood keeps a lock in " << file.string()
                           << ", which is a file of something else; name another output, or move that file away");
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
      if (holder) *holder = is_folder ? "" : holder_of(opened);
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
                         << " is writing it; wait until that has ended, or name another output");
  *this = std::move(*lock);
}

}  // namespace fernwood
