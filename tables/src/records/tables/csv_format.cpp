// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "records/tables/row_format.h"

namespace fernwood::records {

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// Reads a quoted field into `buffer`. @param rest  Begins after the opening quote.
bool take_quoted(std::string_view& rest, char separator, std::string& buffer) {
  buffer.clear();
  for (;;) {
    const std::size_t quote = rest.find('"');
    if (quote == std::string_view::npos) return false;
    buffer += rest.substr(0, quote);
    rest.remove_prefix(quote + 1);
    if (!rest.starts_with('"')) break;
    buffer += '"';
    rest.remove_prefix(1);
  }
  const std::size_t end = std::min(rest.find(separator), rest.size());
  buffer += trimmed(rest.substr(0, end));
  rest.remove_prefix(end);
  return true;
}

/// Removes the first field from `rest`, but not the separator after it. Blanks around the field and quotes are dropped,
/// and two quotes inside quotes become one.
/// @param field  Written: a view into `rest` or `buffer`. @return False when a quote is not closed.
bool take_field(std::string_view& rest, char separator, std::string_view& field, std::string& buffer) {
  const std::size_t begin = rest.find_first_not_of(' ');
  if (begin != std::string_view::npos && rest[begin] == '"') {
    rest.remove_prefix(begin + 1);
    if (!take_quoted(rest, separator, buffer)) return false;
    field = buffer;
  } else {
    const std::size_t end = std::min(rest.find(separator), rest.size());
    field = trimmed(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  return true;
}

/// More than the attributes of any model; further columns are skipped. A field of one byte takes forty bytes in memory.
constexpr std::size_t kMaxColumns = std::size_t{1} << 18;

/// Calls `take(field)` for all fields of a line. @return False when a quote is not closed.
template <typename Take>
bool for_each_field(std::string_view text, char separator, const Take& take) {
  std::string buffer;
  std::string_view field;
  for (;;) {
    if (!take_field(text, separator, field, buffer)) return false;
    take(field);
    if (text.empty()) return true;
    text.remove_prefix(1);
  }
}

/// The separator of a line: tab if one occurs outside quotes, else semicolon, else comma.
char find_separator(std::string_view text) {
  bool in_quotes = false;
  std::string seen;  // the separators found, without duplicates
  for (const char c : text) {
    if (c == '"') in_quotes = !in_quotes;
    if (!in_quotes && (c == '\t' || c == ';') && seen.find(c) == std::string::npos) seen += c;
  }
  for (const char separator : {'\t', ';'})
    if (seen.find(separator) != std::string::npos) return separator;
  return ',';
}

constexpr std::ptrdiff_t kSkipped = -1, kLabel = -2;  ///< Role of a column, otherwise the index of its attribute.

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), to_lower);
  return text;
}

bool names_a_label(const std::string& column) {
  const std::string name = lower(column);
  return name == "label" || name == "class" || name == "target";
}

/// Whether the first line is a header: a field is a usual name of labels, or no field is a number and some field other
/// than the last is known (the last may be the class of a record with unknown attributes).
bool looks_like_header(const std::vector<std::string>& fields) {
  float ignored = 0;
  if (std::ranges::any_of(fields, names_a_label)) return true;
  if (std::ranges::any_of(
          fields, [&](const std::string& field) { return !is_unknown_value(field) && is_number(field, ignored); }))
    return false;
  const auto last = fields.end() - (fields.size() > 1 ? 1 : 0);
  return std::any_of(fields.begin(), last, [](const std::string& field) { return !is_unknown_value(field); });
}

void check_name(const std::string& place, const std::string& name, const std::string& what) {
  if (const std::string problem = name_problem(name); !problem.empty())
    throw Error(ErrorKind::kData, place + ": " + what + " " + problem + " (" + shown(name) + "); " + name_remedy(name));
}

/// Roles of the columns of a file.
class Columns {
 public:
  Columns(const std::string& place, const TableOptions& options, std::vector<std::string> fields, bool header)
      : place_(place),
        options_(options),
        fields_(std::move(fields)),
        header_(header),
        roles_(fields_.size(), kSkipped) {
    const std::ptrdiff_t label = find_label();
    if (label >= 0) roles_[static_cast<std::size_t>(label)] = kLabel;
    if (header_ && !options_.attributes.empty())
      match_names();
    else
      match_places();
  }

