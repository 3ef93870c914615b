// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <memory>

#include "apps/shell/console.h"
#include "apps/shell/json_result.h"
#include "apps/shell/options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "lab/commands.h"
#include "lab/records/style_study.h"
#include "lab/records/timing.h"

namespace fernwood::lab {

namespace {

constexpr int kMostDepth = 14;
constexpr std::size_t kRecordsOnGpu = 50'000'000, kRecordsOnCpu = 1'000'000;

struct StylesArguments {
  StyleOptions options{0, {2, 3, 4, 5, 6, 7, 8, 9, 10}, {1, 2, 3, 4, 10}, {}, 0, 10, false};
  std::string device = "auto";
  bool json = false;
};

void run(StylesArguments arguments) {
  StyleOptions& options = arguments.options;
  options.device = choose_device(arguments.device).device;
  if (options.num_records == 0) options.num_records = options.device.is_cpu() ? kRecordsOnCpu : kRecordsOnGpu;
  for (const int depth : options.depths)
    FW_CHECK(depth >= 1 && depth <= kMostDepth, Usage,
             "--depths has " << depth << "; give depths from 1 to " << kMostDepth);
  for (const int trees : options.trees)
    FW_CHECK(trees >= 1 && trees <= 1000, Usage, "--trees has " << trees << "; give numbers from 1 to 1000");
  require_option(options.repeat >= 1, "repeat", options.repeat, "give 1 or more");
  apps::ProgressBar bar;
  const StyleStudy study = run_style_study(options, bar.counter("timing"));
  bar.clear();
  if (arguments.json)
    std::cout << apps::json_result(style_study_json(study));
  else
    std::cout << style_study_text(study);
}

}  // namespace

void add_styles_command(CLI::App& bench) {
  auto arguments = std::make_shared<StylesArguments>();
  CLI::App* command =
      bench.add_subcommand("styles", "Ways to write trees down: the study of Penha et al. (WSCAD 2023)")->fallthrough();
  command
      ->add_option("--samples", arguments->options.num_records, "Records (50 million on a GPU, 1 million on the CPU)")
      ->check(apps::check_not_negative)
      ->option_text("N");
  command->add_option("--depths", arguments->options.depths, "Depths of the trees")
      ->delimiter(',')
      ->option_text("N,... (2 to 10)");
  command->add_option("--trees", arguments->options.trees, "Numbers of trees")
      ->delimiter(',')
      ->option_text("N,... (1,2,3,4,10)");
  command->add_option("--repeat", arguments->options.repeat, "Runs of each")->option_text("N (10)");
  command->add_option("--device", arguments->device, "cpu, cuda, cuda:N or auto")->option_text("NAME (auto)");
  command->add_option("--threads", arguments->options.threads, "Threads on the CPU; 0: all")->option_text("N (0)");
  command->add_flag("--compile", arguments->options.with_compiled, "Also strategies that compile the trees first");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer("\nExample:\n  fernwood-lab styles --depths 3,6,10 --trees 1,4");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace fernwood::lab
