// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/table_reader.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/platform.h"
#include "fernwood/core/text.h"
#include "fernwood/records/record_file.h"
#include "records/tables/row_format.h"

namespace fernwood::records {

std::size_t usual_memory_budget(std::size_t text_bytes) {
  constexpr std::size_t kFree = std::size_t{1} << 20, kMinCount = 160 * kFree, kPerByte = 512;
  const std::size_t usual = kMinCount + kPerByte * (std::max(text_bytes, kFree) - kFree);
  return std::min(usual, platform::available_memory_bytes());
}

void check_kept_bytes(const TableReader& reader, std::size_t num_records, std::size_t needed_bytes,
                      std::size_t text_bytes, std::size_t budget_bytes) {
  FW_CHECK(needed_bytes <= budget_bytes, Resource,
           reader.name() << ": reading its first " << num_records << " records takes " << format_bytes(needed_bytes)
                         << " and there are " << format_bytes(budget_bytes) << " for " << format_bytes(text_bytes)
                         << " of text; use a larger " << named_option("memory-budget") << " or a smaller file");
}

RecordTable join_tables(std::vector<RecordTable>& blocks, const std::vector<std::string>& attributes,
                        const TableOptions& options) {
  const float absent = options.absent_is_unknown ? std::numeric_limits<float>::quiet_NaN() : 0.0f;
  RecordTable table;
  std::size_t num_records = 0, at = 0;
  for (const RecordTable& block : blocks) num_records += block.values.rows();
  table.attributes = attributes;
  table.classes = blocks.back().classes;
  table.target = blocks.back().target;
  table.values = Array2<float>(num_records, attributes.size(), absent);
  table.labels.reserve(blocks.back().labels.empty() ? 0 : num_records);
  table.targets.reserve(blocks.back().targets.empty() ? 0 : num_records);
  for (RecordTable& block : blocks) {
    for (std::size_t i = 0; i < block.values.rows(); ++i)
      std::copy_n(block.values.row(i), block.values.cols(), table.values.row(at++));
    table.labels.insert(table.labels.end(), block.labels.begin(), block.labels.end());
    table.targets.insert(table.targets.end(), block.targets.begin(), block.targets.end());
    block = {};
  }
  return table;
}

namespace {

constexpr std::size_t kMaxValues = std::size_t{16} << 20;  ///< In a block.
constexpr std::size_t kLinesPerTask = 256;
constexpr std::size_t kLinesLookedAt = 20;

/// Whether a line has an entry index:value where LIBSVM text has them.
bool has_entry(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::size_t blank = text.find_last_of(" \t", colon);
  const std::size_t begin = blank == std::string_view::npos ? 0 : blank + 1;
  const std::string_view index = text.substr(begin, colon - begin);
  return index == "qid" || (!index.empty() && index.find_first_not_of("0123456789") == std::string_view::npos);
}

TableFormat find_format(const std::filesystem::path& path, const std::vector<TextLine>& lines) {
  if (const TableFormat named = format_of_name(path); named != TableFormat::kAuto) return named;
  const auto end = lines.begin() + static_cast<std::ptrdiff_t>(std::min(lines.size(), kLinesLookedAt));
  const bool entries = std::any_of(lines.begin(), end, [](const TextLine& line) { return has_entry(line.text); });
  return entries ? TableFormat::kLibsvm : TableFormat::kCsv;
}

/// Refuses options of the other format, which would change nothing.
void check_format_options(const std::string& file, TableFormat found, const TableOptions& options) {
  const auto refuse = [&](const char* option, const char* other) {
    throw Error(ErrorKind::kUsage, file + ": " + named_option(option) + " has no effect on " +
                                       (found == TableFormat::kCsv ? "CSV" : "LIBSVM") +
                                       " text; leave it out, or use " + named_option("format", other) +
                                       " if the file is such text");
  };
  if (found == TableFormat::kCsv) {
    if (options.absent_is_unknown) refuse("absent-is-unknown", "libsvm");
    return;
  }
  if (!options.label_column.empty() && options.label_column != "none") refuse("label", "csv");
  if (options.header != Header::kAuto) refuse("header", "csv");
  if (!options.separator.empty()) refuse("separator", "csv");
}

}  // namespace

TableFormat format_of_name(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(), to_lower);
  if (extension == ".libsvm" || extension == ".svm" || extension == ".svmlight") return TableFormat::kLibsvm;
  return extension == ".csv" || extension == ".tsv" ? TableFormat::kCsv : TableFormat::kAuto;
}

