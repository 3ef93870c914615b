// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/stream/record_source.h"
#include "stream/source/record_parts.h"

namespace fernwood::stream {

/// Records that were fed and not read yet. Copies of the source read the same records again.
class PushSource : public RecordSource {
 public:
  void feed(records::RecordTable records) {
    FW_CHECK(num_fed_ == 0 || records.values.cols() == attributes_.size(), Data,
             "these records have " << records.values.cols() << " attributes, and those before have "
                                   << attributes_.size() << "; pass records of the same kind");
    const bool goes_on = records.classes.size() >= classes_.size() &&
                         std::equal(classes_.begin(), classes_.end(), records.classes.begin());
    FW_CHECK(goes_on, Data, "the classes of these records do not begin with those of the records before");
    records::check_names(num_fed_ == 0 ? records.attributes : std::vector<std::string>(),
                         records.classes.size() > classes_.size() ? records.classes : std::vector<std::string>());
    if (num_fed_ == 0) target_ = records.target;
    attributes_ = records.attributes;
    classes_ = records.classes;
    add(std::move(records));
  }
  /// Adds records with the attributes and classes of those before, which need not be named.
  void add(records::RecordTable records) {
    num_fed_ += records.values.rows();
    num_waiting_ += records.values.rows();
    if (records.values.rows() > 0) tables_.push_back(std::make_shared<const records::RecordTable>(std::move(records)));
  }
  std::uint64_t num_fed() const { return num_fed_; }
  std::uint64_t num_waiting() const { return num_waiting_; }
  std::size_t num_attributes() const { return attributes_.size(); }
  std::size_t num_classes() const { return classes_.size(); }
  /// Calls body(table, first) for the tables of records that wait, except for the first `skipped` records.
  template <typename Body>
  void visit(std::uint64_t skipped, const Body& body) const {
    skipped += at_;
    for (const auto& table : tables_) {
      const std::uint64_t of_table = std::min<std::uint64_t>(skipped, table->values.rows());
      skipped -= of_table;
      if (of_table < table->values.rows()) body(*table, static_cast<std::size_t>(of_table));
    }
  }
  void drop() {
    tables_.clear();
    num_waiting_ = 0, at_ = 0;
  }

  bool read(records::RecordTable& batch, std::size_t max_records) override {
    const std::size_t count = std::min<std::size_t>(max_records, num_waiting_), cols = attributes_.size();
    batch = {attributes_, {}, Array2<float>(count, cols), {}};
    for (std::size_t begin = 0; begin < count;) {
      const records::RecordTable& table = *tables_.front();
      const std::size_t part = std::min(count - begin, table.values.rows() - at_);
      std::copy_n(table.values.row(at_), part * cols, batch.values.row(begin));
      append_part(table.labels, at_, part, batch.labels);
      append_part(table.targets, at_, part, batch.targets);
      begin += part;
      at_ += part;
      if (at_ < table.values.rows()) continue;
      tables_.pop_front();
      at_ = 0;
    }
    batch.target = target_;
    num_waiting_ -= count;
    // Classes are known up to the largest number that occurred, as when they are read from a file.
    for (const std::int32_t label : batch.labels) num_classes_ = std::max(num_classes_, label + 1);
    const std::size_t known = std::min(static_cast<std::size_t>(num_classes_), classes_.size());
    batch.classes.assign(classes_.begin(), classes_.begin() + static_cast<std::ptrdiff_t>(known));
    return count > 0;
  }
  bool can_rewind() const override { return false; }
  void rewind() override { throw Error(ErrorKind::kUsage, name_ + ": can be read once only"); }
  const std::string& name() const override { return name_; }
  std::optional<double> fraction_read() const override { return {}; }

 private:
  std::string name_ = "the records";
  std::deque<std::shared_ptr<const records::RecordTable>> tables_;
  std::size_t at_ = 0;  ///< Position in the first table.
  std::uint64_t num_fed_ = 0, num_waiting_ = 0;
  std::int32_t num_classes_ = 0;  ///< In the records read so far.
  std::vector<std::string> attributes_, classes_;
  std::string target_;
};

}  // namespace fernwood::stream
