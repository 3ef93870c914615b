// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/records/table_reader.h"
#include "records/tables/class_numbers.h"

namespace fernwood {

/// Cuts the records of one file after another into batches of exactly the size asked for.
class FileBatches {
 public:
  /// The next file; none at the end of the stream. May wait.
  using NextFile = std::function<std::optional<std::filesystem::path>()>;

  FileBatches(const TableOptions& options, ThreadPool& pool, NextFile next_file);

  /// As RecordSource.
  bool read(RecordTable& batch, std::size_t max_records);
  /// Forgets all that was read; the next file is the first.
  void rewind();
  /// Opens the next file if none is open. @return False when there is none.
  bool open();

  bool any_record() const { return any_record_; }
  std::uint64_t bytes_read() const { return bytes_of_closed_ + (reader_ ? reader_->bytes_read() : 0); }

 private:
  void close();
  void check_attributes(const RecordTable& block);
  void number_labels(RecordTable& block);

  const TableOptions options_;
  ThreadPool& pool_;
  const NextFile next_file_;
  std::unique_ptr<TableReader> reader_;
  TableFormat format_ = TableFormat::kAuto;  ///< Of the first file.
  std::vector<std::string> attributes_;
  ClassNumbers classes_;
  std::vector<std::int32_t> class_numbers_;  ///< [class of the open file]
  bool any_record_ = false;
  std::uint64_t bytes_of_closed_ = 0;
};

}  // namespace fernwood
