// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/shell/console.h"
#include "apps/shell/options.h"
#include "apps/stream/stream_command.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/generate/synthetic_records.h"

namespace fernwood::apps {

namespace {

constexpr std::size_t kBlock = 65536;  ///< Records held at a time.
constexpr std::size_t kRecordsPerTask = 512;

struct StreamGenerateArguments {
  generate::SyntheticRecordOptions options;
  std::filesystem::path out;
  std::string format;
  int threads = 0;
  bool json = false;
};

bool writes_csv(const StreamGenerateArguments& arguments) {
  FW_CHECK(arguments.format.empty() || arguments.format == "libsvm" || arguments.format == "csv", Usage,
           "--format is \"" << arguments.format << "\"; give libsvm or csv");
  return arguments.format.empty() ? arguments.out.extension() == ".csv" : arguments.format == "csv";
}

/// The shortest digits that are read back as the same number.
template <typename Number>
void append(std::string& text, Number number) {
  std::array<char, 32> digits{};
  text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

void append_csv(std::string& text, const records::RecordTable& table, std::size_t record) {
  for (std::size_t a = 0; a < table.values.cols(); ++a) {
    append(text, table.values(record, a));
    text += ',';
  }
  text += table.classes[static_cast<std::size_t>(table.labels[record])];
  text += '\n';
}

void append_libsvm(std::string& text, const records::RecordTable& table, std::size_t record) {
  text += table.classes[static_cast<std::size_t>(table.labels[record])];
  for (std::size_t a = 0; a < table.values.cols(); ++a) {
    text += ' ';
    append(text, a + 1);
    text += ':';
    append(text, table.values(record, a));
  }
  text += '\n';
}

void write_header(std::ostream& file, const std::vector<std::string>& attributes) {
  for (const std::string& name : attributes) file << name << ',';
  file << "class\n";
}

/// Lines are made on all threads and written in order.
void write_block(std::ostream& file, const records::RecordTable& table, bool csv, ThreadPool& pool) {
  std::vector<std::string> texts((table.values.rows() + kRecordsPerTask - 1) / kRecordsPerTask);
  pool.for_each(texts.size(), [&](std::size_t task, int) {
    const std::size_t begin = task * kRecordsPerTask, end = std::min(begin + kRecordsPerTask, table.values.rows());
    for (std::size_t i = begin; i < end; ++i)
      csv ? append_csv(texts[task], table, i) : append_libsvm(texts[task], table, i);
  });
  for (const std::string& text : texts) file << text;
}

void write_records(std::ostream& file, stream::RecordSource& source, const StreamGenerateArguments& arguments, bool csv,
                   ThreadPool& pool) {
  ProgressBar bar;
  const ProgressCallback progress = bar.counter("writing records");
  records::RecordTable block;
  std::size_t done = 0;
  const std::size_t held =
      std::max<std::size_t>(1, kBlock * 64 / static_cast<std::size_t>(arguments.options.attributes));
  while (file && source.read(block, std::min(kBlock, held))) {
    if (csv && done == 0) write_header(file, block.attributes);
    write_block(file, block, csv, pool);
    done += block.values.rows();
    progress(done, arguments.options.records);
  }
}

void run(const StreamGenerateArguments& arguments) {
  const bool csv = writes_csv(arguments);
  ThreadPool pool(arguments.threads);
  const auto source = generate::make_synthetic_source(arguments.options, pool);
  check_writable(arguments.out);
  write_file_atomically(arguments.out, [&](std::ostream& file) { write_records(file, *source, arguments, csv, pool); });
  const generate::SyntheticRecordOptions& o = arguments.options;
  const auto size_bytes = std::filesystem::file_size(arguments.out);
  if (arguments.json)
    std::cout << nlohmann::ordered_json{{"file", arguments.out.string()}, {"bytes", size_bytes},
                                        {"records", o.records},           {"attributes", o.attributes},
                                        {"classes", o.classes},           {"seed", o.seed}}
                     .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
              << "\n";
  else
    std::cout << format_count(o.records) << " records of " << format_count(static_cast<unsigned>(o.attributes))
              << " attributes and " << format_count(static_cast<unsigned>(o.classes))
              << " classes: " << arguments.out.string() << " (" << format_bytes(size_bytes)
              << ")\nnext    fernwood stream train --data " << arguments.out.string() << " --out MODEL\n";
}

void add_options(CLI::App& command, StreamGenerateArguments& arguments) {
  generate::SyntheticRecordOptions& o = arguments.options;
  add_number(command, "--records", o.records, "Records to write");
  add_number(command, "--skip", o.skip,
             "Records left out before them: other records of the same clusters, to test with");
  add_number(command, "--attributes", o.attributes,
             "Attributes of all kinds: informative, redundant, repeated, then noise");
  add_number(command, "--informative", o.informative, "Attributes that the classes depend upon");
  add_number(command, "--redundant", o.redundant, "Attributes that are sums of informative ones");
  add_number(command, "--repeated", o.repeated, "Attributes that are copies of informative or redundant ones");
  add_number(command, "--classes", o.classes, "Classes, called 0, 1, ...");
  add_number(command, "--clusters-per-class", o.clusters_per_class, "Clusters of each class, at corners of a cube");
  add_number(command, "--class-sep", o.class_sep, "Half a side of the cube; the larger, the easier");
  add_number(command, "--flip", o.flip, "Share of records whose class is drawn at random");
  add_number(command, "--seed", o.seed, "Same seed, same file, on every machine");
  command.add_option("--out", arguments.out, "File to write")->required()->option_text("FILE");
  command.add_option("--format", arguments.format, "libsvm or csv")
      ->option_text("NAME (csv if FILE is called so, else libsvm)");
  add_threads_option(command, arguments.threads);
  add_json_flag(command, arguments.json);
}

}  // namespace

void add_stream_generate(CLI::App& stream) {
  auto arguments = std::make_shared<StreamGenerateArguments>();
  CLI::App* command =
      stream.add_subcommand("generate", "Write seeded synthetic records, for trials and measurements")->fallthrough();
  add_options(*command, *arguments);
  command->footer(
      "\nExample:\n  fernwood stream generate --records 1000000 --out train.libsvm\n"
      "  fernwood stream generate --skip 1000000 --records 100000 --out test.libsvm");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace fernwood::apps
