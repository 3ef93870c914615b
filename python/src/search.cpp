// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nanobind/stl/map.h>

#include <memory>

#include "fernwood/core/file.h"
#include "fernwood/report/evaluation.h"
#include "fernwood/search/report.h"
#include "fernwood/tune/search_forest.h"
#include "python/src/handles.h"

namespace fernwood::python {

namespace {

/// @param train_texts  Options of resources (device, threads …), and the backbone.
/// @param space        A file with changes to the search space, or empty.
/// @param configurations     Configurations to race instead of proposed ones; empty: propose them.
nb::tuple search_frames(const DatasetHandle& dataset, const std::string& preset, OptionTexts train_texts,
                        const OptionTexts& texts, const std::string& folder, const std::string& space,
                        const std::vector<search::Configuration>& configurations, const nb::object& tell) {
  FW_CHECK(dataset.has_labels, Usage, "the frames have no labels to learn from; pass them to Dataset");
  tune::ForestSearchOptions options;
  train_texts.emplace_back("preset", preset);
  train::set_options(train_texts, &dataset.data, options.train, options.resources);
  if (!space.empty()) options.read_space(space);
  search::set_options(texts, options);
  options.train.seed = options.race.seed;
  options.race.folder = folder;
  if (!configurations.empty()) options.race.propose = search::propose_once(configurations);
  options.check();
  if (!folder.empty()) {
    make_folder(folder);
    search::check_search_files("out", folder, {{"space", space}, {"backbone", options.train.backbone_file()}});
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
  const ForestHandle winner{{found, &found->forest}};
  const ReportHandle report{[=] { return report::search_json(*found); },
                            [=] { return report::search_table(*found, false); },
                            [=] { return report::search_page(*found); }};
  return nb::make_tuple(winner, report, tune::winner_config(*found, preset));
}

}  // namespace

void bind_search(nb::module_& module) {
  module.attr("DEFAULT_PRESET") = train::kDefaultPreset;
  module.def("search", search_frames, nb::arg("dataset"), nb::arg("preset"), nb::arg("train_options"),
             nb::arg("options"), nb::arg("folder"), nb::arg("space"), nb::arg("configurations"),
             nb::arg("tell").none());
}

}  // namespace fernwood::python
