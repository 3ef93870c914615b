// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/records/table_reader.h"
#include "records/tables/line_source.h"

namespace fernwood::records {

/// How lines become records.
class RowFormat {
 public:
  virtual ~RowFormat() = default;
  /// Whether the line has a record, not only a comment.
  virtual bool has_record(const TextLine& line) const = 0;
  /// Attributes that records have once these lines are seen, too.
  virtual std::size_t count_attributes(std::span<const TextLine> lines) = 0;
  virtual std::string attribute_name(std::size_t attribute) const = 0;
  /// May be called for several lines at a time.
  /// @param values  [as counted], written. @param label  Written; empty when the class is not known.
  virtual void parse(const TextLine& line, std::span<float> values, std::string& label) const = 0;
};

/// @param file  What messages begin with.
std::unique_ptr<RowFormat> make_libsvm_format(const std::string& file, const TableOptions& options);
/// @param first  Decides upon separator and columns; it may be a header.
std::unique_ptr<RowFormat> make_csv_format(const std::string& file, const TableOptions& options, const TextLine& first);

/// A piece of a file for a message: in quotes, at most 40 bytes, what is no text as \xNN.
std::string shown(std::string_view text);
/// @throws Error(kData) that says what is wrong with what was to be a number. @param what  Such as "attribute 3".
[[noreturn]] void refuse_number(const std::string& file, const TextLine& line, const std::string& what,
                                std::string_view text);

}  // namespace fernwood::records
