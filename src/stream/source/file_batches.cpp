// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/source/file_batches.h"

#include <algorithm>

#include "fernwood/core/error.h"
#include "records/tables/join_tables.h"
#include "records/tables/row_format.h"

namespace fernwood::stream {

namespace {

std::string list(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  std::string text = std::to_string(names.size()) + (names.size() == 1 ? " attribute (" : " attributes (");
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i)
    text += (i > 0 ? ", " : "") + records::shown(names[i]);
  return text + (names.size() > kShown ? ", ...)" : ")");
}

std::string place_of_difference(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const auto differing = std::ranges::mismatch(a, b).in1 - a.begin();
  return ", which differs at attribute " + std::to_string(differing + 1);
}

}  // namespace

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
  FW_CHECK(max_records >= 1, Usage, "a batch has 0 records; give at least 1");
  std::vector<records::RecordTable> blocks;
  while (max_records > 0 && open()) {
    records::RecordTable block;
    if (!reader_->read(block, max_records)) {
      close();
      continue;
    }
    check_attributes(block);
    number_labels(block);
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
           reader_->name() << ": has " << list(block.attributes) << " where the files before have " << list(attributes_)
                           << place_of_difference(block.attributes, attributes_)
                           << "; give all files of the stream the same columns and the same header");
}

/// Each file numbers the classes that it has in the order in which they come, and so does the stream.
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
  bytes_of_closed_ = 0;
}

}  // namespace fernwood::stream
