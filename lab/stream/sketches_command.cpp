// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <memory>

#include "apps/shell/console.h"
#include "apps/shell/json_result.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "lab/commands.h"
#include "lab/stream/sketch_study.h"

namespace fernwood::lab {

namespace {

constexpr long long kFewestValues = 1000, kMostValues = 1'000'000'000;

struct SketchesArguments {
  long long num_values = 1'000'000;
  bool json = false;
};

void run(const SketchesArguments& arguments) {
  require_option(arguments.num_values >= kFewestValues && arguments.num_values <= kMostValues, "values",
                 arguments.num_values,
                 "give a number from " + std::to_string(kFewestValues) + " to " + std::to_string(kMostValues));
  apps::ProgressBar bar;
  const SketchStudy study = run_sketch_study(static_cast<std::size_t>(arguments.num_values), bar.counter("measuring"));
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
  command->add_option("--values", arguments->num_values, "Values of each distribution")->option_text("N (1000000)");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer("\nExample:\n  fernwood-lab sketches --values 100000");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace fernwood::lab
