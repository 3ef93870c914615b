// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/source/record_files.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <thread>

#include "core/platform/file_system.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "records/tables/row_format.h"

namespace fernwood::stream {

namespace fs = std::filesystem;

namespace {

constexpr const char* kEndName = "end";

bool is_for_records(const std::string& name) {
  constexpr std::array<std::string_view, 3> kNotRecords = {".part", ".tmp", ".lock"};
  return name != kEndName && !name.starts_with(".") &&
         std::ranges::none_of(kNotRecords, [&](std::string_view ending) { return name.ends_with(ending); });
}

std::string list(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  return std::to_string(names.size()) + (names.size() == 1 ? " attribute (" : " attributes (") +
         join(std::span(names).first(std::min(names.size(), kShown)), ", ", records::shown) +
         (names.size() > kShown ? ", ...)" : ")");
}

std::string place_of_difference(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const auto differing = std::ranges::mismatch(a, b).in1 - a.begin();
  return ", which differs at attribute " + std::to_string(differing + 1);
}

}  // namespace

FolderFiles::FolderFiles(const fs::path& folder, const FolderOptions& options) : folder_(folder), options_(options) {
  options.check();
  look();
}

std::optional<fs::path> FolderFiles::next() {
  while (next_ == files_.size()) {
    was_stopped_ = !ended_ && should_stop();
    if (ended_ || was_stopped_) return {};
    look();
    if (next_ == files_.size() && !ended_) wait();
  }
  return folder_ / files_[next_++];
}

void FolderFiles::look() {
  std::error_code failure;
  // Checked before listing the files: no file is added once the end is marked.
  ended_ = !options_.follow || fs::exists(folder_ / kEndName, failure);
  std::vector<std::string> names;
  for (auto entry = fs::directory_iterator(folder_, failure); !failure && entry != fs::directory_iterator();
       entry.increment(failure)) {
    std::error_code gone;  // another program may have removed it
    if (std::string name = entry->path().filename().string(); is_for_records(name) && entry->is_regular_file(gone))
      names.push_back(std::move(name));
  }
  throw_if_no_memory(failure);
  FW_CHECK(!failure, Runtime,
           folder_.string() << " cannot be read: " << failure.message() << "; check the folder and its permissions");
  std::ranges::sort(names);
  accept(std::move(names));
}

void FolderFiles::accept(std::vector<std::string> names) {
  std::erase_if(names, [&](const std::string& name) { return std::ranges::binary_search(files_, name); });
  if (names.empty()) return;
  FW_CHECK(files_.empty() || files_.back() < names.front(), Data,
           (folder_ / names.front()).string()
               << " came after " << files_.back() << ", which sorts after it; give new files names that sort last");
  for (const std::string& name : names) {
    std::error_code gone;
    const std::uintmax_t size_bytes = fs::file_size(folder_ / name, gone);
    if (!gone) bytes_total_ += size_bytes;
  }
  files_.insert(files_.end(), names.begin(), names.end());
}

void FolderFiles::wait() const {
  using Milliseconds = std::chrono::milliseconds;
  constexpr Milliseconds kLongestSleep{100};  // so that a request to stop is noticed soon
  Milliseconds left{options_.poll_ms};
  while (left.count() > 0 && !should_stop()) {
    const Milliseconds sleep = std::min(left, kLongestSleep);
    std::this_thread::sleep_for(sleep);
    left -= sleep;
  }
}

FileBatches::FileBatches(const records::TableOptions& options, ThreadPool& pool, NextFile next_file)
    : options_(options), pool_(pool), next_file_(std::move(next_file)), classes_(options.classes) {}

bool FileBatches::open() {
  if (reader_) return true;
  const std::optional<std::filesystem::path> file = next_file_();
  if (!file) return false;
  records::TableOptions options = options_;
  if (format_ != records::TableFormat::kAuto) options.format = format_;
  reader_ = std::make_unique<records::TableReader>(*file, std::move(options), pool_);
  return true;
}

void FileBatches::close() {
  bytes_of_closed_ += reader_->bytes_read();
  reader_.reset();
  class_numbers_.clear();
}

bool FileBatches::read(records::RecordTable& batch, std::size_t max_records) {
  FW_CHECK(max_records >= 1, Usage, "a batch has 0 records; use at least 1");
  std::vector<records::RecordTable> blocks;
  while (max_records > 0 && open()) {
    records::RecordTable block;
    if (!reader_->read(block, max_records)) {
      close();
      continue;
    }
    check_attributes(block);
    number_labels(block);
    check_kept(block);
    max_records -= block.values.rows();
    blocks.push_back(std::move(block));
  }
  batch = {};
  if (blocks.empty()) return false;
  const bool complete = blocks.size() == 1 && blocks.front().attributes.size() == attributes_.size();
  batch = complete ? std::move(blocks.front()) : records::join_tables(blocks, attributes_, options_);
  batch.classes = classes_.names();
  return true;
}

/// Checks the memory for all records so far, which passes keep, and for a sketch of each attribute.
void FileBatches::check_kept(const records::RecordTable& block) {
  constexpr std::size_t kSketchBytes = 12 << 10;
  constexpr std::size_t kCheckedAtOnce = 1 << 20;  ///< Memory is not asked for each few records of a small round.
  num_records_ += block.values.rows();
  num_values_ += block.values.size();
  const std::size_t needed = 2 * sizeof(float) * num_values_ + kSketchBytes * block.attributes.size();
  if (needed < checked_bytes_ + kCheckedAtOnce) return;
  checked_bytes_ = needed;
  const std::size_t budget = std::max(options_.memory_budget_bytes, records::usual_memory_budget(bytes_read()));
  records::check_kept_bytes(*reader_, num_records_, needed, bytes_read(), budget);
}

void FileBatches::check_attributes(const records::RecordTable& block) {
  format_ = reader_->format();
  const bool first = !any_record_;
  any_record_ = true;
  if (format_ == records::TableFormat::kLibsvm) {
    if (block.attributes.size() > attributes_.size()) attributes_ = block.attributes;
    return;
  }
  if (first) attributes_ = block.attributes;
  FW_CHECK(block.attributes == attributes_, Data,
           reader_->name() << " has " << list(block.attributes) << " where the files before have " << list(attributes_)
                           << place_of_difference(block.attributes, attributes_)
                           << "; give all files of the stream the same columns and the same header");
}

/// Converts the file's class numbers to the stream's; both are in order of first occurrence.
void FileBatches::number_labels(records::RecordTable& block) {
  while (class_numbers_.size() < block.classes.size()) {
    std::int32_t number = records::kNoClass;
    classes_.find(block.classes[class_numbers_.size()], number);
    class_numbers_.push_back(number);
  }
  for (std::int32_t& label : block.labels)
    if (label != records::kNoClass) label = class_numbers_[static_cast<std::size_t>(label)];
}

void FileBatches::rewind() {
  reader_.reset();
  format_ = records::TableFormat::kAuto;
  attributes_.clear();
  classes_ = records::ClassNumbers(options_.classes);
  class_numbers_.clear();
  any_record_ = false;
  bytes_of_closed_ = num_records_ = num_values_ = 0;
}

}  // namespace fernwood::stream
