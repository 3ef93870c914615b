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
#include "fernwood/records/wide_records.h"

namespace fernwood::records {

inline constexpr std::int32_t kNoClass = -1;  ///< Label of a record whose class is unknown.

/// Records in memory with their classes or targets.
struct RecordTable {
  std::vector<std::string> attributes;  ///< Names.
  std::vector<std::string> classes;     ///< Names.
  Array2<float> values;                 ///< [record][attribute]; unknown: NaN. With TableOptions::wide, their ranks.
  std::vector<std::int32_t> labels;     ///< [record] index into classes, or kNoClass.
  std::size_t text_bytes = 0;           ///< Size of the text, set by read_table(); else 0.
  std::string target = {};              ///< Name of the target's column; empty if it has no name.
  std::vector<double> targets = {};     ///< [record] Used instead of labels; unknown: NaN.
  Array2<double> exact = {};            ///< [record][attribute] The values of ranks for linear leaves; else empty.
  std::vector<double> weights = {};     ///< [record] Of training: finite, >= 0, at least one above 0; empty: all 1.

  RecordView view() const {
    RecordView view = records_by_rows(values.data(), values.rows(), values.cols());
    if (exact.size() == 0) return view;
    view.exact = exact.data();
    view.exact_record_step = static_cast<std::ptrdiff_t>(exact.cols());
    view.exact_attribute_step = 1;
    return view;
  }
};

enum class TableFormat {
  kAuto,    ///< By the file's extension (.libsvm, .svm, .svmlight; .csv, .tsv), else by its first lines.
  kLibsvm,  ///< "label index:value ...", with increasing indices from 1; "#" begins a comment, "qid:" is skipped.
  kCsv      ///< One record per line, fields separated, optionally quoted; unknown: empty, NA, nan, null or ?.
};
inline constexpr std::array kTableFormats = {TableFormat::kAuto, TableFormat::kLibsvm, TableFormat::kCsv};
/// "auto", "libsvm", "csv".
std::string to_string(TableFormat format);
/// The format that the extension of a file states, in upper or lower case; kAuto: none.
TableFormat format_of_name(const std::filesystem::path& path);

enum class Header { kAuto, kYes, kNo };
inline constexpr std::array kHeaders = {Header::kAuto, Header::kYes, Header::kNo};
/// "auto", "yes", "no".
std::string to_string(Header header);

/// Kind of a record's label.
enum class LabelKind {
  kClass,   ///< The name of its class: RecordTable::labels.
  kTarget,  ///< The number to predict: RecordTable::targets.
  kIgnored  ///< Any text, which is not read.
};

/// Options for reading a file of records.
struct TableOptions {
  TableFormat format = TableFormat::kAuto;
  bool absent_is_unknown = false;  ///< LIBSVM: whether attributes left out of a line are NaN instead of 0.
  Header header = Header::kAuto;   ///< CSV: whether the first line has names. kAuto: if none of its fields is a number.
  /// CSV: a character, or "tab"; empty: a tab, a semicolon or a comma, the first of these in the first line.
  std::string separator;
  /// CSV: name of the column of labels, its number from 1, or "none". Empty: the column named label, class or target,
  /// else the last; with known attributes, none if the file has as many columns as attributes.
  std::string label_column;
  LabelKind labels = LabelKind::kClass;
  /// A model's target; a column of this name is preferred to those named label ..., and without either there is none.
  std::string target = {};
  /// Attributes of a model; empty: those of the file. In a CSV file with a header they are found by name, in any order
  /// and among other columns; without a header, by position. In LIBSVM files the index is the position.
  std::vector<std::string> attributes;
  /// Indices into `attributes`, ascending, of those whose fields are texts, see ColumnRules. Only for CSV files.
  std::vector<std::uint16_t> text_attributes = {};
  std::shared_ptr<const WideForest> wide = {};  ///< Records are read with 64 bits, and ranked for its forest.
  bool spaces_are_underscores = false;          ///< Whether a column "a b" is the attribute "a_b".
  /// Classes of a model: another class is an error. Empty: in order of appearance. Labels that are equal numbers are
  /// the same class ("1", "+1", "1.0"), named by the first text.
  std::vector<std::string> classes;
  bool needs_class = false;  ///< Whether a record without a class, or a target, is an error.
  /// Limit for the records read by read_table(); 0: usual_memory_budget().
  std::size_t memory_budget_bytes = 0;
  bool may_be_empty = false;  ///< Whether a file without records is valid.
  /// Whether options without an effect on the file's format are ignored, because they are those of another file.
  bool may_be_of_other_format = false;
  /// Called five times a second while a pipe has no data; may throw to stop reading.
  std::function<void()> while_waiting = {};

  static OptionTable<TableOptions> table();
  /// @throws OptionError for an invalid separator.
  void check() const;
  /// Sets attributes, classes and target for data of which a forest predicts the classes or values.
  /// @return The forest for records that are read with these options: `forest` itself, or if it is wide, of ranks.
  RecordForest match(RecordForest forest);
};

/// Whether a field of a table, or a label, means unknown: empty, NA, nan, null or ?, in upper or lower case.
bool is_unknown_value(std::string_view field);

/// Reads a file of records in blocks, so that it may be larger than memory.
class TableReader {
 public:
  /// @param path  "-": standard input. @throws Error(kRuntime) if it cannot be read, Error(kData), Error(kUsage).
  TableReader(const std::filesystem::path& path, TableOptions options, ThreadPool& pool);
  ~TableReader();
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  /// Reads the next records, at least 1 and at most max_records. Attributes are those of the options, or all that
  /// appeared in the file up to the last of these records; classes are in the order of the options, or of appearance.
  /// Records without a label have kNoClass, or NaN.
  /// @return False at the end of the file; `block` then has no records.
  /// @throws Error(kData) naming file and line.
  bool read(RecordTable& block, std::size_t max_records);

  const std::string& name() const;  ///< Name of the file, for messages.
  TableFormat format() const;       ///< The detected format; kAuto before the first record.
  /// Bytes of text processed so far, and size of the file, 0 for a pipe.
  std::size_t bytes_read() const;
  std::size_t bytes_total() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Default memory limit, in bytes, for reading a text and training on it: the available memory, but at most 160 MiB
/// plus 512 bytes for each byte beyond the first MiB, since a few bytes can name a large attribute index or a new
/// class.
std::size_t usual_memory_budget(std::size_t text_bytes);

/// Reads a whole file. Unless options specify the classes, they are sorted, by value if all are numbers, else by text.
/// @param progress  Called with bytes read and file size; not called for a pipe.
/// @throws Error(kResource) if the table would exceed the memory limit, else as TableReader.
RecordTable read_table(const std::filesystem::path& path, const TableOptions& options, ThreadPool& pool,
                       const ProgressCallback& progress = {});

}  // namespace fernwood::records