RecordForest TableOptions::match(RecordForest forest) {
  attributes = forest.attributes;
  text_attributes = forest.columns.text_attributes;
  classes = forest.classes;
  labels = forest.has_classes() ? LabelKind::kClass : LabelKind::kTarget;
  target = forest.targets.size() == 1 ? forest.targets[0] : "";
  spaces_are_underscores = records::spaces_are_underscores(forest);
  if (!forest.is_wide()) return forest;
  wide = std::make_shared<const WideForest>(forest);
  return wide->forest;
}

struct TableReader::State {
  State(const std::filesystem::path& path, TableOptions table_options, ThreadPool& thread_pool)
      : file(path),
        options(std::move(table_options)),
        pool(thread_pool),
        source(path, options.while_waiting),
        classes(options.classes) {}

  /// Lines with records that were read and not yet returned.
  std::span<const TextLine> pending();
  void parse(std::span<const TextLine> lines, RecordTable& block);
  void number_labels(std::span<const TextLine> lines, RecordTable& block);
  void parse_targets(std::span<const TextLine> lines, RecordTable& block);

  const std::filesystem::path file;
  const TableOptions options;
  ThreadPool& pool;
  LineSource source;
  ClassNumbers classes;
  TableFormat found = TableFormat::kAuto;
  std::unique_ptr<RowFormat> format;
  std::vector<TextLine> lines;
  std::size_t next_line = 0;
  bool any_record = false;
  std::vector<std::string> labels;  ///< [line]
  std::vector<std::string> names;   ///< [attribute]
};

std::span<const TextLine> TableReader::State::pending() {
  while (next_line == lines.size()) {
    lines = source.next();
    next_line = 0;
    if (lines.empty()) {
      FW_CHECK(any_record || options.may_be_empty, Data,
               source.name() << " has no records; use a LIBSVM or CSV file with one on each line");
      return {};
    }
    if (!format) {
      found = options.format == TableFormat::kAuto ? find_format(file, lines) : options.format;
      if (!options.may_be_of_other_format) check_format_options(source.name(), found, options);
      format = found == TableFormat::kCsv ? make_csv_format(source.name(), options, lines.front())
                                          : make_libsvm_format(source.name(), options);
    }
    std::erase_if(lines, [&](const TextLine& line) { return !format->has_record(line); });
  }
  any_record = true;
  return std::span(lines).subspan(next_line);
}

void TableReader::State::parse(std::span<const TextLine> taken, RecordTable& block) {
  labels.resize(std::max(labels.size(), taken.size()));
  const std::size_t num_tasks = (taken.size() + kLinesPerTask - 1) / kLinesPerTask;
  std::vector<std::exception_ptr> failures(num_tasks);
  pool.for_each(num_tasks, [&](std::size_t task, int) {
    const std::size_t begin = task * kLinesPerTask, end = std::min(begin + kLinesPerTask, taken.size());
    try {
      for (std::size_t i = begin; i < end; ++i)
        format->parse(taken[i], {block.values.row(i), block.values.cols()},
                      block.exact.size() > 0 ? block.exact.row(i) : nullptr, labels[i]);
    } catch (...) {
      failures[task] = std::current_exception();
    }
  });
  // Report the first wrong line, whichever thread found one first.
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

void TableReader::State::number_labels(std::span<const TextLine> taken, RecordTable& block) {
  block.labels.resize(taken.size());
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (is_unknown_value(labels[i])) labels[i].clear();
    FW_CHECK(!options.needs_class || !labels[i].empty(), Data,
             source.name() << ":" << taken[i].number << " has no class; fill it in or leave the record out");
    const std::size_t num_known = classes.names().size();
    FW_CHECK(classes.find(labels[i], block.labels[i]), Data,
             source.name() << ":" << taken[i].number << ": the class is " << shown(labels[i])
                           << ", which the model does not know; it knows " << classes.list()
                           << (found == TableFormat::kCsv
                                   ? "; if that is not its class, name the column with " + named_option("label")
                                   : OptionSentence()));
    if (classes.names().size() == num_known) continue;
    FW_CHECK(num_known < kMaxClasses, Data,
             source.name() << ":" << taken[i].number << ": there are more than " << kMaxClasses
                           << " classes; if the column is a number to predict, use "
                           << named_option("task", "regression") << ", or name the class's column with "
                           << named_option("label"));
    if (const std::string problem = name_problem(labels[i]); !problem.empty())
      throw Error(ErrorKind::kData, source.name() + ":" + std::to_string(taken[i].number) + ": the class " + problem +
                                        " (" + shown(labels[i]) + "); " + name_remedy(labels[i]));
  }
  block.classes = classes.names();
}

