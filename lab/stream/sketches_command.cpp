// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>

#include "lab/commands.h"
#include "lab/stream/sketch_study.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/options.h"

namespace fernwood::lab {

namespace {

struct SketchesArguments {
  std::uint64_t num_values = 1'000'000;
  bool json = false;

  static OptionTable<SketchesArguments> table();

  void add_to(CLI::App& command) {
    apps::add_table(command, *this);
    apps::add_json_flag(command, json);
  }
};

constexpr std::array kSketchesRows = {
    option<&SketchesArguments::num_values>("values", "Values of each distribution").in(from_to(1000, 1e9)),
};

OptionTable<SketchesArguments> SketchesArguments::table() { return kSketchesRows; }

void run(const SketchesArguments& arguments) {
  check_options(SketchesArguments::table(), arguments);
  apps::ProgressBar bar;
  const SketchStudy study = run_sketch_study(arguments.num_values, bar.counter("measuring"));
  bar.clear();
  if (arguments.json)
    std::cout << apps::json_result(sketch_study_json(study));
  else
    std::cout << sketch_study_text(study);
}

}  // namespace

void add_sketches_command(CLI::App& bench) {
  apps::add_command<SketchesArguments>(
      bench, {.name = "sketches",
              .summary = "Errors of ranks, memory and time of sketches, on many distributions",
              .example = "fernwood-lab sketches --values 100000",
              .run = run});
}

}  // namespace fernwood::lab
