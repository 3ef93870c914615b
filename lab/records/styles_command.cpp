// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>

#include "fernwood/core/error.h"
#include "lab/commands.h"
#include "lab/records/style_study.h"
#include "lab/records/timing.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/options.h"

namespace fernwood::lab {

namespace {

constexpr int kMaxDepth = 14;
constexpr std::uint64_t kRecordsOnGpu = 50'000'000, kRecordsOnCpu = 1'000'000;

struct StylesArguments {
  StyleOptions options;
  bool json = false;

  void add_to(CLI::App& command) {
    apps::add_table(command, options);
    command.add_option("--depths", options.depths, "Depths of the trees")
        ->delimiter(',')
        ->option_text("N,... (2 to 10)");
    command.add_option("--trees", options.trees, "Numbers of trees")->delimiter(',')->option_text("N,... (1,2,3,4,10)");
    apps::add_table(command, options.timing);
    apps::add_json_flag(command, json);
  }
  void finish() {
    options.timing.check();
    const Device device = options.timing.chosen_device();
    if (options.num_records == 0) options.num_records = device.is_cpu() ? kRecordsOnCpu : kRecordsOnGpu;
    for (const int depth : options.depths)
      FW_CHECK(depth >= 1 && depth <= kMaxDepth, Usage,
               "--depths has " << depth << "; use depths from 1 to " << kMaxDepth);
    for (const int trees : options.trees)
      FW_CHECK(trees >= 1 && trees <= 1000, Usage, "--trees has " << trees << "; use numbers from 1 to 1000");
  }
};

void run(const StylesArguments& arguments) {
  apps::ProgressBar bar;
  const StyleStudy study = run_style_study(arguments.options, bar.counter("timing"));
  bar.clear();
  if (arguments.json)
    std::cout << apps::json_result(style_study_json(study));
  else
    std::cout << style_study_text(study);
}

constexpr std::array kStyleRows = {
    option<&StyleOptions::num_records>("samples", "Number of records")
        .default_means("50 million on a GPU, 1 million on the CPU"),
};

}  // namespace

OptionTable<StyleOptions> StyleOptions::table() { return kStyleRows; }

void add_styles_command(CLI::App& bench) {
  apps::add_command<StylesArguments>(bench,
                                     {.name = "styles",
                                      .summary = "Ways to write trees down: the study of Penha et al. (WSCAD 2023)",
                                      .example = "fernwood-lab styles --depths 3,6,10 --trees 1,4",
                                      .finish = &StylesArguments::finish,
                                      .run = run});
}

}  // namespace fernwood::lab
