// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <spdlog/spdlog.h>

#include <iostream>

#include "apps/commands.h"
#include "apps/shell/frame_options.h"
#include "fernwood/core/file.h"
#include "fernwood/report/evaluation.h"
#include "fernwood/tune/study.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/interrupt.h"
#include "shell/options.h"

namespace fernwood::apps {

namespace {

struct StudyArguments {
  DatasetArguments dataset;
  encoder::EncoderOptions encoder;
  TrainArguments train;
  tune::StudyOptions study;
  std::filesystem::path test, out;
  bool json = false;

  dataset::Dataset open_test() const {
    DatasetArguments of_test = dataset;
    of_test.data = test;
    return of_test.open(true, "test", /*tells=*/false);
  }
  void add_to(CLI::App& command) {
    dataset.add_to(command);
    command.add_option("--test", test, "Folder of frames to evaluate on")->required()->option_text("DIR");
    command.add_option("--out", out, "Also write a page: accuracy against time, differences as bars")
        ->option_text("FILE");
    add_table(command, study);
    train.add_to(command);
    add_table(command, encoder);
    add_table(command, study.smoothing);
    add_json_flag(command, json);
  }
  void finish() {
    train.finish();
    study.train = train.options;
    study.resources = train.resources;
    study.check();
  }
  CommandFiles files() const {
    return {.reads = {{"--data", dataset.data}, {"--test", test}, {"--backbone", train.options.backbone_file()}},
            .writes = {{"--out", out}}};
  }
};

tune::Study study(const StudyArguments& arguments) {
  const auto encoder = open_encoder(arguments.encoder);
  const dataset::Dataset train = encoded(arguments.dataset.open(true, "train", false), encoder),
                         test = encoded(arguments.open_test(), encoder);
  ProgressBar bar;
  tune::StudyHooks hooks;
  hooks.stop = interrupt_token();
  hooks.progress = [&](const tune::StudyProgress& now) { bar.show(report::progress_words(now)); };
  hooks.warn = [&](const Warning& warning) { bar.warn(warning.text); };
  tune::StudyOptions options = arguments.study;
  options.train = arguments.train.options_for(train);
  return tune::run_study(train, test, options, hooks);
}

void run(const StudyArguments& arguments) {
  const tune::Study found = study(arguments);
  if (!arguments.out.empty()) write_file_atomically(arguments.out, NamedBy::kUser, report::study_page(found));
  std::cout << (arguments.json ? report::study_json(found) : report::study_table(found, use_color(stdout)));
}

}  // namespace

void add_study_command(CLI::App& app) {
  add_command<StudyArguments>(
      app, {.name = "study",
            .summary = "Ablation study: measure what each training option contributes",
            .example = "fernwood study --data rooms/train --test rooms/test --only channels,trees --out study.html",
            .dependents = {kEncoderDependents},
            .finish = &StudyArguments::finish,
            .files = &StudyArguments::files,
            .run = run});
}

}  // namespace fernwood::apps
