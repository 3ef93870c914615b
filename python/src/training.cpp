// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nanobind/stl/map.h>
#include <filesystem>
#include <memory>
#include <optional>

#include "fernwood/core/file.h"
#include "fernwood/forest/forest.h"
#include "fernwood/report/description.h"
#include "fernwood/report/evaluation.h"
#include "fernwood/search/report.h"
#include "fernwood/train/train.h"
#include "fernwood/tune/search_forest.h"
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
                        {{"the data set", folder_on_disk(dataset)}, {"backbone", request.options.backbone}},
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
  train::set_options(options, request.options, request.resources);
  request.options.check();
  if (goal) request.goal = parse_name("optimize", *goal, tune::kGoals);
  FW_CHECK(dataset.has_labels, Usage, "the frames have no labels to learn from; give them to Dataset");
  const Trained trained = train(dataset, request, tell);
  if (const std::string& failure = trained.report->checkpoint_failure; !failure.empty())
    warn({failure + "; training went on without a checkpoint"});
  const ReportHandle report{
      [=] { return report::training_json(*trained.report, *trained.forest, trained.optimized.get()); },
      [=] { return report::training_table(*trained.report, *trained.forest, trained.optimized.get()); },
      {}};
  return nb::make_tuple(ForestHandle{trained.forest, trained.report}, report);
}

}  // namespace

void bind_training(nb::module_& module) {
  module.def("train", train_on, nb::arg("dataset"), nb::arg("options"), nb::arg("goal").none(), nb::arg("out"),
             nb::arg("checkpoint"), nb::arg("checkpoint_every_s"), nb::arg("resume"), nb::arg("tell").none());
}

namespace {

/// @param train_texts  Options of resources (device, threads …), and the backbone.
/// @param space        A file with changes to the search space, or empty.
tune::ForestSearchOptions search_options(const std::string& preset, OptionTexts train_texts, const std::string& space) {
  tune::ForestSearchOptions options;
  train_texts.emplace_back("preset", preset);
  train::set_options(train_texts, options.train, options.resources);
  if (!space.empty()) options.read_space(space);
  return options;
}

/// The parameters that a search varies, in the form of search_json().
/// @param train_texts, goal  Options of each training. @throws Error(kUsage) if one is wrong.
std::string search_space(const DatasetHandle& dataset, const std::string& preset, const OptionTexts& train_texts,
                         const std::optional<std::string>& goal, const std::string& space) {
  FW_CHECK(dataset.has_labels, Usage, "the frames have no labels to learn from; give them to Dataset");
  const tune::ForestSearchOptions options = search_options(preset, train_texts, space);
  options.train.check();
  if (goal) parse_name("optimize", *goal, tune::kGoals);
  return tune::search_space(dataset.data, options).to_json();
}

/// @param train_texts  Options of resources: device, threads …
/// @param space        As in search_options().
/// @param configurations     Configurations to race instead of proposed ones; empty: propose them.
nb::tuple search_frames(const DatasetHandle& dataset, const std::string& preset, const OptionTexts& train_texts,
                        const OptionTexts& texts, const std::string& folder, const std::string& space,
                        const std::vector<search::Configuration>& configurations, const nb::object& tell) {
  FW_CHECK(dataset.has_labels, Usage, "the frames have no labels to learn from; give them to Dataset");
  tune::ForestSearchOptions options = search_options(preset, train_texts, space);
  search::set_options(texts, options);
  options.train.seed = options.race.seed;
  options.race.folder = folder;
  if (!configurations.empty()) options.race.propose = search::propose_once(configurations);
  options.check();
  if (!folder.empty()) {
    make_folder(folder);
    search::check_search_files("out", folder, {{"space", space}, {"backbone", options.train.backbone}});
  }
  begin_threads();
  ProgressSlot<ProgressWords> slot;
  PendingWarnings warnings(dataset.said);
  const auto found = run_interruptibly(
      [&](const std::stop_token& stop) {
        const search::SearchHooks hooks{
            .progress = [&](const search::SearchProgress& now) { slot.put(search::progress_words(now)); },
            .stop = stop,
            .warn = [&](const Warning& warning) { warnings.put(in_python(warning.text)); }};
        auto raced = std::make_shared<const tune::ForestSearch>(tune::search_forest(dataset.data, options, hooks));
        if (!folder.empty()) report::write_search(folder, *raced, preset);
        return raced;
      },
      teller(slot, tell, warnings));
  for (const Warning& warning : found->race.warnings) warn({in_python(warning.text)});
  const ForestHandle winner{{found, &found->forest}, {found, &found->train_report}};
  const ReportHandle report{[=] { return report::search_json(*found); },
                            [=] { return report::search_table(*found, false); },
                            [=] { return report::search_page(*found); }};
  return nb::make_tuple(winner, report, tune::winner_config(*found, preset));
}

}  // namespace

void bind_search(nb::module_& module) {
  module.def("search_space", search_space, nb::arg("dataset"), nb::arg("preset"), nb::arg("options"),
             nb::arg("goal").none(), nb::arg("space"));
  module.def(
      "check_writable", [](const std::string& path) { check_writable(path, NamedBy::kUser); }, nb::arg("path"));
  module.attr("DEFAULT_PRESET") = train::kDefaultPreset;
  module.def("search", search_frames, nb::arg("dataset"), nb::arg("preset"), nb::arg("train_options"),
             nb::arg("options"), nb::arg("folder"), nb::arg("space"), nb::arg("configurations"),
             nb::arg("tell").none());
}

}  // namespace fernwood::python
