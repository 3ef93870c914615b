// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/records/records_command.h"

#include <array>
#include <cerrno>
#include <future>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "shell/console.h"
#include "shell/interrupt.h"
#include "shell/options.h"

namespace fernwood::apps {

namespace {

constexpr std::array kBlockRows = {
    option<&BlockOptions::records>("block", "Records per block").in(from_to(1, 1e9)),
};

}  // namespace

OptionTable<BlockOptions> BlockOptions::table() { return kBlockRows; }

void TableArguments::add_to(CLI::App& command, std::initializer_list<std::string_view> but) {
  command.add_option("--data", data, "Records: LIBSVM or CSV text; -: standard input")->required()->option_text("FILE");
  add_table(command, given_, but);
}

records::TableOptions TableArguments::options() const {
  given_.check();
  records::TableOptions options = given_;
  options.while_waiting = throw_if_interrupted;
  return options;
}

void EvaluatorArguments::add_to(CLI::App& command) {
  add_table(command, options);
  command.add_flag("--explain", explain, "Show the strategy used, and the times of all that were tried");
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

void check_written(const std::ostream& out, const std::filesystem::path& file) {
  if (out.good()) return;
  const int error_number = errno;
  if (file == "-") check_standard_output();
  fail_writing(file, error_number ? error_number : EIO);
}

/// Quotes a field if necessary: some readers strip blanks around unquoted fields, or take a tab or a semicolon for the
/// separator.
std::string csv_field(const std::string& name) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  const bool is_plain = name.find_first_of(",;\t\"\n\r") == std::string::npos &&
                        (name.empty() || (!is_blank(name.front()) && !is_blank(name.back())));
  if (is_plain) return name;
  std::string field = "\"";
  for (const char c : name) field += c == '"' ? "\"\"" : std::string(1, c);
  return field + "\"";
}

}  // namespace fernwood::apps
