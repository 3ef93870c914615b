// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace fernwood::search {

/// A folder that is open: what is done in it is not done elsewhere, whatever takes its name.
class OpenFolder {
 public:
  explicit OpenFolder(int descriptor) : descriptor_(descriptor) {}
  ~OpenFolder();
  OpenFolder(const OpenFolder&) = delete;
  OpenFolder& operator=(const OpenFolder&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// The right to do a unit of work, as long as this object lives; the process' death ends it, too.
class Claim {
 public:
  /// Of a search that keeps nothing, and has one process.
  Claim() = default;
  Claim(std::shared_ptr<const OpenFolder> folder, std::string name, int descriptor)
      : folder_(std::move(folder)), name_(std::move(name)), descriptor_(descriptor) {}
  ~Claim();
  Claim(Claim&& other) noexcept
      : folder_(std::move(other.folder_)),
        name_(std::move(other.name_)),
        descriptor_(std::exchange(other.descriptor_, -1)) {}
  Claim& operator=(Claim&&) = delete;

 private:
  std::shared_ptr<const OpenFolder> folder_;
  std::string name_;
  int descriptor_ = -1;
};

/// What processes that share a search are working on: a folder `claims` beside its journal, with an empty file for each
/// unit, TRIAL-FOLD, which is locked. The folder of a search may come from somebody else: a link named `claims` is not
/// followed, and no file but such is removed.
class Claims {
 public:
  /// Makes the folder. @throws Error(kRuntime, kResource) when it cannot be made, or is a link.
  explicit Claims(const std::filesystem::path& search_folder);
  /// Removes claims of processes that were killed, and the folder unless another process has a claim.
  ~Claims();
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;

  /// Empty while another process, or another Claims of this one, has it. Nothing relies on it: a unit that is done
  /// twice is only wasted.
  std::optional<Claim> claim(std::size_t trial, std::size_t fold);

 private:
  void open();

  std::filesystem::path path_;
  std::shared_ptr<const OpenFolder> folder_;
};

}  // namespace fernwood::search