  const std::vector<std::ptrdiff_t>& roles() const { return roles_; }
  std::string label_name() const {
    const auto label = std::ranges::find(roles_, kLabel);
    return header_ && label != roles_.end() ? fields_[static_cast<std::size_t>(label - roles_.begin())] : "";
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::ptrdiff_t last() const { return static_cast<std::ptrdiff_t>(fields_.size()) - 1; }
  bool is_attribute(const std::string& name) const { return std::ranges::count(options_.attributes, name) > 0; }

  /// Whether a model has the name of its column of targets, not the one that is given to a target without a name. A
  /// model with classes does not have the name of their column.
  bool knows_target() const {
    return !options_.target.empty() && !names_a_label(options_.target) && options_.target != "target0";
  }

  std::ptrdiff_t find_label() const {
    if (options_.label_column == "none") return -1;
    if (!options_.label_column.empty()) return find_named_label();
    if (!header_) {
      const bool unlabelled = !options_.attributes.empty() && fields_.size() == options_.attributes.size();
      return unlabelled ? -1 : last();
    }
    const auto target = std::ranges::find(fields_, options_.target);
    if (!options_.target.empty() && target != fields_.end() && !is_attribute(*target)) return target - fields_.begin();
    for (std::size_t i = 0; i < fields_.size(); ++i)
      if (names_a_label(fields_[i]) && !is_attribute(fields_[i])) return static_cast<std::ptrdiff_t>(i);
    if (knows_target()) return -1;
    return is_attribute(name_or(fields_.back(), fields_.size())) ? -1 : last();
  }

  std::ptrdiff_t find_named_label() const {
    if (header_)
      if (const auto found = std::ranges::find(fields_, options_.label_column); found != fields_.end())
        return found - fields_.begin();
    std::size_t number = 0;
    const std::string& text = options_.label_column;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    FW_CHECK(failure == std::errc() && end == text.data() + text.size() && number >= 1 && number <= fields_.size(),
             Data,
             place_ << " has no column " << shown(text) << " for " << named_option("label") << "; name one of "
                    << (header_ ? list(fields_) : "its columns by number, 1 to " + std::to_string(fields_.size())));
    return static_cast<std::ptrdiff_t>(number) - 1;
  }

  /// An attribute without a name is called by its number.
  static std::string name_or(const std::string& name, std::size_t number) {
    return name.empty() ? std::to_string(number) : name;
  }

  /// [column] Names, also of attributes without a name.
  std::vector<std::string> column_names() const {
    std::vector<std::string> names = fields_;
    std::size_t number = 0;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (roles_[i] != kLabel) names[i] = name_or(header_ ? names[i] : "", ++number);
    return names;
  }

  static std::string list(const std::vector<std::string>& names) {
    constexpr std::size_t kShown = 10;
    const std::string text = join(std::span(names).first(std::min(names.size(), kShown)), ", ", shown);
    return names.size() > kShown ? text + ", ..." : text;
  }

  void match_names() {
    names_ = options_.attributes;
    std::vector<std::string> columns = column_names();
    if (options_.spaces_are_underscores)
      for (std::string& column : columns) std::ranges::replace(column, ' ', '_');
    std::unordered_map<std::string_view, std::pair<std::size_t, std::size_t>> places;  // first index, number of
                                                                                       // occurrences
    for (std::size_t i = 0; i < columns.size(); ++i) ++places.try_emplace(columns[i], i, 0).first->second.second;
    for (std::size_t a = 0; a < names_.size(); ++a) {
      const auto found = places.find(names_[a]);
      FW_CHECK(found != places.end(), Data,
               place_ << " has no column " << shown(names_[a]) << ", an attribute of the model; it has "
                      << list(fields_) << "; add the column, or remove the header to take columns by place");
      FW_CHECK(found->second.second == 1, Data,
               place_ << " has several columns " << shown(names_[a]) << "; rename all but one");
      std::ptrdiff_t& role = roles_[found->second.first];
      FW_CHECK(role < 0, Data,
               place_ << ": the model has several attributes " << shown(names_[a])
                      << ", which cannot be found by name; remove the header to take columns by place");
      FW_CHECK(role != kLabel, Data,
               place_ << ": column " << shown(names_[a])
                      << " is both the class and an attribute of the model; choose another with "
                      << named_option("label"));
      role = static_cast<std::ptrdiff_t>(a);
    }
  }

  void match_places() {
    const std::size_t num_attributes = fields_.size() - static_cast<std::size_t>(std::ranges::count(roles_, kLabel));
    FW_CHECK(num_attributes <= kMaxAttributes, Data,
             place_ << " has " << num_attributes << " attributes; at most " << kMaxAttributes << " are possible");
    std::set<std::string> seen;
    const std::vector<std::string> columns = column_names();
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (roles_[i] == kLabel) continue;
      roles_[i] = static_cast<std::ptrdiff_t>(names_.size());
      names_.push_back(columns[i]);
      check_name(place_, names_.back(), "column " + std::to_string(i + 1));
      FW_CHECK(seen.insert(names_.back()).second, Data,
               place_ << " has several columns " << shown(names_.back()) << "; rename all but one");
    }
    FW_CHECK(!names_.empty(), Data,
             place_ << " has a class alone; a record needs attributes, check " << named_option("separator") << " and "
                    << named_option("label"));
    const std::vector<std::string>& known = options_.attributes;
    FW_CHECK(known.empty() || known.size() == names_.size(), Data,
             place_ << " has " << names_.size() << " attributes, but the model has " << known.size()
                    << "; pass data with the attributes that it was trained on, and " << named_option("label")
                    << " if the class is among them");
    if (!known.empty()) names_ = known;
  }

