// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <memory>

#include "apps/shell/console.h"
#include "apps/shell/json_result.h"
#include "apps/shell/options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "lab/commands.h"
#include "lab/stream/stream_accuracy_study.h"

namespace fernwood::lab {

namespace {

struct StreamAccuracyArguments {
  StreamAccuracyOptions options;
  std::string device = "cpu";
  bool json = false;
};

void run(StreamAccuracyArguments arguments) {
  require_option(arguments.options.repeats >= 1, "repeats", arguments.options.repeats, "give 1 or more");
  arguments.options.device = choose_device(arguments.device).device;
  apps::ProgressBar bar;
  const StreamAccuracyStudy study = run_stream_accuracy_study(arguments.options, bar.counter("growing"));
  bar.clear();
  if (arguments.json)
    std::cout << apps::json_result(stream_accuracy_study_json(study));
  else
    std::cout << stream_accuracy_study_text(study);
}

}  // namespace

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
  command->add_option("--device", arguments->device, "Device for counting records: cpu, cuda, cuda:N or auto")
      ->option_text("NAME (cpu)");
  command->add_option("-j,--workers", arguments->options.workers, "Threads; 0: all")->option_text("N (0)");
  command->add_option("--repeats", arguments->options.repeats, "Orders of the records, and runs of what is timed")
      ->option_text("N (5)");
  command->add_option("--seed", arguments->options.seed, "Of the orders")
      ->check(apps::check_not_negative)
      ->option_text("N (4711)");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer("\nExample:\n  fernwood-lab stream-accuracy --data records --repeats 3");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace fernwood::lab
