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

namespace fernwood::stream {

/// Cuts the records of one file after another into batches of exactly the size asked for.
class FileBatches {
 public:
  /// The next file; none at the end of the stream. May wait.
  using NextFile = std::function<std::optional<std::filesystem::path>()>;

  FileBatches(const records::TableOptions& options, ThreadPool& pool, NextFile next_file);

  /// As RecordSource.
  bool read(records::RecordTable& batch, std::size_t max_records);
  /// Forgets all that was read; the next file is the first.
  void rewind();
  /// Opens the next file if none is open. @return False when there is none.
  bool open();

  bool any_record() const { return any_record_; }
  std::uint64_t bytes_read() const { return bytes_of_closed_ + (reader_ ? reader_->bytes_read() : 0); }

 private:
  void close();
  void check_attributes(const records::RecordTable& block);
  void number_labels(records::RecordTable& block);

  const records::TableOptions options_;
  ThreadPool& pool_;
  const NextFile next_file_;
  std::unique_ptr<records::TableReader> reader_;
  records::TableFormat format_ = records::TableFormat::kAuto;  ///< Of the first file.
  std::vector<std::string> attributes_;
  records::ClassNumbers classes_;
  std::vector<std::int32_t> class_numbers_;  ///< [class of the open file]
  bool any_record_ = false;
  std::uint64_t bytes_of_closed_ = 0;
};

}  // namespace fernwood::stream
