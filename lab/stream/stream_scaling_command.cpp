// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <memory>

#include "lab/commands.h"
#include "lab/stream/stream_scaling_study.h"
#include "lab/stream/stream_study.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/options.h"
#include "shell/ranks.h"

namespace fernwood::lab {

namespace {

struct StreamScalingArguments {
  StreamScalingOptions options;
  bool json = false;

  void add_to(CLI::App& command) {
    command
        .add_option("--data", options.data,
                    "Folder of ijcnn1.train.libsvm and ijcnn1.test.libsvm; without: generated records alone")
        ->option_text("FOLDER");
    apps::add_table(command, options);
    apps::add_table(command, options.work, {"workers", "parallel", "memory-budget", "accuracy-window"});
    apps::add_json_flag(command, json);
  }
};

void run(const StreamScalingArguments& arguments) {
  const StreamScalingOptions& options = arguments.options;
  const std::unique_ptr<Communicator> communicator = apps::join_others();
  check_options(StreamScalingOptions::table(), options);
  device_of(options.work);
  apps::ProgressBar bar;
  const StreamScalingStudy study = run_stream_scaling_study(options, *communicator, bar.counter("growing"));
  if (communicator->rank() != 0) return;
  bar.clear();
  if (arguments.json)
    std::cout << apps::json_result(stream_scaling_study_json(study));
  else
    std::cout << stream_scaling_study_text(study);
}

constexpr std::array kStreamScalingRows = {
    option<&StreamScalingOptions::records>("records", "Generated records of 50 attributes").in(from_to(100, 1e8)),
    option<&StreamScalingOptions::large>("large", "Also 1,000,000 generated records"),
    option<&StreamScalingOptions::repeats>("repeats", "Runs of each; the median counts").in(at_least(1)),
    option<&StreamScalingOptions::seed>("seed", "Random seed of the generated records"),
};

}  // namespace

OptionTable<StreamScalingOptions> StreamScalingOptions::table() { return kStreamScalingRows; }

void add_stream_scaling_command(CLI::App& bench) {
  apps::add_command<StreamScalingArguments>(
      bench, {.name = "stream-scaling",
              .summary = "Workers, ranks, rows, attributes: the experiments of Ding and Zhang, one tree",
              .example = "fernwood-lab stream-scaling --data records --large\n"
                         "  mpirun -n 4 fernwood-lab stream-scaling --data records",
              .run = run});
}

}  // namespace fernwood::lab
