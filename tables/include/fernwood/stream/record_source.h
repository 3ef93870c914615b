// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "fernwood/core/option_table.h"
#include "fernwood/core/parallel.h"
#include "fernwood/records/table_reader.h"

namespace fernwood::stream {

/// A stream of records in a fixed order.
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  /// Reads the next max_records records, fewer only at the end of the stream; waits for a pipe or a followed folder.
  /// Classes keep their numbers: the list of a batch begins with that of the previous batch. The same holds for
  /// attributes, to which LIBSVM text may add: all that appeared up to the end of the batch.
  /// @param max_records  At least 1.
  /// @return False at the end; `batch` then has no records.
  /// @throws Error as TableReader, and Error(kData) for a file whose columns differ from the previous files'.
  virtual bool read(records::RecordTable& batch, std::size_t max_records) = 0;
  virtual bool can_rewind() const = 0;
  /// Restarts the stream, without known classes and attributes. @throws Error(kUsage) if can_rewind() is false.
  virtual void rewind() = 0;
  virtual const std::string& name() const = 0;  ///< Name in messages.
  /// Share that was read, [0, 1]; empty if the end is not known, as for a pipe.
  virtual std::optional<double> fraction_read() const = 0;
  /// Value of an attribute in records before its first appearance.
  virtual float absent_value() const { return 0; }
};

/// Options for reading a folder of files. Files directly in the folder are read in bytewise order of their names. They
/// must be moved into the folder when complete: names that begin with "." or end in ".tmp", ".lock" or ".part" (a file
/// that fernwood is writing) are skipped. Files without records are ignored.
struct FolderOptions {
  bool follow = false;  ///< Wait for more files until one named "end" appears, whose content is ignored.
  int poll_ms = 500;    ///< Interval between checks of a followed folder, >= 1.
  /// Called while waiting for a followed folder; if it returns true, the stream ends after the records read. May throw.
  std::function<bool()> should_stop;

  static OptionTable<FolderOptions> table();
  /// @throws OptionError naming the first option out of range.
  void check() const;
};

/// Opens a file, a pipe, standard input ("-"), or a folder of files with the same columns.
/// @param pool  Must outlive the source.
/// @throws Error(kRuntime) if it cannot be read, Error(kUsage).
std::unique_ptr<RecordSource> open_record_source(const std::filesystem::path& path,
                                                 const records::TableOptions& table_options,
                                                 const FolderOptions& folder_options, ThreadPool& pool);

/// A source of records in memory. @param table  Must outlive the source.
std::unique_ptr<RecordSource> make_table_source(const std::string& name, const records::RecordTable& table);

}  // namespace fernwood::stream
