// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/stream/record_source.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "fernwood/core/error.h"
#include "stream/source/record_files.h"
#include "stream/source/record_parts.h"

namespace fernwood::stream {

namespace fs = std::filesystem;

namespace {

constexpr std::array kFolderRows = {
    option<&FolderOptions::follow>("follow", "Wait for more files in the folder, until one is called \"end\""),
    option<&FolderOptions::poll_ms>("poll-ms", "Polling interval of a followed folder, in milliseconds")
        .in(at_least(1)),
};

double share(std::uint64_t part, std::uint64_t whole) {
  return whole > 0 ? std::min(1.0, static_cast<double>(part) / static_cast<double>(whole)) : 1;
}

float absent_of(const records::TableOptions& options) {
  return options.absent_is_unknown ? std::numeric_limits<float>::quiet_NaN() : 0;
}

class FileSource : public RecordSource {
 public:
  FileSource(const fs::path& path, const records::TableOptions& options, ThreadPool& pool)
      : path_(path),
        name_(path == "-" ? "standard input" : path.string()),
        absent_(absent_of(options)),
        batches_(options, pool, [this] { return std::exchange(next_, std::nullopt); }) {
    std::error_code ignored;  // if this fails, opening the file fails, too
    regular_ = path != "-" && fs::is_regular_file(path, ignored);
    if (regular_) size_bytes_ = fs::file_size(path, ignored);
    batches_.open();
  }

  bool read(records::RecordTable& batch, std::size_t max_records) override { return batches_.read(batch, max_records); }
  bool can_rewind() const override { return regular_; }
  void rewind() override {
    FW_CHECK(regular_, Usage, name_ << " is a pipe, which can be read once only; use a file");
    batches_.rewind();
    next_ = path_;
  }
  const std::string& name() const override { return name_; }
  std::optional<double> fraction_read() const override {
    return regular_ ? std::optional(share(batches_.bytes_read(), size_bytes_)) : std::nullopt;
  }
  float absent_value() const override { return absent_; }

 private:
  const fs::path path_;
  const std::string name_;
  const float absent_;
  bool regular_ = false;
  std::uint64_t size_bytes_ = 0;
  std::optional<fs::path> next_ = path_;
  FileBatches batches_;
};

class FolderSource : public RecordSource {
 public:
  FolderSource(const fs::path& path, const records::TableOptions& table_options, const FolderOptions& folder_options,
               ThreadPool& pool)
      : name_(path.string()),
        absent_(absent_of(table_options)),
        follows_(folder_options.follow),
        files_(path, folder_options),
        batches_(with_empty_files(table_options), pool, [this] { return files_.next(); }) {}

  bool read(records::RecordTable& batch, std::size_t max_records) override {
    const bool any = batches_.read(batch, max_records);
    FW_CHECK(
        any || batches_.any_record() || files_.was_stopped(), Data,
        name_ << " has no file with records; put LIBSVM or CSV files there" << (follows_ ? " before the end" : ""));
    return any;
  }
  bool can_rewind() const override { return true; }
  void rewind() override {
    files_.rewind();
    batches_.rewind();
  }
  const std::string& name() const override { return name_; }
  std::optional<double> fraction_read() const override {
    return follows_ ? std::nullopt : std::optional(share(batches_.bytes_read(), files_.bytes_total()));
  }
  float absent_value() const override { return absent_; }

 private:
  /// A writer that produces files at intervals may have no records for one of them.
  static records::TableOptions with_empty_files(records::TableOptions options) {
    options.may_be_empty = true;
    return options;
  }

  const std::string name_;
  const float absent_;
  const bool follows_;
  FolderFiles files_;
  FileBatches batches_;
};

class TableSource : public RecordSource {
 public:
  TableSource(const std::string& name, const records::RecordTable& table) : name_(name), table_(table) {}

  bool read(records::RecordTable& batch, std::size_t max_records) override {
    FW_CHECK(max_records >= 1, Usage, "a batch has 0 records; use at least 1");
    const std::size_t count = std::min(max_records, table_.values.rows() - at_), cols = table_.values.cols();
    batch = {table_.attributes, table_.classes, Array2<float>(count, cols), {}};
    std::copy_n(table_.values.data() + at_ * cols, count * cols, batch.values.data());
    append_part(table_.labels, at_, count, batch.labels);
    append_part(table_.targets, at_, count, batch.targets);
    batch.target = table_.target;
    at_ += count;
    return count > 0;
  }
  bool can_rewind() const override { return true; }
  void rewind() override { at_ = 0; }
  const std::string& name() const override { return name_; }
  std::optional<double> fraction_read() const override { return share(at_, table_.values.rows()); }

 private:
  const std::string name_;
  const records::RecordTable& table_;
  std::size_t at_ = 0;
};

}  // namespace

OptionTable<FolderOptions> FolderOptions::table() { return kFolderRows; }

void FolderOptions::check() const { check_options(table(), *this); }

std::unique_ptr<RecordSource> open_record_source(const fs::path& path, const records::TableOptions& table_options,
                                                 const FolderOptions& folder_options, ThreadPool& pool) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return std::make_unique<FolderSource>(path, table_options, folder_options, pool);
  FW_CHECK(!folder_options.follow, Usage,
           path.string() << " is not a folder, and only a folder can be followed; name a folder of files");
  return std::make_unique<FileSource>(path, table_options, pool);
}

std::unique_ptr<RecordSource> make_table_source(const std::string& name, const records::RecordTable& table) {
  return std::make_unique<TableSource>(name, table);
}

}  // namespace fernwood::stream