void TableReader::State::parse_targets(std::span<const TextLine> taken, RecordTable& block) {
  block.target = format->label_name();
  for (std::size_t i = 0; i < taken.size(); ++i) {
    block.targets.push_back(parse_target(source.name(), taken[i], labels[i]));
    FW_CHECK(!options.needs_class || !std::isnan(block.targets.back()), Data,
             source.name() << ":" << taken[i].number << " has no value to predict; fill it in or leave the record out");
  }
}

TableReader::TableReader(const std::filesystem::path& path, TableOptions options, ThreadPool& pool) {
  options.check();
  state_ = std::make_unique<State>(path, std::move(options), pool);
}

TableReader::~TableReader() = default;

bool TableReader::read(RecordTable& block, std::size_t max_records) {
  const DefaultFloats floats;
  State& s = *state_;
  std::span<const TextLine> lines = s.pending();
  block.values = {};
  block.labels.clear();
  block.targets.clear();
  if (lines.empty()) return false;
  // Only the records returned count, so that their attributes do not depend on the division of the text into pieces.
  lines = lines.first(std::min(lines.size(), max_records));
  const std::size_t num_attributes = s.format->count_attributes(lines);
  while (s.names.size() < num_attributes) s.names.push_back(s.format->attribute_name(s.names.size()));
  const std::size_t most = std::max<std::size_t>(1, kMaxValues / std::max<std::size_t>(1, num_attributes));
  lines = lines.first(std::min(lines.size(), most));
  block.values = Array2<float>(lines.size(), num_attributes);
  if (s.options.wide && s.options.wide->forest.has_linear_leaves())
    block.exact = Array2<double>(lines.size(), num_attributes);
  block.attributes = s.names;
  s.parse(lines, block);
  if (s.options.labels == LabelKind::kClass) s.number_labels(lines, block);
  if (s.options.labels == LabelKind::kTarget) s.parse_targets(lines, block);
  s.next_line += lines.size();
  return true;
}

const std::string& TableReader::name() const { return state_->source.name(); }
TableFormat TableReader::format() const { return state_->found; }
std::size_t TableReader::bytes_read() const { return state_->source.bytes_read(); }
std::size_t TableReader::bytes_total() const { return state_->source.bytes_total(); }

namespace {

void sort_classes(RecordTable& table) {
  const std::vector<std::int32_t> places = sorted_places(table.classes);
  std::vector<std::string> names(places.size());
  for (std::size_t c = 0; c < places.size(); ++c) names[static_cast<std::size_t>(places[c])] = table.classes[c];
  table.classes = std::move(names);
  for (std::int32_t& label : table.labels)
    if (label != kNoClass) label = places[static_cast<std::size_t>(label)];
}

}  // namespace

RecordTable read_table(const std::filesystem::path& path, const TableOptions& options, ThreadPool& pool,
                       const ProgressCallback& progress) {
  const DefaultFloats floats;
  constexpr std::size_t kBlock = 65536;
  TableReader reader(path, options, pool);
  std::vector<RecordTable> blocks(1);
  std::size_t num_records = 0;
  while (reader.read(blocks.back(), kBlock)) {
    num_records += blocks.back().values.rows();
    // Twice: all blocks exist when they are joined.
    const std::size_t needed = 2 * sizeof(float) * num_records * blocks.back().values.cols();
    const std::size_t budget =
        options.memory_budget_bytes > 0 ? options.memory_budget_bytes : usual_memory_budget(reader.bytes_read());
    check_kept_bytes(reader, num_records, needed, reader.bytes_read(), budget);
    if (progress && reader.bytes_total() > 0) progress(reader.bytes_read(), reader.bytes_total());
    blocks.emplace_back();
  }
  blocks.pop_back();
  FW_CHECK(!blocks.empty() && !blocks.back().attributes.empty(), Data,
           reader.name() << ": no record has an attribute; use entries index:value, or " << named_option("format")
                         << " if it is not a LIBSVM file");
  const std::vector<std::string> attributes = blocks.back().attributes;
  RecordTable table = join_tables(blocks, attributes, options);
  table.text_bytes = reader.bytes_read();
  if (options.classes.empty()) sort_classes(table);
  return table;
}

}  // namespace fernwood::records
