// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/core/option_table.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/progress.h"
#include "fernwood/records/record_forest.h"

namespace fernwood::records {

inline constexpr std::int32_t kNoClass = -1;  ///< Label of a record whose class is not known.

/// Records in memory with their classes or targets.
struct RecordTable {
  std::vector<std::string> attributes;  ///< Names.
  std::vector<std::string> classes;     ///< Names.
  Array2<float> values;                 ///< [record][attribute]; unknown: NaN.
  std::vector<std::int32_t> labels;     ///< [record] index into classes, or kNoClass.
  std::size_t text_bytes = 0;           ///< Of what a whole file was read from; else 0.
  std::string target = {};              ///< Name of what is to be predicted; empty: of no column with a name.
  std::vector<double> targets = {};     ///< [record] In place of labels; unknown: NaN.

  RecordView view() const { return records_by_rows(values.data(), values.rows(), values.cols()); }
};

enum class TableFormat {
  kAuto,    ///< By the file's extension (.libsvm, .svm, .svmlight; .csv, .tsv), else by its first lines.
  kLibsvm,  ///< "label index:value ...", indices from 1 and increasing, "#" begins a comment, "qid:" is skipped.
  kCsv      ///< Fields between separators, perhaps in quotes, a record a line; unknown: empty, NA, nan, null or ?.
};
inline constexpr std::array kTableFormats = {TableFormat::kAuto, TableFormat::kLibsvm, TableFormat::kCsv};
/// "auto", "libsvm", "csv".
std::string to_string(TableFormat format);

enum class Header { kAuto, kYes, kNo };
inline constexpr std::array kHeaders = {Header::kAuto, Header::kYes, Header::kNo};
/// "auto", "yes", "no".
std::string to_string(Header header);

/// What the label of a record is.
enum class LabelKind {
  kClass,  ///< The name of its class: RecordTable::labels.
  kTarget  ///< A number that is to be predicted: RecordTable::targets.
};

/// How a file of records is read.
struct TableOptions {
  TableFormat format = TableFormat::kAuto;
  bool absent_is_unknown = false;  ///< LIBSVM: attributes that a line leaves out are NaN, not 0.
  Header header = Header::kAuto;   ///< CSV: the first line has names. kAuto: when no field of it is a number.
  /// CSV: a character, or "tab"; empty: a tab, a semicolon or a comma, the first of these in the first line.
  std::string separator;
  /// CSV: name of the column of labels, its number from 1, or "none". Empty: the column called label, class or target,
  /// else the last; with known attributes none where there are as many columns as attributes.
  std::string label_column;
  LabelKind labels = LabelKind::kClass;
  std::string target = {};  ///< Of a model: a column of this name is that of labels before those called label ...
  /// Those of a model; empty: as the file has them. By name where a CSV file has a header, in whatever order and with
  /// others between them; else by place. In LIBSVM files the index is the place.
  std::vector<std::string> attributes;
  /// Of those: numbers of the ones, ascending, whose fields are texts, as of ColumnRules. Only CSV files have such.
  std::vector<std::uint16_t> text_attributes = {};
  bool spaces_are_underscores = false;  ///< In the names of `attributes`: a column "a b" is the attribute "a_b".
  /// Those of a model: another class is an error. Empty: as they come. Labels that are the same number are the same
  /// class ("1", "+1", "1.0"), named by the text that came first.
  std::vector<std::string> classes;
  bool needs_class = false;  ///< A record without a class, or a target, is an error.
  /// Of what is kept of a file; 0: usual_memory_budget().
  std::size_t memory_budget_bytes = 0;
  bool may_be_empty = false;  ///< A file without records is no error.
  /// Called five times a second while a pipe has nothing to read; may throw to give up.
  std::function<void()> while_waiting = {};

  static OptionTable<TableOptions> table();
  /// @throws OptionError for a separator that is none.
  void check() const;
  /// For data whose classes or values a forest is to predict.
  void match(const RecordForest& forest);
};

/// Whether a field of a table, or a label, stands for a value that is not known: empty, NA, nan, null or ?, in any
/// case.
bool is_unknown_value(std::string_view field);

/// Reads a file of records piece by piece, so that it may be larger than memory.
class TableReader {
 public:
  /// @param path  "-": standard input. @throws Error(kRuntime) when it cannot be read, Error(kData), Error(kUsage).
  TableReader(const std::filesystem::path& path, TableOptions options, ThreadPool& pool);
  ~TableReader();
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  /// The next records, at least 1 and at most max_records. Their attributes are those of the options or as many as the
  /// file has had so far, up to the last record asked for; classes are in the order of the options, or in that in which
  /// they came. Unlabelled: kNoClass, or NaN.
  /// @return False at the end of the file; then `block` has no records.
  /// @throws Error(kData) naming file and line.
  bool read(RecordTable& block, std::size_t max_records);

  const std::string& name() const;  ///< Of the file, for messages.
  TableFormat format() const;       ///< As found; kAuto until there was a record.
  /// Bytes of text taken so far, and of the whole file; 0 for a pipe.
  std::size_t bytes_read() const;
  std::size_t bytes_total() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What reading a text and training on it may take where nobody says: memory that is free, but no more than 160 MiB and
/// 512 bytes for each byte beyond the first MiB, for a few bytes may name a large attribute or a class of their own.
std::size_t usual_memory_budget(std::size_t text_bytes);

/// Reads a whole file. Classes are sorted, by value when each is a number, else by their text, unless they are given.
/// @param progress  Told bytes; not for a pipe.
/// @throws Error(kResource) when the table would not fit, else as TableReader.
RecordTable read_table(const std::filesystem::path& path, const TableOptions& options, ThreadPool& pool,
                       const ProgressCallback& progress = {});

}  // namespace fernwood::records
