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

/// Records in an order that is always the same.
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  /// The next records: exactly max_records of them unless the stream ends before; a pipe or a followed folder is waited
  /// for. Classes keep their numbers: those of a batch begin with those of the batch before. So do attributes, of which
  /// LIBSVM text may bring more with time: as many as records have had up to the end of the batch.
  /// @param max_records  At least 1.
  /// @return False at the end; then `batch` has no records.
  /// @throws Error as TableReader, and Error(kData) for a file with other columns than those before.
  virtual bool read(records::RecordTable& batch, std::size_t max_records) = 0;
  virtual bool can_rewind() const = 0;
  /// Begins again, with no class and no attribute known. @throws Error(kUsage) where that cannot be done.
  virtual void rewind() = 0;
  virtual const std::string& name() const = 0;  ///< For messages.
  /// Share that was read, [0, 1]; empty where the end is not known, as of a pipe.
  virtual std::optional<double> fraction_read() const = 0;
  /// Value of attributes that records before the first that names them have.
  virtual float absent_value() const { return 0; }
};

/// How a folder of files is read: in order of their names, byte by byte, those in the folder itself. Files are moved
/// into the folder when they are complete: names that begin with "." or end in ".tmp", ".part" or ".part" and a number
/// (a file that fernwood is writing) are skipped. Files without records are passed over.
struct FolderOptions {
  bool follow = false;  ///< Wait for more files until there is one called "end", whose content does not matter.
  int poll_ms = 500;    ///< Between two looks into a followed folder, >= 1.
  /// Asked while a followed folder is waited for; true ends the stream behind the records that came. May throw.
  std::function<bool()> should_stop;

  static OptionTable<FolderOptions> table();
  /// @throws OptionError naming the first option out of its range.
  void check() const;
};

/// A file, a pipe or, by its name "-", standard input; or a folder of files that all have the columns of the first.
/// @param pool  Must outlive the source.
/// @throws Error(kRuntime) when it cannot be read, Error(kUsage).
std::unique_ptr<RecordSource> open_record_source(const std::filesystem::path& path,
                                                 const records::TableOptions& table_options,
                                                 const FolderOptions& folder_options, ThreadPool& pool);

/// Records in memory. @param table  Must outlive the source.
std::unique_ptr<RecordSource> make_table_source(const std::string& name, const records::RecordTable& table);

}  // namespace fernwood::stream
