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

/// An open folder: operations refer to this folder even if its path is reused.
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

/// The right to perform one evaluation, held until this object is destroyed or the process ends.
class Claim {
 public:
  /// For a search without a journal, which has a single process.
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

/// The evaluations that processes of one search are working on: a folder `claims` beside its journal, with an empty,
/// locked file TRIAL-FOLD for each evaluation. The folder of a search may come from an untrusted source: a symbolic
/// link named `claims` is not followed, and no other files are removed.
class Claims {
 public:
  /// Creates the folder. @throws Error(kRuntime, kResource) when that fails, or it is a link.
  explicit Claims(const std::filesystem::path& search_folder);
  /// Removes claims of processes that were killed, and the folder unless another process has a claim.
  ~Claims();
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;

  /// Empty while another process, or another Claims of this one, has the claim. Correctness does not depend on it: an
  /// evaluation that is performed twice only wastes time.
  std::optional<Claim> claim(std::size_t trial, std::size_t fold);

 private:
  void open();

  std::filesystem::path path_;
  std::shared_ptr<const OpenFolder> folder_;
};

}  // namespace fernwood::search
