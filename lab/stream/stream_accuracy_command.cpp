// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>

#include "fernwood/core/text.h"
#include "lab/commands.h"
#include "lab/stream/stream_accuracy_study.h"
#include "lab/stream/stream_study.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/options.h"

namespace fernwood::lab {

namespace {

struct StreamAccuracyArguments {
  StreamAccuracyOptions options;
  bool json = false;

  void add_to(CLI::App& command) {
    const std::string names = join(published_sets(), ", ", &PublishedSet::name);
    command.add_option("--data", options.data, "Folder of NAME.train.libsvm and NAME.test.libsvm; names: " + names)
        ->required()
        ->option_text("FOLDER");
    apps::add_table(command, options.work, {"parallel", "memory-budget", "accuracy-window"});
    apps::add_table(command, options);
    apps::add_json_flag(command, json);
  }
  void finish() {
    check_options(StreamAccuracyOptions::table(), options);
    options.work.check();
    options.work.device = to_string(device_of(options.work));  // resolves "auto" to a GPU or the CPU
  }
};

void run(const StreamAccuracyArguments& arguments) {
  apps::ProgressBar bar;
  const StreamAccuracyStudy study = run_stream_accuracy_study(arguments.options, bar.counter("growing"));
  bar.clear();
  if (arguments.json)
    std::cout << apps::json_result(stream_accuracy_study_json(study));
  else
    std::cout << stream_accuracy_study_text(study);
}

constexpr std::array kStreamAccuracyRows = {
    option<&StreamAccuracyOptions::repeats>("repeats", "Orders of the records, and runs of what is timed")
        .in(at_least(1)),
    option<&StreamAccuracyOptions::seed>("seed", "Random seed of the orders"),
};

}  // namespace

OptionTable<StreamAccuracyOptions> StreamAccuracyOptions::table() { return kStreamAccuracyRows; }

void add_stream_accuracy_command(CLI::App& bench) {
  apps::add_command<StreamAccuracyArguments>(
      bench, {.name = "stream-accuracy",
              .summary = "Accuracy and time on six sets: tables and figures of chapter 5 of his thesis",
              .example = "fernwood-lab stream-accuracy --data records --repeats 3",
              .finish = &StreamAccuracyArguments::finish,
              .run = run});
}

}  // namespace fernwood::lab
