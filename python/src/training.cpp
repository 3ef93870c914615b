// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <filesystem>
#include <memory>

#include "fernwood/core/file.h"
#include "fernwood/forest/forest.h"
#include "fernwood/report/description.h"
#include "fernwood/report/evaluation.h"
#include "fernwood/train/train.h"
#include "fernwood/tune/train_optimized.h"
#include "python/src/handles.h"

namespace fernwood::python {

namespace {

namespace fs = std::filesystem;

struct TrainRequest {
  train::TrainOptions options;
  train::TrainResources resources;
  std::optional<tune::Goal> goal;
  fs::path checkpoint, out;
  double checkpoint_every_s = 0;
  bool resume = false;
};

struct Trained {
  std::shared_ptr<const forest::Forest> forest;
  std::shared_ptr<train::TrainReport> report = std::make_shared<train::TrainReport>();
  std::shared_ptr<tune::OptimizeReport> optimized;  // null: class weights were not tuned
};

/// The end of the message of a training error; empty if no trees were kept.
std::string kept_text(const train::TrainReport& report, const fs::path& checkpoint) {
  if (!report.checkpoint_failure.empty()) return "; what was grown is not kept: " + report.checkpoint_failure;
  if (!report.has_checkpoint) return "";
  return "; what was grown is kept in " + checkpoint.string() +
         ", and the same call with resume=True continues from there";
}

forest::Forest grow(const dataset::Dataset& data, const TrainRequest& request, const train::TrainHooks& hooks,
                    const Trained& trained) {
  try {
    if (request.goal)
      return tune::train_optimized(data, request.options, *request.goal, request.resources, hooks, trained.report.get(),
                                   trained.optimized.get());
    return train::train_forest(data, request.options, request.resources, hooks, trained.report.get());
  } catch (const Error& failure) {
    const std::string kept = kept_text(*trained.report, request.checkpoint);
    if (kept.empty()) throw;
    throw Error(failure.kind(), failure.sentence() + kept);
  }
}

/// Writes the model and, beside it, the report on its training, as the command-line program does.
void write_model(const TrainRequest& request, const Trained& trained) {
  forest::save_forest(*trained.forest, request.out);
  const auto write = [&](std::ostream& file) {
    file << report::training_json(*trained.report, *trained.forest, trained.optimized.get());
  };
  write_file_atomically(report::training_json_path(request.out), NamedBy::kFernwood, write);
}

Trained train(const DatasetHandle& dataset, const TrainRequest& request, const nb::object& tell) {
  OutputLock lock;
  refuse_replaced_files({{"out", request.out}, {"checkpoint", request.checkpoint}},
                        {{"the data set", folder_on_disk(dataset)}, {"backbone", request.options.backbone_file()}},
                        &report::is_read_with);
  if (!request.out.empty()) {
    check_writable(request.out, NamedBy::kUser);
    lock = OutputLock(request.out);
  }
  begin_threads();
  Trained trained;
  if (request.goal) trained.optimized = std::make_shared<tune::OptimizeReport>();
  ProgressSlot<ProgressWords> slot;
  PendingWarnings warnings(dataset.said);
  trained.forest = run_interruptibly(
      [&](const std::stop_token& stop) {
        train::TrainHooks hooks;
        hooks.progress = [&](const train::TrainProgress& now) { slot.put(report::progress_words(now)); };
        hooks.warn = [&](const Warning& warning) { warnings.put(in_python(warning.text)); };
        hooks.stop = stop;
        hooks.checkpoint = request.checkpoint;
        hooks.checkpoint_every_s = request.checkpoint_every_s;
        hooks.resume = request.resume;
        return std::make_shared<const forest::Forest>(grow(dataset.data, request, hooks, trained));
      },
      teller(slot, tell, warnings));
  if (!request.out.empty()) write_model(request, trained);
  if (!request.checkpoint.empty()) {
    fs::remove(request.checkpoint);
    if (request.goal) fs::remove(tune::left_out_checkpoint(request.checkpoint));
  }
  return trained;
}

nb::tuple train_on(const DatasetHandle& dataset, const OptionTexts& options, const std::optional<std::string>& goal,
                   const std::string& out, const std::string& checkpoint, double checkpoint_every_s, bool resume,
                   const nb::object& tell) {
  TrainRequest request{.options = {},
                       .resources = {},
                       .goal = {},
                       .checkpoint = checkpoint,
                       .out = out,
                       .checkpoint_every_s = checkpoint_every_s,
                       .resume = resume};
  train::set_options(options, &dataset.data, request.options, request.resources);
  request.options.check();
  if (goal) request.goal = parse_name("optimize", *goal, tune::kGoals);
  FW_CHECK(dataset.has_labels, Usage, "the frames have no labels to learn from; pass them to Dataset");
  const Trained trained = train(dataset, request, tell);
  if (const std::string& failure = trained.report->checkpoint_failure; !failure.empty())
    warn({failure + "; training went on without a checkpoint"});
  const ReportHandle report{
      [=] { return report::training_json(*trained.report, *trained.forest, trained.optimized.get()); },
      [=] { return report::training_table(*trained.report, *trained.forest, trained.optimized.get()); },
      {}};
  return nb::make_tuple(ForestHandle{trained.forest}, report);
}

}  // namespace

void bind_training(nb::module_& module) {
  module.def("train", train_on, nb::arg("dataset"), nb::arg("options"), nb::arg("goal").none(), nb::arg("out"),
             nb::arg("checkpoint"), nb::arg("checkpoint_every_s"), nb::arg("resume"), nb::arg("tell").none());
}

}  // namespace fernwood::python
