// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "apps/records/records_command.h"
#include "apps/stream/stream_command.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "fernwood/generate/synthetic_records.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/options.h"

namespace fernwood::apps {

namespace {

struct StreamGenerateArguments {
  generate::SyntheticRecordOptions options;
  std::filesystem::path out;
  records::TableFormat format = records::TableFormat::kAuto;
  int threads = 0;
  bool json = false;

  static OptionTable<StreamGenerateArguments> table();
  void add_to(CLI::App& command) {
    add_table(command, options);
    command.add_option("--out", out, "File to write; -: standard output")->required()->option_text("FILE");
    add_table(command, *this);
    add_threads_option(command, threads);
    add_json_flag(command, json);
  }
  CommandFiles files() const { return {.reads = {}, .writes = {{"--out", out == "-" ? "" : out}}}; }
};

constexpr std::array kStreamGenerateRows = {
    choice_option<records::kTableFormats, &StreamGenerateArguments::format>(
        "format", "File format; auto: csv if FILE ends in .csv or .tsv, else libsvm"),
};

OptionTable<StreamGenerateArguments> StreamGenerateArguments::table() { return kStreamGenerateRows; }

/// The option that a reader needs for a file whose name states another format than it has; else empty.
std::string format_option(const std::filesystem::path& file, records::TableFormat format) {
  const records::TableFormat named = records::format_of_name(file);
  const bool is_misleading = named != records::TableFormat::kAuto && named != format;
  return is_misleading ? " --format " + to_string(format) : "";
}

void generate_to_stdout(const StreamGenerateArguments& arguments) {
  FW_CHECK(!arguments.json, Usage, "--json and --out - write different strings to standard output; leave out --json");
  ThreadPool pool(arguments.threads);
  ProgressBar bar;
  generate::write_synthetic_records(std::cout, arguments.options, arguments.format, pool,
                                    bar.counter("writing records"));
  bar.clear();
  check_written(std::cout, arguments.out);
}

void run(const StreamGenerateArguments& arguments) {
  if (arguments.out == "-") return generate_to_stdout(arguments);
  ThreadPool pool(arguments.threads);
  ProgressBar bar;
  const records::TableFormat written = generate::write_synthetic_records(
      arguments.out, arguments.options, arguments.format, pool, bar.counter("writing records"));
  bar.clear();
  const generate::SyntheticRecordOptions& o = arguments.options;
  const auto size_bytes = std::filesystem::file_size(arguments.out);
  if (arguments.json)
    std::cout << json_result(nlohmann::ordered_json{{"schema_version", 1},
                                                    {"file", arguments.out.string()},
                                                    {"bytes", size_bytes},
                                                    {"records", o.records},
                                                    {"attributes", o.attributes},
                                                    {"classes", o.classes},
                                                    {"seed", o.seed}});
  else
    print() << format_count(o.records) << " records of " << format_count(static_cast<unsigned>(o.attributes))
            << " attributes and " << format_count(static_cast<unsigned>(o.classes)) << " classes: " << arguments.out
            << " (" << format_bytes(size_bytes) << ")\nnext    fernwood-tables stream train --data "
            << shell_word(arguments.out) << format_option(arguments.out, written) << " --out MODEL\n";
}

}  // namespace

void add_stream_generate(CLI::App& stream) {
  add_command<StreamGenerateArguments>(
      stream, {.name = "generate",
               .summary = "Write seeded synthetic records, for trials and measurements",
               .example = "fernwood-tables generate --records 1000000 --out train.libsvm\n"
                          "  fernwood-tables generate --skip 1000000 --records 100000 --out test.libsvm",
               .files = &StreamGenerateArguments::files,
               .run = run});
}

}  // namespace fernwood::apps
