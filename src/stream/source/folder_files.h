// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/stream/record_source.h"

namespace fernwood::stream {

/// The files of a folder, in order of their names.
class FolderFiles {
 public:
  /// @throws Error(kRuntime) when the folder cannot be read.
  FolderFiles(const std::filesystem::path& folder, const FolderOptions& options);

  /// The next file; waits for it in a followed folder. None at the end.
  /// @throws Error(kData) for a file that came when one behind it had been taken.
  std::optional<std::filesystem::path> next();
  /// The same files again, then those that come.
  void rewind() { next_ = 0; }

  bool was_stopped() const { return was_stopped_; }
  std::uint64_t bytes_total() const { return bytes_total_; }  ///< Of the files known.

 private:
  void look();
  void accept(std::vector<std::string> names);
  void wait() const;
  bool asked_to_stop() const { return options_.should_stop && options_.should_stop(); }

  const std::filesystem::path folder_;
  const FolderOptions options_;
  std::vector<std::string> files_;  ///< Known, in order.
  std::size_t next_ = 0;
  bool ended_ = false;  ///< No more will come.
  bool was_stopped_ = false;
  std::uint64_t bytes_total_ = 0;
};

}  // namespace fernwood::stream
