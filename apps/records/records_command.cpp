// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/records/records_command.h"

#include <future>

#include "apps/commands.h"
#include "apps/shell/interrupt.h"
#include "apps/shell/options.h"
#include "apps/shell/table_options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"

namespace fernwood::apps {

namespace {

char parse_separator(const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  require_option(text.size() <= 1 && text.find_first_of("\"0123456789.+-") == std::string::npos, "separator",
                 in_quotes(text), "give one character such as , or ; or the word tab");
  return text.empty() ? '\0' : text[0];
}

}  // namespace

void TableArguments::add_to(CLI::App& command) {
  command.add_option("--data", data, "Records: LIBSVM or CSV text; -: standard input")->required()->option_text("FILE");
  command.add_option("--format", format, "File format: auto (by name, then content), libsvm or csv")
      ->option_text("NAME (auto)");
  command.add_option("--label", label, "CSV column of the class: its name, its number from 1, or none")
      ->option_text("COLUMN (label, class, target or the last)");
  command.add_option("--header", header, "Whether a CSV file begins with names: auto, yes or no")
      ->option_text("WORD (auto)");
  command.add_option("--separator", separator, "Between CSV fields: a character or tab")
      ->option_text("CHAR (tab ; or , as found)");
  command.add_flag("--absent-is-unknown", absent_is_unknown, "Attributes left out of LIBSVM lines are unknown, not 0");
}

records::TableOptions TableArguments::options() const {
  records::TableOptions options;
  options.format = static_cast<records::TableFormat>(find_name("--format", format, {"auto", "libsvm", "csv"}));
  options.header = static_cast<records::Header>(find_name("--header", header, {"auto", "yes", "no"}));
  options.separator = parse_separator(separator);
  options.label_column = label;
  options.absent_is_unknown = absent_is_unknown;
  options.while_waiting = throw_if_interrupted;
  return options;
}

void EvaluatorArguments::add_to(CLI::App& command) {
  add_table(command, options);
  command.add_flag("--explain", explain, "Show the strategy used, and the times of all that were tried");
}

void refuse_same_file(const char* option, const std::filesystem::path& path, const char* other_option,
                      const std::filesystem::path& other) {
  std::error_code ignored;  // what is not there is no other file
  FW_CHECK(path.empty() || (path != other && !std::filesystem::equivalent(path, other, ignored)), Usage,
           option << " names the file of " << other_option << ", " << other.string()
                  << ", which it would replace; name another");
}

void show_progress(ProgressBar& bar, const std::string& phase, const records::TableReader& reader,
                   std::size_t num_records) {
  throw_if_interrupted();
  const double total = static_cast<double>(reader.bytes_total());
  bar.show(phase, format_count(num_records) + " records",
           total > 0 ? static_cast<double>(reader.bytes_read()) / total : 0);
}

std::size_t take_blocks(records::TableReader& reader, std::size_t block_size, const std::string& phase,
                        ProgressBar& bar, const std::function<void(const records::RecordTable&)>& take) {
  const auto read = [&] {
    records::RecordTable block;
    reader.read(block, block_size);
    return block;
  };
  std::size_t num_records = 0;
  for (records::RecordTable block = read(); block.values.rows() > 0;) {
    show_progress(bar, phase, reader, num_records);
    std::future<records::RecordTable> next = std::async(std::launch::async, read);
    take(block);
    num_records += block.values.rows();
    block = next.get();
  }
  return num_records;
}

// Blanks around one without quotes are left out by readers, and some take a tab or a semicolon
/// for what separates fields.
std::string csv_field(const std::string& name) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  const bool is_plain = name.find_first_of(",;\t\"\n\r") == std::string::npos &&
                        (name.empty() || (!is_blank(name.front()) && !is_blank(name.back())));
  if (is_plain) return name;
  std::string field = "\"";
  for (const char c : name) field += c == '"' ? "\"\"" : std::string(1, c);
  return field + "\"";
}

void add_block_option(CLI::App& command, std::size_t& block) {
  add_number(command, "--block", block, "Records per block");
}

void add_records_command(CLI::App& app) {
  CLI::App* records = app.add_subcommand("records", "Forests over tables of attributes")->fallthrough();
  records->require_subcommand(1);
  records->footer(
      "\nExample:\n  fernwood records train --data train.csv --out model.fernwood\n"
      "  fernwood records evaluate --model model.fernwood --data test.csv\n"
      "  fernwood records predict --model model.fernwood --data new.csv --out classes.csv");
  add_records_train(*records);
  add_records_predict(*records);
  add_records_evaluate(*records);
  add_records_explain(*records);
  add_records_search(*records);
  add_records_import(*records);
  add_records_export(*records);
}

}  // namespace fernwood::apps
