// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <memory>

#include "fernwood/core/text.h"
#include "lab/commands.h"
#include "lab/stream/stream_accuracy_study.h"
#include "lab/stream/stream_study.h"
#include "shell/console.h"
#include "shell/json_result.h"
#include "shell/options.h"

namespace fernwood::lab {

namespace {

struct StreamAccuracyArguments {
  StreamAccuracyOptions options;
  bool json = false;
};

void run(StreamAccuracyArguments arguments) {
  check_options(StreamAccuracyOptions::table(), arguments.options);
  arguments.options.work.check();
  arguments.options.work.device = to_string(device_of(arguments.options.work));  // resolves "auto" to a GPU or the CPU
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
  auto arguments = std::make_shared<StreamAccuracyArguments>();
  CLI::App* command =
      bench
          .add_subcommand("stream-accuracy",
                          "Accuracy and time on six sets: tables and figures of chapter 5 of his thesis")
          ->fallthrough();
  const std::string names = join(published_sets(), ", ", &PublishedSet::name);
  command
      ->add_option("--data", arguments->options.data,
                   "Folder of NAME.train.libsvm and NAME.test.libsvm; names: " + names)
      ->required()
      ->option_text("FOLDER");
  apps::add_table(*command, arguments->options.work, {"parallel", "memory-budget", "accuracy-window"});
  apps::add_table(*command, arguments->options);
  apps::add_json_flag(*command, arguments->json);
  command->footer("\nExample:\n  fernwood-lab stream-accuracy --data records --repeats 3");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace fernwood::lab
