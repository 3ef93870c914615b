// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// New folders that appear when they are complete.

#include <atomic>
#include <exception>
#include <filesystem>
#include <mutex>
#include <string>

#include "fernwood/core/file.h"
#include "fernwood/core/parallel.h"

namespace fernwood::dataset {

/// A new folder that is written under a temporary name beside the requested one, that name with ".part", and renamed at
/// the end; removed if that is not reached. An empty folder of the requested name becomes the new one, so that its
/// permissions stay, and so does a link to it; without success it is empty again.
class FolderInProgress {
 public:
  /// @throws Error(kUsage) for a folder that contains files, a file, a dangling link, and for something else, or a
  /// folder of another user, under the temporary name; Error(kRuntime) if the folder cannot be created, or cannot be
  /// renamed, as a mounted one or one whose parent folder is not writable.
  explicit FolderInProgress(const std::filesystem::path& out);
  ~FolderInProgress();
  FolderInProgress(const FolderInProgress&) = delete;
  FolderInProgress& operator=(const FolderInProgress&) = delete;

  const std::filesystem::path& path() const { return part_; }  ///< Where to write.
  void finish();                                               ///< @throws Error(kRuntime) if renaming fails.

 private:
  std::string in_the_way() const;
  void make_part();
  void begin();
  void clear();
  void give_back() noexcept;

  std::filesystem::path out_, part_;
  OutputLock lock_;
  bool was_there_ = false;  // part_ is the empty folder that the user gave
  bool done_ = false;
};

/// Like ThreadPool::for_each, but of several exceptions the one of the lowest index is rethrown, so that the message
/// does not depend on the number of threads.
template <typename Body>
void for_each_in_order_of_failure(ThreadPool& pool, std::size_t count, const Body& body) {
  std::atomic<std::size_t> first_failed{count};
  std::exception_ptr failure;
  std::mutex mutex;
  pool.for_each(count, [&](std::size_t i, int worker) {
    if (i > first_failed) return;
    try {
      body(i, worker);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (i < first_failed) {
        first_failed = i;
        failure = std::current_exception();
      }
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace fernwood::dataset
