// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <spdlog/spdlog.h>

#include <iostream>
#include <memory>

#include "apps/commands.h"
#include "apps/shell/frame_options.h"
#include "fernwood/core/file.h"
#include "fernwood/report/evaluation.h"
#include "fernwood/tune/study.h"
#include "shell/console.h"
#include "shell/interrupt.h"
#include "shell/options.h"
#include "shell/output_files.h"

namespace fernwood::apps {

namespace {

struct StudyArguments {
  DatasetArguments dataset;
  TrainArguments train;
  tune::StudyOptions study;  ///< Except for the training options.
  std::filesystem::path test, out;
  bool json = false;

  dataset::Dataset open_test() const {
    DatasetArguments of_test = dataset;
    of_test.data = test;
    return of_test.open(true, "test", /*tells=*/false);
  }
};

tune::Study study(const StudyArguments& arguments, const tune::StudyOptions& options) {
  const dataset::Dataset train = arguments.dataset.open(true, "train", false), test = arguments.open_test();
  ProgressBar bar;
  tune::StudyHooks hooks;
  hooks.stop = interrupt_token();
  hooks.progress = [&](const tune::StudyProgress& now) { bar.show(report::progress_words(now)); };
  hooks.warn = [&](const Warning& warning) { bar.warn(warning.text); };
  return tune::run_study(train, test, options, hooks);
}

void run(StudyArguments& arguments) {
  arguments.train.finish();
  tune::StudyOptions options = arguments.study;
  options.train = arguments.train.options;
  options.resources = arguments.train.resources;
  options.check();
  OutputLock lock;
  if (!arguments.out.empty()) {
    check_output_files({{"--out", arguments.out}}, {{"--data", arguments.dataset.data}, {"--test", arguments.test}});
    lock = OutputLock(arguments.out);
  }
  const tune::Study found = study(arguments, options);
  if (!arguments.out.empty())
    write_file_atomically(arguments.out, NamedBy::kUser, [&](std::ostream& out) { out << report::study_page(found); });
  std::cout << (arguments.json ? report::study_json(found) : report::study_table(found, use_color(stdout)));
}

}  // namespace

void add_study_command(CLI::App& app) {
  auto arguments = std::make_shared<StudyArguments>();
  CLI::App* command =
      app.add_subcommand("study", "Ablation study: measure what each training option contributes")->fallthrough();
  arguments->dataset.add_to(*command);
  command->add_option("--test", arguments->test, "Folder of frames to evaluate on")->required()->option_text("DIR");
  command->add_option("--out", arguments->out, "Also write a page: accuracy against time, differences as bars")
      ->option_text("FILE");
  add_table(*command, arguments->study);
  arguments->train.add_to(*command);
  add_table(*command, arguments->study.smoothing);
  add_json_flag(*command, arguments->json);
  command->footer(
      "\nExample:\n  fernwood study --data rooms/train --test rooms/test --only channels,trees --out study.html");
  command->callback([arguments, command] {
    check_dependents(*command, {kBackboneDependents});
    run(*arguments);
  });
}

}  // namespace fernwood::apps
