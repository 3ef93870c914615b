// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <spdlog/spdlog.h>

#include <cstdio>
#include <iostream>
#include <new>
#include <optional>

#include "apps/commands.h"
#include "apps/shell/frame_options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "fernwood/forest/forest.h"
#include "fernwood/report/description.h"
#include "fernwood/report/evaluation.h"
#include "fernwood/train/train.h"
#include "fernwood/tune/train_optimized.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/interrupt.h"
#include "shell/options.h"
#include "shell/ranks.h"

namespace fernwood::apps {

namespace {

struct TrainCommandArguments {
  DatasetArguments dataset;
  encoder::EncoderOptions encoder;
  TrainArguments train;
  std::filesystem::path out;
  double checkpoint_every_s = train::TrainHooks{}.checkpoint_every_s;
  std::optional<tune::Goal> goal;
  bool resume = false, json = false;

  void add_to(CLI::App& command) {
    dataset.add_to(command);
    command.add_option("--out", out, "Model file to write")->required()->option_text("FILE");
    train.add_to(command);
    add_table(command, encoder);
    command
        .add_option_function<std::string>(
            "--optimize", [this](const std::string& name) { goal = parse_name("optimize", name, tune::kGoals); },
            "Tune class weights for this metric by two-fold validation")
        ->option_text("pixels|classes|iou");
    add_number(command, "--checkpoint-every", checkpoint_every_s,
               "Minimum interval between checkpoints, in seconds; they are written between levels");
    command.add_flag("--resume", resume, "Resume from FILE.checkpoint, if it exists");
    command.add_flag("--json", json, "Print the report as JSON; it is also written to FILE.report.json");
  }
  void finish() {
    train.finish();
    require_option(checkpoint_every_s >= 0, "checkpoint-every", checkpoint_every_s, "use at least 0 seconds");
  }
  CommandFiles files() const {
    return {.reads = {{"--data", dataset.data}, {"--backbone", train.options.backbone_file()}},
            .writes = {{"--out", out}}};
  }
};

std::filesystem::path checkpoint_path(const std::filesystem::path& model) { return model.string() + ".checkpoint"; }

/// End of a training's error message; empty when nothing was grown.
std::string about_checkpoint(const train::TrainReport& report, const std::filesystem::path& checkpoint) {
  if (!report.checkpoint_failure.empty()) return "; what was grown is not kept: " + report.checkpoint_failure;
  if (!report.has_checkpoint) return "";
  return "; what was grown is kept in " + checkpoint.string() +
         ", and the same command with --resume continues from there";
}

/// Trains in this process and the others of its job; the first one reports for all.
forest::Forest train(const TrainCommandArguments& arguments, const dataset::Dataset& dataset, Communicator& ranks,
                     train::TrainReport& report, tune::OptimizeReport& optimized) {
  const train::TrainOptions options = arguments.train.options_for(dataset);
  ProgressBar bar;
  train::TrainHooks hooks;
  if (ranks.rank() == 0)
    hooks.progress = [&](const train::TrainProgress& now) { bar.show(report::progress_words(now)); };
  hooks.warn = [&](const Warning& warning) { bar.warn(warning.text); };
  hooks.level_done = [&, warned = false](const train::LevelReport&) mutable {
    if (warned || report.checkpoint_failure.empty()) return;
    warned = true;
    spdlog::warn("{}; training continues, but nothing is saved until it ends", report.checkpoint_failure);
  };
  hooks.stop = interrupt_token();
  hooks.checkpoint = checkpoint_path(arguments.out);
  hooks.checkpoint_every_s = arguments.checkpoint_every_s;
  hooks.resume = arguments.resume;
  if (!arguments.resume && ranks.rank() == 0 && std::filesystem::exists(hooks.checkpoint))
    spdlog::warn("{} of an interrupted training will be replaced; to go on from it, stop now and give --resume",
                 hooks.checkpoint.string());
  try {
    if (arguments.goal)
      return tune::train_optimized(dataset, options, *arguments.goal, arguments.train.resources, hooks, &report,
                                   &optimized, &ranks);
    return train::train_forest(dataset, options, arguments.train.resources, hooks, &report, &ranks);
  } catch (const Error& failure) {
    throw Error(failure.kind(), failure.sentence() + about_checkpoint(report, hooks.checkpoint));
  } catch (const std::bad_alloc&) {
    // The training options must not change, or the training could not be resumed.
    const std::string remedy = report.has_checkpoint ? "" : ", fewer samples";
    throw Error(ErrorKind::kResource, "memory ran out; use a smaller --memory-budget" + remedy + " or fewer threads" +
                                          about_checkpoint(report, hooks.checkpoint));
  }
}

void run(const TrainCommandArguments& arguments, Communicator& ranks) {
  const bool leads = ranks.rank() == 0;
  register_exit_message(ranks, checkpoint_path(arguments.out), "");
  const dataset::Dataset dataset = find_one_after_another(ranks, [&] {
    if (leads) train::check_checkpoint_path(checkpoint_path(arguments.out), arguments.resume);
    return encoded(arguments.dataset.open(true, "train", /*tells=*/false), open_encoder(arguments.encoder));
  });
  train::TrainReport report;
  tune::OptimizeReport optimized;
  const forest::Forest forest = train(arguments, dataset, ranks, report, optimized);
  if (!leads) return;
  const tune::OptimizeReport* const chosen = arguments.goal ? &optimized : nullptr;
  forest::save_forest(forest, arguments.out);
  std::filesystem::remove(checkpoint_path(arguments.out));
  if (arguments.goal) std::filesystem::remove(tune::left_out_checkpoint(checkpoint_path(arguments.out)));
  const std::string json = report::training_json(report, forest, chosen);
  write_file_atomically(report::training_json_path(arguments.out), NamedBy::kFernwood, json);
  if (arguments.json) {
    std::cout << json;
    return;
  }
  std::cout << report::training_table(report, forest, chosen);
  if (dataset.has_color() || forest.preparation.has_maps())
    print() << "\nmaps    " << report::maps_text(forest.preparation);
  print() << "\n"
          << model_line(arguments.out) << "\nnext    fernwood evaluate --model " << shell_word(arguments.out)
          << " --data DIR\n";
}

}  // namespace

void add_train_command(CLI::App& app) {
  add_command<TrainCommandArguments>(
      app, {.name = "train",
            .summary = "Train a forest on labelled frames",
            .example = "fernwood train --data rooms/train --out rooms.fernwood --trees 3 --samples-per-frame 500\n"
                       "  mpirun -n 4 --bind-to none fernwood train --data rooms/train --out rooms.fernwood",
            .dependents = {kEncoderDependents, kCascadeDependents},
            .finish = &TrainCommandArguments::finish,
            .files = &TrainCommandArguments::files,
            .run_rank = run});
}

}  // namespace fernwood::apps
