// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/platform/file_system.h"
#include "fernwood/core/text.h"
#include "fernwood/records/table_reader.h"

namespace fernwood::records {

/// A line without its end.
struct TextLine {
  std::string_view text;
  std::size_t number;  ///< Starting at 1.
};

/// Reads a text file or standard input ("-") in large pieces and divides it into lines. Lines end with \n or \r\n,
/// which is optional for the last one; a byte order mark is skipped.
class LineSource {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{64} << 20;

  /// @param while_waiting  As in TableOptions. @throws Error(kRuntime) when the file cannot be opened.
  explicit LineSource(const std::filesystem::path& path, std::function<void()> while_waiting = {});

  /// The lines of the next piece, without blank ones; empty at the end. Valid until the next call.
  /// @throws Error(kData) for a line that is too long or bytes that are not text, Error(kRuntime) when reading fails.
  const std::vector<TextLine>& next();

  const std::string& name() const { return name_; }  ///< For messages.
  std::size_t bytes_read() const { return bytes_read_; }
  std::size_t bytes_total() const { return bytes_total_; }  ///< 0 for a pipe.

 private:
  bool fill();
  void cut();
  void check_text(std::size_t begin) const;

  std::string name_;
  std::function<void()> while_waiting_;
  platform::OpenFile file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, scanned_ = 0, end_ = 0;  ///< In the buffer: start of the line, ends of the parts searched and
                                                   ///< read.
  std::size_t line_number_ = 0, bytes_read_ = 0, bytes_total_ = 0;
  bool at_end_ = false;
  std::vector<TextLine> lines_;
};

/// Converts lines to records.
class RowFormat {
 public:
  virtual ~RowFormat() = default;
  /// Whether the line has a record, and not only a comment.
  virtual bool has_record(const TextLine& line) const = 0;
  /// Number of attributes of records, given these lines and all earlier ones.
  virtual std::size_t count_attributes(std::span<const TextLine> lines) = 0;
  virtual std::string attribute_name(std::size_t attribute) const = 0;
  /// Name of the column of labels; empty if it has none.
  virtual std::string label_name() const { return {}; }
  /// Thread-safe: may be called for several lines at a time.
  /// @param values  [number of attributes] Written. @param exact  RecordTable::exact of the record, written; or null.
  /// @param label  Written; empty when the class is unknown.
  virtual void parse(const TextLine& line, std::span<float> values, double* exact, std::string& label) const = 0;

 protected:
  explicit RowFormat(const TableOptions& options) : wide_(options.wide) {}

  /// parse_number() for the value of an attribute, which becomes its rank if the options have a WideForest.
  const char* parse_value(const char* begin, const char* end, std::size_t attribute, std::span<float> values,
                          double* exact) const;
  void set_value(double value, std::size_t attribute, std::span<float> values, double* exact) const {
    values[attribute] = wide_ ? wide_->rank_of(attribute, value) : static_cast<float>(value);
    if (exact) exact[attribute] = value;
  }

 private:
  std::shared_ptr<const WideForest> wide_;
};

/// The separator in the options; 0: determined from the first line.
char separator_of(const TableOptions& options);

/// @param file  Prefix of messages.
std::unique_ptr<RowFormat> make_libsvm_format(const std::string& file, const TableOptions& options);
/// @param first  Determines separator and columns; it may be a header.
std::unique_ptr<RowFormat> make_csv_format(const std::string& file, const TableOptions& options, const TextLine& first);

/// A piece of a file for a message: in quotes, at most 40 bytes, bytes that are not text as \xNN.
std::string shown(std::string_view text);
/// Advice for a message about a name_problem() of a text file.
std::string name_remedy(const std::string& name);
/// @throws Error(kData) always, with the reason why the text is not a number. @param what  For example "attribute 3".
[[noreturn]] void refuse_number(const std::string& file, const TextLine& line, const std::string& what,
                                std::string_view text);

/// The value of a label; NaN for an unknown one.
/// @param file  Prefix of messages. @throws Error(kData) for a label that is not a finite number.
double parse_target(const std::string& file, const TextLine& line, const std::string& label);

/// Maps labels to class numbers. Labels with the same numeric value are the same class.
class ClassNumbers {
 public:
  /// @param names  The classes; empty: classes are added as labels occur.
  explicit ClassNumbers(const std::vector<std::string>& names);
  /// Finds the class of a label: kNoClass when it is empty; a new class is added where classes are not given.
  /// @return False for a label that is not one of the given classes.
  bool find(const std::string& label, std::int32_t& number);
  const std::vector<std::string>& names() const { return names_; }
  std::string list() const;  ///< For messages: the first names.