  const std::string place_;
  const TableOptions& options_;
  const std::vector<std::string> fields_;
  const bool header_;
  std::vector<std::ptrdiff_t> roles_;  ///< [column]
  std::vector<std::string> names_;     ///< [attribute]
};

class CsvFormat : public RowFormat {
 public:
  CsvFormat(const std::string& file, const TableOptions& options, const TextLine& first)
      : RowFormat(options),
        file_(file),
        separator_(options.separator.empty() ? find_separator(first.text) : separator_of(options)) {
    std::vector<std::string> fields;
    const auto take = [&](std::string_view field) {
      FW_CHECK(fields.size() < kMaxColumns, Data,
               file_ << ":" << first.number << " has more than " << kMaxColumns << " columns, and records at most "
                     << kMaxAttributes << " attributes; check the file and " << named_option("separator"));
      fields.emplace_back(field);
    };
    if (!for_each_field(first.text, separator_, take)) refuse_quote(first);
    const bool header = options.header == Header::kAuto ? looks_like_header(fields) : options.header == Header::kYes;
    if (header) header_line_ = first.number;
    const Columns columns(file_ + ":" + std::to_string(first.number), options, std::move(fields), header);
    roles_ = columns.roles();
    names_ = columns.names();
    label_name_ = columns.label_name();
    holds_text_.assign(names_.size(), false);
    for (const std::uint16_t attribute : options.text_attributes) holds_text_[attribute] = true;
  }

  bool has_record(const TextLine& line) const override { return line.number != header_line_; }
  std::size_t count_attributes(std::span<const TextLine>) override { return names_.size(); }
  std::string attribute_name(std::size_t attribute) const override { return names_[attribute]; }
  std::string label_name() const override { return label_name_; }

  void parse(const TextLine& line, std::span<float> values, double* exact, std::string& label) const override {
    std::string_view rest = line.text, field;
    std::string buffer;
    label.clear();
    for (std::size_t column = 0; column < roles_.size(); ++column) {
      const std::ptrdiff_t role = roles_[column];
      const auto attribute = static_cast<std::size_t>(role);
      if (role < 0 || holds_text_[attribute] || !take_plain_number(rest, attribute, values, exact)) {
        if (!take_field(rest, separator_, field, buffer)) refuse_quote(line);
        if (role >= 0) take_value(line, attribute, field, values, exact);
        if (role == kLabel) label = field;
      }
      if (rest.empty() != (column + 1 == roles_.size())) check_count(line);
      if (!rest.empty()) rest.remove_prefix(1);
    }
  }

 private:
  /// The frequent case: a number without quotes or blanks.
  bool take_plain_number(std::string_view& rest, std::size_t attribute, std::span<float> values, double* exact) const {
    const char* const end = rest.data() + rest.size();
    const char* const stop = parse_value(rest.data(), end, attribute, values, exact);
    if (stop == nullptr || (stop < end && *stop != separator_)) return false;
    rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
    return true;
  }

  void take_value(const TextLine& line, std::size_t attribute, std::string_view field, std::span<float> values,
                  double* exact) const {
    if (holds_text_[attribute]) return void(values[attribute] = value_of_category(category_of_text(field)));
    if (is_unknown_value(field)) return set_value(std::numeric_limits<double>::quiet_NaN(), attribute, values, exact);
    const char* const end = field.data() + field.size();
    if (!field.empty() && parse_value(field.data(), end, attribute, values, exact) == end) return;
    check_count(line);  // where fields are missing, another one stands here
    refuse_number(file_, line, "column " + shown(names_[attribute]), field);
  }

  [[noreturn]] void refuse_quote(const TextLine& line) const {
    throw Error(ErrorKind::kData, file_ + ":" + std::to_string(line.number) +
                                      ": a quote is not closed on its line; close it, fields have no line breaks");
  }
  void check_count(const TextLine& line) const {
    std::size_t num_fields = 0;
    if (!for_each_field(line.text, separator_, [&](std::string_view) { ++num_fields; })) refuse_quote(line);
    FW_CHECK(num_fields == roles_.size(), Data,
             file_ << ":" << line.number << " has " << num_fields << " fields, the first line has " << roles_.size()
                   << "; each line needs as many, leave the unknown ones empty");
  }

  const std::string file_;
  const char separator_;
  std::size_t header_line_ = 0;
  std::vector<std::ptrdiff_t> roles_;
  std::vector<std::string> names_;
  std::vector<bool> holds_text_;  ///< [attribute] Its fields are texts, stored as categories.
  std::string label_name_;
};

}  // namespace

std::unique_ptr<RowFormat> make_csv_format(const std::string& file, const TableOptions& options,
                                           const TextLine& first) {
  return std::make_unique<CsvFormat>(file, options, first);
}

}  // namespace fernwood::records
