// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <memory>

#include "lab/commands.h"
#include "lab/stream/sketch_study.h"
#include "shell/console.h"
#include "shell/json_result.h"
#include "shell/options.h"

namespace fernwood::lab {

namespace {

struct SketchesArguments {
  std::uint64_t num_values = 1'000'000;
  bool json = false;

  static OptionTable<SketchesArguments> table();
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
  auto arguments = std::make_shared<SketchesArguments>();
  CLI::App* command =
      bench.add_subcommand("sketches", "Errors of ranks, memory and time of sketches, on many distributions")
          ->fallthrough();
  apps::add_table(*command, *arguments);
  apps::add_json_flag(*command, arguments->json);
  command->footer("\nExample:\n  fernwood-lab sketches --values 100000");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace fernwood::lab
