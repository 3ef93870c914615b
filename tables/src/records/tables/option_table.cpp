// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/option_error.h"
#include "records/tables/row_format.h"

namespace fernwood::records {

std::string to_string(TableFormat format) {
  constexpr std::array kNames = {"auto", "libsvm", "csv"};
  return kNames[static_cast<std::size_t>(format)];
}

std::string to_string(Header header) {
  constexpr std::array kNames = {"auto", "yes", "no"};
  return kNames[static_cast<std::size_t>(header)];
}

namespace {

constexpr std::array kTableRows = {
    choice_option<kTableFormats, &TableOptions::format>("format", "File format; auto: by name, then content"),
    option<&TableOptions::label_column>("label", "CSV column of the class: its name, its number from 1, or none")
        .takes("COLUMN")
        .default_means("label, class, target or the last"),
    choice_option<kHeaders, &TableOptions::header>("header", "Whether a CSV file begins with names"),
    option<&TableOptions::separator>("separator", "Between CSV fields: a character or tab")
        .takes("CHAR")
        .default_means("tab ; or , as found"),
    option<&TableOptions::absent_is_unknown>("absent-is-unknown",
                                             "Attributes left out of LIBSVM lines are unknown, not 0"),
    size_option<1, &TableOptions::memory_budget_bytes>(
        "memory-budget", "Memory limit for the records, and for the trees' leaves, such as 4GiB")
        .default_means("what is free"),
};

}  // namespace

OptionTable<TableOptions> TableOptions::table() { return kTableRows; }

void TableOptions::check() const {
  check_options(table(), *this);
  const bool is_one = separator.size() == 1 && separator.find_first_of("\"0123456789.+-") == std::string::npos;
  require_option(separator.empty() || is_one || separator_of(*this) == '\t', "separator", in_quotes(separator),
                 "use one character such as , or ; or the word tab");
}

char separator_of(const TableOptions& options) {
  const std::string& text = options.separator;
  if (text.empty()) return '\0';
  return text == "tab" || text == "\\t" ? '\t' : text[0];
}

}  // namespace fernwood::records
