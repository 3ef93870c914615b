// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/shell/console.h"
#include "apps/shell/options.h"
#include "apps/stream/stream_command.h"
#include "fernwood/core/text.h"
#include "fernwood/generate/synthetic_records.h"

namespace fernwood::apps {

namespace {

struct StreamGenerateArguments {
  generate::SyntheticRecordOptions options;
  std::filesystem::path out;
  std::string format = "auto";
  int threads = 0;
  bool json = false;
};

void run(const StreamGenerateArguments& arguments) {
  const auto format =
      static_cast<records::TableFormat>(find_name("--format", arguments.format, {"auto", "libsvm", "csv"}));
  ThreadPool pool(arguments.threads);
  ProgressBar bar;
  generate::write_synthetic_records(arguments.out, arguments.options, format, pool, bar.counter("writing records"));
  bar.clear();
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
              << " classes: " << shown(arguments.out) << " (" << format_bytes(size_bytes)
              << ")\nnext    fernwood stream train --data " << shell_word(arguments.out) << " --out MODEL\n";
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
  add_number(command, "--flip", o.flip, "Fraction of records whose class is drawn at random");
  add_number(command, "--seed", o.seed, "Same seed, same file, on every machine");
  command.add_option("--out", arguments.out, "File to write")->required()->option_text("FILE");
  command.add_option("--format", arguments.format, "libsvm, csv, or auto: csv if FILE is called so, else libsvm")
      ->option_text("NAME (auto)");
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
