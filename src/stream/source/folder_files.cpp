// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/source/folder_files.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "fernwood/core/error.h"

namespace fernwood::stream {

namespace fs = std::filesystem;

namespace {

constexpr const char* kEndName = "end";

bool is_for_records(const std::string& name) {
  if (name == kEndName || name.starts_with(".") || name.ends_with(".tmp")) return false;
  const std::size_t last = name.find_last_not_of("0123456789");
  return last == std::string::npos || !name.substr(0, last + 1).ends_with(".part");
}

}  // namespace

FolderFiles::FolderFiles(const fs::path& folder, const FolderOptions& options) : folder_(folder), options_(options) {
  options.check();
  look();
}

std::optional<fs::path> FolderFiles::next() {
  while (next_ == files_.size()) {
    was_stopped_ = !ended_ && asked_to_stop();
    if (ended_ || was_stopped_) return {};
    look();
    if (next_ == files_.size() && !ended_) wait();
  }
  return folder_ / files_[next_++];
}

void FolderFiles::look() {
  std::error_code failure;
  // Before the files: those that are there with the end are all there are.
  ended_ = !options_.follow || fs::exists(folder_ / kEndName, failure);
  std::vector<std::string> names;
  for (auto entry = fs::directory_iterator(folder_, failure); !failure && entry != fs::directory_iterator();
       entry.increment(failure)) {
    std::error_code gone;  // another program may have removed it
    if (std::string name = entry->path().filename().string(); is_for_records(name) && entry->is_regular_file(gone))
      names.push_back(std::move(name));
  }
  FW_CHECK(!failure, Runtime,
           folder_.string() << ": cannot be read: " << failure.message() << "; check the folder and its permissions");
  std::ranges::sort(names);
  accept(std::move(names));
}

void FolderFiles::accept(std::vector<std::string> names) {
  std::erase_if(names, [&](const std::string& name) { return std::ranges::binary_search(files_, name); });
  if (names.empty()) return;
  FW_CHECK(files_.empty() || files_.back() < names.front(), Data,
           (folder_ / names.front()).string()
               << ": came after " << files_.back()
               << ", which is behind it in order of names; give new files names that are behind those there are");
  for (const std::string& name : names) {
    std::error_code gone;
    const std::uintmax_t size_bytes = fs::file_size(folder_ / name, gone);
    if (!gone) bytes_total_ += size_bytes;
  }
  files_.insert(files_.end(), names.begin(), names.end());
}

void FolderFiles::wait() const {
  using Milliseconds = std::chrono::milliseconds;
  constexpr Milliseconds kLongestSleep{100};  // so that a wish to stop is heard soon
  Milliseconds left{options_.poll_ms};
  while (left.count() > 0 && !asked_to_stop()) {
    const Milliseconds sleep = std::min(left, kLongestSleep);
    std::this_thread::sleep_for(sleep);
    left -= sleep;
  }
}

}  // namespace fernwood::stream
