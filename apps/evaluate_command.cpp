// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <spdlog/spdlog.h>

#include <iostream>
#include <memory>

#include "apps/commands.h"
#include "apps/evaluate_recordings.h"
#include "apps/shell/frame_options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/dataset/frame_poses.h"
#include "fernwood/evaluate/evaluate.h"
#include "fernwood/forest/forest.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/report/evaluation.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/options.h"
#include "shell/ranks.h"

namespace fernwood::apps {

namespace {

struct EvaluateArguments {
  DatasetArguments dataset;
  predict::PredictOptions predict;
  evaluate::EvaluateOptions evaluate;
  std::filesystem::path model, html;
  evaluate::SequenceOptions sequence;
  bool has_sequence = false, json = false;

  void add_to(CLI::App& command) {
    add_model_option(command, model);
    dataset.add_to(command);
    CLI::Option* page =
        command
            .add_option("--html", html,
                        "Also write a page: accuracy, pictures, channels that splits read, time of training")
            ->option_text("FILE");
    add_table(command, evaluate);
    command
        .add_flag("--sequence", has_sequence,
                  "Label recordings with poses.txt: how much labels flicker, and how soon they follow changes")
        ->excludes(page);
    add_table(command, sequence);
    add_json_flag(command, json);
    add_predict_options(command, predict);
  }
  CommandFiles files() const {
    return {.reads = {{"--model", model}, {"--data", dataset.data}}, .writes = {{"--html", html}}};
  }
};

/// The training of the model, for the page. If its report is missing or damaged, only that part of the page is left
/// out.
report::KnownTraining find_training(const std::filesystem::path& model, const forest::Forest& forest) {
  const std::filesystem::path path = report::training_json_path(model);
  if (!std::filesystem::exists(path))
    return {{},
            "fernwood train writes " + path.filename().string() +
                " beside the model, which says where the time of training went; it does not exist."};
  try {
    return {report::read_training_json(path, forest), ""};
  } catch (const Error& problem) {
    spdlog::warn("{}; the page goes without the time of training", problem.what());
    return {{}, problem.what()};
  }
}

evaluate::EvaluationReport evaluate_model(const EvaluateArguments& arguments, const forest::Forest& forest,
                                          Communicator& ranks) {
  const bool leads = ranks.rank() == 0;
  const dataset::Dataset dataset =
      find_one_after_another(ranks, [&] { return arguments.dataset.open(true, "test", leads); });
  check_same_work(ranks, arguments.model, dataset, arguments.predict, "");
  if (leads) {
    warn_assumed_camera(forest.preparation, dataset.camera().has_value(), dataset.folder().string());
    if (arguments.predict.steady) warn_each(dataset::pose_warnings(dataset));
  }
  const std::unique_ptr<predict::Predictor> predictor = predict::make_predictor(forest, arguments.predict);
  ThreadPool pool(arguments.predict.threads);
  JointCounter counter("evaluating", dataset.size(), ranks);
  evaluate::EvaluateOptions options = arguments.evaluate;
  options.uses_poses = arguments.predict.steady;
  evaluate::EvaluationReport report = evaluate::evaluate(*predictor, forest, dataset, options, pool, counter.callback(),
                                                         ranks.size() > 1 ? &ranks : nullptr);
  report.model = arguments.model.string();
  report.dataset = dataset.folder().string();
  report.device = to_string(choose_device(arguments.predict.device).device) + ", " + predictor->layout();
  counter.clear();
  return report;
}

/// Labels recordings, and reports the temporal consistency of the labels.
void run_sequence(const EvaluateArguments& arguments) {
  FW_CHECK(arguments.dataset.given.max_frames == 0, Usage,
           "--max-frames takes frames that do not follow each other; --sequence needs neighbours: give --every N");
  const forest::Forest forest = forest::load_forest(arguments.model);
  evaluate::SequenceReport report =
      evaluate_recordings(forest, arguments.dataset, arguments.predict, arguments.sequence);
  report.model = arguments.model.string();
  warn_each(report.warnings);
  std::cout << (arguments.json ? report::sequence_json(report) : report::sequence_table(report, use_color(stdout)));
}

void run(const EvaluateArguments& given, Communicator& ranks) {
  EvaluateArguments arguments = given;
  if (arguments.has_sequence) {
    FW_CHECK(ranks.size() == 1, Usage,
             "--sequence labels frames one after another and cannot divide them among processes or GPUs; use one");
    run_sequence(arguments);
    return;
  }
  const bool leads = ranks.rank() == 0;
  arguments.evaluate.pictures = !arguments.html.empty();
  const forest::Forest forest = find_one_after_another(ranks, [&] { return forest::load_forest(arguments.model); });
  take_share(ranks, arguments.predict);
  const evaluate::EvaluationReport report = evaluate_model(arguments, forest, ranks);
  if (!leads) return;
  warn_each(report.warnings);
  if (!arguments.html.empty()) {
    const report::KnownTraining training = find_training(arguments.model, forest);
    write_file_atomically(arguments.html, NamedBy::kUser, report::evaluation_page(report, training));
  }
  // mpirun gives processes a terminal, whatever its own output is.
  const bool color = ranks.size() == 1 && use_color(stdout);
  std::cout << (arguments.json ? report::evaluation_json(report) : report::evaluation_table(report, color));
  if (!arguments.json && !arguments.html.empty()) print() << "\npage    " << arguments.html << "\n";
}

}  // namespace

void add_evaluate_command(CLI::App& app) {
  add_command<EvaluateArguments>(
      app, {.name = "evaluate",
            .summary = "Label frames and compare with their ground truth",
            .example = "fernwood evaluate --model rooms.fernwood --data rooms/test --html report.html\n"
                       "  fernwood evaluate --model rooms.fernwood --data recording --sequence\n"
                       "  mpirun -n 4 --bind-to none fernwood evaluate --model rooms.fernwood --data rooms/test",
            .dependents = {{{"--every"}, {"--sequence"}}, {{"--pictures"}, {"--html"}}},
            .files = &EvaluateArguments::files,
            .run_rank = run,
            .device = [](const EvaluateArguments& arguments) { return arguments.predict.device; }});
}

}  // namespace fernwood::apps