 private:
  bool fixed_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::int32_t> numbers_;  ///< By labels as written, and by their keys.
};

/// [class] Position in sorted order: by value when all names are numbers, otherwise by text.
std::vector<std::int32_t> sorted_places(const std::vector<std::string>& names);

/// A sentence about each attribute whose whole numbers increase with the records, as those of an index do.
std::vector<std::string> index_notes(const RecordTable& table);

/// Checks that the records of a text fit into the memory budget. @throws Error(kResource).
void check_kept_bytes(const TableReader& reader, std::size_t num_records, std::size_t needed_bytes,
                      std::size_t text_bytes, std::size_t budget_bytes);

/// The records of all blocks, one block after another; the classes are those of the last block.
/// @param blocks      At least one, none with more attributes than `attributes`; each is freed once it is copied.
/// @param attributes  Of the table. The number of attributes of LIBSVM text is known only at the end; those that a
/// block lacks are absent entries.
RecordTable join_tables(std::vector<RecordTable>& blocks, const std::vector<std::string>& attributes,
                        const TableOptions& options);

namespace detail {

inline constexpr std::array<float, 11> kPowersOfTen = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f,
                                                       1e6f, 1e7f, 1e8f, 1e9f, 1e10f};

/// Parses what from_chars() accepts, and also numbers too small for the type: these become 0 or denormal.
template <typename T>
const char* parse_any_number(const char* begin, const char* end, T& value) {
  const auto [stop, failure] = std::from_chars(begin, end, value);
  if (failure == std::errc()) return stop;
  if (failure != std::errc::result_out_of_range) return nullptr;
  const double wide = classic_strtod(std::string(begin, stop).c_str(), nullptr);
  value = static_cast<T>(wide);
  return std::isinf(value) ? nullptr : stop;
}

}  // namespace detail

/// Parses the number at the beginning of a text: decimal, optionally with an exponent, or nan, inf, infinity in any
/// case, rounded to the nearest float.
/// @return The end of the number; nullptr when there is none or it is too large for a float.
inline const char* parse_number(const char* begin, const char* end, float& value) {
  const char* at = begin;
  const bool negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) ++at;
  const char* const digits = at;
  std::uint32_t mantissa = 0;
  const auto take_digits = [&] {
    // 8 digits cannot overflow; longer numbers take the general path.
    for (; at < end && at < digits + 9 && static_cast<unsigned char>(*at - '0') < 10; ++at)
      mantissa = mantissa * 10 + static_cast<std::uint32_t>(*at - '0');
  };
  take_digits();
  std::size_t num_decimals = 0, num_digits = static_cast<std::size_t>(at - digits);
  if (at < end && *at == '.') {
    const char* const point = at++;
    take_digits();
    num_decimals = static_cast<std::size_t>(at - point - 1);
    num_digits += num_decimals;
  }
  const bool more = at < end && (static_cast<unsigned char>(*at - '0') < 10 || *at == 'e' || *at == 'E');
  // Whole numbers below 2^24 and powers of ten up to 10^10 are floats, so that one division rounds once (Clinger, How
  // to Read Floating Point Numbers Accurately, 1990).
  if (num_digits > 0 && num_digits <= 8 && !more && mantissa < (1u << 24)) {
    const float magnitude = static_cast<float>(mantissa) / detail::kPowersOfTen[num_decimals];
    value = negative ? -magnitude : magnitude;
    return at;
  }
  if (begin < end && *begin == '+')
    return digits < end && *digits == '-' ? nullptr : detail::parse_any_number(digits, end, value);
  return detail::parse_any_number(begin, end, value);
}

inline const char* RowFormat::parse_value(const char* begin, const char* end, std::size_t attribute,
                                          std::span<float> values, double* exact) const {
  if (!wide_) return parse_number(begin, end, values[attribute]);
  const bool is_signed = end - begin > 1 && begin[0] == '+' && begin[1] != '-';
  double value = 0;
  const char* const stop = detail::parse_any_number(begin + (is_signed ? 1 : 0), end, value);
  if (stop != nullptr) set_value(value, attribute, values, exact);
  return stop;
}

/// Whether the whole text is a number.
inline bool is_number(std::string_view text, float& value) {
  return !text.empty() && parse_number(text.data(), text.data() + text.size(), value) == text.data() + text.size();
}

}  // namespace fernwood::records
