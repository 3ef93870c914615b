// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Records from files: the order of the files of a folder, and the division of their records into batches.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/records/table_reader.h"
#include "fernwood/stream/record_source.h"
#include "records/tables/row_format.h"

namespace fernwood::stream {

/// The files of a folder, in order of their names.
class FolderFiles {
 public:
  /// @throws Error(kRuntime) when the folder cannot be read.
  FolderFiles(const std::filesystem::path& folder, const FolderOptions& options);

  /// The next file; in a followed folder, waits for it. Empty at the end.
  /// @throws Error(kData) for a file that appeared after one that follows it in order was returned.
  std::optional<std::filesystem::path> next();
  /// Starts again with the same files, followed by new ones.
  void rewind() { next_ = 0; }

  bool was_stopped() const { return was_stopped_; }
  std::uint64_t bytes_total() const { return bytes_total_; }  ///< Of the files found so far.

 private:
  void look();
  void accept(std::vector<std::string> names);
  void wait() const;
  bool should_stop() const { return options_.should_stop && options_.should_stop(); }

  const std::filesystem::path folder_;
  const FolderOptions options_;
  std::vector<std::string> files_;  ///< Found so far, in order.
  std::size_t next_ = 0;
  bool ended_ = false;  ///< No more files will come.
  bool was_stopped_ = false;
  std::uint64_t bytes_total_ = 0;
};

/// Divides the records of one file after another into batches of exactly the requested size.
class FileBatches {
 public:
  /// Returns the next file; empty at the end of the stream. May wait.
  using NextFile = std::function<std::optional<std::filesystem::path>()>;

  FileBatches(const records::TableOptions& options, ThreadPool& pool, NextFile next_file);

  /// See RecordSource.
  bool read(records::RecordTable& batch, std::size_t max_records);
  /// Resets all state; the next file is the first.
  void rewind();
  /// Opens the next file if none is open. @return False at the end.
  bool open();

  bool any_record() const { return any_record_; }
  std::uint64_t bytes_read() const { return bytes_of_closed_ + (reader_ ? reader_->bytes_read() : 0); }

 private:
  void close();
  void check_kept(const records::RecordTable& block);
  void check_attributes(const records::RecordTable& block);
  void number_labels(records::RecordTable& block);

  const records::TableOptions options_;
  ThreadPool& pool_;
  const NextFile next_file_;
  std::unique_ptr<records::TableReader> reader_;
  records::TableFormat format_ = records::TableFormat::kAuto;  ///< Of the first file.
  std::vector<std::string> attributes_;
  records::ClassNumbers classes_;
  std::vector<std::int32_t> class_numbers_;  ///< [class of the open file] Its number in the stream.
  bool any_record_ = false;
  std::uint64_t bytes_of_closed_ = 0, num_records_ = 0, num_values_ = 0;  ///< Read so far.
  std::size_t checked_bytes_ = 0;                                         ///< For which there was memory.
};

}  // namespace fernwood::stream
