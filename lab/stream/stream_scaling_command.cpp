// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <memory>

#include "apps/shell/console.h"
#include "apps/shell/json_result.h"
#include "apps/shell/options.h"
#include "apps/shell/ranks.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "lab/commands.h"
#include "lab/stream/stream_scaling_study.h"

namespace fernwood::lab {

namespace {

constexpr std::uint64_t kFewestRecords = 100, kMostRecords = 100'000'000;

struct StreamScalingArguments {
  StreamScalingOptions options;
  std::string device = "cpu";
  bool json = false;
};

void run(StreamScalingArguments arguments) {
  StreamScalingOptions& options = arguments.options;
  const std::unique_ptr<Communicator> communicator = apps::join_others();
  require_option(options.repeats >= 1, "repeats", options.repeats, "give 1 or more");
  require_option(options.records >= kFewestRecords && options.records <= kMostRecords, "records", options.records,
                 "give a number from " + std::to_string(kFewestRecords) + " to " + std::to_string(kMostRecords));
  options.device = choose_device(arguments.device).device;
  apps::ProgressBar bar;
  const StreamScalingStudy study = run_stream_scaling_study(options, *communicator, bar.counter("growing"));
  if (communicator->rank() != 0) return;
  bar.clear();
  if (arguments.json)
    std::cout << apps::json_result(stream_scaling_study_json(study));
  else
    std::cout << stream_scaling_study_text(study);
}

}  // namespace

void add_stream_scaling_command(CLI::App& bench) {
  auto arguments = std::make_shared<StreamScalingArguments>();
  StreamScalingOptions& options = arguments->options;
  CLI::App* command =
      bench
          .add_subcommand("stream-scaling",
                          "Workers, ranks, rows, attributes: the experiments of Ding and Zhang, one tree")
          ->fallthrough();
  command
      ->add_option("--data", options.data,
                   "Folder of ijcnn1.train.libsvm and ijcnn1.test.libsvm; without: generated records alone")
      ->option_text("FOLDER");
  command->add_option("--records", options.records, "Generated records of 50 attributes")
      ->check(apps::check_not_negative)
      ->option_text("N (100000)");
  command->add_flag("--large", options.large, "Also 1,000,000 generated records");
  command->add_option("--device", arguments->device, "Device for counting records: cpu, cuda, cuda:N or auto")
      ->option_text("NAME (cpu)");
  command->add_option("--repeats", options.repeats, "Runs of each; the median counts")->option_text("N (3)");
  command->add_option("--seed", options.seed, "Of the generated records")
      ->check(apps::check_not_negative)
      ->option_text("N (4711)");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(
      "\nExample:\n  fernwood-lab stream-scaling --data records --large\n"
      "  mpirun -n 4 fernwood-lab stream-scaling --data records");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace fernwood::lab
