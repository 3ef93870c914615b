// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>

#include "apps/commands.h"
#include "apps/shell/frame_options.h"
#include "fernwood/core/error.h"
#include "fernwood/evaluate/evaluate.h"
#include "fernwood/forest/forest.h"
#include "fernwood/report/evaluation.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/options.h"

namespace fernwood::apps {

namespace {

struct VerifyArguments {
  std::filesystem::path model, data;
  dataset::DatasetOptions dataset = {.ignored_colors = {}, .needs_truth = false};
  encoder::EncoderOptions encoder;
  predict::PredictOptions predict;
  bool json = false;

  void add_to(CLI::App& command) {
    add_model_option(command, model);
    command.add_option("--data", data, "Folder of frames; ground truth is not needed")->required()->option_text("DIR");
    add_rows(command, dataset, {"max-frames"});
    add_table(command, encoder);
    add_threads_option(command, predict.threads);
    add_table(command, predict, {"device", "threads", "layout"});  // all that affects the labels
    add_table(command, predict.smoothing);
    add_json_flag(command, json);
  }
};

void run(const VerifyArguments& arguments) {
  const forest::Forest forest = forest::load_forest(arguments.model);
  const dataset::Dataset dataset =
      encoded_for(forest, arguments.model, arguments.encoder, open_frames(arguments.data, arguments.dataset, "test"));
  predict::check_images(forest, dataset.content(), dataset.folder().string());
  const evaluate::LabellingWays found = evaluate::every_labelling_way(forest, arguments.predict);
  ProgressBar bar;
  evaluate::VerifyReport report = evaluate::verify(found, dataset, forest.classes, bar.counter("verifying"));
  bar.clear();
  report.model = arguments.model.string();
  std::cout << (arguments.json ? report::verification_json(report)
                               : report::verification_table(report, use_color(stdout)))
            << std::flush;
  FW_CHECK(report.identical(), Runtime,
           arguments.model.string() << ": results differ between devices or layouts, see the table; please report "
                                       "it with the output of fernwood doctor");
}

}  // namespace

void add_verify_command(CLI::App& app) {
  add_command<VerifyArguments>(app,
                               {.name = "verify",
                                .summary = "Label frames on every device with every layout, and compare byte for byte",
                                .example = "fernwood verify --model rooms.fernwood --data rooms/test --max-frames 20",
                                .dependents = {kEncoderDependents},
                                .run = run});
}

}  // namespace fernwood::apps
