// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <optional>

#include "apps/records/records_command.h"
#include "fernwood/core/error.h"
#include "fernwood/report/records.h"
#include "fernwood/search/report.h"
#include "fernwood/search/search_records.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/options.h"
#include "shell/race_options.h"

namespace fernwood::apps {

namespace {

struct RecordsSearchArguments {
  TableArguments input;
  RaceArguments race;
  search::RecordSearchOptions options;
  std::filesystem::path test;

  void add_to(CLI::App& command) {
    input.add_to(command);
    command.add_option("--test", test, "Test records, on which the winner is compared with the defaults")
        ->option_text("FILE");
    race.add_to(command, options, {"objective", "max-latency-ms"});
    add_table(command, options);
    add_threads_option(command, options.threads);
  }
  void finish() {
    options.data = input.data.string();
    options.train.seed = options.race.seed;
    race.finish(options);
    options.check();
    FW_CHECK(
        options.data != "-" && test != "-", Usage,
        "--data or --test is standard input, which can be read only once; a search needs a file, from which it can go "
        "on after an interruption");
  }
};

/// Reads records with the same attributes and classes as `table`. @param options  Those of `table`.
records::RecordTable read_test(const std::filesystem::path& path, records::TableOptions options,
                               const records::RecordTable& table, ThreadPool& pool) {
  options.attributes = table.attributes;
  options.classes = table.classes;
  options.may_be_of_other_format = true;
  return records::read_table(path, options, pool);
}

void run(const RecordsSearchArguments& arguments) {
  const search::RecordSearchOptions& options = arguments.options;
  const RaceArguments& race = arguments.race;
  records::TableOptions table_options = arguments.input.options();
  table_options.needs_class = true;
  race.make_out({{"--data", arguments.input.data}, {"--test", arguments.test}});
  std::optional<ThreadPool> pool(std::in_place, options.threads);
  const records::RecordTable table = records::read_table(arguments.input.data, table_options, *pool);
  std::optional<records::RecordTable> test;
  if (!arguments.test.empty()) test = read_test(arguments.test, table_options, table, *pool);
  pool.reset();
  search::RecordSearch found;
  show_race(race.out, [&](const search::SearchHooks& hooks) {
    found = search::search_records(table, options, hooks, test ? &*test : nullptr);
  });
  warn_each(texts_of(found.race.warnings));
  report::write_search(race.out, found);
  if (race.json) {
    std::cout << report::search_json(found);
    return;
  }
  std::cout << report::search_table(found, use_color(stdout)) << "\n";
  const search::SearchFiles files = search::search_files(race.out);
  print() << model_line(files.model) << "\nnext    fernwood-tables evaluate --model " << shell_word(files.model)
          << " --data FILE\n";
}

}  // namespace

void add_records_search(CLI::App& records) {
  add_command<RecordsSearchArguments>(
      records, {.name = "search",
                .summary = "Search for the most accurate options by racing",
                .example = "fernwood-tables search --data letters.csv --out letters_search --minutes 5\n"
                           "The same command continues after an interruption.",
                .finish = &RecordsSearchArguments::finish,
                .run = run});
}

}  // namespace fernwood::apps
